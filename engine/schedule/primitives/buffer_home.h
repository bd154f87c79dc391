#pragma once

#include "engine/schedule/analysis/window.h"
#include "engine/schedule/primitive.h"

#include <optional>
#include <string>
#include <vector>

namespace nw::schedule {

// What `store_at` and `rolling_buffer` share: the memory of an internal buffer belongs to a step of another loop, or,
// with an empty name, to the kernel.

// The buffer as the kernel's own, with the elements of all steps of the loop that it belonged to: dimensions that were
// cut down to what one step touches are whole again, as far as the axes of the stage tell where a step's part lies.
LoopNest unfolded(const LoopNest& nest, const std::string& buffer);

// The buffer as one of a step of the loop `at`, with no more elements than such a step touches. Dimension `keep`, if any,
// stays as large as it is. All blocks that use the buffer stand inside of the loop.
LoopNest shrunkTo(const LoopNest& nest, const std::string& buffer, const std::string& at, std::optional<std::size_t> keep = {});

// The scope that suits the buffer's place: registers stay; the stack where a step's memory fits; the heap where threads
// share it, for what is large, and for the kernel.
Scope suitableScope(const LoopNest& nest, const Buffer& buffer);

// Why the buffer cannot live where it is now: "<primitive>.vector", ".parallel_inside", ".too_large".
std::optional<Check> cannotLive(const LoopNest& nest, const std::string& primitive, const std::string& buffer, const Context& context);
// Steps inside of its home that run at once meet in it: "<primitive>.race", ".shared" or ".unknown".
std::optional<Check> stepsMeet(const LoopNest& nest, const std::string& primitive, const std::string& buffer);

// "<primitive>.ring" for a block that shall leave its place.
std::optional<Check> leavesRing(const LoopNest& nest, const std::string& primitive, const Block& block);

} // namespace nw::schedule
