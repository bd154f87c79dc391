#pragma once

#include <string>
#include <vector>

namespace nw::tune {

// How fast the machine is just now, by one script that is timed again and again while a search runs (CASES.md 47). Samples are
// already normalised to the clock by their probes; what is left is what probes do not see, such as a neighbour in the caches.
class Drift {
public:
    // The script's time just now, nanoseconds; 0 or less: it could not be timed.
    void see(double ns);
    // Times of now over those at the beginning, above 1: slower; 1 until it is beyond what two timings of one script differ by.
    double factor() const { return m_factor; }
    // The largest factor since this was asked for, in words; empty: none.
    std::string takeNote();

private:
    std::vector<double> m_first; // looks at the beginning, whose middle one is what others are compared with
    double m_factor = 1, m_largest = 1;
};

} // namespace nw::tune
