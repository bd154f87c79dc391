#include "engine/base/ensure.h"
#include "engine/lower/pass.h"
#include "engine/lower/passes/all.h"

#include <array>
#include <chrono>

namespace nw::lower {

// Buffers are placed while every loop of the nest is still there by name. Padding is turned into conditions before
// guards move, so that both are hoisted and split alike. Splitting gives loops ranges that peeling can use, and both
// leave constants behind; prefetches come after both, so that they stand in no condition's way. What is checked at the
// end is what code is made from.
std::span<const Pass* const> allPasses()
{
    static constexpr std::array<const Pass*, 11> kPasses{&buildStatements, &placeBuffers, &zeroPadding,     &skipPadding,
                                                         &simplifyProgram, &hoistGuards,  &splitGuards,     &peelLoops,
                                                         &placePrefetches, &simplifyProgram, &checkCode};
    return kPasses;
}

Result<Lowered> runPasses(std::span<const Pass* const> passes, const PassInput& input, std::vector<StageText>* stages)
{
    Lowered program;
    for (const Pass* pass : passes) {
        const auto start = std::chrono::steady_clock::now();
        Result<Lowered> next = pass->run(std::move(program), input);
        if (!next) {
            return next.error();
        }
        program = *std::move(next);
        if (stages != nullptr) {
            const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
            stages->push_back({pass->name, spent.count(), toText(program)});
            // Before buffers are placed their allocations are missing.
            const std::string faults = pass == &buildStatements ? "" : verify(program);
            ENSURE(faults.empty(), "after pass " + pass->name + ": " + faults);
        }
    }
    const std::string faults = verify(program);
    ENSURE(faults.empty(), "lowered program: " + faults);
    return program;
}

Result<Lowered> lower(const schedule::LoopNest& nest, const Target& target, std::vector<StageText>* stages)
{
    return runPasses(allPasses(), {nest, target}, stages);
}

} // namespace nw::lower
