// The combinations of a script's knobs: how many there are, and all of them. Knobs that a constraint joins form a group;
// groups do not know of one another, so that their counts multiply. Within a group, what ranges of values settle is not
// looked at one by one.

#include "engine/schedule/script.h"

#include "engine/base/text.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace nw::schedule {

namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
// Halving a group of ten million combinations down to single ones takes fewer cuts than that.
constexpr std::uint64_t kVisitLimit = 10'000'000;

std::uint64_t saturatingProduct(std::uint64_t a, std::uint64_t b)
{
    std::uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? kMost : product;
}

std::uint64_t saturatingSum(std::uint64_t a, std::uint64_t b)
{
    std::uint64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? kMost : sum;
}

struct Group {
    std::vector<std::size_t> knobs; // places in the script's knobs, ascending
    std::vector<const KnobConstraint*> constraints;
};

std::size_t placeOf(const Script& script, const std::string& name)
{
    const auto found = std::find_if(script.knobs.begin(), script.knobs.end(), [&](const Knob& k) { return k.name == name; });
    ENSURE(found != script.knobs.end(), "a constraint names a knob that the script does not have");
    return static_cast<std::size_t>(found - script.knobs.begin());
}

std::vector<Group> groupsOf(const Script& script)
{
    std::vector<std::size_t> leader(script.knobs.size());
    std::iota(leader.begin(), leader.end(), 0);
    for (const KnobConstraint& constraint : script.constraints) {
        for (const std::string& name : constraint.sides.knobs) {
            const std::size_t from = leader[placeOf(script, name)];
            const std::size_t to = leader[placeOf(script, constraint.sides.knobs.front())];
            std::replace(leader.begin(), leader.end(), from, to);
        }
    }
    std::vector<Group> groups;
    std::vector<std::size_t> groupOf(script.knobs.size(), script.knobs.size()); // by leader
    for (std::size_t i = 0; i < script.knobs.size(); ++i) {
        std::size_t& group = groupOf[leader[i]];
        if (group == script.knobs.size()) {
            group = groups.size();
            groups.emplace_back();
        }
        groups[group].knobs.push_back(i);
    }
    for (const KnobConstraint& constraint : script.constraints) {
        if (constraint.sides.knobs.empty()) {
            groups.push_back({{}, {&constraint}}); // all or nothing
        } else {
            groups[groupOf[leader[placeOf(script, constraint.sides.knobs.front())]]].constraints.push_back(&constraint);
        }
    }
    return groups;
}

// Walks the combinations of one group: a box of them (a stretch of each knob's choices, by size) that the constraints
// neither allow nor forbid as a whole is halved.
class GroupSearch {
public:
    GroupSearch(const Script& script, const Group& group)
    {
        for (const std::size_t place : group.knobs) {
            const std::vector<std::int64_t>& choices = script.knobs[place].choices;
            std::vector<std::size_t> order(choices.size());
            std::iota(order.begin(), order.end(), 0);
            std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return choices[a] < choices[b]; });
            m_knobs.push_back({&choices, std::move(order)});
            m_ranges.push_back({});
            setStretch(m_knobs.size() - 1, 0, choices.size());
        }
        for (const KnobConstraint* constraint : group.constraints) {
            Watched watched{constraint, {}, {}};
            for (const std::string& name : constraint->sides.knobs) {
                const auto found = std::find(group.knobs.begin(), group.knobs.end(), placeOf(script, name));
                watched.knobs.push_back(static_cast<std::size_t>(found - group.knobs.begin()));
            }
            watched.ranges.resize(watched.knobs.size());
            m_constraints.push_back(std::move(watched));
        }
    }

    ChoiceCount count()
    {
        m_visits = 0;
        m_exact = true;
        m_list = nullptr;
        const std::uint64_t found = walk();
        return {found, m_exact && found != kMost};
    }

    // Every combination as places among the choices of each knob, in no order.
    std::vector<std::vector<std::size_t>> list()
    {
        std::vector<std::vector<std::size_t>> found;
        m_list = &found;
        walk();
        return found;
    }

private:
    struct Stretch {
        const std::vector<std::int64_t>* choices;
        std::vector<std::size_t> order; // places in `choices`, the smallest first
        std::size_t from = 0, to = 0;   // in `order`: what is in the box
        std::size_t size() const { return to - from; }
    };
    struct Watched {
        const KnobConstraint* constraint;
        std::vector<std::size_t> knobs; // parallel to the constraint's: places in the group
        std::vector<Range> ranges;      // of those
    };

    void setStretch(std::size_t index, std::size_t from, std::size_t to)
    {
        Stretch& knob = m_knobs[index];
        knob.from = from;
        knob.to = to;
        m_ranges[index] = {(*knob.choices)[knob.order[from]], (*knob.choices)[knob.order[to - 1]]};
    }

    Holds judgeAll()
    {
        Holds all = Holds::Yes;
        for (Watched& watched : m_constraints) {
            for (std::size_t i = 0; i < watched.knobs.size(); ++i) {
                watched.ranges[i] = m_ranges[watched.knobs[i]];
            }
            const Holds one = judge(*watched.constraint, watched.ranges, m_stack);
            if (one == Holds::No) {
                return one;
            }
            all = one == Holds::Unknown ? one : all;
        }
        return all;
    }

    std::uint64_t walk()
    {
        const Holds holds = judgeAll();
        if (holds == Holds::No) {
            return 0;
        }
        if (holds == Holds::Yes) {
            return takeBox();
        }
        if (m_list == nullptr && ++m_visits > kVisitLimit) {
            m_exact = false;
            return takeBox();
        }
        // A box of one combination is never Unknown.
        const auto widest = std::max_element(m_knobs.begin(), m_knobs.end(),
                                             [](const Stretch& a, const Stretch& b) { return a.size() < b.size(); });
        const auto index = static_cast<std::size_t>(widest - m_knobs.begin());
        const std::size_t from = widest->from, to = widest->to, middle = from + widest->size() / 2;
        setStretch(index, from, middle);
        const std::uint64_t lower = walk();
        setStretch(index, middle, to);
        const std::uint64_t found = saturatingSum(lower, walk());
        setStretch(index, from, to);
        return found;
    }

    std::uint64_t takeBox()
    {
        std::uint64_t size = 1;
        for (const Stretch& knob : m_knobs) {
            size = saturatingProduct(size, knob.size());
        }
        if (m_list != nullptr) {
            std::vector<std::size_t> chosen;
            listBox(chosen);
        }
        return size;
    }

    void listBox(std::vector<std::size_t>& chosen)
    {
        if (chosen.size() == m_knobs.size()) {
            m_list->push_back(chosen);
            return;
        }
        const Stretch& knob = m_knobs[chosen.size()];
        for (std::size_t i = knob.from; i < knob.to; ++i) {
            chosen.push_back(knob.order[i]);
            listBox(chosen);
            chosen.pop_back();
        }
    }

    std::vector<Stretch> m_knobs;
    std::vector<Range> m_ranges; // parallel: the smallest and largest choice in the box
    std::vector<Watched> m_constraints;
    std::vector<Range> m_stack;
    std::uint64_t m_visits = 0;
    bool m_exact = true;
    std::vector<std::vector<std::size_t>>* m_list = nullptr;
};

// All combinations of the groups, in the order of the script's knobs.
std::vector<std::vector<std::size_t>> listAll(const Script& script)
{
    std::vector<std::vector<std::size_t>> all{std::vector<std::size_t>(script.knobs.size(), 0)};
    for (const Group& group : groupsOf(script)) {
        std::vector<std::vector<std::size_t>> longer;
        for (const std::vector<std::size_t>& places : GroupSearch(script, group).list()) {
            for (std::vector<std::size_t> one : all) {
                for (std::size_t i = 0; i < places.size(); ++i) {
                    one[group.knobs[i]] = places[i];
                }
                longer.push_back(std::move(one));
            }
        }
        all = std::move(longer);
    }
    std::sort(all.begin(), all.end());
    return all;
}

} // namespace

std::string ChoiceCount::toText() const
{
    return exact ? std::to_string(count) : count == kMost ? format("more than {}", kMost - 1) : format("at most {}", count);
}

ChoiceCount countChoices(const Script& script)
{
    ChoiceCount all;
    for (const Group& group : groupsOf(script)) {
        const ChoiceCount one = GroupSearch(script, group).count();
        all.count = saturatingProduct(all.count, one.count);
        all.exact = all.exact && one.exact && all.count != kMost;
    }
    return all;
}

Result<std::vector<KnobValues>> allChoices(const Script& script, std::size_t limit)
{
    const ChoiceCount count = countChoices(script);
    if (count.count > limit) {
        return refused(format("the knobs of this script have {} combinations and {} are allowed; narrow their ranges",
                              count.toText(), limit));
    }
    KnobValues defaults;
    for (const Knob& knob : script.knobs) {
        defaults[knob.name] = knob.defaultValue;
    }
    std::vector<KnobValues> all{defaults};
    for (const std::vector<std::size_t>& places : listAll(script)) {
        KnobValues values;
        for (std::size_t i = 0; i < places.size(); ++i) {
            values[script.knobs[i].name] = script.knobs[i].choices[places[i]];
        }
        if (values != defaults) {
            all.push_back(std::move(values));
        }
    }
    return all;
}

} // namespace nw::schedule
