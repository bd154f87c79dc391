#pragma once

#include "engine/compute/definition.h"
#include "engine/compute/facts.h"

#include <vector>

namespace nw::compute {

// Number of points of the axes' box (literal extents) at which every fact holds, exactly. Facts over separate axes
// are counted apart and multiplied; within one such part all but the longest axis are enumerated.
double countPoints(const std::vector<Axis>& axes, const Facts& facts);

} // namespace nw::compute
