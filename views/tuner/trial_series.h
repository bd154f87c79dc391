#pragma once

#include "engine/record/tune_journal.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace nw::views {

// The trials of one task as they come in, and what follows from them; each append costs what is new, not what is there.
class TrialSeries {
public:
    // Those that go on where the last ended; others are left out. How many were taken.
    std::size_t append(const std::vector<record::TuneTrial>& trials);
    int next() const { return static_cast<int>(m_trials.size()); } // the number that comes next
    bool empty() const { return m_trials.empty(); }
    const std::vector<record::TuneTrial>& trials() const { return m_trials; }
    const record::TuneTrial* find(int number) const;
    double secondsOf(const record::TuneTrial& trial) const; // since the first one

    // A trial that was faster than all before; `share` of the time before it was taken off, 0 for the first.
    struct Gain {
        int number = 0;
        double ns = 0, share = 0;
    };
    const std::vector<Gain>& gains() const { return m_gains; }
    double bestNs() const { return m_gains.empty() ? 0 : m_gains.back().ns; }
    int sinceGain() const; // trials; all of them while there is none
    double slowestNs() const { return m_slowest; }

    // Failures by cause, in the order in which they came up first.
    struct Cause {
        std::string outcome, cause, message; // of the first
        int count = 0;
        int first = 0; // number of the first trial
    };
    const std::vector<Cause>& causes() const { return m_causes; }
    int failures() const { return m_failures; }

private:
    std::vector<record::TuneTrial> m_trials;
    std::vector<Gain> m_gains;
    std::vector<Cause> m_causes;
    int m_failures = 0;
    double m_slowest = 0;
};

} // namespace nw::views
