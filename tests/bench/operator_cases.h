#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nw::bench {

// What a row must reach: on one thread the share of the alternated peak, and the fastest library's time over ours; on
// several threads the growth of its speed over the growth of the peak. Zero: nothing is asked.
struct Floors {
    double ofPeak = 0, ofLibrary = 0, ofThreads = 0;
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

// Single ones. `isConstant`: the second factor is a weight; the layouts are those of the activations X and Y.
OperatorCase product(std::int64_t m, std::int64_t k, std::int64_t n, bool isConstant, Floors floors = {});
struct Conv {
    std::int64_t in, size, out, window, stride = 1;
    bool isDepthwise = false;
};
OperatorCase convolution(const Conv& c, const std::string& x, const std::string& y, const std::string& algorithm, Floors floors = {});
OperatorCase softmax(const std::vector<std::int64_t>& dims, Floors floors = {});

} // namespace nw::bench
