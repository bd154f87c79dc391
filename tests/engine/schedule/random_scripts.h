#pragma once

#include "engine/base/random.h"
#include "engine/schedule/loop_nest.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

// Scripts drawn a step at a time, each from the nest that the steps before it left.
namespace nw::schedule::test {

using DrawStep = std::function<std::string(const LoopNest& nest, Random& random, int& counter)>;
struct ScriptLength {
    std::uint64_t applied, tries; // at most
};
enum class Unlocks { Tried, Left }; // what refusals name to be done first

// What is not refused leaves a sound nest and, at the end, the same results in any order of parallel and vector loops;
// what a refusal promises holds. Where not: the script and what is wrong. `used` counts the steps taken by primitive.
std::string randomScript(const LoopNest& first, Random& random, ScriptLength length, std::uint64_t dataSeed, const DrawStep& draw,
                         std::map<std::string, int>& used, Unlocks unlocks = Unlocks::Tried);

} // namespace nw::schedule::test
