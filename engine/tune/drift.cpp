#include "engine/tune/drift.h"

#include "engine/base/text.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nw::tune {
namespace {

constexpr double kAlike = 0.05;
// Not the fastest look of all: a moment of a higher clock would make everything after it slow. And not of all looks: a machine
// that stays slow would become the rule, and what was timed before would win for ever.
constexpr std::size_t kFirst = 9;

} // namespace

void Drift::see(double ns)
{
    if (ns <= 0) {
        m_factor = 1;
        return;
    }
    if (m_first.size() < kFirst) {
        m_first.insert(std::upper_bound(m_first.begin(), m_first.end(), ns), ns);
    }
    const double factor = ns / m_first[(m_first.size() - 1) / 2];
    m_factor = std::abs(factor - 1) > kAlike ? factor : 1;
    m_largest = std::max(m_largest, m_factor);
}

std::string Drift::takeNote()
{
    const double largest = std::exchange(m_largest, 1);
    return largest == 1 ? std::string()
                        : format("the machine was up to {:.2f} times slower than before: divided out of what was timed meanwhile", largest);
}

} // namespace nw::tune
