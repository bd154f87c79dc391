#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nw::views {

// A loop of the compiled code with the loops inside. Two names: parallel loops that became one.
struct LoopTree {
    std::vector<std::string> names;
    std::vector<LoopTree> inside;
};
using LoopForest = std::vector<LoopTree>;

// The loops of the lowered program that are still loops in compiled code, for each function that the compiler makes:
// "body", and "task0", "task1", ... for the parallel ones. Vector and unrolled loops, and those of one step, are gone.
std::map<std::string, LoopForest> compiledLoops(std::string_view lowered);

} // namespace nw::views
