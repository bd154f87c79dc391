#include "engine/graph/winograd.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace nw::graph {
namespace {

constexpr std::size_t kTaps = 3;

// Coefficients of the product of (x - root), lowest power first.
std::vector<double> polynomial(const std::vector<double>& roots)
{
    std::vector<double> made{1};
    for (const double root : roots) {
        made.push_back(0);
        for (std::size_t k = made.size(); k-- > 0;) {
            made[k] = (k > 0 ? made[k - 1] : 0) - root * made[k];
        }
    }
    return made;
}

double sumOf(const std::vector<double>& row, double (*of)(double))
{
    double sum = 0;
    for (const double value : row) {
        sum += of(value);
    }
    return sum;
}

double largestRow(const Winograd& from, double (*of)(double))
{
    double largest = 0;
    for (const std::vector<double>& row : from.result) {
        double sum = 0;
        for (std::size_t j = 0; j < row.size(); ++j) {
            sum += of(row[j]) * sumOf(from.weights[j], of) * sumOf(from.data[j], of);
        }
        largest = std::max(largest, sum);
    }
    return largest;
}

// One filter: weights * g * transposed weights.
template <typename T>
void transform(const Winograd& from, const T* taps, std::vector<double>& made)
{
    const std::size_t places = from.weights.size();
    std::vector<double> rows(places * kTaps);
    for (std::size_t a = 0; a < places; ++a) {
        for (std::size_t column = 0; column < kTaps; ++column) {
            for (std::size_t k = 0; k < kTaps; ++k) {
                rows[a * kTaps + column] += from.weights[a][k] * static_cast<double>(taps[k * kTaps + column]);
            }
        }
    }
    std::fill(made.begin(), made.end(), 0.0);
    for (std::size_t a = 0; a < places; ++a) {
        for (std::size_t b = 0; b < places; ++b) {
            for (std::size_t k = 0; k < kTaps; ++k) {
                made[a * places + b] += rows[a * kTaps + k] * from.weights[b][k];
            }
        }
    }
}

template <typename T>
void transformAll(const Winograd& from, std::span<const T> w, std::span<T> to)
{
    const std::size_t places = from.weights.size();
    const std::size_t filters = w.size() / (kTaps * kTaps); // of every pair of channels
    std::vector<double> made(places * places);
    for (std::size_t filter = 0; filter < filters; ++filter) {
        transform(from, w.data() + filter * kTaps * kTaps, made);
        for (std::size_t place = 0; place < made.size(); ++place) {
            to[place * filters + filter] = static_cast<T>(made[place]);
        }
    }
}

} // namespace

std::optional<Winograd> winograd(std::int64_t tile)
{
    if (std::find(std::begin(kWinogradTiles), std::end(kWinogradTiles), tile) == std::end(kWinogradTiles)) {
        return std::nullopt;
    }
    constexpr std::array<double, 5> kPoints{0, 1, -1, 2, -2};
    const std::vector<double> points(kPoints.begin(), kPoints.begin() + tile + 1);
    Winograd made;
    made.tile = tile;
    made.result.assign(static_cast<std::size_t>(tile), {});
    for (const double point : points) {
        std::vector<double> others;
        double scale = 1;
        for (const double other : points) {
            if (other != point) {
                others.push_back(other);
                scale *= point - other;
            }
        }
        made.data.push_back(polynomial(others));
        made.data.back().push_back(0);
        made.weights.push_back({1 / scale, point / scale, point * point / scale});
        for (std::size_t i = 0; i < made.result.size(); ++i) {
            made.result[i].push_back(std::pow(point, static_cast<double>(i)));
        }
    }
    made.data.push_back(polynomial(points));
    made.weights.push_back({0, 0, 1});
    for (std::size_t i = 0; i < made.result.size(); ++i) {
        made.result[i].push_back(i + 1 == made.result.size() ? 1 : 0);
    }
    return made;
}

WinogradError winogradError(const Winograd& from)
{
    const double worst = largestRow(from, [](double value) { return std::abs(value); });
    const double typical = largestRow(from, [](double value) { return value * value; });
    return {worst * worst / static_cast<double>(kTaps * kTaps), typical / static_cast<double>(kTaps)};
}

Tensor winogradWeights(const Winograd& from, const Tensor& w)
{
    const std::vector<std::int64_t>& shape = w.shape();
    ENSURE(shape.size() == 4 && shape[2] == 3 && shape[3] == 3, "Winograd's weights are those of 3x3 filters");
    Result<Tensor> made = Tensor::create(w.type(), {from.places(), from.places(), shape[0], shape[1]});
    ENSURE(made.has_value(), "a weight's twin has no memory");
    if (w.type() == DType::F64) {
        transformAll(from, w.data<double>(), made->mutableData<double>());
    } else {
        transformAll(from, w.data<float>(), made->mutableData<float>());
    }
    return *std::move(made);
}

} // namespace nw::graph
