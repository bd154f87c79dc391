#pragma once

#include "engine/base/target.h"
#include "engine/schedule/script.h"

#include <string>
#include <vector>

// Small definitions and what is done to them, for the tests of this folder.
namespace nw::schedule::test {

// 16 bytes a vector (4 lanes of f32), 16 registers, 2 cores.
const Target& smallTarget();
Context smallContext();

// 64 bytes a vector, 32 registers, 4 cores, 32 KiB of L1: what the tests of scripts count on.
const Target& wideTarget();
Context wideContext();

// matmul 30 x 20 x 24, alone and with an epilogue; conv 3x3 with padding and bias + relu; softmax of rows; a chain of
// element-wise stages.
std::string definitionText(const std::string& name);

// The first nest of a definition's text. A Bug when it cannot be made.
LoopNest nestOf(const std::string& text, const std::vector<std::string>& layouts = {});

// The steps applied; the error of the first that is refused.
Result<Replay> steps(const LoopNest& nest, const std::string& script, const Context& context = smallContext());
// The nest after steps that must all be legal and leave a sound nest: a Bug otherwise.
LoopNest after(const LoopNest& nest, const std::string& script, const Context& context = smallContext());

// "i -> io ii; b -> b b.wb": what a step did with the loops and blocks of the nest before it, in order of ids.
std::string forwardText(const LoopNest& before, const Step& step);

// Results of both nests for small integers differ nowhere; else where. `share` of the larger of 1 and the value is
// allowed: for what is no longer exact after other sums.
std::string differs(const LoopNest& before, const LoopNest& now, std::uint64_t seed, double share = 0);

} // namespace nw::schedule::test
