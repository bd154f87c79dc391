#pragma once

#include "engine/base/random.h"
#include "engine/session/fuzz/case.h"

#include <functional>
#include <optional>
#include <string>

namespace nw::session::fuzz {

struct DrawnStep {
    const schedule::Primitive* primitive = nullptr;
    schedule::Args args;
    std::string text;
};

// A step for this nest: half of them as proposed, half with arguments of the declared kinds drawn here, which mostly
// suit one another (a loop around the block, a chain of loops) and sometimes do not. Legal or not. Nothing when the
// primitive drawn has no use for anything in the nest.
std::optional<DrawnStep> drawStep(const schedule::LoopNest& nest, Random& random, Primitives primitives,
                                  const schedule::Context& context);

// Runs of the innermost statements, each loop with its extent: what interpreting costs.
double runsOf(const schedule::LoopNest& nest);

// Draws steps until `length` of them are in the script or too many were refused; the nest after them.
struct Walked {
    schedule::LoopNest nest;
    std::string script;
};
struct StepLimits {
    int length = 12;
    double runs = 30000; // a step after which the nest runs more than this is left out
};
// Told of each step drawn, before it is applied; the script so far stands in `walked`, so that it is known when
// something is thrown.
using OnStep = std::function<void(const schedule::LoopNest& nest, const DrawnStep& step, const schedule::Check& check)>;
void walk(Walked& walked, Random& random, const StepLimits& limits, Primitives primitives, const schedule::Context& context,
          const OnStep& onStep);

} // namespace nw::session::fuzz
