#pragma once

#include "engine/plan/plan.h"

namespace nw::plan {

// Lays the activations between operators in blocks of channels, (n, c / block, h, w, c % block), along chains of groups that
// can work on blocks, and leaves the rest plain:
//   - a convolution reads and writes either layout, each on its own; of a depthwise one and of pools, element-wise groups
//     and concatenations over channels all large ports lie alike
//   - blocked is a value of four axes whose channels are whole blocks, which such a group makes and such a group uses
//   - model inputs and outputs stay plain; for views and other groups that use a blocked value a plain copy is made
// Values of one pixel are the same bytes either way and stay plain. The choices of the project come after and may differ.
void layInBlocks(const graph::Graph& graph, std::vector<Group>& groups, std::int64_t block);

} // namespace nw::plan
