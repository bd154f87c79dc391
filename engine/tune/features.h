#pragma once

#include "engine/base/target.h"
#include "engine/schedule/loop_nest.h"

#include <span>
#include <string_view>
#include <vector>

namespace nw::tune {

// A nest before lowering as numbers for the cost model: per access and loop level what is touched, reused and how it is
// strided, what is vector, parallel or unrolled, the arithmetic, and how working sets fit the target's caches. Always
// as many as featureNames() and all finite, whatever the nest; large quantities as log2(1 + x). Raise the version with
// any change: models and kept samples of another one are not used.
constexpr int kFeatureVersion = 1;
std::span<const std::string_view> featureNames();
std::vector<float> featuresOf(const schedule::LoopNest& nest, const Target& target, int threads);

} // namespace nw::tune
