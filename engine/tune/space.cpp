#include "engine/tune/space.h"

#include "engine/base/hash.h"
#include "engine/base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>

namespace nw::tune {
namespace {

std::uint16_t placeOf(const schedule::Knob& knob, std::int64_t value)
{
    const auto found = std::find(knob.choices.begin(), knob.choices.end(), value);
    return static_cast<std::uint16_t>(found == knob.choices.end() ? 0 : found - knob.choices.begin());
}

std::optional<std::int64_t> readNumber(const std::string& text)
{
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

template <typename T>
void shuffle(std::vector<T>& values, Random& random)
{
    for (std::size_t i = values.size(); i > 1; --i) {
        std::swap(values[i - 1], values[static_cast<std::size_t>(random.below(i))]);
    }
}

std::vector<std::vector<std::size_t>> constrainedKnobs(const schedule::Script& script)
{
    std::vector<std::vector<std::size_t>> all;
    for (const schedule::KnobConstraint& constraint : script.constraints) {
        std::vector<std::size_t> places;
        for (const std::string& name : constraint.sides.knobs) {
            const auto found = std::find_if(script.knobs.begin(), script.knobs.end(), [&](const auto& knob) { return knob.name == name; });
            places.push_back(static_cast<std::size_t>(found - script.knobs.begin()));
        }
        all.push_back(std::move(places));
    }
    return all;
}

} // namespace

std::uint64_t hashOf(const Point& point)
{
    std::string bytes(sizeof(point.sketch) + point.at.size() * sizeof(std::uint16_t), '\0');
    std::memcpy(bytes.data(), &point.sketch, sizeof(point.sketch));
    if (!point.at.empty()) {
        std::memcpy(bytes.data() + sizeof(point.sketch), point.at.data(), point.at.size() * sizeof(std::uint16_t));
    }
    return hash64(bytes);
}

schedule::KnobValues readValues(const std::string& valuesText)
{
    schedule::KnobValues values;
    for (const std::string& part : splitWords(valuesText)) {
        const std::size_t equals = part.find('=');
        if (equals == std::string::npos) {
            continue;
        }
        if (const std::optional<std::int64_t> value = readNumber(part.substr(equals + 1))) {
            values[part.substr(0, equals)] = *value;
        }
    }
    return values;
}

Result<Space> Space::make(const std::vector<std::pair<std::string, std::string>>& namesAndScripts, const schedule::Task& task)
{
    Space space;
    space.m_task = task;
    for (const auto& [name, text] : namesAndScripts) {
        Result<schedule::Script> script = schedule::parseScript(text, schedule::allPrimitives(), {&space.m_task.target});
        if (!script) {
            return script.error();
        }
        const double weight = std::log2(1.0 + static_cast<double>(schedule::countChoices(*script).count));
        space.m_members.push_back({name, *std::move(script), {}, weight});
        space.m_members.back().constrained = constrainedKnobs(space.m_members.back().script);
    }
    return space;
}

schedule::ChoiceCount Space::count() const
{
    schedule::ChoiceCount all{0, true};
    for (const Member& member : m_members) {
        const schedule::ChoiceCount one = schedule::countChoices(member.script);
        const bool overflows = __builtin_add_overflow(all.count, one.count, &all.count);
        all.count = overflows ? ~std::uint64_t{0} : all.count;
        all.exact = all.exact && one.exact && !overflows;
    }
    return all;
}

bool Space::satisfies(const Point& point) const
{
    const Member& member = m_members.at(static_cast<std::size_t>(point.sketch));
    std::vector<schedule::Range> ranges;
    std::vector<schedule::Range> stack;
    for (std::size_t i = 0; i < member.constrained.size(); ++i) {
        ranges.clear();
        for (const std::size_t knob : member.constrained[i]) {
            const std::int64_t value = member.script.knobs[knob].choices.at(point.at[knob]);
            ranges.push_back({value, value});
        }
        if (schedule::judge(member.script.constraints[i], ranges, stack) != schedule::Holds::Yes) {
            return false;
        }
    }
    return true;
}

std::optional<Point> Space::defaults(int sketch) const
{
    Point point{sketch, {}};
    for (const schedule::Knob& knob : m_members.at(static_cast<std::size_t>(sketch)).script.knobs) {
        point.at.push_back(placeOf(knob, knob.defaultValue));
    }
    return satisfies(point) ? std::optional<Point>(std::move(point)) : std::nullopt;
}

// Knob after knob in random order, each a random choice of those that leave the constraints a chance.
std::optional<Point> Space::drawn(Random& random, int sketch) const
{
    const Member& member = m_members.at(static_cast<std::size_t>(sketch));
    const schedule::Script& script = member.script;
    std::vector<schedule::Range> open;
    for (const schedule::Knob& knob : script.knobs) {
        const auto [low, high] = std::minmax_element(knob.choices.begin(), knob.choices.end());
        open.push_back({*low, *high});
    }
    std::vector<schedule::Range> ranges;
    std::vector<schedule::Range> stack;
    const auto possible = [&](std::size_t chosen) {
        for (std::size_t i = 0; i < member.constrained.size(); ++i) {
            const std::vector<std::size_t>& knobs = member.constrained[i];
            if (std::find(knobs.begin(), knobs.end(), chosen) == knobs.end()) {
                continue;
            }
            ranges.clear();
            for (const std::size_t knob : knobs) {
                ranges.push_back(open[knob]);
            }
            if (schedule::judge(script.constraints[i], ranges, stack) == schedule::Holds::No) {
                return false;
            }
        }
        return true;
    };
    std::vector<std::size_t> order(script.knobs.size());
    std::iota(order.begin(), order.end(), 0);
    shuffle(order, random);
    Point point{sketch, {}};
    for (std::size_t knob = 0; knob < script.knobs.size(); ++knob) {
        point.at.push_back(0);
    }
    for (const std::size_t knob : order) {
        std::vector<std::uint16_t> places(script.knobs[knob].choices.size());
        std::iota(places.begin(), places.end(), std::uint16_t{0});
        shuffle(places, random);
        const auto fits = std::find_if(places.begin(), places.end(), [&](std::uint16_t place) {
            const std::int64_t value = script.knobs[knob].choices[place];
            open[knob] = {value, value};
            return possible(knob);
        });
        if (fits == places.end()) {
            return std::nullopt;
        }
        point.at[knob] = *fits;
    }
    return satisfies(point) ? std::optional<Point>(std::move(point)) : std::nullopt;
}

std::optional<Point> Space::random(Random& random, int sketch, int draws) const
{
    for (int draw = 0; draw < draws; ++draw) {
        if (std::optional<Point> point = drawn(random, sketch)) {
            return point;
        }
    }
    return std::nullopt;
}

std::optional<Point> Space::random(Random& random, int draws) const
{
    double all = 0;
    for (const Member& member : m_members) {
        all += member.weight;
    }
    for (int draw = 0; draw < draws && !m_members.empty(); ++draw) {
        double left = random.unit() * all;
        std::size_t sketch = 0;
        while (sketch + 1 < m_members.size() && left >= m_members[sketch].weight) {
            left -= m_members[sketch++].weight;
        }
        if (std::optional<Point> point = this->random(random, static_cast<int>(sketch), 1)) {
            return point;
        }
    }
    return std::nullopt;
}

std::optional<std::vector<Point>> Space::all(std::size_t limit) const
{
    std::vector<Point> points;
    for (std::size_t sketch = 0; sketch < m_members.size(); ++sketch) {
        const schedule::Script& script = m_members[sketch].script;
        const schedule::ChoiceCount count = schedule::countChoices(script);
        if (!count.exact || count.count > limit - points.size()) {
            return std::nullopt;
        }
        const Result<std::vector<schedule::KnobValues>> values = schedule::allChoices(script, limit);
        if (!values) {
            continue; // no combination satisfies the constraints
        }
        for (const schedule::KnobValues& chosen : *values) {
            Point point{static_cast<int>(sketch), {}};
            for (const schedule::Knob& knob : script.knobs) {
                point.at.push_back(placeOf(knob, chosen.at(knob.name)));
            }
            points.push_back(std::move(point));
        }
    }
    return points;
}

Point Space::nearest(int sketch, const schedule::KnobValues& values) const
{
    Point point{sketch, {}};
    for (const schedule::Knob& knob : m_members.at(static_cast<std::size_t>(sketch)).script.knobs) {
        const auto known = values.find(knob.name);
        const std::int64_t wanted = known == values.end() ? knob.defaultValue : known->second;
        const auto nearest = std::min_element(knob.choices.begin(), knob.choices.end(), [&](std::int64_t a, std::int64_t b) {
            return std::llabs(a - wanted) < std::llabs(b - wanted);
        });
        point.at.push_back(static_cast<std::uint16_t>(nearest - knob.choices.begin()));
    }
    return point;
}

schedule::KnobValues Space::values(const Point& point) const
{
    const schedule::Script& script = m_members.at(static_cast<std::size_t>(point.sketch)).script;
    schedule::KnobValues values;
    for (std::size_t i = 0; i < script.knobs.size(); ++i) {
        values[script.knobs[i].name] = script.knobs[i].choices.at(point.at[i]);
    }
    return values;
}

std::string Space::valuesText(const Point& point) const
{
    std::vector<std::string> parts;
    for (const auto& [name, value] : values(point)) {
        parts.push_back(format("{}={}", name, value));
    }
    return join(parts, " ");
}

std::optional<Point> Space::parse(int sketch, const std::string& valuesText) const
{
    if (sketch < 0 || static_cast<std::size_t>(sketch) >= m_members.size()) {
        return std::nullopt;
    }
    const schedule::Script& script = m_members[static_cast<std::size_t>(sketch)].script;
    const schedule::KnobValues written = readValues(valuesText);
    Point point{sketch, {}};
    for (const schedule::Knob& knob : script.knobs) {
        const auto found = written.find(knob.name);
        const auto choice = found == written.end() ? knob.choices.end() : std::find(knob.choices.begin(), knob.choices.end(), found->second);
        if (choice == knob.choices.end()) {
            return std::nullopt;
        }
        point.at.push_back(static_cast<std::uint16_t>(choice - knob.choices.begin()));
    }
    return written.size() == script.knobs.size() ? std::optional<Point>(std::move(point)) : std::nullopt;
}

Result<schedule::Script> Space::script(const Point& point) const
{
    return schedule::bindKnobs(m_members.at(static_cast<std::size_t>(point.sketch)).script, values(point), {&m_task.target});
}

} // namespace nw::tune
