#pragma once

#include "engine/tune/features_row.h"
#include "engine/tune/features_tile.h"
#include "engine/tune/features_walk.h"

#include <vector>

namespace nw::tune {

struct FeatureSource {
    const schedule::LoopNest* nest = nullptr; // null: only the names are wanted
    NestWalk walk;
    std::vector<TileCode> tiles;      // per block
    std::vector<CycleGuess> guesses;  // per block
    const BlockWalk* anchor() const { return walk.blocks.empty() ? nullptr : &walk.blocks[walk.anchor]; }
};

// All groups in their order.
void addFeatures(FeatureRow& row, FeatureSource source, const Target& target, int threads);

// Of the kernel as a whole: work, arithmetic, memory, threads, code, other blocks.
void addKernel(FeatureRow& row, const FeatureSource& source, const Target& target, int threads);
void addOthers(FeatureRow& row, const FeatureSource& source);
// Of the block with the most work: its tile, loops, caches and accesses.
void addTile(FeatureRow& row, const FeatureSource& source, const Target& target);
void addLoops(FeatureRow& row, const FeatureSource& source);
void addCaches(FeatureRow& row, const FeatureSource& source, const Target& target);
void addTouches(FeatureRow& row, const FeatureSource& source, const Target& target);

} // namespace nw::tune
