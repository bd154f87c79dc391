#include "views/loop_nest/nest_gestures.h"

#include "engine/base/divisors.h"
#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::views {

using namespace nw::schedule;

std::vector<std::string> chainAround(const LoopNest& nest, const std::string& loop)
{
    const LoopNest::Path path = nest.findLoop(loop);
    if (!path) {
        return {};
    }
    const Loop* top = path.loop;
    for (auto around = path.loops.rbegin(); around != path.loops.rend() && (*around)->body.size() == 1; ++around) {
        top = *around;
    }
    std::vector<std::string> names;
    for (const Loop* member : chainFrom(*top)) {
        names.push_back(member->name);
    }
    return names;
}

std::vector<std::string> chainedWith(const LoopNest& nest, const std::string& loop)
{
    const LoopNest::Path path = nest.findLoop(loop);
    if (!path) {
        return {};
    }
    const std::vector<const Loop*> below = chainFrom(*path.loop);
    const std::vector<const Block*> blocks = blocksIn(path.loop->body);
    const auto sameAxis = [&](const std::string& other) {
        return std::any_of(blocks.begin(), blocks.end(), [&](const Block* block) {
            return std::any_of(block->iters.begin(), block->iters.end(), [&](const IterVar& iter) {
                return usesVar(iter.binding, loop) && usesVar(iter.binding, other);
            });
        });
    };
    std::size_t last = 0;
    for (std::size_t i = 1; i < below.size(); ++i) {
        last = sameAxis(below[i]->name) ? i : last;
    }
    last = last == 0 ? below.size() - 1 : last;
    std::vector<std::string> names;
    for (std::size_t i = 0; i <= last; ++i) {
        names.push_back(below[i]->name);
    }
    return names;
}

std::string reorderLine(const LoopNest& nest, const std::vector<std::string>& moved, int gap)
{
    if (moved.empty()) {
        return {};
    }
    const std::vector<std::string> chain = chainAround(nest, moved.front());
    const int from = static_cast<int>(std::find(chain.begin(), chain.end(), moved.front()) - chain.begin());
    const int behind = from + static_cast<int>(moved.size());
    const int count = static_cast<int>(chain.size());
    if (behind > count || gap < 0 || gap > count || (gap >= from && gap <= behind)) {
        return {};
    }
    std::vector<std::string> order = moved;
    if (gap < from) {
        order.insert(order.end(), chain.begin() + gap, chain.begin() + from);
    } else {
        order.insert(order.begin(), chain.begin() + behind, chain.begin() + gap);
    }
    return "reorder " + join(order, " ");
}

std::vector<std::int64_t> splitFactors(const LoopNest& nest, const std::string& loop)
{
    const LoopNest::Path path = nest.findLoop(loop);
    const std::optional<std::int64_t> extent = path ? constantExtent(*path.loop) : std::nullopt;
    return extent ? properDivisors(*extent) : std::vector<std::int64_t>{};
}

std::string splitLine(const LoopNest& nest, const std::string& loop, std::int64_t factor)
{
    return format("split {} into {}:_ {}:{}", loop, nest.freshName(loop + "o"), nest.freshName(loop + "i"), factor);
}

std::string fuseLine(const LoopNest& nest, const std::string& a, const std::string& b)
{
    const LoopNest::Path first = nest.findLoop(a), second = nest.findLoop(b);
    if (!first || !second || a == b) {
        return {};
    }
    const auto line = [&](const std::string& outer, const std::string& inner) {
        return format("fuse {} {} into {}", outer, inner, nest.freshName(outer + "_" + inner));
    };
    if (!first.loops.empty() && first.loops.back()->name == b) {
        return line(b, a);
    }
    return !second.loops.empty() && second.loops.back()->name == a ? line(a, b) : std::string();
}

std::vector<std::string> computeAtLines(const LoopNest& nest, const std::string& block, const std::string& loop)
{
    const LoopNest::Path moved = nest.findBlock(block), target = nest.findLoop(loop);
    if (!moved || !target) {
        return {};
    }
    const std::vector<const Block*> inside = blocksIn(target.loop->body);
    const bool isConsumer = std::any_of(inside.begin(), inside.end(), [&](const Block* other) {
        return other->name != block && readsBuffer(*moved.block, other->buffer);
    });
    std::vector<std::string> lines{format("compute_at {} at {}", block, loop), format("reverse_compute_at {} at {}", block, loop)};
    if (isConsumer) {
        std::swap(lines[0], lines[1]);
    }
    return lines;
}

std::vector<std::string> cacheWriteLines(const LoopNest& nest, const std::string& block, const std::string& loop)
{
    std::vector<std::string> lines;
    for (const char* place : {"registers", "stack", "heap"}) {
        if (nest.findBlock(block) && nest.findLoop(loop)) {
            lines.push_back(format("cache_write {} at {} in {}", block, loop, place));
        }
    }
    return lines;
}

std::vector<std::string> cacheReadLines(const LoopNest& nest, const std::string& buffer, const std::string& loop)
{
    std::vector<std::string> lines;
    for (const char* place : {"stack", "heap", "registers"}) {
        if (nest.buffer(buffer) != nullptr && nest.findLoop(loop)) {
            lines.push_back(format("cache_read {} at {} in {}", buffer, loop, place));
        }
    }
    return lines;
}

std::string writerOf(const LoopNest& nest, const std::string& buffer)
{
    for (const LoopNest::Path& path : nest.blocks()) {
        if (path.block->buffer == buffer) {
            return path.block->name;
        }
    }
    return {};
}

} // namespace nw::views
