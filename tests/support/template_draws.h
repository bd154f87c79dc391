#pragma once

#include "engine/base/random.h"
#include "engine/schedule/task.h"
#include "engine/schedule/templates.h"

#include <cstdint>
#include <string>

namespace nw::schedule::test {

// The template's script for a task, with knobs at their defaults.
Result<std::string> scriptFor(const Template& from, const Task& task);

// Tasks of random shape that a template takes, one after the other, on one thread or two.
class TemplateDraws {
public:
    static constexpr std::uint64_t kShapes = 50;

    // `mostRefused`: draws for each shape that fits.
    explicit TemplateDraws(const Template& from, std::uint64_t mostRefused = 40)
        : m_from(from)
        , m_most(kShapes * mostRefused)
    {}

    struct Drawn {
        Task task;
        std::string script;
    };
    // Failed: too many in all that it does not take, and why not the last of them.
    Result<Drawn> next(const Target& target);

private:
    const Template& m_from;
    std::uint64_t m_most;
    Random m_random{29};
    std::uint64_t m_drawn = 0;
};

} // namespace nw::schedule::test
