#pragma once

#include "engine/tune/sketches/draft.h"
#include "engine/tune/sketches/view.h"

#include <string>
#include <vector>

namespace nw::tune::sketches {

// Which loops of a sum make its register tile: some vectors along one axis by some steps of another. Sums that stay in
// registers are worth most where a load serves many of them.
struct TilePlan {
    std::string vector; // the loop along the lanes; empty: no vectors
    std::string rows;   // the loop whose steps are the other side of the tile; empty: none
    std::string planes; // a further one, with few steps; empty: none
    std::int64_t rowsOf = 1; // the tile that suits best
    std::int64_t wide = 1;
    bool sharesLoads = false; // a vector that was loaded serves several rows
    double cost = 0;          // clocks for the whole block, of the best tile, roughly
};
// For every pair of loops; best first. `copies`: inputs may be copied in the order in which they are read.
std::vector<TilePlan> tilePlans(const BlockView& view, const schedule::LoopNest& nest, const Target& target, bool copies);
// Clocks for the block with one vector of partial results along `reduction`, to compare with a plan's.
double partialCost(const BlockView& view, const Target& target);

constexpr std::int64_t kMostWide = 6; // vectors beside each other in a tile

struct TileOptions {
    std::string name;       // "tiles of oc by ow": for the comment
    std::string prefix;     // of knobs; empty for the block that matters most
    bool isMinor = false;   // a block with little to gain: only what matters most is a choice
    bool copies = false;    // inputs that run along the lanes are copied for each panel
    bool windowsOutside = false; // loops that slide over the input stand around the other sums
    int order = -1;         // of the outer loops: -1 leaves the choice to a knob
};
// Splits, reorders, keeps sums in registers, packs constants. False when the block could not be tiled so.
bool tile(Draft& draft, const std::string& block, const TilePlan& plan, const TileOptions& options);
// How many orders of the outer loops there are to choose from.
constexpr int kOrders = 3;

} // namespace nw::tune::sketches
