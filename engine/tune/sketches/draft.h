#pragma once

#include "engine/base/random.h"
#include "engine/schedule/script.h"
#include "engine/schedule/task.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nw::tune::sketches {

// A script in the making, and the nest to which its lines lead with their knobs at the defaults. Rules try lines; what is
// not legal leaves no trace.
class Draft {
public:
    Draft(const schedule::Task& task, const schedule::LoopNest& initial);

    const schedule::LoopNest& nest() const { return m_nest; }
    const schedule::Task& task() const { return *m_task; }
    const Target& target() const { return m_task->target; }
    const std::string& text() const { return m_text; }

    // The lines, if all of them are legal behind those that are there: then they stay.
    bool attempt(const std::vector<std::string>& lines);
    bool attempt(const std::string& line) { return attempt(std::vector<std::string>{line}); }
    // Behind a switch of that name; the step must be legal when it is on, too.
    bool attemptSwitched(const std::string& name, bool isOn, const std::string& step);
    // The same, and code can be made of the nest: steps that keep values in registers may be legal where lowering refuses.
    bool attemptLowered(const std::string& line);
    bool lowers() const;
    // A paragraph begins, with why it is there.
    void note(const std::string& comment);
    // A name that neither the nest nor a knob has; `taken` from then on.
    std::string fresh(const std::string& wanted);

    std::vector<std::string> blockNames() const; // in program order
    bool isThere(const std::string& block) const { return static_cast<bool>(m_nest.findBlock(block)); }

private:
    std::shared_ptr<const schedule::Task> m_task; // copies of the draft, and its cache, refer to its target
    schedule::ReplayCache m_cache;
    schedule::LoopNest m_nest;
    std::string m_text;
    std::set<std::string> m_taken;
};

// "knob rows = {1, 2, 4} default 2"; choices that are one after the other are a range. The default becomes one of them.
std::string knobLine(const std::string& name, const std::vector<std::int64_t>& choices, std::int64_t wanted);
// first..last
std::vector<std::int64_t> upTo(std::int64_t last);
// 1, 2, 4 ... and `last` itself
std::vector<std::int64_t> doublings(std::int64_t last);

// Values drawn for each knob such that the constraints hold; nothing when none were found in `tries`.
std::optional<schedule::KnobValues> drawValues(const schedule::Script& script, const schedule::Context& context, Random& random, int tries = 200);

} // namespace nw::tune::sketches
