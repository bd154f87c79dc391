#include "engine/measure/runner/statistics.h"

#include <algorithm>
#include <cmath>

namespace nw::runner {

double quantile(std::vector<double> values, double q)
{
    if (values.empty()) {
        return 0;
    }
    std::sort(values.begin(), values.end());
    const double place = q * static_cast<double>(values.size() - 1);
    const std::size_t below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    const double part = place - static_cast<double>(below);
    return values[below] + part * (values[above] - values[below]);
}

double median(const std::vector<double>& values)
{
    return quantile(values, 0.5);
}

double spreadOf(const std::vector<double>& values)
{
    const double middle = median(values);
    return values.size() < 2 || middle <= 0 ? 0 : (quantile(values, 0.95) - quantile(values, 0.05)) / 2 / middle;
}

double medianHalfWidth(const std::vector<double>& values)
{
    const double middle = median(values);
    if (values.size() < 2 || middle <= 0) {
        return 1;
    }
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    // Largest k with P(Binomial(n, 1/2) < k) <= 2.5 %: the k-th values from both ends enclose the median at 95 %.
    const std::size_t n = sorted.size();
    double probability = std::pow(0.5, static_cast<double>(n));
    double below = probability;
    std::size_t k = 0;
    while (below <= 0.025 && k < n / 2) {
        ++k;
        probability *= static_cast<double>(n - k + 1) / static_cast<double>(k);
        below += probability;
    }
    const std::size_t low = k == 0 ? 0 : k - 1;
    return (sorted[n - 1 - low] - sorted[low]) / 2 / middle;
}

} // namespace nw::runner
