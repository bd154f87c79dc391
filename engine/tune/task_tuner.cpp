#include "engine/tune/task_tuner.h"

#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "engine/compute/definition.h"
#include "engine/tune/features.h"
#include "engine/tune/task_tuner_state.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace nw::tune {
namespace {

double secondsSince(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string refusalsText(const std::map<std::string, int>& refusals)
{
    std::vector<std::string> parts;
    for (const auto& [count, cause] : mostFirst(refusals)) {
        parts.push_back(format("{}={}", cause, count));
    }
    return join(parts, " ");
}

// Failures of one sort share it; a rule's id where a rule refused.
std::string causeOf(const measure::Measurement& measured)
{
    if (measured.outcome == wire::Outcome::Ok) {
        return {};
    }
    return measured.error.refusal ? measured.error.refusal->rule : std::string(wire::toText(measured.outcome));
}

// A training needs as much again as all that is kept, and small pieces that stay lie between: without this the process grows
// for days although what it holds does not. Some milliseconds a round of seconds.
void giveBackMemory()
{
#ifdef __GLIBC__
    ::malloc_trim(0);
#endif
}

} // namespace

std::string kindOf(const schedule::Task& task)
{
    const std::string text = compute::toText(*task.definition);
    std::string kind = task.algorithm + "\n";
    for (const char c : text) {
        const bool isDigit = c >= '0' && c <= '9';
        if (!isDigit) {
            kind += c;
        } else if (kind.back() != '#') {
            kind += '#';
        }
    }
    return contentHash(kind);
}

TaskTuner::TaskTuner(std::unique_ptr<State> state)
    : m_state(std::move(state))
{}
TaskTuner::~TaskTuner() = default;

Result<std::unique_ptr<TaskTuner>> TaskTuner::make(TaskInput input, const Settings& settings, record::TuneJournal journal, Bench& bench)
{
    std::vector<std::pair<std::string, std::string>> scripts;
    for (const record::TuneSketch& sketch : input.sketches) {
        scripts.emplace_back(sketch.name, sketch.script);
    }
    Result<Space> space = Space::make(scripts, input.task);
    if (!space) {
        return space.error();
    }
    const Result<schedule::LoopNest> initial = schedule::initialNest(input.task);
    if (!initial) {
        return initial.error();
    }
    const Result<std::vector<record::TuneTrial>> trials = journal.trials(input.row.id);
    const Result<std::vector<record::TuneRound>> rounds = trials ? journal.rounds(input.row.id) : trials.error();
    if (!rounds) {
        return rounds.error();
    }
    auto state = std::make_unique<State>(std::move(input), settings, journal, bench, *std::move(space), *initial);
    state->restore(*trials, *rounds);
    return std::unique_ptr<TaskTuner>(new TaskTuner(std::move(state)));
}

// The scripts that were there before come first, then what was best elsewhere, then every sketch as it is given.
std::vector<Proposal> TaskTuner::State::starting()
{
    std::vector<Proposal> old, made;
    const auto isOpen = [&](const Point& point) { return !history.wasTried(point) && scores(std::span(&point, 1)).front().has_value(); };
    for (std::size_t i = 0; i < space->members().size(); ++i) {
        const std::optional<Point> point = space->defaults(static_cast<int>(i));
        if (point && isOpen(*point)) {
            const std::string& name = space->members()[i].name;
            const bool isOld = name == "default" || name == "template" || name == "hand" || name == "mine";
            (isOld ? old : made).push_back({*point, isOld ? name : "start", std::nullopt});
        }
    }
    for (const Point& seed : seeds) {
        if (isOpen(seed)) {
            old.push_back({seed, "seed", std::nullopt});
        }
    }
    old.insert(old.end(), std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
    return old;
}

std::vector<Proposal> TaskTuner::State::proposals(int count)
{
    std::vector<Proposal> chosen = starting();
    chosen.resize(std::min(chosen.size(), static_cast<std::size_t>(count)));
    const auto isChosen = [&](const Point& point) {
        return std::any_of(chosen.begin(), chosen.end(), [&](const Proposal& p) { return p.point == point; });
    };
    std::erase_if(seeds, isChosen);
    SearchInput search;
    search.space = space.get();
    search.history = history.known();
    search.seeds = seeds;
    search.judge = this;
    search.trusted = learner.isTrusted();
    search.count = count - static_cast<int>(chosen.size());
    search.randomShare = settings.randomShare;
    search.seed = hash64(format("{} {}", settings.seed, input.row.task));
    search.round = nextRound;
    const auto take = [&](std::vector<Proposal> more) {
        for (Proposal& proposal : more) {
            if (!isChosen(proposal.point) && static_cast<int>(chosen.size()) < count) {
                chosen.push_back(std::move(proposal));
            }
        }
    };
    if (search.count > 0) {
        take(findSearch(settings.search)->propose(search));
    }
    std::erase_if(seeds, isChosen);
    // What is left of a small space is listed, so that its end is met and no point is missed.
    constexpr std::size_t kSmall = 4096;
    if (static_cast<int>(chosen.size()) < count) {
        if (const std::optional<std::vector<Point>> all = space->all(kSmall)) {
            Batch rest(search);
            rest.add(*all, "rest", count);
            take(rest.take());
        }
    }
    return chosen;
}

std::vector<std::optional<double>> TaskTuner::State::scores(std::span<const Point> points)
{
    candidates.look(points);
    std::vector<std::optional<double>> scores(points.size());
    std::vector<std::vector<float>> rows;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Candidate* candidate = candidates.find(points[i]);
        if (candidate != nullptr && !history.wasScriptTried(candidate->identity)) {
            rows.push_back(candidate->features);
            places.push_back(i);
        }
    }
    const std::vector<double> expected = learner.predict(rows);
    for (std::size_t i = 0; i < places.size(); ++i) {
        scores[places[i]] = expected[i];
    }
    return scores;
}

// What was refused is no part of it: a tuner that goes on later has not seen that yet, and must propose the same. scores()
// refuses it again.
bool TaskTuner::State::wasTried(const Point& point) const
{
    return history.wasTried(point);
}

std::uint64_t TaskTuner::State::identity(const Point& point) const
{
    const Candidate* candidate = candidates.find(point);
    return candidate == nullptr ? hashOf(point) : hash64(candidate->identity);
}

Result<bool> TaskTuner::round(int most, const StopToken& stop)
{
    return m_state->round(most, stop);
}

Result<bool> TaskTuner::State::round(int most, const StopToken& stop)
{
    const auto start = std::chrono::steady_clock::now();
    const double before = history.bestNs();
    input.row.state = "tuning";
    learn();
    std::vector<Proposal> chosen = proposals(std::min(most, settings.batch));
    std::vector<Point> points;
    for (const Proposal& proposal : chosen) {
        points.push_back(proposal.point);
    }
    candidates.look(points);
    std::vector<std::string> scripts;
    std::vector<std::string> identities;
    std::vector<Proposal> measured; // parallel to scripts
    std::vector<std::vector<float>> features;
    for (Proposal& proposal : chosen) {
        const Candidate* candidate = candidates.find(proposal.point);
        if (candidate != nullptr && !history.wasScriptTried(candidate->identity)
            && std::find(identities.begin(), identities.end(), candidate->identity) == identities.end()) {
            scripts.push_back(candidate->script);
            identities.push_back(candidate->identity);
            features.push_back(candidate->features);
            measured.push_back(std::move(proposal));
        }
    }
    if (scripts.empty()) {
        close();
        const Status kept = journal.updateTask(input.row);
        return kept ? Result<bool>(false) : Result<bool>(kept.error());
    }
    const Learner::Scores expected = learner.scores(features);
    Status kept = Done{};
    std::vector<double> times;
    bench->measureAll(input.task, scripts, [&](std::size_t i, const measure::Measurement& m) {
        record::TuneTrial trial;
        trial.task = input.row.id;
        trial.number = number;
        trial.round = nextRound;
        trial.sketch = measured[i].point.sketch;
        trial.values = space->valuesText(measured[i].point);
        trial.from = measured[i].from;
        trial.outcome = std::string(wire::toText(m.outcome));
        trial.cause = causeOf(m);
        trial.message = m.error.message;
        trial.ns = m.outcome == wire::Outcome::Ok ? m.medianNs : 0;
        trial.spread = m.spread;
        trial.noisy = m.noisy;
        if (learner.isTrained()) {
            trial.score = expected.own[i];
        }
        trial.buildMs = m.build.lowerMs + m.build.optimizeMs + m.build.codegenMs + m.build.linkMs;
        trial.runMs = m.totalMs;
        trial.unixTime = std::time(nullptr);
        kept = journal.addTrial(trial);
        if (!kept) {
            return false;
        }
        ++number;
        history.add(trial, measured[i].point, identities[i]);
        times.push_back(trial.ns);
        takeFigures(trial, m, space->members()[static_cast<std::size_t>(trial.sketch)].name);
        return history.failuresInRow() < settings.failuresInRow;
    }, stop);
    if (!kept) {
        return kept.error();
    }
    record::TuneRound round;
    round.task = input.row.id;
    round.round = nextRound++;
    learner.report(round, expected, times);
    if (const std::string words = bench->takeNote(); !words.empty()) {
        round.note += (round.note.empty() ? "" : "; ") + words;
    }
    round.importance = history.importance();
    round.refused = refusalsText(candidates.refusals());
    round.seconds = secondsSince(start);
    takeHistory();
    input.row.gain = before > 0 && history.bestNs() > 0 ? 1 - history.bestNs() / before : 0;
    candidates.forget(kKept);
    giveBackMemory();
    if (history.failuresInRow() >= settings.failuresInRow) {
        input.row.state = "failing";
        input.row.message = format("{} candidates failed one after the other: {}", history.failuresInRow(), history.failures());
    } else if (settings.plateau > 0 && history.sinceGain() >= settings.plateau) {
        input.row.state = "done";
        input.row.message = format("no gain in {} trials", history.sinceGain());
    }
    kept = journal.addRound(round);
    kept = kept ? journal.updateTask(input.row) : kept;
    return kept ? Result<bool>(open()) : Result<bool>(kept.error());
}

bool TaskTuner::State::open() const
{
    return input.row.state == "waiting" || input.row.state == "tuning";
}

void TaskTuner::State::takeHistory()
{
    input.row.trials = history.trials();
    input.row.bestNs = history.bestNs();
    input.row.bestTrial = history.best();
}

// No point is left that could be tried.
void TaskTuner::State::close()
{
    const bool ran = history.best() >= 0;
    input.row.state = ran || history.trials() > 0 ? "exhausted" : "none valid";
    input.row.message = ran || history.trials() > 0
        ? format("every choice was tried: {} measured{}", history.trials(), candidates.refusals().empty() ? "" : ", the others refused by rules")
        : std::string("no valid schedule among the choices: ") + refusalsText(candidates.refusals());
    if (!ran && history.trials() > 0) {
        input.row.state = "failing";
        input.row.message = "not one of all choices ran: " + history.failures();
    }
}

// The figures to compare with, as its own trials measured them.
void TaskTuner::State::takeFigures(const record::TuneTrial& trial, const measure::Measurement& m, const std::string& sketch)
{
    if (trial.ns <= 0) {
        return;
    }
    record::TuneTask& row = input.row;
    const bool isDefaults = trial.from == sketch;
    double* const figure = !isDefaults ? nullptr
        : sketch == "default"          ? &row.defaultNs
        : sketch == "template"         ? &row.templateNs
        : sketch == "hand"             ? &row.handNs
                                       : nullptr;
    if (figure != nullptr) {
        *figure = trial.ns;
    }
    row.boundNs = m.bound.ns > 0 ? m.bound.ns : row.boundNs;
    row.boundBy = m.bound.by.empty() ? row.boundBy : m.bound.by;
    row.peakFlops = m.run.shareOfPeakDenominator > 0 ? m.run.shareOfPeakDenominator : row.peakFlops;
}

bool TaskTuner::isOpen() const
{
    return m_state->open();
}

const record::TuneTask& TaskTuner::row() const
{
    return m_state->input.row;
}

int TaskTuner::sinceGain() const
{
    return m_state->history.sinceGain();
}

void TaskTuner::addSeed(const std::string& sketch, const std::string& values)
{
    m_state->addSeed(sketch, values);
}

} // namespace nw::tune
