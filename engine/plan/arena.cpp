#include "engine/plan/arena.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace nw::plan {
namespace {

std::int64_t aligned(std::int64_t bytes)
{
    return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

struct Taken {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

// Offset of the tightest gap of `bytes` between sorted intervals, or behind them all.
std::int64_t bestFit(const std::vector<Taken>& taken, std::int64_t bytes)
{
    std::int64_t best = -1;
    std::int64_t bestGap = std::numeric_limits<std::int64_t>::max();
    std::int64_t free = 0;
    for (const Taken& interval : taken) {
        const std::int64_t gap = interval.begin - free;
        if (gap >= bytes && gap < bestGap) {
            best = free;
            bestGap = gap;
        }
        free = std::max(free, interval.end);
    }
    return best >= 0 ? best : free;
}

} // namespace

Packing packArena(const std::vector<Lifetime>& buffers)
{
    Packing packing;
    packing.offsets.assign(buffers.size(), 0);
    std::vector<std::size_t> order(buffers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return buffers[a].bytes > buffers[b].bytes; });
    std::vector<std::size_t> placed;
    for (const std::size_t i : order) {
        const Lifetime& buffer = buffers[i];
        if (buffer.bytes == 0) {
            continue;
        }
        std::vector<Taken> taken;
        for (const std::size_t other : placed) {
            if (buffers[other].begin <= buffer.end && buffer.begin <= buffers[other].end) {
                taken.push_back({packing.offsets[other], packing.offsets[other] + aligned(buffers[other].bytes)});
            }
        }
        std::ranges::sort(taken, {}, &Taken::begin);
        packing.offsets[i] = bestFit(taken, aligned(buffer.bytes));
        packing.bytes = std::max(packing.bytes, packing.offsets[i] + aligned(buffer.bytes));
        placed.push_back(i);
    }
    return packing;
}

} // namespace nw::plan
