#include "tests/bench/tuner_cases.h"

namespace nw::bench {
namespace {

OperatorCase direct(const Conv& c, const char* x, const char* y)
{
    return convolution(c, x, y, "direct");
}

} // namespace

std::vector<TunerCase> tunerCases()
{
    const char* const blocks = "NCHW16c";
    const char* const padded = "NCHW16c border 1 1";
    return {
        {"matmul", product(512, 512, 512, true), {product(384, 512, 512, true), product(512, 256, 768, true)}},
        {"conv3x3", direct({128, 28, 128, 3}, padded, blocks),
         {direct({64, 56, 64, 3}, padded, blocks), direct({256, 14, 256, 3}, padded, blocks)}},
        {"conv1x1", direct({512, 28, 128, 1}, blocks, blocks),
         {direct({256, 56, 64, 1}, blocks, blocks), direct({1024, 14, 256, 1}, blocks, blocks)}},
        {"depthwise", direct({144, 56, 144, 3, 1, true}, padded, blocks),
         {direct({96, 56, 96, 3, 1, true}, padded, blocks), direct({192, 28, 192, 3, 1, true}, padded, blocks)}},
        {"softmax", softmax({12, 128, 128}), {softmax({8, 128, 128}), softmax({12, 256, 256})}},
    };
}

TunerCase memoryCase()
{
    return {"small", softmax({4, 32, 64}), {}};
}

} // namespace nw::bench
