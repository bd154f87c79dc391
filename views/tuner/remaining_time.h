#pragma once

#include "views/tuner/tuner_values.h"

#include <deque>
#include <optional>

namespace nw::views {

// How long a session goes on, as a range: trials come fast and slow (an operator of a millisecond, one of a tenth), and a
// plateau may end it before its budget does.
class RemainingTime {
public:
    struct Range {
        double low = 0, high = 0; // seconds
    };
    // How far it was at a moment of its own time; moments that do not go on begin anew (another session).
    void note(double activeSeconds, int trials);
    // `toPlateau`: trials until it would stop for want of a gain; negative: no plateau. Nothing while too little is known.
    std::optional<Range> left(const TunerBudget& budget, int toPlateau) const;

private:
    struct Moment {
        double seconds = 0;
        int trials = 0;
    };
    std::deque<Moment> m_moments; // of the last while, oldest first
};

} // namespace nw::views
