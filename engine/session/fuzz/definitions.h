#pragma once

#include "engine/base/random.h"
#include "engine/compute/definition.h"

#include <vector>

namespace nw::session::fuzz {

// A small definition drawn at random: element-wise chains, contractions, windows (stride, dilation, padding), reductions
// of every kind, gathers, stencils, one to five stages, of every element type; extents are odd, prime, 1 and now and
// then 0; operands are broadcast, permuted, reversed and read with steps. Always sound (compute::verify), at most a few
// thousand points a stage.
compute::Definition randomDefinition(Random& random);

// Layouts of the ports as a planner might choose them: permuted, blocked (evenly or not), with borders; half of them plain.
std::vector<Layout> randomLayouts(const compute::Definition& definition, Random& random);

// A permutation of the axes, maybe with one of them blocked, memory indices skewed, rotated, moved, reversed or merged; not
// every map is invertible.
IndexMap randomMap(std::size_t rank, Random& random);

} // namespace nw::session::fuzz
