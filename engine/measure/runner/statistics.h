#pragma once

#include <cstddef>
#include <vector>

namespace nw::runner {

// Linear interpolation between the closest ranks; 0 for an empty list. q in [0, 1].
double quantile(std::vector<double> values, double q);
double median(const std::vector<double>& values);
// Half-width of the 5-95 % interval, relative to the median; 0 below two values.
double spreadOf(const std::vector<double>& values);
// Half-width of the 95 % confidence interval of the median (order statistics, no distribution assumed), relative to it.
// Below six values no interval of that confidence exists: half of the whole range.
double medianHalfWidth(const std::vector<double>& values);

} // namespace nw::runner
