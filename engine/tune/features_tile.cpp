#include "engine/tune/features_tile.h"

#include "engine/tune/features_row.h"

#include <algorithm>
#include <cmath>

namespace nw::tune {

using schedule::LoopKind;

TileCode tileCodeOf(const BlockWalk& walk)
{
    TileCode code;
    code.steps = std::max(1.0, walk.inside[walk.tile]);
    code.instructions = code.steps / walk.lanes;
    // Behind the tile's last reduction loop a step of the sums begins anew with other operands.
    const std::size_t core = std::max(walk.tile, walk.core);
    double operands = 0;
    bool broadcasts = false;
    for (const Touch& touch : walk.touches) {
        const double stride = walk.vector < 0 ? 0 : std::abs(touch.strides[static_cast<std::size_t>(walk.vector)]);
        const bool isVector = stride == 1;
        const bool isGather = stride > 1 || !touch.isKnown;
        const double elements = touch.elements[walk.tile];
        if (!touch.isMemory()) {
            code.accumulators += touch.isWrite ? (stride > 0 ? elements / walk.lanes : elements) : 0;
            continue;
        }
        if (touch.isWrite) {
            code.stores += isVector ? elements / walk.lanes : elements;
            continue;
        }
        (isGather ? code.gathers : isVector ? code.vectorLoads : code.broadcasts) += isVector && !isGather ? elements / walk.lanes : elements;
        operands += isVector ? touch.elements[core] / walk.lanes : 0;
        broadcasts = broadcasts || (!isVector && !isGather);
    }
    code.live = code.accumulators + operands + (broadcasts ? 1 : 0);
    for (std::size_t l = walk.core; l < walk.loops.size(); ++l) {
        code.chains *= std::max(1.0, walk.extents[l]);
    }
    code.chains = std::max(1.0, code.chains / walk.lanes);
    return code;
}

CycleGuess guessCycles(const BlockWalk& walk, const Target& target, int threads)
{
    constexpr double kLatency = 4, kPerCycle = 2, kQuotient = 5, kFunction = 12, kLoopStep = 1.5, kCall = 10000;
    constexpr double kBytesOfL2 = 32, kBytesOfL3 = 12, kBytesOfMemory = 5;
    CycleGuess guess;
    const Arithmetic& a = walk.arithmetic;
    const double fused = target.hasFma ? std::max(a.sums, a.products) : a.sums + a.products;
    const double simple = std::max(0.5, fused + a.comparisons + a.choices + a.others);
    const double instructions = walk.executions() / walk.lanes;
    const TileCode code = tileCodeOf(walk);
    guess.arithmetic = instructions * (simple / kPerCycle + kQuotient * a.quotients + kFunction * a.functions);
    if (walk.block->isReduction()) {
        guess.arithmetic = std::max(guess.arithmetic, instructions * kLatency / code.chains);
    }
    const double tiles = walk.executions() / code.steps;
    const double spilled = std::max(0.0, code.live - target.vectorRegisters);
    const double sumsInMemory = walk.block->isReduction() ? code.stores : 0; // read back before each is added to
    guess.loads = tiles * (code.loads() + sumsInMemory + 2 * code.stores + 2 * spilled) / kPerCycle;
    guess.memory = walk.traffic(static_cast<double>(target.l1Bytes)) / kBytesOfL2 + walk.traffic(static_cast<double>(target.l2Bytes)) / kBytesOfL3
        + walk.traffic(static_cast<double>(target.l3Bytes)) / kBytesOfMemory;
    double outer = 1;
    bool inParallel = false;
    for (std::size_t l = 0; l < walk.loops.size(); ++l) {
        if (walk.kinds[l] == LoopKind::Parallel) {
            guess.entries = inParallel ? guess.entries : outer;
            inParallel = true;
            guess.chunks *= std::max(1.0, walk.extents[l]);
        }
        outer *= walk.extents[l];
        guess.loops += l < walk.tile ? outer * kLoopStep : 0;
    }
    guess.cycles = std::max(guess.arithmetic, guess.loads) + guess.memory + guess.loops;
    if (threads > 1 && guess.entries > 0) {
        const double rounds = std::ceil(guess.chunks / threads);
        guess.cycles = guess.cycles * rounds / guess.chunks + kCall * guess.entries;
    }
    return guess;
}

} // namespace nw::tune
