#include "engine/session/editing.h"

#include "engine/base/text.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

namespace nw::session {
namespace {

// A difference is believed only above what the two spreads leave open, and never below this.
constexpr double kSmallestChange = 0.015;
constexpr double kSmallestNoisyChange = 0.05;

std::vector<std::string> linesOf(const std::string& text)
{
    std::vector<std::string> lines = splitText(text, '\n');
    while (!lines.empty() && lines.back().empty()) {
        lines.pop_back();
    }
    return lines;
}

std::string joined(const std::vector<std::string>& lines)
{
    std::string text;
    for (const std::string& line : lines) {
        text += line + "\n";
    }
    return text;
}

} // namespace

Timing timingOf(const record::Record& record)
{
    return {record.protocol, record.medianNs,     record.spread,  record.clean,       record.noisy,        record.unproven,
            record.outcome,  record.message,      record.shareOfPeak, record.shareOfBound, record.unixTime};
}

bool differs(const Timing& before, const Timing& after)
{
    if (!before.ok() || !after.ok() || before.ns <= 0) {
        return false;
    }
    const double least = before.noisy || after.noisy ? kSmallestNoisyChange : kSmallestChange;
    return std::abs(after.ns / before.ns - 1) > std::max(least, before.spread + after.spread);
}

struct Editing::State {
    Operator op;
    std::vector<const schedule::Primitive*> primitives;
    schedule::LoopNest initial;
    std::unique_ptr<schedule::ReplayCache> cache;
    std::string text;
    std::vector<std::string> knobLines;
    std::optional<Error> error;
    schedule::Replay replay;
    std::vector<Station> stations;
    int cursor = 0;
    std::map<std::string, std::pair<std::optional<Timing>, std::optional<Timing>>> timings; // by canonical script

    schedule::Context context() const { return {&op.task.target}; }
    Result<schedule::Script> parse(const std::string& words) const
    {
        return schedule::parseScript(words, primitives, context());
    }
    // Canonical text without knobs; what cannot be read stays as it is. Every kept revision is asked for after each
    // step, so that reading them anew would cost the more the longer the history is.
    const std::string& canonical(const std::string& words) const
    {
        const auto known = canonicals.find(words);
        if (known != canonicals.end()) {
            return known->second;
        }
        if (canonicals.size() >= kMostCanonicals) {
            canonicals.clear();
        }
        const Result<schedule::Script> script = parse(words);
        const Result<schedule::Script> bound = script ? schedule::bindKnobs(*script, {}, context()) : script;
        return canonicals.emplace(words, bound ? bound->canonicalText() : words).first->second;
    }
    static constexpr std::size_t kMostCanonicals = 10000;
    mutable std::unordered_map<std::string, std::string> canonicals; // by the text as written
    int reached() const { return static_cast<int>(replay.steps.size()); }
    void rebuild();
    void file(const std::string& script, const Timing& timing);
    void fillTimings(); // into the stations
};

// Steps up to the first line that does not fit are replayed; those from there on are shown as not reached.
void Editing::State::rebuild()
{
    error.reset();
    knobLines.clear();
    std::vector<std::string> lines = linesOf(text);
    Result<schedule::Script> script = parse(text);
    const std::vector<std::string> all = lines;
    std::size_t known = lines.size(); // lines that could be read
    while (!script) {
        if (!error) {
            error = script.error();
        }
        known = script.error().line > 0 && static_cast<std::size_t>(script.error().line) <= known
            ? static_cast<std::size_t>(script.error().line) - 1
            : 0;
        lines.resize(known);
        script = parse(joined(lines));
    }
    for (const schedule::Knob& knob : script->knobs) {
        const std::string& line = all[static_cast<std::size_t>(knob.line) - 1];
        if (trim(line).starts_with("knob")) {
            knobLines.push_back(line);
        }
    }
    Result<schedule::Replay> replayed = cache->replay(*script, {}, true);
    int failedLine = static_cast<int>(known) + 1;
    if (!replayed) {
        const Error why = replayed.error();
        error = why;
        failedLine = std::max(why.line, 1);
        std::vector<std::string> fitting(all.begin(), all.begin() + failedLine - 1);
        // Knobs may be declared below the steps that use them.
        for (const schedule::Knob& knob : script->knobs) {
            const std::string& line = all[static_cast<std::size_t>(knob.line) - 1];
            if (knob.line >= failedLine && trim(line).starts_with("knob")) {
                fitting.push_back(line);
            }
        }
        const Result<schedule::Script> before = parse(joined(fitting));
        replayed = before ? cache->replay(*before, {}, true) : Result<schedule::Replay>(before.error());
    }
    replay = replayed ? *std::move(replayed) : schedule::Replay{initial, {}, false};

    const Result<schedule::Script> bound = schedule::bindKnobs(*script, {}, context());
    const std::vector<std::string> plain = bound ? linesOf(bound->canonicalText()) : std::vector<std::string>();
    stations.assign(1, {});
    std::string soFar;
    std::size_t next = 0; // in `plain`, which has no line for a step that is off
    for (std::size_t i = 0; i < script->steps.size(); ++i) {
        const schedule::ScriptStep& step = script->steps[i];
        Station station;
        station.text = step.text;
        station.primitive = step.primitive->name;
        station.line = step.line;
        station.reached = i < replay.steps.size();
        if (schedule::isOn(step, *script, {})) {
            soFar += (next < plain.size() ? plain[next] : step.text) + "\n";
            ++next;
        }
        station.script = soFar;
        if (station.reached) {
            station.check = replay.steps[i].check;
        } else {
            station.failure = error ? error->message : std::string();
        }
        stations.push_back(std::move(station));
    }
    // Lines behind the first that could not be read.
    for (std::size_t i = known; i < all.size(); ++i) {
        const std::string words(trim(all[i]));
        if (words.empty() || words.starts_with("#") || words.starts_with("knob ")
            || words.starts_with("require ")) {
            continue;
        }
        Station station;
        station.text = words;
        station.primitive = words.substr(0, words.find(' '));
        station.line = static_cast<int>(i) + 1;
        station.reached = false;
        station.failure = error ? error->message : std::string();
        stations.push_back(std::move(station));
    }
    fillTimings();
}

void Editing::State::file(const std::string& script, const Timing& timing)
{
    auto& [quick, confirmed] = timings[canonical(script)];
    (timing.protocol == "confirm" ? confirmed : quick) = timing;
}

void Editing::State::fillTimings()
{
    for (Station& station : stations) {
        const auto found = timings.find(station.script);
        station.quick = found != timings.end() ? found->second.first : std::nullopt;
        station.confirmed = found != timings.end() ? found->second.second : std::nullopt;
    }
}

Editing::Editing(std::unique_ptr<State> state)
    : m_state(std::move(state))
{}

Editing::~Editing() = default;

Result<std::unique_ptr<Editing>> Editing::create(const Operator& op, std::span<const schedule::Primitive* const> primitives)
{
    Result<schedule::LoopNest> nest = schedule::initialNest(op.task);
    if (!nest) {
        return nest.error();
    }
    auto state = std::make_unique<State>();
    state->op = op;
    state->primitives.assign(primitives.begin(), primitives.end());
    state->initial = *nest;
    state->cache = std::make_unique<schedule::ReplayCache>(*std::move(nest), state->context());
    state->rebuild();
    return std::unique_ptr<Editing>(new Editing(std::move(state)));
}

const Operator& Editing::op() const { return m_state->op; }
const std::string& Editing::text() const { return m_state->text; }
const std::optional<Error>& Editing::error() const { return m_state->error; }
const std::vector<Station>& Editing::stations() const { return m_state->stations; }
int Editing::cursor() const { return m_state->cursor; }

void Editing::setText(const std::string& text)
{
    const bool atEnd = m_state->cursor == m_state->reached();
    m_state->text = text;
    m_state->rebuild();
    m_state->cursor = atEnd ? m_state->reached() : std::min(m_state->cursor, m_state->reached());
}

void Editing::jump(int station)
{
    m_state->cursor = std::clamp(station, 0, m_state->reached());
}

const schedule::LoopNest& Editing::nestAt(int station) const
{
    ENSURE(station >= 0 && station <= m_state->reached(), "nestAt: a station that was not reached");
    return station == 0 ? m_state->replay.initial : m_state->replay.steps[static_cast<std::size_t>(station) - 1].nest;
}

const schedule::LoopNest& Editing::nest() const { return nestAt(m_state->cursor); }

std::string Editing::textWith(const std::string& step, bool keepRest) const
{
    std::vector<std::string> lines = linesOf(m_state->text);
    const std::vector<Station>& stations = m_state->stations;
    const std::size_t cursor = static_cast<std::size_t>(m_state->cursor);
    const std::size_t at = cursor == 0
        ? (stations.size() > 1 ? static_cast<std::size_t>(stations[1].line) - 1 : lines.size())
        : static_cast<std::size_t>(stations[cursor].line);
    if (!keepRest) {
        for (std::size_t i = stations.size() - 1; i > cursor; --i) {
            lines.erase(lines.begin() + stations[i].line - 1);
        }
    }
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(std::min(at, lines.size())), step);
    return joined(lines);
}

std::string Editing::textWithout(int station) const
{
    std::vector<std::string> lines = linesOf(m_state->text);
    if (station >= 1 && station < static_cast<int>(m_state->stations.size())) {
        lines.erase(lines.begin() + m_state->stations[static_cast<std::size_t>(station)].line - 1);
    }
    return joined(lines);
}

std::string Editing::textReplacing(int station, const std::string& step) const
{
    std::vector<std::string> lines = linesOf(m_state->text);
    if (station >= 1 && station < static_cast<int>(m_state->stations.size())) {
        lines[static_cast<std::size_t>(m_state->stations[static_cast<std::size_t>(station)].line) - 1] = step;
    }
    return joined(lines);
}

Editing::Judged Editing::judge(const std::string& step) const
{
    Judged judged;
    std::vector<std::string> lines{step};
    lines.insert(lines.end(), m_state->knobLines.begin(), m_state->knobLines.end());
    const Result<schedule::Script> script = m_state->parse(joined(lines));
    if (!script || script->steps.empty()) {
        judged.check.verdict = schedule::Verdict::Illegal;
        judged.error = script ? "nothing to apply" : script.error().message;
        return judged;
    }
    const Result<schedule::Replay> replayed = schedule::replay(nest(), *script, {}, m_state->context(), true);
    if (!replayed) {
        judged.check.verdict = schedule::Verdict::Illegal;
        if (replayed.error().refusal) {
            judged.check.why = *replayed.error().refusal;
        } else {
            judged.error = replayed.error().message;
        }
        return judged;
    }
    judged.check = replayed->steps.back().check;
    judged.nest = replayed->nest();
    return judged;
}

std::vector<schedule::Offer> Editing::offers(const std::string& loopOrBlock) const
{
    return schedule::offers(nest(), loopOrBlock, m_state->primitives, m_state->context());
}

std::vector<std::string> Editing::forwarded(const std::vector<std::string>& names, int fromStation) const
{
    const int from = std::clamp(fromStation, 0, m_state->reached());
    std::vector<std::string> current = names;
    for (int i = from; i < m_state->cursor; ++i) {
        const schedule::LoopNest& before = nestAt(i);
        const schedule::LoopNest& after = nestAt(i + 1);
        const schedule::Forward& forward = m_state->replay.steps[static_cast<std::size_t>(i)].forward;
        std::vector<std::string> next;
        for (const std::string& name : current) {
            if (const auto path = before.findLoop(name); path.loop != nullptr && forward.loops.contains(path.loop->id)) {
                for (const schedule::LoopId id : forward.loops.at(path.loop->id)) {
                    const auto there = after.findLoop(id);
                    next.push_back(there.loop != nullptr ? there.loop->name : name);
                }
            } else {
                next.push_back(name);
            }
        }
        current = std::move(next);
    }
    std::vector<std::string> kept;
    std::set<std::string> seen;
    for (const std::string& name : current) {
        if ((nest().findLoop(name) || nest().findBlock(name)) && seen.insert(name).second) {
            kept.push_back(name);
        }
    }
    return kept;
}

void Editing::setTimings(const std::vector<record::Record>& records)
{
    m_state->timings.clear();
    for (const record::Record& record : records) {
        if (!record.cold && record.origin != record::Origin::Library) {
            m_state->file(record.script, timingOf(record));
        }
    }
    m_state->fillTimings();
}

void Editing::addTiming(const std::string& script, const Timing& timing)
{
    m_state->file(script, timing);
    m_state->fillTimings();
}

const Timing* Editing::timingOfScript(const std::string& script) const
{
    const auto found = m_state->timings.find(m_state->canonical(script));
    if (found == m_state->timings.end()) {
        return nullptr;
    }
    const auto& [quick, confirmed] = found->second;
    return confirmed ? &*confirmed : quick ? &*quick : nullptr;
}

} // namespace nw::session
