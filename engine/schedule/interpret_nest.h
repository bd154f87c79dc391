#pragma once

#include "engine/base/tensor.h"
#include "engine/schedule/loop_nest.h"

#include <cstdint>
#include <vector>

namespace nw::schedule {

// Interprets a nest, bounds-checking every access of every buffer (a read or write outside is an error naming block,
// buffer and index; a read of an element never written too). Slow; for tests and fuzzing. `inputs` are the input and
// constant ports in port order, logical row-major; the result is the output ports, logical row-major. Parallel and
// vector loops run in an order drawn from `orderSeed` (0: ascending); then two steps of one such loop that meet at an
// element which one of them writes are an error, too, as no order would show what running at once does.
Result<std::vector<Tensor>> interpretNest(const LoopNest& nest, const std::vector<Tensor>& inputs, std::uint64_t orderSeed = 0);

} // namespace nw::schedule
