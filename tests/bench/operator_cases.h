#pragma once

#include <string>
#include <vector>

namespace nw::bench {

// What a row must reach on one thread: the share of the alternated peak, and the fastest library's time over ours. Zero:
// nothing is asked.
struct Floors {
    double ofPeak = 0, ofLibrary = 0;
};

// One operator as a model of its own, with the layouts in which the activations reach it.
struct OperatorCase {
    std::string title;     // "conv 3x3 64x56x56 -> 64"
    std::string group;     // "conv.0"
    std::string algorithm; // "direct", "winograd4"
    std::string layout;    // of the first input, as choices write it
    std::string model;     // ONNX text
    std::string choices;   // layouts and algorithm, as in choices.txt
    bool isProduct = false; // BLAS has it
    Floors floors;
};
std::vector<OperatorCase> operatorCases();

} // namespace nw::bench
