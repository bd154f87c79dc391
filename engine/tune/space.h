#pragma once

#include "engine/base/random.h"
#include "engine/base/result.h"
#include "engine/base/small_vector.h"
#include "engine/schedule/script.h"
#include "engine/schedule/task.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nw::tune {

// One configuration: a script with knobs and, for each of those in the script's order, the place of its value among the
// knob's choices.
struct Point {
    int sketch = 0;
    // In place: tens of thousands are kept, and a small allocation each would hold the pages of what a round needed.
    SmallVector<std::uint16_t, 16> at;
    friend bool operator==(const Point&, const Point&) = default;
    friend auto operator<=>(const Point&, const Point&) = default;
};

std::uint64_t hashOf(const Point& point);
schedule::KnobValues readValues(const std::string& valuesText); // of "tile=4 wide=2"; what is no number is left out

// What a tuner searches for one task: scripts with knobs, each with its own choices and constraints.
class Space {
public:
    struct Member {
        std::string name;
        schedule::Script script;
        // Parallel to the script's constraints: the places of the knobs that each speaks of.
        std::vector<std::vector<std::size_t>> constrained;
        double weight = 1; // how often it is drawn from: as the logarithm of its choices
    };
    // Refused with the place in the script that does not parse.
    static Result<Space> make(const std::vector<std::pair<std::string, std::string>>& namesAndScripts, const schedule::Task& task);

    const std::vector<Member>& members() const { return m_members; }
    // Of all scripts together.
    schedule::ChoiceCount count() const;
    bool satisfies(const Point& point) const; // the constraints
    std::optional<Point> defaults(int sketch) const; // nothing when they violate a constraint
    // A point that satisfies the constraints, scripts with more choices more often. Nothing after so many draws without one.
    std::optional<Point> random(Random& random, int draws = 100) const;
    std::optional<Point> random(Random& random, int sketch, int draws) const;
    // Every point, when there are at most so many; nothing above.
    std::optional<std::vector<Point>> all(std::size_t limit) const;

    // Knobs of these names take the nearest of their choices, all others their default; may violate the constraints.
    Point nearest(int sketch, const schedule::KnobValues& values) const;
    schedule::KnobValues values(const Point& point) const;
    std::string valuesText(const Point& point) const; // "tile=4 wide=2"
    std::optional<Point> parse(int sketch, const std::string& valuesText) const; // nothing for unknown knobs or values
    // The script with the point's values in place of its knobs.
    Result<schedule::Script> script(const Point& point) const;

private:
    std::optional<Point> drawn(Random& random, int sketch) const;

    std::vector<Member> m_members;
    schedule::Task m_task;
};

} // namespace nw::tune
