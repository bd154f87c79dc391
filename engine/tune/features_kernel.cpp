#include "engine/tune/features_groups.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nw::tune {

using namespace schedule;

namespace {

// Blocks beside the anchor that are told apart: a packed copy, an epilogue and one more.
constexpr std::size_t kOthers = 3;

void addArithmetic(FeatureRow& row, const Arithmetic& a)
{
    row.add("sums", a.sums);
    row.add("products", a.products);
    row.add("quotients", a.quotients);
    row.add("functions", a.functions);
    row.add("comparisons", a.comparisons);
    row.add("choices", a.choices);
    row.add("loads", a.loads);
}

// Operations of the other blocks for each of the anchor's executions.
Arithmetic restOf(const NestWalk& walk)
{
    Arithmetic rest;
    for (std::size_t i = 0; i < walk.blocks.size(); ++i) {
        if (i == walk.anchor) {
            continue;
        }
        const double times = shareOf(walk.blocks[i].executions(), walk.blocks[walk.anchor].executions());
        const Arithmetic& a = walk.blocks[i].arithmetic;
        rest.sums += times * a.sums;
        rest.products += times * a.products;
        rest.quotients += times * a.quotients;
        rest.functions += times * a.functions;
        rest.comparisons += times * a.comparisons;
        rest.choices += times * a.choices;
        rest.loads += times * a.loads;
    }
    return rest;
}

struct KernelTotals {
    double portBytes = 0, heapBytes = 0, stackBytes = 0, registerBytes = 0;
    double scalarWork = 0, serialWork = 0, wasted = 0, moved = 0, code = 0, loopSteps = 0, streams = 0;
    double cycles = 0, entries = 0, prefetches = 0;
};

double bytesOfBuffer(const Buffer& buffer)
{
    double bytes = static_cast<double>(byteSize(buffer.type));
    for (const std::int64_t extent : buffer.shape) {
        bytes *= static_cast<double>(extent);
    }
    return bytes;
}

KernelTotals totalsOf(const FeatureSource& source)
{
    KernelTotals totals;
    if (source.nest == nullptr) {
        return totals;
    }
    for (const Buffer& buffer : source.nest->buffers) {
        double& sum = buffer.scope == Scope::Port ? totals.portBytes
            : buffer.scope == Scope::Heap         ? totals.heapBytes
            : buffer.scope == Scope::Stack        ? totals.stackBytes
                                                  : totals.registerBytes;
        sum += bytesOfBuffer(buffer);
    }
    for (const Loop* loop : source.nest->allLoops()) {
        totals.prefetches += static_cast<double>(loop->prefetches.size());
    }
    for (std::size_t i = 0; i < source.walk.blocks.size(); ++i) {
        const BlockWalk& block = source.walk.blocks[i];
        const CycleGuess& guess = source.guesses[i];
        const Arithmetic& a = block.arithmetic;
        const bool isCopy = !block.block->isReduction() && a.sums + a.products + a.quotients + a.functions + a.comparisons == 0;
        totals.scalarWork += block.vector < 0 ? block.work() : 0;
        totals.serialWork += guess.entries > 0 ? 0 : block.work();
        totals.wasted += std::max(0.0, block.executions() - block.needed) * a.weight();
        totals.moved += isCopy ? block.executions() : 0;
        totals.code += source.tiles[i].instructions * a.weight();
        totals.loopSteps += guess.loops;
        totals.streams += block.block->streams ? 1 : 0;
        totals.cycles += guess.cycles;
        totals.entries += guess.entries;
    }
    return totals;
}

} // namespace

void addFeatures(FeatureRow& row, FeatureSource source, const Target& target, int threads)
{
    for (const BlockWalk& block : source.walk.blocks) {
        source.tiles.push_back(tileCodeOf(block));
        source.guesses.push_back(guessCycles(block, target, threads));
    }
    addKernel(row, source, target, threads);
    addTile(row, source, target);
    addLoops(row, source);
    addCaches(row, source, target);
    addTouches(row, source, target);
    addOthers(row, source);
}

void addKernel(FeatureRow& row, const FeatureSource& source, const Target& target, int threads)
{
    const BlockWalk* anchor = source.anchor();
    const NestWalk& walk = source.walk;
    const KernelTotals totals = totalsOf(source);
    const CycleGuess guess = anchor != nullptr ? source.guesses[walk.anchor] : CycleGuess();

    row.section("target");
    row.add("lanes", target.lanes(DType::F32));
    row.add("registers", target.vectorRegisters);
    row.addLarge("l1", static_cast<double>(target.l1Bytes));
    row.addLarge("l2", static_cast<double>(target.l2Bytes));
    row.addLarge("l3", static_cast<double>(target.l3Bytes));
    row.add("threads", threads);

    row.section("kernel");
    row.addLarge("work", walk.work);
    row.addLarge("port_bytes", totals.portBytes);
    row.addLarge("intensity", shareOf(walk.work, totals.portBytes));
    row.add("blocks", static_cast<double>(walk.blocks.size()));
    row.addLarge("heap_bytes", totals.heapBytes);
    row.addLarge("stack_bytes", totals.stackBytes);
    row.addLarge("register_bytes", totals.registerBytes);
    row.add("scalar_share", shareOf(totals.scalarWork, walk.work));
    row.add("serial_share", shareOf(totals.serialWork, walk.work));
    row.add("wasted_share", shareOf(totals.wasted, walk.work));
    row.addLarge("copied", totals.moved);
    row.add("copied_share", shareOf(totals.moved, anchor != nullptr ? anchor->executions() : 0));
    row.addLarge("code", totals.code);
    row.addLarge("loop_cycles", totals.loopSteps);
    row.add("prefetches", totals.prefetches);
    row.add("streams", totals.streams);

    row.section("guess"); // cycles
    row.addLarge("cycles", totals.cycles);
    row.addLarge("cycles_per_work", 1000 * shareOf(totals.cycles, walk.work));
    row.addLarge("anchor_arithmetic", guess.arithmetic);
    row.addLarge("anchor_loads", guess.loads);
    row.addLarge("anchor_memory", guess.memory);
    row.add("anchor_share", shareOf(guess.cycles, totals.cycles));
    row.add("loads_to_arithmetic", shareOf(guess.loads, guess.arithmetic));
    row.add("memory_to_arithmetic", shareOf(guess.memory, guess.arithmetic));
    row.add("loops_to_arithmetic", shareOf(guess.loops, guess.arithmetic));

    row.section("parallel");
    row.addLarge("chunks", guess.chunks);
    row.addLarge("entries", totals.entries);
    row.addLarge("chunk_cycles", shareOf(guess.arithmetic, guess.chunks * std::max(1.0, guess.entries)));
    row.add("balance", shareOf(guess.chunks, threads * std::ceil(guess.chunks / std::max(1, threads))));

    row.section("anchor");
    addArithmetic(row, anchor != nullptr ? anchor->arithmetic : Arithmetic());
    row.section("rest");
    addArithmetic(row, anchor != nullptr ? restOf(walk) : Arithmetic());
}

void addOthers(FeatureRow& row, const FeatureSource& source)
{
    const std::vector<BlockWalk>& blocks = source.walk.blocks;
    std::vector<std::size_t> order(blocks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return source.guesses[a].cycles > source.guesses[b].cycles; });
    std::erase(order, source.walk.anchor);
    for (std::size_t place = 0; place < kOthers; ++place) {
        const BlockWalk* block = place < order.size() ? &blocks[order[place]] : nullptr;
        row.section("other", static_cast<int>(place));
        double readStride = 0, writeStride = 0;
        std::size_t shared = 0; // loops around both
        if (block != nullptr) {
            const std::vector<const Loop*>& around = source.anchor()->loops;
            while (shared < std::min(block->loops.size(), around.size()) && block->loops[shared] == around[shared]) {
                ++shared;
            }
            for (const Touch& touch : block->touches) {
                double& stride = touch.isWrite ? writeStride : readStride;
                stride = std::max(stride, std::abs(block->innermostStride(touch)));
            }
        }
        row.addLarge("executions", block != nullptr ? block->executions() : 0);
        row.addLarge("cycles", block != nullptr ? source.guesses[order[place]].cycles : 0);
        row.add("to_anchor", block != nullptr ? shareOf(block->executions(), source.anchor()->executions()) : 0);
        row.add("lanes", block != nullptr ? block->lanes : 0);
        row.addLarge("read_stride", readStride);
        row.addLarge("write_stride", writeStride);
        row.add("shared_loops", static_cast<double>(shared));
        row.addLarge("bytes", block != nullptr ? block->bytes[shared] : 0);
        row.add("repeated", block != nullptr ? shareOf(block->executions(), block->needed) : 0);
    }
}

} // namespace nw::tune
