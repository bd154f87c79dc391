// Scripts that somebody's editor, disk or hand has spoiled.

#include "engine/base/text.h"
#include "engine/session/fuzz/fuzz.h"
#include "engine/session/fuzz/steps.h"

#include <algorithm>
#include <limits>

namespace nw::session::fuzz {

namespace {

constexpr std::uint64_t kTextsOfOneScript = 64;

struct Base {
    Case input;
    Target target;
    schedule::LoopNest nest;
    std::string text;
};

// Some of its numbers become knobs, choices and expressions, some lines get comments and odd white space.
std::string dressed(const std::string& script, Random& random)
{
    std::string text = random.below(2) == 0 ? "# a schedule\n\n" : "";
    std::string knobs;
    for (std::string line : splitText(script, '\n')) {
        const std::size_t colon = line.rfind(':');
        const bool hasNumber = colon != std::string::npos && colon + 1 < line.size() && line[colon + 1] != '_';
        switch (hasNumber ? random.below(8) : 7) {
        case 0:
            line = line.substr(0, colon) + ":?knob_" + std::to_string(text.size());
            knobs += format("knob knob_{} = {{2, 4, {}}} default 4\n", text.size(), random.between(5, 40));
            break;
        case 1:
            line = line.substr(0, colon) + ":?size_" + std::to_string(text.size());
            knobs += format("knob size_{} = divisors({}) up to 16\n", text.size(), random.between(1, 60));
            break;
        case 2: line = line.substr(0, colon) + ":{2, 3 ,5}"; break;
        case 3: line = line.substr(0, colon) + ":lanes(f32) * 2"; break;
        case 4: line = line.substr(0, colon) + ":(1 + threads)*2 - 1"; break;
        default: break;
        }
        if (random.below(4) == 0) {
            line += "   # why\t";
        }
        if (random.below(4) == 0) {
            line = "  " + line;
        }
        text += line + (random.below(20) == 0 ? "\r\n" : "\n");
    }
    return random.below(2) == 0 ? text + knobs : knobs + text;
}

Base drawBase(const Options& options, std::uint64_t group)
{
    Random random = streamOf(options, group);
    Base base;
    base.input = randomCase(random);
    const Result<schedule::Task> task = base.input.task();
    ENSURE(task.has_value(), task ? "" : task.error().message);
    base.target = task->target;
    const Result<schedule::LoopNest> initial = schedule::initialNest(*task);
    ENSURE(initial.has_value(), initial ? "" : "the first nest: " + initial.error().message);
    base.nest = *initial;
    Walked walked{*initial, {}};
    StepLimits limits;
    limits.length = static_cast<int>(random.between(2, 8));
    walk(walked, random, limits, options.primitives, schedule::Context{&base.target},
         [](const schedule::LoopNest&, const DrawnStep&, const schedule::Check&) {});
    base.text = dressed(walked.script, random);
    return base;
}

void mutateOnce(std::string& text, Random& random)
{
    static const std::vector<std::string> kWords = {
        "into", "at", "in", "as", "knob", "default", "up to", "divisors(", "lanes(f32)", "registers(f64)", "cache(L2)", "threads",
        "?", "{4, 8}", "{", "}", "(", ")", ":", ":_", "_", "#", "->", ",", "=", "..", "-1", "0", "9223372036854775807",
        "-9223372036854775808", "99999999999999999999", "\n", "\r", "\t", std::string(1, '\0'), "\xc3\xa9", "\xff", "%", "/", "* *"};
    const std::size_t at = random.below(text.size() + 1);
    const std::size_t length = std::min<std::size_t>(1 + random.below(random.below(4) == 0 ? 40 : 4), text.size() - at);
    switch (random.below(8)) {
    case 0: text.erase(at, length); break;
    case 1: text.insert(at, text.substr(at, length)); break;
    case 2:
        if (at < text.size()) {
            text[at] = static_cast<char>(random.below(256));
        }
        break;
    case 3:
        if (at < text.size()) {
            std::swap(text[at], text[random.below(text.size())]);
        }
        break;
    case 4: text.insert(at, text.substr(random.below(text.size() + 1), length)); break;
    case 5: { // a line again, elsewhere
        const std::vector<std::string> lines = splitText(text, '\n');
        text.insert(text.find('\n', at) == std::string::npos ? text.size() : text.find('\n', at), "\n" + lines[random.below(lines.size())]);
        break;
    }
    case 6: { // another word for one that is there
        const std::size_t space = text.find(' ', at);
        if (space != std::string::npos) {
            text.replace(space + 1, std::min(text.find_first_of(" \n", space + 1), text.size()) - space - 1, kWords[random.below(kWords.size())]);
        }
        break;
    }
    default: text.insert(at, kWords[random.below(kWords.size())]); break;
    }
}

class TextCheck {
public:
    TextCheck(const Base& base, const Options& options)
        : m_base(base)
        , m_primitives(options.primitives)
        , m_context{&base.target}
    {}

    struct Outcome {
        bool parsed = false, replayed = false;
        std::string fault;
    };
    Outcome check(const std::string& text) const
    {
        Outcome outcome;
        try {
            run(text, outcome);
        } catch (const std::exception& thrown) {
            outcome.fault = thrown.what();
        }
        return outcome;
    }

private:
    void run(const std::string& text, Outcome& outcome) const
    {
        const Result<schedule::Script> script = schedule::parseScript(text, m_primitives, m_context);
        if (!script) {
            outcome.fault = badPlace(text, script.error());
            return;
        }
        outcome.parsed = true;
        if (script->toText() != text) {
            outcome.fault = "prints otherwise: " + script->toText();
            return;
        }
        const Result<schedule::Script> again = schedule::parseScript(script->canonicalText(), m_primitives, m_context);
        if (!again) {
            outcome.fault = "the canonical text does not parse: " + again.error().message + "\n" + script->canonicalText();
            return;
        }
        if (again->canonicalText() != script->canonicalText() || again->identity() != script->identity()
            || again->steps.size() != script->steps.size()) {
            outcome.fault = "the canonical text parses to another: " + again->canonicalText();
            return;
        }
        const Result<schedule::Script> bound = schedule::bindKnobs(*script, {}, m_context);
        if (bound && !schedule::parseScript(bound->toText(), m_primitives, m_context)) {
            outcome.fault = "with its knobs bound it does not parse: " + bound->toText();
            return;
        }
        (void)schedule::allChoices(*script, 100).has_value();
        const Result<schedule::Replay> replayed = schedule::replay(m_base.nest, *script, {}, m_context);
        if (!replayed) {
            outcome.fault = replayed.error().kind == Error::Kind::Refused ? badPlace(text, replayed.error()) : replayed.error().message;
            return;
        }
        outcome.replayed = true;
        outcome.fault = schedule::verify(replayed->nest());
    }

    static std::string badPlace(const std::string& text, const Error& error)
    {
        const std::vector<std::string> lines = splitText(text, '\n');
        if (error.message.empty()) {
            return "an error without words";
        }
        if (error.line < 1 || static_cast<std::size_t>(error.line) > lines.size()) {
            return format("\"{}\" is said of line {}", error.message, error.line);
        }
        const std::size_t length = lines[static_cast<std::size_t>(error.line) - 1].size();
        if (error.column < 1 || static_cast<std::size_t>(error.column) > length + 1) {
            return format("\"{}\" is said of column {} of {}", error.message, error.column, length);
        }
        return {};
    }

    const Base& m_base;
    Primitives m_primitives;
    schedule::Context m_context;
};

bool dropLines(std::string& text, const TextCheck& checker)
{
    bool dropped = false;
    for (std::size_t line = splitText(text, '\n').size(); line-- > 0;) {
        std::vector<std::string> fewer = splitText(text, '\n');
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(line));
        if (std::string shorter = join(fewer, "\n"); !checker.check(shorter).fault.empty()) {
            text = std::move(shorter);
            dropped = true;
        }
    }
    return dropped;
}

bool dropPieces(std::string& text, const TextCheck& checker)
{
    bool dropped = false;
    for (std::size_t size = std::max<std::size_t>(text.size() / 2, 1); size > 0; size /= 2) {
        for (std::size_t at = 0; at < text.size();) {
            std::string shorter = text;
            shorter.erase(at, size);
            if (checker.check(shorter).fault.empty()) {
                at += size;
            } else {
                text = std::move(shorter);
                dropped = true;
            }
        }
    }
    return dropped;
}

// Lines and pieces left out for as long as it still fails.
std::string shrunkText(std::string text, const TextCheck& checker)
{
    for (bool dropped = true; dropped;) {
        dropped = dropLines(text, checker);
        dropped = dropPieces(text, checker) || dropped;
    }
    return text;
}

} // namespace

Result<ScriptReport> fuzzScripts(const Options& options, const OnCase& onCase, const StopToken& stop)
{
    ScriptReport report;
    std::optional<Base> base;
    std::uint64_t baseGroup = 0;
    for (std::uint64_t i = 0; i < options.count && !stop.stopRequested(); ++i) {
        const std::uint64_t index = options.first + i;
        if (onCase) {
            onCase(index);
        }
        if (!base || baseGroup != index / kTextsOfOneScript) {
            baseGroup = index / kTextsOfOneScript;
            try {
                base = drawBase(options, baseGroup);
            } catch (const std::exception& thrown) {
                report.failures.push_back({options.seed, index, Fault::Bug, thrown.what(), std::nullopt, {}});
                base.reset();
                continue;
            }
        }
        Random random(streamOf(options, index).next() ^ std::numeric_limits<std::uint64_t>::max());
        std::string text = base->text;
        const std::uint64_t changes = random.below(6); // with none the text itself must do
        for (std::uint64_t c = 0; c < changes; ++c) {
            mutateOnce(text, random);
        }
        ++report.texts;
        const TextCheck checker(*base, options);
        const TextCheck::Outcome outcome = checker.check(text);
        report.parsed += outcome.parsed ? 1 : 0;
        report.replayed += outcome.replayed ? 1 : 0;
        if (!outcome.fault.empty()) {
            const std::string least = shrunkText(text, checker);
            Case input = base->input;
            input.script = least;
            report.failures.push_back({options.seed, index, Fault::Bug, checker.check(least).fault, input, least});
        }
    }
    return report;
}

} // namespace nw::session::fuzz
