#include "views/tuner/trial_series.h"

#include <algorithm>

namespace nw::views {

std::size_t TrialSeries::append(const std::vector<record::TuneTrial>& trials)
{
    std::size_t taken = 0;
    for (const record::TuneTrial& trial : trials) {
        if (trial.number != next()) {
            continue;
        }
        ++taken;
        m_trials.push_back(trial);
        if (trial.outcome != "ok") {
            ++m_failures;
            const auto known = std::find_if(m_causes.begin(), m_causes.end(), [&](const Cause& cause) {
                return cause.cause == trial.cause && cause.outcome == trial.outcome;
            });
            if (known == m_causes.end()) {
                m_causes.push_back({trial.outcome, trial.cause, trial.message, 1, trial.number});
            } else {
                ++known->count;
            }
        } else if (trial.ns > 0) {
            m_slowest = std::max(m_slowest, trial.ns);
            if (m_gains.empty() || trial.ns < m_gains.back().ns) {
                const double share = m_gains.empty() ? 0 : 1 - trial.ns / m_gains.back().ns;
                m_gains.push_back({trial.number, trial.ns, share});
            }
        }
    }
    return taken;
}

const record::TuneTrial* TrialSeries::find(int number) const
{
    return number >= 0 && number < next() ? &m_trials[static_cast<std::size_t>(number)] : nullptr;
}

double TrialSeries::secondsOf(const record::TuneTrial& trial) const
{
    return static_cast<double>(std::max<std::int64_t>(trial.unixTime - m_trials.front().unixTime, 0));
}

int TrialSeries::sinceGain() const
{
    return m_gains.empty() ? next() : next() - 1 - m_gains.back().number;
}

} // namespace nw::views
