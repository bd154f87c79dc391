#include "engine/tune/features_walk.h"

#include "engine/tune/features_parts.h"

#include <algorithm>

namespace nw::tune {

using namespace schedule;

namespace {

// Symbols of extents have no loop to range over.
NamedValues symbolsOf(const LoopNest& nest)
{
    NamedValues symbols;
    const auto addFrom = [&](const Expr& e) {
        for (const std::string& name : constInt(e) ? std::vector<std::string>() : freeVars(e)) {
            if (std::find(symbols.names.begin(), symbols.names.end(), name) == symbols.names.end()) {
                symbols.add(name, extentOf(var(name), {}));
            }
        }
    };
    for (const Loop* loop : nest.allLoops()) {
        addFrom(loop->extent);
    }
    for (const LoopNest::Path& path : nest.blocks()) {
        for (const IterVar& iter : path.block->iters) {
            addFrom(iter.extent);
        }
    }
    return symbols;
}

// What a step at the depth holds in caches: the block's own lines, and those of others that run in the same step.
void addBytes(const std::vector<BlockWalk>& blocks, BlockWalk& walk)
{
    std::vector<std::pair<const Buffer*, double>> parts;
    for (std::size_t d = 0; d < walk.bytes.size(); ++d) {
        parts.clear();
        for (const BlockWalk& other : blocks) {
            const bool isBeside = other.bytes.size() > d && (d == 0 || other.loops[d - 1] == walk.loops[d - 1]);
            if (!isBeside) {
                continue;
            }
            for (const Touch& touch : other.touches) {
                if (!touch.isMemory()) {
                    continue;
                }
                const auto found = std::find_if(parts.begin(), parts.end(), [&](const auto& part) { return part.first == touch.buffer; });
                if (found == parts.end()) {
                    parts.emplace_back(touch.buffer, touch.bytes[d]);
                } else {
                    found->second = std::max(found->second, touch.bytes[d]);
                }
            }
        }
        for (const auto& [buffer, bytes] : parts) {
            walk.bytes[d] += bytes;
        }
    }
}

} // namespace

double Arithmetic::weight() const
{
    constexpr double kQuotient = 4, kFunction = 12, kCopy = 1;
    return std::max(kCopy, sums + products + comparisons + choices + others + kQuotient * quotients + kFunction * functions);
}

double BlockWalk::innermostStride(const Touch& touch) const
{
    return loops.empty() ? 0 : touch.strides[vector >= 0 ? static_cast<std::size_t>(vector) : loops.size() - 1];
}

std::size_t BlockWalk::fits(double cache) const
{
    std::size_t d = 0;
    while (d + 1 < bytes.size() && bytes[d] > cache) {
        ++d;
    }
    return d;
}

double BlockWalk::traffic(const Touch& touch, double cache) const
{
    if (!touch.isMemory()) {
        return 0;
    }
    const std::size_t fitting = fits(cache);
    const std::size_t kept = fitting == 0 ? 0 : fitting - 1;
    const double times = inside[kept] > 0 ? inside.front() / inside[kept] : 0;
    return (touch.isWrite ? 2 : 1) * touch.bytes[kept] * times;
}

double BlockWalk::traffic(double cache) const
{
    double sum = 0;
    for (const Touch& touch : touches) {
        sum += traffic(touch, cache);
    }
    return sum;
}

NestWalk walkOf(const LoopNest& nest, const Target& target)
{
    NestWalk walk;
    const NamedValues symbols = symbolsOf(nest);
    std::map<const Buffer*, Addressing> addressings;
    for (const LoopNest::Path& path : nest.blocks()) {
        walk.blocks.push_back(readBlock(nest, path, symbols, addressings, target));
        walk.work += walk.blocks.back().work();
    }
    for (BlockWalk& block : walk.blocks) {
        addBytes(walk.blocks, block);
    }
    for (std::size_t i = 1; i < walk.blocks.size(); ++i) {
        walk.anchor = walk.blocks[i].work() > walk.blocks[walk.anchor].work() ? i : walk.anchor;
    }
    return walk;
}

} // namespace nw::tune
