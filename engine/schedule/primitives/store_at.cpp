// store_at BUFFER at LOOP          (at root, or without a loop: the kernel's own)
//
//   for o in 0..4: with T [10] in stack             T [34] in heap
//     for i in 0..10:                               for o in 0..4:
//       p: T[i] = f(o * 8 + i)              =>        for i in 0..10:
//     for i in 0..8:                                    p: T[o * 8 + i] = f(o * 8 + i)
//       c: Y[o * 8 + i] = T[i] + T[i + 2]             for i in 0..8:
//                                                       c: Y[o * 8 + i] = T[o * 8 + i] + T[o * 8 + i + 2]
//
// Where the memory of an internal buffer lives, apart from where its block is computed: the buffer belongs to a step of
// LOOP and has the elements that such a step touches. Outwards it grows, and each step inside finds its own elements;
// what lies in registers stays there, everything else takes the stack or, where it is large or threads share it, the
// heap. Inwards each step of LOOP gets memory of its own.
// Keeps the order of iteration and what is computed when.
// Refuses ports, a LOOP that is not around all blocks that use the buffer, buffers whose blocks do not tell which part of
// the whole a step makes, elements that are handed on from one step of LOOP to another, a reduction that goes on in them,
// steps of parallel and vector loops that would meet in the buffer, and more than the registers or a thread's stack hold.

#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/analysis/dependence.h"
#include "engine/schedule/analysis/inverse.h"
#include "engine/schedule/analysis/places.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/buffer_home.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

const char* const kRoot = "root";

// The loop's name; empty for the kernel.
std::string placeOf(const LoopNest& nest, const Args& args)
{
    const std::string name = args.given(1) ? args.name(1) : kRoot;
    return name == kRoot && !nest.findLoop(name) ? "" : name;
}

bool isInside(const LoopNest& nest, const std::string& at, const std::string& home)
{
    return !at.empty() && (home.empty() || contains(nest.findLoop(at), home));
}

// Inwards: a step must make all that it uses.
std::optional<Check> needsOthers(const LoopNest& nest, const Buffer& buffer, const std::string& at)
{
    if (!stepMakesAll(nest, buffer.name, at) && handedOn(nest, buffer.name, at)) {
        return illegal("store_at.handed_on",
                       NW_WORDS("store_at: elements of {1} are made in one step of {0} or of a loop around it and used in another"),
                       {at, buffer.name}, {at, buffer.name});
    }
    for (const Place& user : usersOf(nest, buffer.name)) {
        const std::set<std::string> inside = loopsInside(user.loops, at);
        for (const std::string& name : boundLoops(*user.block, true)) {
            if (user.block->buffer == buffer.name && !inside.contains(name)) {
                return illegal("store_at.reduction_outside",
                               NW_WORDS("store_at: {1} adds to {2} in every step of {3}, which is not inside {0}"),
                               {at, user.block->name, buffer.name, name}, {at, name, user.block->name});
            }
        }
    }
    return std::nullopt;
}

LoopNest moved(const LoopNest& nest, const Buffer& buffer, const std::string& at)
{
    const bool outwards = !buffer.atLoop.empty() && !isInside(nest, at, buffer.atLoop);
    return shrunkTo(outwards ? unfolded(nest, buffer.name) : nest, buffer.name, at);
}

// Outwards: an element has one value for as long as the buffer lives.
std::optional<Check> holdsMany(const LoopNest& after, const std::string& name, const std::string& at)
{
    const std::set<std::string> fixed = lifetimeLoops(after, *after.buffer(name));
    for (const Place& user : usersOf(after, name)) {
        if (user.block->buffer != name) {
            continue;
        }
        if (const std::optional<std::string> variable = untold(after, user, fixed)) {
            return illegal("store_at.part",
                           NW_WORDS("store_at: which {2} an element of {1} is for is not told by its place; steps inside would use one "
                                    "place for many values"),
                           {at, name, *variable}, {user.block->name});
        }
    }
    return std::nullopt;
}

Check check(const LoopNest& nest, const Args& args, const Context& context)
{
    if (const auto missing = bufferMissing(nest, "store_at", args.name(0))) {
        return *missing;
    }
    const std::string at = placeOf(nest, args);
    if (const auto missing = at.empty() ? std::nullopt : loopMissing(nest, "store_at", at)) {
        return *missing;
    }
    const Buffer& buffer = *nest.buffer(args.name(0));
    if (buffer.scope == Scope::Port) {
        return illegal("store_at.port", NW_WORDS("store_at: {0} is an argument of the kernel; its memory is the caller's"),
                       {buffer.name}, {buffer.name});
    }
    for (const Place& user : usersOf(nest, buffer.name)) {
        if (!at.empty() && !contains(user, at)) {
            return illegal("store_at.user_outside", NW_WORDS("store_at: {1} uses {2} outside of {0}"),
                           {at, user.block->name, buffer.name}, {at, user.block->name});
        }
    }
    if (buffer.atLoop == at) {
        return pointless("store_at.already", NW_WORDS("store_at: {0} lives there already"), {buffer.name}, {buffer.name});
    }
    if (isInside(nest, at, buffer.atLoop)) {
        if (auto found = needsOthers(nest, buffer, at)) {
            return *std::move(found);
        }
    }
    const LoopNest after = moved(nest, buffer, at);
    if (auto found = holdsMany(after, buffer.name, at)) {
        return *std::move(found);
    }
    if (auto found = cannotLive(after, "store_at", buffer.name, context)) {
        return *std::move(found);
    }
    return stepsMeet(after, "store_at", buffer.name).value_or(legal());
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    const Buffer* buffer = nest.buffer(args.name(0));
    const std::string at = placeOf(nest, args);
    ENSURE(buffer != nullptr && buffer->scope != Scope::Port && (at.empty() || nest.findLoop(at)),
           "store_at: there is no such internal buffer or loop");
    const std::vector<Place> users = usersOf(nest, buffer->name);
    ENSURE(at.empty() || std::all_of(users.begin(), users.end(), [&](const Place& user) { return contains(user, at); }),
           "store_at: a block uses the buffer outside of the loop");
    return {moved(nest, *buffer, at), {}};
}

// For a block: its result one loop further out, at the kernel, and as far inside as all that use it stand together.
std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context&)
{
    const LoopNest::Path path = nest.findBlock(name);
    const Buffer* buffer = path ? nest.buffer(path.block->buffer) : nullptr;
    if (buffer == nullptr || buffer->scope == Scope::Port) {
        return {};
    }
    std::vector<std::string> places;
    const auto add = [&](const std::string& place) {
        if (place != buffer->atLoop && std::find(places.begin(), places.end(), place) == places.end()) {
            places.push_back(place);
        }
    };
    if (!buffer->atLoop.empty()) {
        const std::vector<const Loop*> around = nest.findLoop(buffer->atLoop).loops;
        if (!around.empty()) {
            add(around.back()->name);
        }
        add("");
    }
    const std::vector<const Loop*> shared = loopsAroundAll(usersOf(nest, buffer->name));
    if (!shared.empty()) {
        add(shared.back()->name);
    }
    std::vector<Args> proposals;
    for (const std::string& place : places) {
        proposals.push_back({{buffer->name, place.empty() ? ArgValue() : ArgValue(place)}});
    }
    return proposals;
}

} // namespace

const Primitive storeAt{
    "store_at",
    NW_WORDS("Let the memory of a buffer belong to a step of another loop, or to the kernel"),
    {{"buffer", ParamKind::Buffer, ""}, {"loop", ParamKind::Loop, "at", true}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Data,
};

} // namespace nw::schedule
