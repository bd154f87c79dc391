#pragma once

#include "engine/schedule/primitive.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nw::schedule {

// The parts of a split and what becomes of the steps that are left over. Parts have factors above 0.

// Of the factors that are given; nothing when it cannot be counted.
std::optional<std::int64_t> productOf(const std::vector<Part>& parts);
std::vector<std::int64_t> extentsOf(const std::vector<Part>& parts, std::int64_t extent);
// Steps of all parts together; more than the loop has where there is a tail.
std::int64_t stepsOf(const std::vector<Part>& parts, std::int64_t extent);

// Steps of one turn of the open part, and the parts for as many full turns as there are.
struct Turns {
    std::int64_t steps = 1;
    std::int64_t full = 0;
    std::vector<Part> parts;
};
Turns turnsOf(const std::vector<Part>& parts, std::int64_t extent);

std::string tailOf(const Args& args); // "guard" when nothing is said
// The steps by which the tail is made: of split itself, partition and pad.
Args guardedArgs(const Args& args);
Args partitionArgs(const std::string& loop, const Turns& turns);
Args padArgs(const Loop& loop, const std::vector<Part>& parts);
Check checkTail(const LoopNest& nest, const Loop& loop, const Args& args, const Context& context);

} // namespace nw::schedule
