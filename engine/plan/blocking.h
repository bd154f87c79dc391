#pragma once

#include "engine/plan/plan.h"

namespace nw::plan {

// Lays the activations between operators in blocks of channels, (n, c / block, h, w, c % block), where that needs no
// conversion inside a chain, and leaves the rest plain:
//   - a convolution reads and writes either layout, each on its own; of a depthwise one and of pools, element-wise groups
//     and concatenations over channels all large ports lie alike
//   - blocked is a value of four axes whose channels are whole blocks, which such a group makes and such a group uses
//   - model inputs, model outputs and what views show stay plain
// Values of one pixel are the same bytes either way and stay plain. The choices of the project come after and may differ.
void layInBlocks(const graph::Graph& graph, std::vector<Group>& groups, std::int64_t block);

} // namespace nw::plan
