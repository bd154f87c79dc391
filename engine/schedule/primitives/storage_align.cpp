// storage_align BUFFER DIM FACTOR plus OFFSET
//
//   T [64, 128]                =>   T [64, 128 of 144]
//                                   a step of dimension 0 is 144 = 1 * 128 + 16 elements: storage_align T 0 128 plus 16
//
// Elements that follow one another in dimension DIM (counted from 0) lie a multiple of FACTOR elements, and OFFSET more,
// apart. Rows whose distance is a large power of two compete for a few sets of the cache; an offset of a cache line puts
// them into different ones. Indices, loops and blocks stay as they are: the memory gets room that nobody uses.
// Keeps the order of iteration.
// Refuses ports (their layout is agreed with others), registers, a dimension without another one inside of it, layouts
// that are more than an order of dimensions, and distances that no room can give.

#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/primitives/all.h"
#include "engine/schedule/primitives/common.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

// Dimensions as they lie in memory, outermost first. Nothing for a map that cuts or mixes dimensions.
std::optional<std::vector<std::size_t>> memoryOrder(const Buffer& buffer)
{
    const IndexMap& map = buffer.layout.map;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < buffer.shape.size(); ++i) {
        if (map.axes.empty()) {
            order.push_back(i);
            continue;
        }
        const Var* axis = map.out.size() == map.axes.size() ? map.out[i]->as<Var>() : nullptr;
        const auto dimension = axis == nullptr
            ? map.axes.size()
            : static_cast<std::size_t>(std::find(map.axes.begin(), map.axes.end(), axis->name) - map.axes.begin());
        if (dimension == map.axes.size() || std::find(order.begin(), order.end(), dimension) != order.end()) {
            return std::nullopt;
        }
        order.push_back(dimension);
    }
    return order;
}

// Where the room goes: behind the elements of the next dimension inwards that has more than one.
struct Room {
    std::size_t dimension = 0;
    std::int64_t inner = 1;   // elements from one step of it to the next
    std::int64_t added = 0;   // steps of it
};
struct Wanted {
    std::size_t dimension;
    std::int64_t factor, offset;
};
Wanted wantedBy(const Args& args)
{
    return {static_cast<std::size_t>(args.number(1)), args.number(2), args.given(3) ? args.number(3) : 0};
}

std::optional<Room> placeFor(const Buffer& buffer, const std::vector<std::size_t>& order, std::size_t dimension)
{
    Room room;
    std::optional<Room> found;
    for (auto inner = order.rbegin(); inner != order.rend() && *inner != dimension; ++inner) {
        const auto border = buffer.layout.border.empty() ? std::pair<std::int64_t, std::int64_t>() : buffer.layout.border[*inner];
        if (buffer.shape[*inner] > 1) {
            found = Room{*inner, room.inner, 0};
        }
        // A dimension of one element is only as wide as its element.
        room.inner *= buffer.shape[*inner] > 1 ? border.first + buffer.shape[*inner] + border.second : 1;
    }
    return found;
}

// The least room with which the distance is as wished; nothing when there is none.
std::optional<Room> roomFor(const Buffer& buffer, const std::vector<std::size_t>& order, const Wanted& wanted)
{
    std::optional<Room> room = placeFor(buffer, order, wanted.dimension);
    if (!room) {
        return std::nullopt;
    }
    const std::int64_t extent = buffer.shape[room->dimension];
    for (std::int64_t added = 0; added < wanted.factor; ++added) {
        if (((extent + added) % wanted.factor * (room->inner % wanted.factor)) % wanted.factor == wanted.offset) {
            room->added = added;
            return room;
        }
    }
    return std::nullopt;
}

std::optional<Check> badNumbers(const Buffer& buffer, const Args& args)
{
    constexpr std::int64_t kLargestFactor = 1 << 20;
    const std::int64_t dimension = args.number(1);
    const auto rank = static_cast<std::int64_t>(buffer.shape.size());
    if (dimension < 0 || dimension >= rank) {
        return illegal("storage_align.no_dimension", NW_WORDS("storage_align: {0} has {1} dimensions, counted from 0; there is no {2}"),
                       {buffer.name, std::to_string(rank), std::to_string(dimension)}, {buffer.name});
    }
    const Wanted wanted = wantedBy(args);
    if (wanted.factor < 1 || wanted.factor > kLargestFactor) {
        return illegal("storage_align.factor", NW_WORDS("storage_align: the factor must be from 1 to {0}, not {1}"),
                       {std::to_string(kLargestFactor), std::to_string(wanted.factor)}, {buffer.name});
    }
    if (wanted.offset < 0 || wanted.offset >= wanted.factor) {
        return illegal("storage_align.offset", NW_WORDS("storage_align: the offset must be from 0 to below the factor {0}, not {1}"),
                       {std::to_string(wanted.factor), std::to_string(wanted.offset)}, {buffer.name});
    }
    return std::nullopt;
}

Check check(const LoopNest& nest, const Args& args, const Context&)
{
    if (const auto missing = bufferMissing(nest, "storage_align", args.name(0))) {
        return *missing;
    }
    const Buffer& buffer = *nest.buffer(args.name(0));
    if (buffer.scope == Scope::Port) {
        return illegal("storage_align.port",
                       NW_WORDS("storage_align: {0} is an argument of the kernel, whose layout others rely on; only the kernel's "
                                "own buffers have room to spare"),
                       {buffer.name}, {buffer.name});
    }
    if (buffer.scope == Scope::Registers) {
        return illegal("storage_align.registers", NW_WORDS("storage_align: {0} lies in registers, which have no distances"),
                       {buffer.name}, {buffer.name});
    }
    if (auto found = badNumbers(buffer, args)) {
        return *std::move(found);
    }
    const Wanted wanted = wantedBy(args);
    const std::optional<std::vector<std::size_t>> order = memoryOrder(buffer);
    if (!order) {
        return illegal("storage_align.layout",
                       NW_WORDS("storage_align: the layout of {0} cuts its dimensions; a step of one has no single distance"),
                       {buffer.name}, {buffer.name});
    }
    const std::string dimension = std::to_string(wanted.dimension);
    if (!placeFor(buffer, *order, wanted.dimension)) {
        return illegal("storage_align.innermost",
                       NW_WORDS("storage_align: elements of {0} that follow one another in dimension {1} lie side by side; there is "
                                "no row inside of it to widen"),
                       {buffer.name, dimension}, {buffer.name});
    }
    const std::optional<Room> room = roomFor(buffer, *order, wanted);
    if (!room) {
        return illegal("storage_align.unreachable",
                       NW_WORDS("storage_align: a step of dimension {1} of {0} is a multiple of {2} elements, which is never a "
                                "multiple of {3} and {4} more"),
                       {buffer.name, dimension, std::to_string(placeFor(buffer, *order, wanted.dimension)->inner),
                        std::to_string(wanted.factor), std::to_string(wanted.offset)},
                       {buffer.name});
    }
    const std::int64_t before = buffer.layout.border.empty() ? 0 : buffer.layout.border[room->dimension].second;
    if (room->added == before) {
        return pointless("storage_align.already", NW_WORDS("storage_align: the elements of {0} lie this way already"), {buffer.name},
                         {buffer.name});
    }
    if (buffer.scope == Scope::Stack) {
        LoopNest after = nest;
        Layout& layout = findBuffer(after, buffer.name)->layout;
        layout.border.resize(buffer.shape.size());
        layout.border[room->dimension].second = room->added;
        const Result<std::vector<std::int64_t>> shape = layout.memoryShape(buffer.shape);
        std::int64_t elements = 1;
        for (const std::int64_t extent : *shape) {
            elements *= extent;
        }
        if (auto found = tooLarge("storage_align", buffer.name, Scope::Stack, buffer.type, elements, {})) {
            return *std::move(found);
        }
    }
    return legal();
}

Applied rewrite(const LoopNest& nest, const Args& args, const Context&)
{
    Applied applied{nest, {}};
    Buffer* buffer = findBuffer(applied.nest, args.name(0));
    ENSURE(buffer != nullptr, "storage_align: there is no such buffer");
    ENSURE(wantedBy(args).dimension < buffer->shape.size() && wantedBy(args).factor > 0, "storage_align: there is no such dimension or distance");
    const std::optional<std::vector<std::size_t>> order = memoryOrder(*buffer);
    ENSURE(order, "storage_align: the layout is no order of dimensions");
    const std::optional<Room> room = roomFor(*buffer, *order, wantedBy(args));
    ENSURE(room, "storage_align: no room gives this distance");
    std::vector<std::pair<std::int64_t, std::int64_t>>& border = buffer->layout.border;
    border.resize(buffer->shape.size());
    border[room->dimension].second = room->added;
    if (std::all_of(border.begin(), border.end(), [](const auto& sides) { return sides.first == 0 && sides.second == 0; })) {
        border.clear();
    }
    return applied;
}

// For a block: what it reads or writes of the kernel's own, rows a cache line further apart than a page's part.
std::vector<Args> propose(const LoopNest& nest, const std::string& name, const Context&)
{
    constexpr std::int64_t kLine = 64, kPage = 4096; // bytes
    const LoopNest::Path path = nest.findBlock(name);
    std::vector<Args> proposals;
    for (const Buffer& buffer : nest.buffers) {
        const bool touched = path && (path.block->buffer == buffer.name || readsBuffer(*path.block, buffer.name));
        if (!touched || (buffer.scope != Scope::Heap && buffer.scope != Scope::Stack)) {
            continue;
        }
        const std::optional<std::vector<std::size_t>> order = memoryOrder(buffer);
        const auto size = static_cast<std::int64_t>(byteSize(buffer.type));
        for (std::size_t i = 0; order && i + 1 < order->size(); ++i) {
            if (placeFor(buffer, *order, (*order)[i]) && buffer.shape[(*order)[i]] > 1) {
                proposals.push_back({{buffer.name, static_cast<std::int64_t>((*order)[i]), kPage / size, kLine / size}});
                break;
            }
        }
    }
    return proposals;
}

} // namespace

const Primitive storageAlign{
    "storage_align",
    NW_WORDS("Leave room between the rows of a buffer, so that they do not compete for the same part of the cache"),
    {{"buffer", ParamKind::Buffer, ""},
     {"dimension", ParamKind::Number, ""},
     {"factor", ParamKind::Number, ""},
     {"offset", ParamKind::Number, "plus", true}},
    &check,
    &rewrite,
    &propose,
    PrimitiveGroup::Layout,
};

} // namespace nw::schedule
