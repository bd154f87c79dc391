#pragma once

#include "tests/bench/operator_cases.h"

#include <string>
#include <vector>

namespace nw::bench {

// An operator that the tuner is judged by, on one thread, with the layouts that the templates ask for.
struct TunerCase {
    std::string name; // a word, for the command line: "conv3x3"
    OperatorCase op;
    std::vector<OperatorCase> neighbours; // other shapes of its kind, as the same networks have them
};
std::vector<TunerCase> tunerCases();
// So small that thousands of candidates are measured in minutes.
TunerCase memoryCase();

} // namespace nw::bench
