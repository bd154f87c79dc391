#pragma once

#include "engine/base/result.h"
#include "engine/base/target.h"
#include "engine/lower/lowered.h"

#include <span>
#include <string>

namespace nw::lower {

struct PassInput {
    const schedule::LoopNest& nest;
    const Target& target;
};

// One step of lowering: a pure function of the program before it. Refused for what cannot be lowered.
struct Pass {
    std::string name;
    std::string summary; // one line
    Result<Lowered> (*run)(Lowered program, const PassInput& input);
};

// The order, and why: pipeline.cpp.
std::span<const Pass* const> allPasses();
// `lower` with another list.
Result<Lowered> runPasses(std::span<const Pass* const> passes, const PassInput& input, std::vector<StageText>* stages);

} // namespace nw::lower
