#pragma once

#include "tests/engine/compute/group_maker.h"

#include <string>
#include <vector>

namespace nw::test {

struct Sample {
    std::string name; // file stem in tests/expected/definitions
    compute::Definition definition;
};

// The ten definitions with golden text. `prefix` goes into every node name of the graphs they are made from.
Result<std::vector<Sample>> goldenSamples(const std::string& prefix);

// Smaller ones of every family, for evaluating; `size` scales the extents.
Result<std::vector<Sample>> smallSamples(std::int64_t size);

} // namespace nw::test
