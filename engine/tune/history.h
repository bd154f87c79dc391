#pragma once

#include "engine/record/tune_journal.h"
#include "engine/tune/hash_set.h"
#include "engine/tune/search.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace nw::tune {

// The most frequent first.
std::vector<std::pair<int, std::string>> mostFirst(const std::map<std::string, int>& counts);

// What was measured of a task so far, as far as the search and the model need it: small, however many trials there were.
class History {
public:
    explicit History(const Space& space)
        : m_space(&space)
    {}
    // `identity` of its script; empty when it is not known (a trial of an older space).
    void add(const record::TuneTrial& trial, const Point& point, const std::string& identity);

    const std::vector<Known>& known() const { return m_known; } // in order
    int trials() const { return static_cast<int>(m_known.size()); }
    bool wasTried(const Point& point) const { return m_tried.contains(hashOf(point)); }
    bool wasScriptTried(const std::string& identity) const;
    int best() const { return m_best; } // place in known(); -1: nothing ran
    double bestNs() const { return m_best < 0 ? 0 : m_known[static_cast<std::size_t>(m_best)].ns; }
    int sinceGain() const { return trials() - m_lastGain; } // trials since the last gain of 0.5 %
    int failuresInRow() const { return m_failuresInRow; }
    void forgive() { m_failuresInRow = 0; }
    // "26 x timeout, 3 x vectorize.tail; the first said: ..."; empty without a failure.
    std::string failures() const;
    // The fastest, one of each script, at most so many: places in known().
    std::vector<int> fastest(std::size_t most) const;
    // How much of the differences in time each knob of the script with the best point explains: "tile=0.41 wide=0.22".
    std::string importance() const;

private:
    const Space* m_space;
    std::vector<Known> m_known;
    HashSet m_tried, m_scripts;
    std::map<std::string, int> m_causes;
    std::string m_firstFailure;
    int m_best = -1, m_lastGain = 0, m_failuresInRow = 0;
    double m_gainNs = 0; // best time at the last gain
};

} // namespace nw::tune
