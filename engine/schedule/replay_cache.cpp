#include "engine/schedule/script.h"

#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "engine/schedule/run_step.h"
#include "engine/schedule/script_line.h"
#include "engine/schedule/unit_loops.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace nw::schedule {

namespace {

std::uint64_t mix(std::uint64_t a, std::uint64_t b)
{
    std::uint64_t z = a ^ (b + 0x9e3779b97f4a7c15ULL + (a << 6) + (a >> 2));
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

// A table that forgets the half that was not used for longest when it is full.
template <typename Key, typename Value>
class Recent {
public:
    explicit Recent(std::size_t capacity)
        : m_capacity(std::max<std::size_t>(capacity, 2))
    {}
    const Value* find(const Key& key)
    {
        const auto found = m_entries.find(key);
        if (found == m_entries.end()) {
            return nullptr;
        }
        found->second.used = ++m_clock;
        return &found->second.value;
    }
    const Value* insert(Key key, Value value)
    {
        if (m_entries.size() >= m_capacity) {
            forgetHalf();
        }
        return &m_entries.insert_or_assign(std::move(key), Entry{std::move(value), ++m_clock}).first->second.value;
    }

private:
    struct Entry {
        Value value;
        std::uint64_t used = 0;
    };
    void forgetHalf()
    {
        std::vector<std::uint64_t> times;
        for (const auto& [key, entry] : m_entries) {
            times.push_back(entry.used);
        }
        const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
        std::nth_element(times.begin(), middle, times.end());
        const std::uint64_t limit = *middle;
        std::erase_if(m_entries, [&](const auto& row) { return row.second.used < limit; });
    }

    std::size_t m_capacity;
    std::uint64_t m_clock = 0;
    std::unordered_map<Key, Entry> m_entries;
};

struct CachedStep {
    std::uint64_t parent = 0;
    std::string key; // the step with its numbers, so that equal hashes of different steps do no harm
    Step step;
};

} // namespace

struct ReplayCache::State {
    LoopNest initial;
    Context context;
    Recent<std::uint64_t, CachedStep> steps;
    Recent<std::string, std::shared_ptr<const ParsedLine>> lines;

    Result<Replay> replayFrom(const LoopNest& start, std::uint64_t prefix, const Script& script, const KnobLookup& knobs,
                              bool allowUnproven, std::set<std::string>& missing);
};

ReplayCache::ReplayCache(LoopNest initial, Context context, std::size_t capacity)
    : m_state(std::make_shared<State>(State{std::move(initial), context, Recent<std::uint64_t, CachedStep>(capacity),
                                            Recent<std::string, std::shared_ptr<const ParsedLine>>(capacity)}))
{}

Result<Replay> ReplayCache::replay(const Script& script, const KnobValues& values, bool allowUnproven)
{
    const Result<KnobLookup> knobs = KnobLookup::create(script, values);
    if (!knobs) {
        return knobs.error();
    }
    return withUnitLoops(m_state->initial, [&](const LoopNest& start, const std::set<std::string>& units, std::set<std::string>& missing) {
        std::uint64_t prefix = allowUnproven ? 1 : 0;
        for (const std::string& unit : units) {
            prefix = mix(prefix, hash64(unit));
        }
        return m_state->replayFrom(start, prefix, script, *knobs, allowUnproven, missing);
    });
}

Result<Replay> ReplayCache::State::replayFrom(const LoopNest& start, std::uint64_t prefix, const Script& script,
                                              const KnobLookup& knobs, bool allowUnproven, std::set<std::string>& missing)
{
    Replay result{start, {}, false};
    result.steps.reserve(script.steps.size());
    for (const ScriptStep& step : script.steps) {
        if (!knobs.isOn(step)) {
            result.steps.push_back(offStep(result.nest(), step));
            continue;
        }
        std::optional<Args> args;
        std::string key = step.text;
        if (usesKnobs(step)) {
            Result<Args> evaluated = evaluateArgs(step, knobs, context);
            if (!evaluated) {
                return evaluated.error();
            }
            args = *std::move(evaluated);
            key = stepText(*step.primitive, *args);
        }
        const std::uint64_t parent = std::exchange(prefix, mix(prefix, hash64(key)));
        const CachedStep* cached = steps.find(prefix);
        if (cached == nullptr || cached->parent != parent || cached->key != key) {
            if (!args) {
                Result<Args> evaluated = evaluateArgs(step, knobs, context);
                if (!evaluated) {
                    return evaluated.error();
                }
                args = *std::move(evaluated);
            }
            Result<Step> done = runStep(result.nest(), step, *args, context, allowUnproven);
            if (!done) {
                missing = missingLoops(result.nest(), *step.primitive, *args);
                return done.error();
            }
            cached = steps.insert(prefix, {parent, std::move(key), *std::move(done)});
        }
        result.steps.push_back(cached->step);
        result.steps.back().line = step.line;
        result.steps.back().text = step.text;
        result.unproven = result.unproven || cached->step.check.verdict == Verdict::Unproven;
    }
    return result;
}

Result<Replay> ReplayCache::replayText(std::string_view text, bool allowUnproven)
{
    std::vector<std::string> lines = splitText(text, '\n');
    std::vector<std::shared_ptr<const ParsedLine>> owners;
    std::vector<const ParsedLine*> parsed;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::shared_ptr<const ParsedLine>* known = m_state->lines.find(lines[i]);
        if (known == nullptr) {
            Result<ParsedLine> line = parseLine(lines[i], allPrimitives(), m_state->context);
            if (!line) {
                return Error(line.error()).at(static_cast<int>(i) + 1, line.error().column);
            }
            known = m_state->lines.insert(lines[i], std::make_shared<const ParsedLine>(*std::move(line)));
        }
        owners.push_back(*known);
        parsed.push_back(owners.back().get());
    }
    const Result<Script> script = assembleScript(std::move(lines), parsed);
    return script ? replay(*script, {}, allowUnproven) : Result<Replay>(script.error());
}

} // namespace nw::schedule
