#pragma once

#include "engine/base/tensor.h"
#include "engine/lower/lowered.h"

#include <cstdint>
#include <vector>

namespace nw::lower {

// Runs a lowered program on host memory, checking every access: outside of a buffer, read before written, an output's
// memory (borders and unused lanes included) not fully written or not zero around the logical box. `inputs` are the
// input and constant ports in port order, logical row-major; so is the result. Parallel and vector loops run in an
// order drawn from `orderSeed` (0: ascending).
Result<std::vector<Tensor>> runLowered(const Lowered& program, const schedule::LoopNest& nest,
                                       const std::vector<Tensor>& inputs, std::uint64_t orderSeed = 0);

// How often the program tested a condition and stored a value in that run.
struct RunCounts {
    std::int64_t tests = 0, stores = 0;
};
Result<RunCounts> countLowered(const Lowered& program, const schedule::LoopNest& nest, const std::vector<Tensor>& inputs);

} // namespace nw::lower
