#include "engine/schedule/race_watch.h"

#include <algorithm>

namespace nw::schedule {

int RaceWatch::enter()
{
    return m_loops++;
}

void RaceWatch::step(int loop, int outer)
{
    m_steps.push_back({outer, loop, m_steps[static_cast<std::size_t>(outer)].depth + 1});
    m_current = static_cast<int>(m_steps.size()) - 1;
}

// Different steps of one run of a loop, as seen from two places in the tree of steps.
bool RaceWatch::apart(int a, int b) const
{
    const auto of = [&](int step) -> const Step& { return m_steps[static_cast<std::size_t>(step)]; };
    while (of(a).depth > of(b).depth) {
        a = of(a).outer;
    }
    while (of(b).depth > of(a).depth) {
        b = of(b).outer;
    }
    if (a == b) {
        return false;
    }
    while (of(a).outer != of(b).outer) {
        a = of(a).outer;
        b = of(b).outer;
    }
    return of(a).loop == of(b).loop;
}

RaceWatch::Elements::Elements(std::size_t count)
    : wrote(count, -1)
    , read(count, -1)
{}

void RaceWatch::Elements::forget()
{
    std::fill(wrote.begin(), wrote.end(), -1);
    std::fill(read.begin(), read.end(), -1);
}

bool RaceWatch::reads(Elements& elements, std::size_t at) const
{
    elements.read[at] = m_current;
    return elements.wrote[at] < 0 || !apart(elements.wrote[at], m_current);
}

bool RaceWatch::writes(Elements& elements, std::size_t at) const
{
    const bool alone = (elements.wrote[at] < 0 || !apart(elements.wrote[at], m_current))
        && (elements.read[at] < 0 || !apart(elements.read[at], m_current));
    elements.wrote[at] = m_current;
    return alone;
}

} // namespace nw::schedule
