#pragma once

#include "engine/base/tensor.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nw::graph {

// Winograd's short convolution: `tile` neighbouring outputs of a filter with three taps from tile + 2 inputs d and the
// taps g,
//   y = result * ((weights * g) . (data * d))          . element by element
// with tile + 2 multiplications instead of 3 * tile; in two dimensions each matrix is applied along both axes.
//
// The matrices come from interpolation at tile + 1 points a and at infinity: the product of the polynomials with the
// coefficients of y and g is known by its values there, and transposing that algorithm gives a convolution.
//   result[i][j]  = a_j ^ i                         (infinity: 1 in the last row)
//   weights[j][k] = a_j ^ k / product of (a_j - a_l) over l != j    (infinity: 1 for the last tap)
//   data[j][k]    = coefficient of x^k in product of (x - a_l) over l != j    (infinity: over all l)
struct Winograd {
    using Matrix = std::vector<std::vector<double>>;
    std::int64_t tile = 0;
    Matrix data;    // places x places
    Matrix weights; // places x 3
    Matrix result;  // tile x places

    std::int64_t places() const { return tile + 2; }
};

inline constexpr std::int64_t kWinogradTiles[] = {2, 4};
// The points are 0, 1, -1 and for four outputs 2, -2: small ones with exact powers lose least. Nothing for other tiles.
std::optional<Winograd> winograd(std::int64_t tile);

// What rounding can do to the result. With |d| <= D and |g| <= G and sums over K channels
//   |error| <= worst * 9 * K * D * G * (roundings(K))
// where `worst` is how much larger the terms that are added up can be than those of the direct sum of nine taps:
//   worst = (max over i of the sum over j of |result_ij| * sum|weights_j| * sum|data_j|)^2 / 9
// (the row sums bound what each transform makes of values of size 1; the square is for the two axes). `typical` is the same
// with roots of sums of squares, as errors add up that know nothing of each other:
//   typical = (max over i of the sum over j of result_ij^2 * sum weights_j^2 * sum data_j^2) / 3
struct WinogradError {
    double worst = 1;
    double typical = 1;
};
WinogradError winogradError(const Winograd& from);

// W [oc, ic, 3, 3] (f32 or f64) as the operator WinogradConv reads it: [places, places, oc, ic], computed in double and
// rounded once.
Tensor winogradWeights(const Winograd& from, const Tensor& w);

} // namespace nw::graph
