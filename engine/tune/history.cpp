#include "engine/tune/history.h"

#include "engine/base/grow.h"
#include "engine/base/hash.h"
#include "engine/base/text.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nw::tune {

std::vector<std::pair<int, std::string>> mostFirst(const std::map<std::string, int>& counts)
{
    std::vector<std::pair<int, std::string>> sorted;
    for (const auto& [name, count] : counts) {
        sorted.emplace_back(count, name);
    }
    std::sort(sorted.rbegin(), sorted.rend());
    return sorted;
}

void History::add(const record::TuneTrial& trial, const Point& point, const std::string& identity)
{
    reserveStep(m_known, 1024);
    m_known.push_back({point, trial.outcome == "ok" ? trial.ns : 0});
    m_tried.insert(hashOf(point));
    if (!identity.empty()) {
        m_scripts.insert(hash64(identity));
    }
    const double ns = m_known.back().ns;
    if (ns <= 0) {
        ++m_failuresInRow;
        ++m_causes[trial.cause];
        m_firstFailure = m_firstFailure.empty() ? trial.message : m_firstFailure;
        return;
    }
    m_failuresInRow = 0;
    if (m_best < 0 || ns < bestNs()) {
        m_best = trials() - 1;
    }
    if (m_gainNs <= 0 || ns < 0.995 * m_gainNs) {
        m_gainNs = ns;
        m_lastGain = trials();
    }
}

bool History::wasScriptTried(const std::string& identity) const
{
    return m_scripts.contains(hash64(identity));
}

std::string History::failures() const
{
    std::vector<std::string> parts;
    for (const auto& [count, cause] : mostFirst(m_causes)) {
        parts.push_back(format("{} x {}", count, cause));
    }
    return parts.empty() ? std::string() : join(parts, ", ") + "; the first said: " + m_firstFailure;
}

std::vector<int> History::fastest(std::size_t most) const
{
    std::vector<int> order;
    for (int i = 0; i < trials(); ++i) {
        if (m_known[static_cast<std::size_t>(i)].ns > 0) {
            order.push_back(i);
        }
    }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return m_known[static_cast<std::size_t>(a)].ns < m_known[static_cast<std::size_t>(b)].ns;
    });
    order.resize(std::min(order.size(), most));
    return order;
}

// Of each knob the variance between the means of its values over the variance of all, of the logarithm of times.
std::string History::importance() const
{
    if (m_best < 0) {
        return {};
    }
    const int sketch = m_known[static_cast<std::size_t>(m_best)].point.sketch;
    const std::vector<schedule::Knob>& knobs = m_space->members()[static_cast<std::size_t>(sketch)].script.knobs;
    std::vector<const Known*> ran;
    double mean = 0;
    for (const Known& known : m_known) {
        if (known.ns > 0 && known.point.sketch == sketch) {
            ran.push_back(&known);
            mean += std::log(known.ns);
        }
    }
    if (ran.size() < 8) {
        return {};
    }
    mean /= static_cast<double>(ran.size());
    std::vector<std::pair<double, std::string>> shares;
    double all = 0;
    for (std::size_t knob = 0; knob < knobs.size(); ++knob) {
        std::map<std::uint16_t, std::pair<double, int>> groups;
        for (const Known* known : ran) {
            auto& [sum, count] = groups[known->point.at[knob]];
            sum += std::log(known->ns) - mean;
            ++count;
        }
        double between = 0;
        for (const auto& [value, group] : groups) {
            between += group.first * group.first / group.second;
        }
        shares.emplace_back(between, knobs[knob].name);
        all += between;
    }
    std::sort(shares.rbegin(), shares.rend());
    std::vector<std::string> parts;
    for (const auto& [share, name] : shares) {
        if (all > 0 && share / all >= 0.01) {
            parts.push_back(format("{}={:.2f}", name, share / all));
        }
    }
    return join(parts, " ");
}

} // namespace nw::tune
