#pragma once

#include "engine/base/result.h"
#include "engine/base/target.h"
#include "engine/lower/lowered.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace nw::test {

// A value as a reference gives it, with the spacing of f32 numbers there (denormals have their own).
struct Exact {
    long double value = 0;
    long double unit = 1;
};
Exact exactly(long double value);
// Distance in units of the last place. A NaN for a NaN and an infinity for what rounds to it are no error; either of them in
// another's place is one beyond every limit.
double ulps(float got, const Exact& exact);

// Zeros, ones, infinities, NaN, the ends of the range of results and the places where one formula takes over from another.
std::vector<float> edgeValues();

// Y[i] = value(i) for i in 0..n-1 over the ports A, B, ..., in vectors of `lanes`; n is a multiple of them.
lower::Lowered mapOf(std::int64_t n, std::int64_t lanes, const std::function<Expr(Expr)>& value, int inputs);
// Compiled, and run over these.
Result<std::vector<float>> runMap(const lower::Lowered& lowered, const Target& target, const std::vector<std::vector<float>>& inputs);

} // namespace nw::test
