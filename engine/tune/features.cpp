#include "engine/tune/features.h"

#include "engine/base/ensure.h"
#include "engine/tune/features_groups.h"

namespace nw::tune {

namespace {

struct FeatureNames {
    std::vector<std::string> texts;
    std::vector<std::string_view> views;
};

// Whatever the nest, each group adds the same numbers: an empty one tells their names.
FeatureNames nameFeatures()
{
    FeatureRow row(true);
    addFeatures(row, {}, Target{}, 1);
    FeatureNames made;
    made.texts = std::move(row.names);
    made.views.assign(made.texts.begin(), made.texts.end());
    return made;
}

} // namespace

std::span<const std::string_view> featureNames()
{
    static const FeatureNames names = nameFeatures();
    return names.views;
}

std::vector<float> featuresOf(const schedule::LoopNest& nest, const Target& target, int threads)
{
    FeatureRow row(false);
    row.values.reserve(featureNames().size());
    FeatureSource source;
    source.nest = &nest;
    source.walk = walkOf(nest, target);
    addFeatures(row, source, target, threads);
    ENSURE(row.values.size() == featureNames().size(), "features: another number of them than of names");
    return std::move(row.values);
}

} // namespace nw::tune
