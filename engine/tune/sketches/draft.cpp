#include "engine/tune/sketches/draft.h"

#include "engine/base/text.h"
#include "engine/lower/lowered.h"

#include <algorithm>
#include <cstdlib>

namespace nw::tune::sketches {

Draft::Draft(const schedule::Task& task, const schedule::LoopNest& initial)
    : m_task(std::make_shared<const schedule::Task>(task))
    , m_cache(initial, schedule::Context{&m_task->target})
    , m_nest(initial)
{}

bool Draft::attempt(const std::vector<std::string>& lines)
{
    const std::string longer = m_text + join(lines, "\n") + "\n";
    const Result<schedule::Replay> replayed = m_cache.replayText(longer);
    if (!replayed) {
        return false;
    }
    m_nest = replayed->nest();
    m_text = longer;
    return true;
}

bool Draft::attemptSwitched(const std::string& name, bool isOn, const std::string& step)
{
    const std::string line = format("{} when ?{}", step, name);
    if (!m_cache.replayText(m_text + format("knob {} = switch default on\n{}\n", name, line))) {
        return false;
    }
    return attempt({format("knob {} = switch default {}", name, isOn ? "on" : "off"), line});
}

bool Draft::attemptLowered(const std::string& line)
{
    Draft tried = *this;
    if (!tried.attempt(line) || !tried.lowers()) {
        return false;
    }
    *this = std::move(tried);
    return true;
}

bool Draft::lowers() const
{
    return lower::lower(m_nest, target()).has_value();
}

void Draft::note(const std::string& comment)
{
    m_text += (m_text.empty() ? "# " : "\n# ") + comment + "\n";
}

std::string Draft::fresh(const std::string& wanted)
{
    std::string name = wanted;
    for (int number = 2; m_taken.contains(name) || m_nest.nameTaken(name); ++number) {
        name = format("{}.{}", wanted, number);
    }
    m_taken.insert(name);
    return name;
}

std::vector<std::string> Draft::blockNames() const
{
    std::vector<std::string> names;
    for (const schedule::LoopNest::Path& path : m_nest.blocks()) {
        names.push_back(path.block->name);
    }
    return names;
}

std::string knobLine(const std::string& name, const std::vector<std::int64_t>& choices, std::int64_t wanted)
{
    ENSURE(!choices.empty(), "a knob without choices");
    std::int64_t chosen = choices.front();
    bool isRange = choices.size() > 1;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        chosen = std::abs(choices[i] - wanted) < std::abs(chosen - wanted) ? choices[i] : chosen;
        isRange = isRange && choices[i] == choices.front() + static_cast<std::int64_t>(i);
        texts.push_back(std::to_string(choices[i]));
    }
    const std::string all = isRange ? format("{}..{}", choices.front(), choices.back()) : "{" + join(texts, ", ") + "}";
    return format("knob {} = {} default {}", name, all, chosen);
}

std::vector<std::int64_t> upTo(std::int64_t last)
{
    std::vector<std::int64_t> values;
    for (std::int64_t value = 1; value <= last; ++value) {
        values.push_back(value);
    }
    return values;
}

std::vector<std::int64_t> doublings(std::int64_t last)
{
    std::vector<std::int64_t> values;
    for (std::int64_t value = 1; value < last; value *= 2) {
        values.push_back(value);
    }
    values.push_back(std::max<std::int64_t>(last, 1));
    return values;
}

std::optional<schedule::KnobValues> drawValues(const schedule::Script& script, const schedule::Context& context, Random& random, int tries)
{
    for (int i = 0; i < tries; ++i) {
        schedule::KnobValues values;
        for (const schedule::Knob& knob : script.knobs) {
            values[knob.name] = knob.choices[random.below(knob.choices.size())];
        }
        if (schedule::bindKnobs(script, values, context)) {
            return values;
        }
    }
    return std::nullopt;
}

} // namespace nw::tune::sketches
