#include "engine/tune/features_groups.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace nw::tune {

using namespace schedule;

namespace {

// Loops counted from the innermost; templates have up to a dozen, of which the outermost say the least.
constexpr std::size_t kLoops = 8;
// The write and the reads that touch the most.
constexpr std::size_t kReads = 3;

// A block of no loops that touches nothing.
BlockWalk emptyWalk()
{
    BlockWalk none;
    none.inside = {0};
    none.bytes = {0};
    return none;
}

const BlockWalk& anchorOrNone(const FeatureSource& source)
{
    static const BlockWalk none = emptyWalk();
    return source.anchor() != nullptr ? *source.anchor() : none;
}

// Steps in memory whose addresses share the low twelve bits fight for the same few ways of the first cache.
double fightingRows(const BlockWalk& walk, const Touch& touch, std::size_t depth)
{
    constexpr double kSameSet = 4096;
    double rows = 1;
    for (std::size_t l = depth; l < walk.loops.size(); ++l) {
        const double bytes = std::abs(touch.strides[l]) * touch.elementBytes;
        rows *= bytes > 0 && std::fmod(bytes, kSameSet) == 0 ? std::max(1.0, walk.extents[l]) : 1;
    }
    return rows;
}

void addTouch(FeatureRow& row, const BlockWalk& walk, const Touch* touch, const Target& target)
{
    const std::size_t loops = walk.loops.size();
    const std::size_t tile = walk.tile;
    const auto strideAt = [&](std::size_t loop) { return touch != nullptr && loop < loops ? std::abs(touch->strides[loop]) : 0; };
    const double l1 = static_cast<double>(target.l1Bytes), l2 = static_cast<double>(target.l2Bytes);
    row.add("scope", touch == nullptr ? -1 : static_cast<double>(touch->buffer->scope));
    row.addLarge("bytes", touch != nullptr ? touch->bytes.front() : 0);
    row.addLarge("vector_stride", walk.vector < 0 ? 0 : strideAt(static_cast<std::size_t>(walk.vector)));
    row.addLarge("inner_stride", loops == 0 ? 0 : strideAt(loops - 1));
    row.addLarge("tile_stride", tile == 0 ? 0 : strideAt(tile - 1)); // of the loop around the tile
    row.addLarge("tile_bytes", touch != nullptr ? touch->bytes[tile] : 0);
    row.addLarge("tile_reuse", touch != nullptr ? shareOf(walk.inside[tile], touch->elements[tile]) : 0);
    row.addLarge("reuse", touch != nullptr ? shareOf(walk.executions(), touch->elements.front()) : 0);
    // How much passes by before the same is used again, outside of the tile.
    double distance = 0, again = 1;
    for (std::size_t l = touch != nullptr ? tile : 0; l-- > 0;) {
        if (touch->moves[l] == 0 && walk.extents[l] > 1) {
            distance = walk.bytes[l + 1];
            again = walk.extents[l];
            break;
        }
    }
    row.addLarge("reuse_distance", distance);
    row.addLarge("reuse_steps", again);
    row.addLarge("l1_traffic", touch != nullptr ? walk.traffic(*touch, l1) : 0);
    row.addLarge("l2_traffic", touch != nullptr ? walk.traffic(*touch, l2) : 0);
    row.addLarge("line_use", touch != nullptr ? shareOf(touch->elements[tile] * touch->elementBytes, touch->bytes[tile]) : 0);
    row.addLarge("fighting_rows", touch != nullptr ? fightingRows(walk, *touch, tile == 0 ? 0 : tile - 1) : 0);
}

} // namespace

void addTile(FeatureRow& row, const FeatureSource& source, const Target& target)
{
    const BlockWalk& walk = anchorOrNone(source);
    const TileCode code = source.anchor() != nullptr ? source.tiles[source.walk.anchor] : TileCode();
    double unrolled = 1, unrolledSums = 1;
    for (std::size_t l = walk.tile; l < walk.loops.size(); ++l) {
        unrolled *= walk.kinds[l] == LoopKind::Unrolled ? walk.extents[l] : 1;
        unrolledSums *= walk.kinds[l] == LoopKind::Unrolled && walk.reduces[l] != 0 ? walk.extents[l] : 1;
    }
    double tail = 1; // steps of guarded loops beyond what is needed
    if (walk.guards > 0) {
        tail = shareOf(walk.needed, walk.executions());
    }
    const double arithmetic = code.instructions * std::max(1.0, walk.arithmetic.sums);
    row.section("tile");
    row.addFlag("vector", walk.vector >= 0);
    row.add("lanes_used", walk.lanes / std::max(1, target.lanes(DType::F32)));
    row.addLarge("vectors", walk.vectorsPerStep);
    row.addFlag("vector_is_innermost", walk.vector >= 0 && static_cast<std::size_t>(walk.vector) + 1 == walk.loops.size());
    row.addLarge("unrolled", unrolled);
    row.addLarge("unrolled_sums", unrolledSums);
    row.addLarge("instructions", arithmetic);
    row.add("accumulators", std::min(1000.0, code.accumulators));
    row.add("accumulators_to_registers", std::min(100.0, code.accumulators / std::max(1, target.vectorRegisters)));
    row.add("live_to_registers", std::min(100.0, code.live / std::max(1, target.vectorRegisters)));
    row.addLarge("chains", code.chains);
    row.addFlag("in_registers", walk.hasRegisters);
    row.add("vector_loads", shareOf(code.vectorLoads, arithmetic)); // these for each operation
    row.add("broadcasts", shareOf(code.broadcasts, arithmetic));
    row.add("gathers", shareOf(code.gathers, arithmetic));
    row.add("stores", shareOf(code.stores, arithmetic));
    row.add("guards", walk.guards);
    row.addFlag("guards_vector", walk.guardsVector);
    row.add("needed_share", tail);
    row.add("repeated", shareOf(walk.executions(), walk.needed));
    row.addLarge("tiles_in_sum", walk.core <= walk.tile ? shareOf(walk.inside[walk.core], walk.inside[walk.tile]) : 0);
}

void addLoops(FeatureRow& row, const FeatureSource& source)
{
    const BlockWalk& walk = anchorOrNone(source);
    const std::size_t loops = walk.loops.size();
    row.section("nest");
    row.add("loops", static_cast<double>(loops));
    row.add("loops_around_tile", static_cast<double>(walk.tile));
    for (std::size_t place = 0; place < kLoops; ++place) {
        const bool is = place < loops;
        const std::size_t l = is ? loops - 1 - place : 0;
        const auto kindIs = [&](LoopKind kind) { return is && walk.kinds[l] == kind; };
        row.section("loop", static_cast<int>(place));
        row.addLarge("extent", is ? walk.extents[l] : 0);
        row.addFlag("vector", kindIs(LoopKind::Vector));
        row.addFlag("unrolled", kindIs(LoopKind::Unrolled));
        row.addFlag("parallel", kindIs(LoopKind::Parallel));
        row.addFlag("reduction", is && walk.reduces[l] != 0);
        row.addLarge("steps", is ? walk.inside[l] : 0);
        row.addLarge("bytes", is ? walk.bytes[l] : 0);
    }
}

void addCaches(FeatureRow& row, const FeatureSource& source, const Target& target)
{
    const BlockWalk& walk = anchorOrNone(source);
    const std::array<std::int64_t, 3> caches{target.l1Bytes, target.l2Bytes, target.l3Bytes};
    for (std::size_t i = 0; i < caches.size(); ++i) {
        const double size = static_cast<double>(caches[i]);
        const std::size_t depth = walk.fits(size);
        double all = 0;
        for (const BlockWalk& block : source.walk.blocks) {
            all += block.traffic(size);
        }
        const double traffic = walk.traffic(size);
        row.section("cache", static_cast<int>(i) + 1);
        row.addLarge("steps", walk.inside[depth]); // of what fits
        row.add("used", std::min(100.0, shareOf(walk.bytes[depth], size)));
        row.add("next", std::min(100.0, shareOf(walk.bytes[depth == 0 ? 0 : depth - 1], size))); // what no longer fits
        row.addLarge("traffic", traffic);
        row.addLarge("traffic_per_work", 1000 * shareOf(traffic, walk.executions()));
        row.addLarge("traffic_of_all", all);
    }
}

void addTouches(FeatureRow& row, const FeatureSource& source, const Target& target)
{
    const BlockWalk& walk = anchorOrNone(source);
    std::vector<const Touch*> reads;
    for (const Touch& touch : walk.touches) {
        if (!touch.isWrite) {
            reads.push_back(&touch);
        }
    }
    std::stable_sort(reads.begin(), reads.end(), [](const Touch* a, const Touch* b) { return a->bytes.front() > b->bytes.front(); });
    row.section("write");
    addTouch(row, walk, walk.touches.empty() || !walk.touches.front().isWrite ? nullptr : &walk.touches.front(), target);
    for (std::size_t i = 0; i < kReads; ++i) {
        row.section("read", static_cast<int>(i));
        addTouch(row, walk, i < reads.size() ? reads[i] : nullptr, target);
    }
}

} // namespace nw::tune
