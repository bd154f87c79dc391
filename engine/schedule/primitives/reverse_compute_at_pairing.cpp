// Which elements a consumer works on when it moves into a loop of its producer; see reverse_compute_at.cpp.

#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/analysis/dependence.h"
#include "engine/schedule/analysis/mirror.h"
#include "engine/schedule/analysis/places.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/primitives/kinds.h"
#include "engine/schedule/primitives/reverse_compute_at.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

bool sameIndices(const std::vector<Expr>& a, const std::vector<Expr>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Expr& x, const Expr& y) { return equal(x, y); });
}

Check notOneToOne(const Block& consumer, const std::string& buffer, const std::string& at)
{
    return illegal("reverse_compute_at.not_one_to_one",
                   NW_WORDS("reverse_compute_at: {1} does not read {2} one to one (each index a variable of its own), "
                            "so a step of {0} does not make all that an element of {1} needs"),
                   {at, consumer.name, buffer}, {consumer.name});
}

// Where a guard keeps a read inside of the buffer the consumer has elements that no element of the producer leads to.
bool staysInside(const Affine& index, const Block& consumer, std::int64_t extent)
{
    const std::int64_t last
        = index.terms.empty() ? 0 : constInt(consumer.iter(index.terms.begin()->first)->extent).value_or(extent - index.constant) - 1;
    return index.constant >= 0 && last + index.constant < extent;
}

// index = iteration variable + offset in each dimension, no variable twice.
std::optional<Check> link(const LoopNest& nest, Follower& follower)
{
    const Block& consumer = *follower.consumer.block;
    const std::string& buffer = follower.producer.block->buffer;
    const std::vector<std::vector<Expr>> reads = readsOf(consumer, buffer);
    follower.indices = reads.front();
    for (const std::vector<Expr>& read : reads) {
        if (!sameIndices(read, follower.indices)) {
            return notOneToOne(consumer, buffer, follower.at);
        }
    }
    for (std::size_t d = 0; d < follower.indices.size(); ++d) {
        const std::optional<Affine> form = affineOf(follower.indices[d]);
        if (!form || form->terms.size() > 1) {
            return notOneToOne(consumer, buffer, follower.at);
        }
        if (!staysInside(*form, consumer, nest.buffer(buffer)->shape[d])) {
            return illegal("reverse_compute_at.reads_outside",
                           NW_WORDS("reverse_compute_at: {1} has elements that read nothing of {2}, so no step of {0} would make them"),
                           {follower.at, consumer.name, buffer}, {consumer.name});
        }
        if (form->terms.empty()) {
            continue;
        }
        const auto& [name, coefficient] = *form->terms.begin();
        if (coefficient != 1 || !follower.links.emplace(name, Follower::Link{d, form->constant}).second) {
            return notOneToOne(consumer, buffer, follower.at);
        }
    }
    return std::nullopt;
}

// Guards of tails are made anew for the copy of the loops; others would be lost.
std::optional<Check> writesOutside(const LoopNest& nest, const Follower& follower)
{
    const Block& consumer = *follower.consumer.block;
    if (writesInside(nest, consumer)) {
        return std::nullopt;
    }
    return illegal("reverse_compute_at.writes_outside",
                   NW_WORDS("reverse_compute_at: {1} leaves out elements that lie outside of {2}, and its loops in {0} would run on them"),
                   {follower.at, consumer.name, consumer.buffer}, {consumer.name});
}

// A dimension that no variable walks must lie still in the producer; one that a reduction walks must be whole.
std::optional<Check> incomplete(const LoopNest& nest, const Follower& follower)
{
    const Buffer& buffer = *nest.buffer(follower.producer.block->buffer);
    const std::vector<Window> windows = windowsOf(buffer, {follower.producer}, follower.at, nest.loopRanges());
    for (std::size_t d = 0; d < windows.size(); ++d) {
        const auto linked = std::find_if(follower.links.begin(), follower.links.end(),
                                         [&](const auto& entry) { return entry.second.dimension == d; });
        const bool needsWhole
            = linked == follower.links.end() ? buffer.shape[d] != 1 : follower.consumer.block->iter(linked->first)->reduction;
        if (needsWhole && !windows[d].whole) {
            return illegal("reverse_compute_at.incomplete",
                           NW_WORDS("reverse_compute_at: an element of {1} needs dimension {3} of {2} whole, "
                                    "and a step of {0} makes {4} of its {5} elements"),
                           {follower.at, follower.consumer.block->name, buffer.name, std::to_string(d),
                            std::to_string(windows[d].extent), std::to_string(buffer.shape[d])},
                           {follower.at, follower.consumer.block->name});
        }
    }
    return std::nullopt;
}

// Blocks of the program before `limit` may not be overtaken when the consumer reads what they write.
std::optional<Check> overtakes(const LoopNest& nest, const Follower& follower)
{
    bool reached = false;
    const std::vector<const Loop*> around = nest.findLoop(follower.at).loops;
    for (const Place& place : nest.blocks()) {
        if (place.block->id == follower.consumer.block->id) {
            break;
        }
        const bool turns = std::any_of(around.begin(), around.end(), [&](const Loop* loop) {
            return !isConst(loop->extent, 1) && contains(place, loop->name);
        });
        if (turns && !contains(place, follower.at) && readsBuffer(*follower.consumer.block, place.block->buffer)) {
            return illegal("reverse_compute_at.overtakes",
                           NW_WORDS("reverse_compute_at: {1} also reads what {2} writes in turns with {0}, and may need more of it than is there"),
                           {follower.at, follower.consumer.block->name, place.block->name},
                           {follower.at, place.block->name});
        }
        reached = reached || contains(place, follower.at);
        if (reached && !contains(place, follower.at) && readsBuffer(*follower.consumer.block, place.block->buffer)) {
            return illegal("reverse_compute_at.overtakes",
                           NW_WORDS("reverse_compute_at: {1} also reads what {2} writes, which runs after {0}"),
                           {follower.at, follower.consumer.block->name, place.block->name},
                           {follower.at, place.block->name});
        }
    }
    return std::nullopt;
}

// Steps of the loops at and around the place make different elements.
std::optional<Check> makesTwice(const LoopNest& nest, const Follower& follower)
{
    const LoopNest::Path target = nest.findLoop(follower.at);
    std::vector<const Loop*> around = target.loops;
    around.push_back(target.loop);
    const Access write = accessesOf(*follower.producer.block).front();
    const Meeting meeting = whereTheyMeet(write, write, {}, namesOf(around), nest.loopRanges());
    for (const Loop* loop : around) {
        if (!isConst(loop->extent, 1) && !meeting.same.contains(loop->name)) {
            const std::vector<std::string> operands{loop->name, follower.consumer.block->name, follower.producer.block->name};
            return meeting.gaveUp
                ? unproven("reverse_compute_at.unknown",
                           NW_WORDS("reverse_compute_at: whether steps of {0} make different elements of {2} is not known"),
                           operands, {loop->name})
                : illegal("reverse_compute_at.twice",
                          NW_WORDS("reverse_compute_at: several steps of {0} make the same elements of {2}, so {1} would run on them again"),
                          operands, {loop->name, follower.producer.block->name});
        }
    }
    return std::nullopt;
}

std::optional<Check> cannotFollow(const LoopNest& nest, const Follower& follower)
{
    const std::set<std::string> inside = loopsInside(follower.producer.loops, follower.at);
    if (effectiveKind(nest, *nest.findLoop(follower.at).loop) == LoopKind::Vector) {
        return illegal("reverse_compute_at.vector", NW_WORDS("reverse_compute_at: {0} is a vector loop and can hold no loops"),
                       {follower.at}, {follower.at});
    }
    if (startsChain(nest, *nest.findLoop(follower.at).loop)) {
        return illegal("reverse_compute_at.parallel_chain",
                       NW_WORDS("reverse_compute_at: the parallel loop {0} would hold {1} beside the parallel loop inside of it"),
                       {follower.at, follower.consumer.block->name}, {follower.at, follower.consumer.block->name});
    }
    const std::vector<Expr> written = accessesOf(*follower.producer.block).front().indices;
    const bool isBox = std::all_of(written.begin(), written.end(),
                                   [&](const Expr& index) { return spanOf(index, inside, nest.loopRanges()).has_value(); });
    if (!isBox || cannotMirror(follower.producer, follower.at)) {
        return illegal("reverse_compute_at.region",
                       NW_WORDS("reverse_compute_at: what {1} writes in one step of {0} is no box that other loops could walk"),
                       {follower.at, follower.producer.block->name}, {follower.at, follower.producer.block->name});
    }
    // One loop for an element and a step of the consumer's reduction at once would start the sum in the middle.
    for (const auto& [name, link] : follower.links) {
        if (!follower.consumer.block->iter(name)->reduction) {
            continue;
        }
        for (std::size_t d = 0; d < written.size(); ++d) {
            for (const std::string& loop : varsOf({written[d]})) {
                if (d != link.dimension && usesVar(written[link.dimension], loop)) {
                    return illegal("reverse_compute_at.mixed",
                                   NW_WORDS("reverse_compute_at: {0} walks both elements of {1} and steps of its reduction over {2}"),
                                   {loop, follower.consumer.block->name, name}, {loop, follower.consumer.block->name});
                }
            }
        }
    }
    return std::nullopt;
}

// Another buffer made in the same step must hold what the elements at hand read: its box has the same place and guard.
bool holdsReads(const LoopNest& nest, const Follower& follower, const Place& other, const std::vector<Window>& mine)
{
    const Block& main = *follower.producer.block;
    const std::vector<Window> theirs
        = windowsOf(*nest.buffer(other.block->buffer), {other}, follower.at, nest.loopRanges());
    const bool unguarded = isConst(other.block->predicate, 1)
        || (other.loops == follower.producer.loops && equal(other.block->predicate, main.predicate));
    const std::vector<std::vector<Expr>> reads = readsOf(*follower.consumer.block, other.block->buffer);
    return unguarded && std::all_of(reads.begin(), reads.end(), [&](const std::vector<Expr>& indices) {
        for (std::size_t d = 0; d < theirs.size(); ++d) {
            const Var* axis = indices[d]->as<Var>();
            const auto linked = axis == nullptr ? follower.links.end() : follower.links.find(axis->name);
            if (theirs[d].whole) {
                continue;
            }
            if (linked == follower.links.end() || linked->second.offset != 0) {
                return false;
            }
            const Window& own = mine[linked->second.dimension];
            if (theirs[d].extent != own.extent || !equal(theirs[d].base, own.base)) {
                return false;
            }
        }
        return true;
    });
}

// A block that starts just the elements that the producer goes on with in a step, or adds other terms to them.
bool worksOnTheSame(const LoopNest& nest, const Follower& follower, const Place& other)
{
    if (!contains(other, follower.at) || !follower.producer.block->continues() || guardsApart(follower.producer, other)) {
        return false;
    }
    const Ranges ranges = nest.loopRanges();
    const std::vector<Expr> made = accessesOf(*follower.producer.block).front().indices;
    const std::vector<Expr> theirs = accessesOf(*other.block).front().indices;
    for (std::size_t d = 0; d < made.size(); ++d) {
        const auto a = spanOf(made[d], loopsInside(follower.producer.loops, follower.at), ranges);
        const auto b = spanOf(theirs[d], loopsInside(other.loops, follower.at), ranges);
        if (!a || !b || a->extent != b->extent || !equal(a->base, b->base)) {
            return false;
        }
    }
    return true;
}

std::optional<Check> otherWriters(const LoopNest& nest, const Follower& follower)
{
    const Block& main = *follower.producer.block;
    const Block& consumer = *follower.consumer.block;
    if (const Block* other = otherWriter(nest, consumer)) {
        return illegal("reverse_compute_at.shares_result",
                       NW_WORDS("reverse_compute_at: {1} and {2} both work on {3}, one after the other; {1} cannot leave its place"),
                       {follower.at, consumer.name, other->name, consumer.buffer}, {consumer.name, other->name});
    }
    for (const Place& other : nest.blocks()) {
        if (other.block->id != main.id && other.block->buffer == main.buffer && !worksOnTheSame(nest, follower, other)) {
            return illegal("reverse_compute_at.other_writer",
                           NW_WORDS("reverse_compute_at: {2} writes {3} as well, so {1} would not run on all of it in {0}"),
                           {follower.at, follower.consumer.block->name, other.block->name, main.buffer},
                           {follower.at, other.block->name});
        }
    }
    return std::nullopt;
}

std::optional<Check> otherProducers(const LoopNest& nest, const Follower& follower)
{
    const Block& main = *follower.producer.block;
    const std::vector<Window> mine
        = windowsOf(*nest.buffer(main.buffer), {follower.producer}, follower.at, nest.loopRanges());
    for (const Place& other : producersIn(nest, follower)) {
        if (other.block->buffer != main.buffer && !holdsReads(nest, follower, other, mine)) {
            return illegal("reverse_compute_at.other_producer",
                           NW_WORDS("reverse_compute_at: a step of {0} does not make of {2} what {1} needs beside {3}"),
                           {follower.at, follower.consumer.block->name, other.block->buffer, main.buffer},
                           {follower.at, other.block->name});
        }
    }
    return std::nullopt;
}

// Tiles of loops that the consumer leaves would be out of its reach.
std::optional<Check> leavesPrivate(const LoopNest& nest, const Follower& follower)
{
    const LoopNest::Path target = nest.findLoop(follower.at);
    for (const Access& access : accessesOf(*follower.consumer.block)) {
        const std::string& home = nest.buffer(access.buffer)->atLoop;
        if (!home.empty() && home != follower.at && !contains(target, home)) {
            return illegal("reverse_compute_at.private", NW_WORDS("reverse_compute_at: {1} uses {2}, which is private to {0}"),
                           {home, follower.consumer.block->name, access.buffer}, {home, follower.consumer.block->name});
        }
    }
    return std::nullopt;
}

Pairing no(Check why)
{
    return {std::nullopt, std::move(why)};
}

} // namespace

std::vector<Place> producersIn(const LoopNest& nest, const Follower& follower)
{
    std::vector<Place> producers = nest.blocks();
    std::erase_if(producers, [&](const Place& place) {
        return !contains(place, follower.at) || !readsBuffer(*follower.consumer.block, place.block->buffer);
    });
    return producers;
}

Pairing pair(const LoopNest& nest, const std::string& consumer, const std::string& at)
{
    Follower follower;
    follower.consumer = nest.findBlock(consumer);
    follower.at = at;
    const Block& block = *follower.consumer.block;
    if (contains(follower.consumer, at)) {
        return no(illegal("reverse_compute_at.inside", NW_WORDS("reverse_compute_at: {1} already stands inside {0}"),
                          {at, block.name}, {at, block.name}));
    }
    for (const Place& place : nest.blocks()) {
        const bool runs = !isConst(place.block->predicate, 0); // else nothing would run behind it either
        if (runs && contains(place, at) && place.block->id != block.id && readsBuffer(block, place.block->buffer)) {
            follower.producer = place;
        }
    }
    if (!follower.producer) {
        return no(illegal("reverse_compute_at.no_producer", NW_WORDS("reverse_compute_at: nothing inside {0} writes what {1} reads"),
                          {at, block.name}, {at, block.name}));
    }
    const LoopNest::Path target = nest.findLoop(at);
    const std::vector<const Loop*>& around = target.loops;
    const Loop& root = around.empty() ? *target.loop : *around.front();
    if (!follower.consumer.loops.empty() && follower.consumer.loops.front()->id == root.id) {
        return no(illegal("reverse_compute_at.shared_loops", NW_WORDS("reverse_compute_at: {1} and {0} already share the loop {2}"),
                          {at, block.name, root.name}, {root.name, block.name}));
    }
    if (auto found = movesTogether(nest, "reverse_compute_at", block)) {
        return no(*std::move(found));
    }
    if (auto found = overtakes(nest, follower)) {
        return no(*std::move(found));
    }
    if (auto found = link(nest, follower)) {
        return no(*std::move(found));
    }
    if (auto found = writesOutside(nest, follower)) {
        return no(*std::move(found));
    }
    if (auto found = incomplete(nest, follower)) {
        return no(*std::move(found));
    }
    return {std::move(follower), legal()};
}

std::optional<Check> blocked(const LoopNest& nest, const Follower& follower)
{
    if (auto found = leavesPrivate(nest, follower)) {
        return found;
    }
    if (auto found = cannotFollow(nest, follower)) {
        return found;
    }
    if (auto found = otherWriters(nest, follower)) {
        return found;
    }
    if (auto found = otherProducers(nest, follower)) {
        return found;
    }
    return makesTwice(nest, follower);
}

bool copyFallsAway(const LoopNest& nest, const Follower& follower)
{
    const Block& copy = *follower.producer.block;
    const Load* source = copy.value->as<Load>();
    const Buffer* through = nest.buffer(copy.buffer);
    if (source == nullptr || copy.isReduction() || through->scope == Scope::Port) {
        return false;
    }
    const std::string& home = nest.buffer(source->buffer)->atLoop;
    if (home.empty() || (home != follower.at && !contains(nest.findLoop(follower.at), home))) {
        return false;
    }
    for (const Place& place : nest.blocks()) {
        const bool isOther = place.block->id != copy.id && place.block->id != follower.consumer.block->id;
        if (isOther && (place.block->buffer == through->name || readsBuffer(*place.block, through->name))) {
            return false;
        }
    }
    // The consumer must know every variable by which the copy finds its place in the tile.
    for (const std::string& name : varsOf(source->indices)) {
        if (copy.iter(name) == nullptr) {
            return false;
        }
    }
    return true;
}

} // namespace nw::schedule
