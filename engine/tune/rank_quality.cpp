#include "engine/tune/cost_model.h"

#include "engine/base/ensure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace nw::tune {
namespace {

// Ranks from 1 for the smallest; equal values share the mean of theirs.
std::vector<double> sharedRanks(const std::vector<double>& values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> ranks(values.size());
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin + 1;
        while (end < order.size() && values[order[end]] == values[order[begin]]) {
            ++end;
        }
        for (std::size_t i = begin; i < end; ++i) {
            ranks[order[i]] = static_cast<double>(begin + 1 + end) / 2;
        }
        begin = end;
    }
    return ranks;
}

double correlationOf(const std::vector<double>& a, const std::vector<double>& b)
{
    const double mean = static_cast<double>(a.size() + 1) / 2; // of ranks, with ties or without
    double both = 0, ofA = 0, ofB = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        both += (a[i] - mean) * (b[i] - mean);
        ofA += (a[i] - mean) * (a[i] - mean);
        ofB += (b[i] - mean) * (b[i] - mean);
    }
    return ofA == 0 || ofB == 0 ? 0 : both / std::sqrt(ofA * ofB);
}

// How likely each is among the `count` smallest when the order of equal ones is drawn.
std::vector<double> amongSmallest(const std::vector<double>& values, std::size_t count)
{
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    const double last = sorted[count - 1];
    const auto [first, end] = std::equal_range(sorted.begin(), sorted.end(), last);
    const double shared = (static_cast<double>(count) - static_cast<double>(first - sorted.begin())) / static_cast<double>(end - first);
    std::vector<double> shares;
    shares.reserve(values.size());
    for (const double value : values) {
        shares.push_back(value < last ? 1 : value == last ? shared : 0);
    }
    return shares;
}

} // namespace

RankQuality rankQuality(std::span<const double> scores, std::span<const double> ns, int top)
{
    ENSURE(scores.size() == ns.size(), "rank quality: another number of scores than of times");
    constexpr double kSlowest = std::numeric_limits<double>::infinity();
    std::vector<double> guessed, measured; // both: smaller is faster
    std::size_t ran = 0;
    for (std::size_t i = 0; i < ns.size(); ++i) {
        guessed.push_back(std::isnan(scores[i]) ? kSlowest : -scores[i]);
        measured.push_back(ns[i] > 0 ? ns[i] : kSlowest);
        ran += std::isfinite(measured.back()) ? 1 : 0;
    }
    RankQuality quality;
    if (ns.size() >= 3) {
        quality.correlation = correlationOf(sharedRanks(guessed), sharedRanks(measured));
    }
    const std::size_t most = top < 0 ? 0 : static_cast<std::size_t>(top);
    const std::size_t fastest = std::min(most, ran); // what failed is never among them
    if (fastest == 0) {
        return quality;
    }
    const std::vector<double> isGuessed = amongSmallest(guessed, std::min(most, guessed.size()));
    const std::vector<double> isFastest = amongSmallest(measured, fastest);
    quality.recall = std::inner_product(isGuessed.begin(), isGuessed.end(), isFastest.begin(), 0.0) / static_cast<double>(fastest);
    return quality;
}

} // namespace nw::tune
