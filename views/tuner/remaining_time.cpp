#include "views/tuner/remaining_time.h"

#include <algorithm>

namespace nw::views {
namespace {

constexpr std::size_t kMoments = 24;
constexpr int kFewTrials = 5;      // below, a pace is no more than chance
constexpr double kUnsure = 0.15;   // of a pace, even when it was steady

} // namespace

void RemainingTime::note(double activeSeconds, int trials)
{
    if (!m_moments.empty() && (activeSeconds < m_moments.back().seconds || trials < m_moments.back().trials)) {
        m_moments.clear();
    }
    if (!m_moments.empty() && trials == m_moments.back().trials) {
        return; // between two batches
    }
    m_moments.push_back({activeSeconds, trials});
    if (m_moments.size() > kMoments) {
        m_moments.pop_front();
    }
}

std::optional<RemainingTime::Range> RemainingTime::left(const TunerBudget& budget, int toPlateau) const
{
    if (m_moments.empty() || m_moments.back().trials < kFewTrials || m_moments.back().seconds <= 0) {
        return {};
    }
    const Moment& now = m_moments.back();
    // Seconds a trial takes: since the beginning, and in the first and the second half of the moments kept.
    double quick = now.seconds / now.trials;
    double slow = quick;
    const Moment& middle = m_moments[m_moments.size() / 2];
    for (const auto& [from, to] : {std::pair(m_moments.front(), middle), std::pair(middle, now)}) {
        if (to.trials - from.trials >= kFewTrials) {
            const double pace = (to.seconds - from.seconds) / (to.trials - from.trials);
            quick = std::min(quick, pace);
            slow = std::max(slow, pace);
        }
    }
    quick *= 1 - kUnsure;
    slow *= 1 + kUnsure;
    std::optional<Range> found;
    const auto atMost = [&found](double low, double high) {
        found = found ? Range{std::min(found->low, low), std::min(found->high, high)} : Range{low, high};
    };
    if (budget.trials > 0) {
        const int trials = std::max(budget.trials - now.trials, 0);
        atMost(trials * quick, trials * slow);
    }
    if (budget.seconds > 0) {
        const double seconds = std::max(budget.seconds - now.seconds, 0.0);
        atMost(seconds, seconds);
    }
    if (toPlateau >= 0 && found) {
        found->low = std::min(found->low, toPlateau * quick); // a gain puts it off
    }
    return found;
}

} // namespace nw::views
