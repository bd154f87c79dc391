#pragma once

#include "engine/compute/definition.h"

#include <vector>

namespace nw::test {

// The definition evaluated as a plain program of its element types would: every f32 operation rounds to float, sums
// run in order. Written apart from the oracle; slow. One tensor an output port.
std::vector<Tensor> evaluateNaively(const compute::Definition& definition, const std::vector<Tensor>& inputs);

} // namespace nw::test
