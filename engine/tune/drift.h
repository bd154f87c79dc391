#pragma once

#include <string>

namespace nw::tune {

// How fast the machine is just now, by one script that is timed again and again while a search runs (CASES.md 47). Samples are
// already normalised to the clock by their probes; what is left is what probes do not see, such as a neighbour in the caches.
class Drift {
public:
    // The script's time just now, nanoseconds; 0 or less: it could not be timed.
    void see(double ns);
    // Times of now over those of a quiet moment; 1 until it is beyond what two timings of one script differ by.
    double factor() const { return m_factor; }
    // The largest factor since this was asked for, in words; empty: none.
    std::string takeNote();

private:
    double m_quietNs = 0, m_factor = 1, m_largest = 1;
};

} // namespace nw::tune
