#include "engine/tune/drift.h"

#include "engine/base/text.h"

#include <algorithm>
#include <utility>

namespace nw::tune {
namespace {

constexpr double kAlike = 1.05;

} // namespace

void Drift::see(double ns)
{
    if (ns <= 0) {
        m_factor = 1;
        return;
    }
    m_quietNs = m_quietNs == 0 ? ns : std::min(m_quietNs, ns);
    const double factor = ns / m_quietNs;
    m_factor = factor > kAlike ? factor : 1;
    m_largest = std::max(m_largest, m_factor);
}

std::string Drift::takeNote()
{
    const double largest = std::exchange(m_largest, 1);
    return largest == 1 ? std::string()
                        : format("the machine was up to {:.2f} times slower than before: divided out of what was timed meanwhile", largest);
}

} // namespace nw::tune
