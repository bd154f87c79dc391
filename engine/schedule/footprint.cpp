#include "engine/schedule/footprint.h"

#include "engine/base/int_math.h"
#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/analysis/pieces.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace nw::schedule {

namespace {

// Products that leave 64 bits stay at the largest number: the whole buffer is less.
std::int64_t times(std::int64_t a, std::int64_t b)
{
    return checkedMul(a, b).value_or(Interval::kPlusInf);
}

std::int64_t plus(std::int64_t a, std::int64_t b)
{
    return checkedAdd(a, b).value_or(Interval::kPlusInf);
}

// One access; a dimension is nothing when its index is no sum of digits of loops.
struct Reach {
    const Buffer* buffer = nullptr;
    std::vector<std::optional<PieceSum>> dimensions;
};

// Values that an index takes: from low to high in steps of `step`, no more than `most` of them. `fixed` is what the loops
// that stand still add to all of them.
struct Walk {
    std::int64_t low = 0, high = 0, step = 0, most = 1;
    std::string fixed;

    std::int64_t count() const { return step == 0 ? 1 : std::min(most, (high - low) / step + 1); }
    void join(const Walk& other)
    {
        step = std::gcd(std::gcd(step, other.step), low - other.low);
        low = std::min(low, other.low);
        high = std::max(high, other.high);
        most = plus(most, other.most);
    }
};

// Nothing when a digit mixes loops that move with loops that stand still.
std::optional<Walk> walkOf(const std::optional<PieceSum>& sum, const std::set<std::string>& moving)
{
    std::optional<Apart> parts = sum ? apart(*sum, moving) : std::nullopt;
    if (!parts) {
        return std::nullopt;
    }
    parts->moved.constant = sum->constant;
    Walk walk;
    for (const Piece& piece : parts->moved.pieces) {
        walk.step = std::gcd(walk.step, piece.coefficient);
        walk.most = times(walk.most, piece.extent);
    }
    const Interval range = parts->moved.range();
    walk.low = range.low;
    walk.high = range.high;
    // Sorted: two ways of writing the same sum are the same place.
    std::vector<std::string> terms;
    for (const Piece& piece : parts->still.pieces) {
        terms.push_back(format("{}*({}/{}%{})", piece.coefficient, piece.source, piece.divisor, piece.extent));
    }
    std::sort(terms.begin(), terms.end());
    walk.fixed = join(terms, " ");
    return walk;
}

std::int64_t extentWithBorder(const Buffer& buffer, std::size_t dimension)
{
    if (buffer.layout.border.empty()) {
        return buffer.shape[dimension];
    }
    const auto [before, behind] = buffer.layout.border[dimension];
    return buffer.shape[dimension] + before + behind;
}

// The box of one access, or of several that stand at a known distance from each other.
struct Box {
    std::vector<Walk> walks;
    std::int64_t alone = 0; // elements, counted each access for itself

    std::int64_t elements(const Buffer& buffer) const
    {
        std::int64_t product = 1;
        for (std::size_t d = 0; d < walks.size(); ++d) {
            product = times(product, std::min(walks[d].count(), extentWithBorder(buffer, d)));
        }
        return product;
    }
    bool standsBeside(const Box& other) const
    {
        return std::equal(walks.begin(), walks.end(), other.walks.begin(), other.walks.end(),
                          [](const Walk& a, const Walk& b) { return a.fixed == b.fixed; });
    }
};

Box boxOf(const Reach& reach, const std::set<std::string>& moving)
{
    Box box;
    for (std::size_t d = 0; d < reach.dimensions.size(); ++d) {
        const std::int64_t extent = extentWithBorder(*reach.buffer, d);
        // Nothing better is known than the whole dimension.
        box.walks.push_back(walkOf(reach.dimensions[d], moving).value_or(Walk{0, extent - 1, 1, extent, {}}));
    }
    box.alone = box.elements(*reach.buffer);
    return box;
}

std::int64_t bytesOf(const Buffer& buffer, const std::vector<Box>& boxes)
{
    std::vector<Box> groups;
    for (const Box& box : boxes) {
        const auto beside = std::find_if(groups.begin(), groups.end(), [&](const Box& g) { return g.standsBeside(box); });
        if (beside == groups.end()) {
            groups.push_back(box);
            continue;
        }
        for (std::size_t d = 0; d < box.walks.size(); ++d) {
            beside->walks[d].join(box.walks[d]);
        }
        beside->alone = plus(beside->alone, box.alone);
    }
    std::int64_t elements = 0;
    for (const Box& group : groups) {
        elements = plus(elements, std::min(group.alone, group.elements(buffer)));
    }
    std::int64_t all = 1;
    for (std::size_t d = 0; d < buffer.shape.size(); ++d) {
        all = times(all, extentWithBorder(buffer, d));
    }
    return times(std::min(elements, all), static_cast<std::int64_t>(byteSize(buffer.type)));
}

// Everything below a loop, gathered on the way up.
struct Below {
    std::set<std::string> loops;
    std::vector<const Reach*> reaches;
};

class Counter {
public:
    explicit Counter(const LoopNest& nest)
        : m_nest(nest)
        , m_ranges(nest.loopRanges())
    {}

    std::vector<LoopFootprint> count()
    {
        for (const LoopNest::Path& path : m_nest.blocks()) {
            readBlock(*path.block);
        }
        visit(m_nest.roots);
        return std::move(m_footprints);
    }

private:
    void readBlock(const Block& block)
    {
        std::vector<Reach>& reaches = m_reaches[&block];
        for (const Access& access : accessesOf(block)) {
            Reach reach;
            reach.buffer = m_nest.buffer(access.buffer);
            if (reach.buffer == nullptr) {
                continue;
            }
            for (const Expr& index : access.indices) {
                reach.dimensions.push_back(piecesOf(index, m_ranges));
            }
            reaches.push_back(std::move(reach));
        }
    }

    Below visit(const std::vector<Stmt>& statements)
    {
        Below below;
        for (const Stmt& statement : statements) {
            if (const Block* block = statement->block()) {
                for (const Reach& reach : m_reaches[block]) {
                    below.reaches.push_back(&reach);
                }
                continue;
            }
            const Loop& loop = *statement->loop();
            const std::size_t place = m_footprints.size();
            m_footprints.emplace_back();
            Below inside = visit(loop.body);
            inside.loops.insert(loop.name);
            m_footprints[place] = footprintOf(loop, inside);
            below.loops.merge(inside.loops);
            below.reaches.insert(below.reaches.end(), inside.reaches.begin(), inside.reaches.end());
        }
        return below;
    }

    static LoopFootprint footprintOf(const Loop& loop, const Below& below)
    {
        LoopFootprint found;
        found.loop = loop.name;
        std::vector<const Buffer*> used;
        for (const Reach* reach : below.reaches) {
            if (std::find(used.begin(), used.end(), reach->buffer) == used.end()) {
                used.push_back(reach->buffer);
            }
        }
        for (const Buffer* buffer : used) {
            std::vector<Box> boxes;
            for (const Reach* reach : below.reaches) {
                if (reach->buffer == buffer) {
                    boxes.push_back(boxOf(*reach, below.loops));
                }
            }
            const bool isMemory = buffer->scope != Scope::Registers;
            found.parts.push_back({buffer->name, bytesOf(*buffer, boxes), isMemory});
            found.bytes = isMemory ? plus(found.bytes, found.parts.back().bytes) : found.bytes;
        }
        return found;
    }

    const LoopNest& m_nest;
    Ranges m_ranges;
    std::map<const Block*, std::vector<Reach>> m_reaches;
    std::vector<LoopFootprint> m_footprints;
};

} // namespace

std::vector<LoopFootprint> footprintsOf(const LoopNest& nest)
{
    return Counter(nest).count();
}

int smallestCache(std::int64_t bytes, const Target& target)
{
    for (const int level : {1, 2, 3}) {
        if (bytes <= cacheBytes(level, target)) {
            return level;
        }
    }
    return 0;
}

std::int64_t cacheBytes(int level, const Target& target)
{
    ENSURE(level >= 1 && level <= 3, "there is no such cache level");
    return level == 1 ? target.l1Bytes : level == 2 ? target.l2Bytes : target.l3Bytes;
}

} // namespace nw::schedule
