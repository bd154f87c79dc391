#include "tests/bench/tuner_state.h"

#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "engine/tune/features.h"
#include "engine/tune/sketches.h"
#include "engine/tune/task_tuner.h"
#include "engine/tune/tuning_lock.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace nw::bench {

struct TunerState::State {
    std::unique_ptr<tune::TuningLock> lock;
    std::unique_ptr<record::Database> database;
    bool onlyReads = false;
    StopToken stop;

    record::TuneJournal journal() const { return record::TuneJournal(*database); }
    Result<std::optional<record::TuneTask>> find(const std::string& task, const std::string& key) const;
    Result<record::TuneTask> begin(const session::Operator& op, const std::string& key, const tune::Settings& settings,
                                   const std::vector<record::TuneSketch>& sketches) const;
    Status run(Tuned& tuned, const session::Operator& op, const Wanted& wanted, const tune::Settings& settings, tune::Bench& bench,
               const OnRound& onRound) const;
};

namespace {

bool isClosed(const record::TuneTask& row)
{
    return row.state != "waiting" && row.state != "tuning";
}

// They come fastest first. Those of a session that was killed while it confirmed do not count yet.
std::string winnerOf(const record::TuneTask& row, const std::vector<record::TuneFinal>& finals)
{
    return row.confirmedNs > 0 && !finals.empty() && finals.front().outcome == "ok" ? finals.front().script : std::string();
}

// Kept as the name of the session's task. Scripts of another version of the engine make a session of their own.
std::string keyOf(const Wanted& wanted, const std::vector<record::TuneSketch>& sketches)
{
    std::string text;
    for (const record::TuneSketch& sketch : sketches) {
        text += sketch.name + "\n" + sketch.script + "\n";
    }
    return format("{}: {} {} seed {} trials {} scripts {}", wanted.purpose, wanted.from, wanted.search, wanted.seed, wanted.trials,
                  contentHash(text).substr(0, 8));
}

tune::Settings settingsOf(const Wanted& wanted, const session::Operator& op)
{
    tune::Settings settings;
    settings.seed = wanted.seed;
    settings.search = wanted.search;
    settings.from = wanted.from;
    settings.trials = wanted.trials;
    settings.model = wanted.model;
    settings.transfer = !wanted.kin.empty();
    settings.threads = op.task.threads;
    return settings;
}

void showProgress(const session::Operator& op, const Wanted& wanted, const record::TuneTask& row)
{
    if (::isatty(STDERR_FILENO) == 1) {
        std::fprintf(stderr, "\r%s %s %s seed %d: %d of %d, best %.1f us        ", op.name.c_str(), wanted.purpose.c_str(), wanted.from.c_str(),
                     static_cast<int>(wanted.seed), row.trials, wanted.trials, row.bestNs / 1000);
        std::fprintf(stderr, row.trials >= wanted.trials ? "\r%100s\r" : "%s", "");
    }
}

} // namespace

std::string Tuned::progress() const
{
    const std::string counted = format("{} of {}", trials.size(), wanted);
    return isClosed(row) ? format("{} ({}: {})", counted, row.state, row.message) : counted;
}

Result<std::vector<record::TuneSketch>> scriptsFrom(const std::string& from, const session::Operator& op)
{
    std::vector<record::TuneSketch> sketches;
    const auto add = [&](const std::string& name, const std::string& script) {
        sketches.push_back({0, static_cast<int>(sketches.size()), name, script});
    };
    if (from == "template") {
        const Result<std::string> plain = session::defaultScript(op);
        const std::optional<std::string> expert = session::templateScript(op);
        if (!plain || !expert) {
            return plain ? refused("no expert template fits") : plain.error();
        }
        add("default", *plain);
        add("template", *expert);
        return sketches;
    }
    const Result<schedule::LoopNest> initial = schedule::initialNest(op.task);
    if (!initial) {
        return initial.error();
    }
    for (const tune::Sketch& sketch : tune::sketchesFor(op.task, *initial)) {
        add(sketch.name, sketch.script);
    }
    return sketches;
}

Result<tune::Space> spaceOf(const std::vector<record::TuneSketch>& sketches, const schedule::Task& task)
{
    std::vector<std::pair<std::string, std::string>> scripts;
    for (const record::TuneSketch& sketch : sketches) {
        scripts.emplace_back(sketch.name, sketch.script);
    }
    return tune::Space::make(scripts, task);
}

TunerState::TunerState(std::unique_ptr<State> state)
    : m_state(std::move(state))
{}
TunerState::~TunerState() = default;

Result<std::unique_ptr<TunerState>> TunerState::open(const std::filesystem::path& path, const session::Folders& folders, bool onlyReads,
                                                     const StopToken& stop)
{
    auto state = std::make_unique<State>();
    state->onlyReads = onlyReads;
    state->stop = stop;
    if (!onlyReads) { // a report may look while another process goes on
        Result<std::unique_ptr<tune::TuningLock>> lock = tune::TuningLock::acquire(folders.runtime, path);
        if (!lock) {
            return lock.error();
        }
        state->lock = *std::move(lock);
    }
    Result<std::unique_ptr<record::Database>> database = record::Database::open(path, !onlyReads);
    if (!database) {
        return database.error();
    }
    state->database = *std::move(database);
    return std::unique_ptr<TunerState>(new TunerState(std::move(state)));
}

Result<std::optional<record::TuneTask>> TunerState::State::find(const std::string& task, const std::string& key) const
{
    const Result<std::vector<record::TuneSession>> sessions = journal().sessions();
    if (!sessions) {
        return sessions.error();
    }
    for (const record::TuneSession& session : *sessions) {
        const Result<std::vector<record::TuneTask>> rows = journal().tasks(session.id);
        if (!rows) {
            return rows.error();
        }
        for (const record::TuneTask& row : *rows) {
            if (row.task == task && row.group == key) {
                return std::optional(row);
            }
        }
    }
    return std::optional<record::TuneTask>();
}

Result<record::TuneTask> TunerState::State::begin(const session::Operator& op, const std::string& key, const tune::Settings& settings,
                                                  const std::vector<record::TuneSketch>& sketches) const
{
    const Result<tune::Space> space = spaceOf(sketches, op.task);
    if (!space) {
        return space.error();
    }
    std::vector<record::TuneTask> rows(1);
    record::TuneTask& row = rows.front();
    row.task = op.taskId;
    row.anchor = op.task.anchorIdentity();
    row.group = key;
    row.algorithm = op.task.algorithm;
    row.threads = op.task.threads;
    row.nominalFlops = op.work.nominalFlops;
    row.choices = space->count().toText();
    record::TuneSession session;
    session.settings = settings.toText();
    const Result<std::int64_t> begun = journal().addSession(session, rows, {sketches});
    return begun ? Result<record::TuneTask>(rows.front()) : begun.error();
}

Status TunerState::State::run(Tuned& tuned, const session::Operator& op, const Wanted& wanted, const tune::Settings& settings,
                              tune::Bench& bench, const OnRound& onRound) const
{
    const std::int64_t session = tuned.row.session;
    Result<std::unique_ptr<tune::TaskTuner>> made =
        tune::TaskTuner::make({tuned.row, op.task, tuned.sketches, wanted.kin}, settings, journal(), bench);
    if (!made) {
        return made.error();
    }
    tune::TaskTuner& tuner = **made;
    int trials = static_cast<int>(tuned.trials.size()); // the row may lag behind them after a kill
    while (tuner.isOpen() && trials < wanted.trials && !stop.stopRequested()) {
        const auto start = std::chrono::steady_clock::now();
        const Result<bool> more = tuner.round(wanted.trials - trials, stop);
        if (!more) {
            return more.error();
        }
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (const Status kept = journal().addActiveSeconds(session, seconds); !kept) {
            return kept;
        }
        trials = std::max(trials, tuner.row().trials);
        showProgress(op, wanted, tuner.row());
        if (onRound) {
            onRound(tuner.row());
        }
    }
    tuned.row = tuner.row();
    if (stop.stopRequested() || (tuner.isOpen() && trials < wanted.trials)) {
        return Done{};
    }
    if (wanted.confirms && tuned.row.confirmedNs <= 0) {
        const auto keep = [&](const std::string& script, record::Origin origin, const measure::Measurement& m) {
            return database->addRecord(session::toRecord(op, script, origin, m));
        };
        if (const Status confirmed = tuner.confirm(keep, stop); !confirmed) {
            return confirmed.error().kind == Error::Kind::Stopped ? Status(Done{}) : confirmed;
        }
        tuned.row = tuner.row();
    }
    if (wanted.keepsKin) {
        constexpr std::size_t kMost = 256;
        if (const Status kept = journal().keepKin(tuner.kin(kMost)); !kept) {
            return kept;
        }
    }
    return journal().setState(session, record::TuneState::Done, tuned.row.message);
}

Result<Tuned> TunerState::tuned(const session::Operator& op, const Wanted& wanted, tune::Bench& bench, const OnRound& onRound)
{
    const Result<std::vector<record::TuneSketch>> sketches = scriptsFrom(wanted.from, op);
    if (!sketches) {
        return sketches.error();
    }
    const tune::Settings settings = settingsOf(wanted, op);
    const std::string key = keyOf(wanted, *sketches);
    Tuned tuned;
    tuned.wanted = wanted.trials;
    const Result<std::optional<record::TuneTask>> found = m_state->find(op.taskId, key);
    if (!found) {
        return found.error();
    }
    if (!*found && (onlyReads() || stop().stopRequested())) {
        return tuned;
    }
    const Result<record::TuneTask> row = *found ? Result<record::TuneTask>(**found) : m_state->begin(op, key, settings, *sketches);
    if (!row) {
        return row.error();
    }
    tuned.row = *row;
    const record::TuneJournal journal = m_state->journal();
    const Result<std::vector<record::TuneSketch>> kept = journal.sketches(row->id);
    Result<std::vector<record::TuneTrial>> trials = kept ? journal.trials(row->id) : kept.error();
    if (!trials) {
        return trials.error();
    }
    tuned.sketches = *kept;
    tuned.trials = *std::move(trials);
    if (!onlyReads()) {
        if (const Status ran = m_state->run(tuned, op, wanted, settings, bench, onRound); !ran) {
            return ran.error();
        }
        trials = journal.trials(row->id);
        if (!trials) {
            return trials.error();
        }
        tuned.trials = *std::move(trials);
    }
    const Result<std::vector<record::TuneFinal>> finals = journal.finals(row->id);
    Result<std::vector<record::TuneRound>> rounds = finals ? journal.rounds(row->id) : finals.error();
    if (!rounds) {
        return rounds.error();
    }
    tuned.rounds = *std::move(rounds);
    tuned.winner = winnerOf(tuned.row, *finals);
    tuned.isWhole = (static_cast<int>(tuned.trials.size()) >= wanted.trials || isClosed(tuned.row))
        && (!wanted.confirms || !tuned.winner.empty() || tuned.row.bestNs <= 0);
    return tuned;
}

Result<std::vector<record::TuneKin>> TunerState::kinOf(const session::Operator& op, const std::vector<std::string>& tasks)
{
    // As a project's tuner takes them.
    constexpr int kOfEach = 96, kMost = 384;
    Result<std::vector<record::TuneKin>> kin = m_state->journal().kin(tune::kindOf(op.task), op.task.target.toText(), tune::kFeatureVersion,
                                                                      op.taskId, kOfEach, kMost);
    if (kin) {
        std::erase_if(*kin, [&](const record::TuneKin& one) { return std::find(tasks.begin(), tasks.end(), one.task) == tasks.end(); });
    }
    return kin;
}

Result<std::vector<std::string>> TunerState::winners(const std::string& task)
{
    const record::TuneJournal journal = m_state->journal();
    const Result<std::vector<record::TuneSession>> sessions = journal.sessions();
    if (!sessions) {
        return sessions.error();
    }
    std::vector<std::string> scripts;
    for (const record::TuneSession& session : *sessions) {
        const Result<std::vector<record::TuneTask>> rows = journal.tasks(session.id);
        if (!rows) {
            return rows.error();
        }
        for (const record::TuneTask& row : *rows) {
            if (row.task != task) {
                continue;
            }
            const Result<std::vector<record::TuneFinal>> finals = journal.finals(row.id);
            if (!finals) {
                return finals.error();
            }
            const std::string winner = winnerOf(row, *finals);
            if (!winner.empty() && std::find(scripts.begin(), scripts.end(), winner) == scripts.end()) {
                scripts.push_back(winner);
            }
        }
    }
    return scripts;
}

record::Database& TunerState::database()
{
    return *m_state->database;
}

bool TunerState::onlyReads() const
{
    return m_state->onlyReads;
}

const StopToken& TunerState::stop() const
{
    return m_state->stop;
}

} // namespace nw::bench
