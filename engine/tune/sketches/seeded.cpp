// A person's schedule as a space: the numbers of its splits and tiles become knobs around what they are.
//
//   split ow into owo:_ owi:14   =>   knob owi = {7, 8, 13, 14, 15, 28} default 14
//                                     split ow into owo:_ owi:?owi
#include "engine/tune/sketches.h"

#include "engine/base/text.h"
#include "engine/schedule/script_line.h"
#include "engine/tune/sketches/draft.h"

#include <algorithm>

namespace nw::tune {

namespace {

constexpr std::int64_t kFurthest = 4; // times, or a part, of the value
constexpr std::size_t kMostDivisors = 6;

using schedule::ParamKind;

// Text in a line, by its column, that gives way to another.
struct Replacement {
    int column = 1;
    std::size_t length = 0;
    std::string text;
};

std::string replaced(std::string line, std::vector<Replacement> all)
{
    std::sort(all.begin(), all.end(), [](const Replacement& a, const Replacement& b) { return a.column > b.column; });
    for (const Replacement& each : all) {
        line.replace(static_cast<std::size_t>(each.column) - 1, each.length, each.text);
    }
    return line;
}

// The value itself, halves and doubles, neighbours, divisors of the extent near it.
std::vector<std::int64_t> choicesAround(std::int64_t value, std::optional<std::int64_t> extent)
{
    std::set<std::int64_t> found{value, value / 2, value * 2, value - 1, value + 1};
    if (extent) {
        std::vector<std::int64_t> divisors;
        for (std::int64_t divisor = std::max<std::int64_t>(value / kFurthest, 1); divisor <= std::min(*extent, value * kFurthest); ++divisor) {
            if (*extent % divisor == 0) {
                divisors.push_back(divisor);
            }
        }
        std::stable_sort(divisors.begin(), divisors.end(), [&](std::int64_t a, std::int64_t b) { return std::abs(a - value) < std::abs(b - value); });
        divisors.resize(std::min(divisors.size(), kMostDivisors));
        found.insert(divisors.begin(), divisors.end());
    }
    std::erase_if(found, [&](std::int64_t choice) { return choice != value && (choice < 1 || (extent && choice > *extent)); });
    return {found.begin(), found.end()};
}

class Seeder {
public:
    Seeder(const schedule::Task& task, const schedule::Script& script, const schedule::Replay& replayed, const std::set<std::string>& fixed)
        : m_context{&task.target}
        , m_script(script)
        , m_replay(replayed)
        , m_asked(fixed)
        , m_fixed(fixed)
    {
        for (const schedule::Knob& knob : script.knobs) {
            m_taken.insert(knob.name);
        }
    }

    std::string run()
    {
        std::vector<std::string> lines;
        std::size_t next = 0;
        for (std::size_t i = 0; i < m_script.lines.size(); ++i) {
            const bool isStep = next < m_script.steps.size() && m_script.steps[next].line == static_cast<int>(i) + 1;
            if (!isStep) {
                lines.push_back(m_script.lines[i]);
                continue;
            }
            const schedule::LoopNest& before = next == 0 ? m_replay.initial : m_replay.steps[next - 1].nest;
            const std::vector<Replacement> replacements = vary(m_script.steps[next], before, lines);
            lines.push_back(replaced(m_script.lines[i], replacements));
            follow(before, m_replay.steps[next]);
            ++next;
        }
        return join(lines, "\n");
    }

private:
    // Loops made from fixed ones are fixed.
    void follow(const schedule::LoopNest& before, const schedule::Step& step)
    {
        std::set<std::string> made;
        for (const std::string& name : m_fixed) {
            const schedule::LoopNest::Path old = before.findLoop(name);
            const auto forward = old ? step.forward.loops.find(old.loop->id) : step.forward.loops.end();
            for (const int id : forward != step.forward.loops.end() ? forward->second : std::vector<int>()) {
                if (const schedule::LoopNest::Path now = step.nest.findLoop(id)) {
                    made.insert(now.loop->name);
                }
            }
        }
        m_fixed.insert(made.begin(), made.end());
        for (const schedule::Loop* loop : step.nest.allLoops()) {
            if (m_fixed.contains(loop->follows)) {
                m_fixed.insert(loop->name);
            }
        }
    }

    std::string nameFor(const std::string& loop)
    {
        std::string name = loop;
        for (int number = 2; m_taken.contains(name); ++number) {
            name = format("{}.{}", loop, number);
        }
        m_taken.insert(name);
        return name;
    }

    std::optional<std::int64_t> extentOf(const schedule::LoopNest& nest, const std::string& loop) const
    {
        const schedule::LoopNest::Path path = nest.findLoop(loop);
        return path ? schedule::constantExtent(*path.loop) : std::nullopt;
    }

    // Loops of the step in the order in which its parts belong to them: of a split its one for all parts, of a tile each loop's
    // outer part, then each loop's inner one.
    std::vector<std::string> loopsOf(const schedule::ScriptStep& step, std::size_t parts) const
    {
        std::vector<std::string> named;
        for (std::size_t i = 0; i < step.primitive->params.size() && i < step.words.size(); ++i) {
            const ParamKind kind = step.primitive->params[i].kind;
            for (const schedule::ScriptStep::Word& word : kind == ParamKind::Loop || kind == ParamKind::Loops ? step.words[i] : std::vector<schedule::ScriptStep::Word>()) {
                named.push_back(word.text);
            }
        }
        std::vector<std::string> loops;
        for (std::size_t i = 0; i < parts && !named.empty(); ++i) {
            loops.push_back(named[i % named.size()]);
        }
        return loops;
    }

    std::vector<Replacement> vary(const schedule::ScriptStep& step, const schedule::LoopNest& before, std::vector<std::string>& lines)
    {
        std::vector<Replacement> made;
        for (std::size_t i = 0; i < step.primitive->params.size() && i < step.words.size(); ++i) {
            if (step.primitive->params[i].kind != ParamKind::Parts) {
                continue;
            }
            const std::vector<schedule::ScriptStep::Word>& words = step.words[i];
            const std::vector<std::string> loops = loopsOf(step, words.size());
            for (std::size_t k = 0; k < words.size() && loops.size() == words.size(); ++k) {
                varyPart(step, words, loops, k, before, made, lines);
            }
        }
        return made;
    }

    void varyPart(const schedule::ScriptStep& step, const std::vector<schedule::ScriptStep::Word>& words, const std::vector<std::string>& loops, std::size_t at,
                  const schedule::LoopNest& before, std::vector<Replacement>& made, std::vector<std::string>& lines)
    {
        const schedule::ScriptStep::Word& word = words[at];
        const std::size_t colon = word.text.find(':');
        const std::string name = word.text.substr(0, colon);
        const std::string number = colon == std::string::npos ? std::string() : word.text.substr(colon + 1);
        const bool isChosen = number.find('?') != std::string::npos || number.find('{') != std::string::npos;
        const bool isLanes = std::string(trim(number)).starts_with("lanes(") && number.find(')') + 1 == trim(number).size();
        if (number.empty() || trim(number) == "_" || isChosen || isLanes || m_fixed.contains(loops[at]) || m_asked.contains(name)) {
            return;
        }
        schedule::NumberScope scope;
        scope.target = m_context.target;
        const Result<std::int64_t> value = schedule::evalNumber(number, scope);
        if (!value || *value < 1) {
            return;
        }
        const std::optional<std::int64_t> extent = extentOf(before, loops[at]);
        const int column = word.column + static_cast<int>(colon) + 1;
        // Where every part is a number the outermost one follows from the others, or else few choices would cover the loop.
        if (canBeInferred(words, loops, at, extent, *value)) {
            made.push_back({column, number.size(), "_"});
            return;
        }
        const std::vector<std::int64_t> choices = choicesAround(*value, extent);
        if (choices.size() < 2) {
            return;
        }
        const std::string knob = nameFor(name);
        const std::string margin(static_cast<std::size_t>(step.column) - 1, ' ');
        lines.push_back(margin + sketches::knobLine(knob, choices, *value));
        made.push_back({column, number.size(), "?" + knob});
    }

    // The first part of a loop all of whose parts are numbers, when "_" means the same; none of them is fixed then.
    bool canBeInferred(const std::vector<schedule::ScriptStep::Word>& words, const std::vector<std::string>& loops, std::size_t at,
                       std::optional<std::int64_t> extent, std::int64_t value) const
    {
        std::int64_t others = 1;
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (loops[i] != loops[at] || i == at) {
                continue;
            }
            const std::size_t colon = words[i].text.find(':');
            schedule::NumberScope scope;
            scope.target = m_context.target;
            const Result<std::int64_t> number = colon == std::string::npos ? Result<std::int64_t>(failed("inferred")) : schedule::evalNumber(words[i].text.substr(colon + 1), scope);
            if (i < at || !number || *number < 1) {
                return false;
            }
            others *= *number;
        }
        return extent && others > 0 && (*extent + others - 1) / others == value && words.size() > 1;
    }

    schedule::Context m_context;
    const schedule::Script& m_script;
    const schedule::Replay& m_replay;
    const std::set<std::string>& m_asked;
    std::set<std::string> m_fixed;
    std::set<std::string> m_taken;
};

} // namespace

Result<std::string> seededFrom(const schedule::Task& task, const schedule::LoopNest& initial, const std::string& text, const std::set<std::string>& fixed)
{
    const schedule::Context context{&task.target};
    const Result<schedule::Script> script = schedule::parseScript(text, schedule::allPrimitives(), context);
    if (!script) {
        return script.error();
    }
    const Result<schedule::Replay> replayed = schedule::replay(initial, *script, {}, context);
    if (!replayed) {
        return replayed.error();
    }
    return Seeder(task, *script, *replayed, fixed).run();
}

} // namespace nw::tune
