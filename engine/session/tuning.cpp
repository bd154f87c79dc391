#include "engine/session/tuning.h"

#include "engine/base/text.h"
#include "engine/session/wish_watch.h"
#include "engine/tune/features.h"
#include "engine/tune/task_scheduler.h"
#include "engine/tune/task_tuner.h"
#include "engine/tune/tuning_lock.h"

#include <algorithm>
#include <chrono>

namespace nw::session {
namespace {

using record::TuneState;
using record::TuneWish;

// One task of the session with the operator that it tunes.
struct Tuned {
    const Operator* op = nullptr;
    std::unique_ptr<tune::TaskTuner> tuner;
    std::string kind;
    double seenBestNs = 0; // what the others were told of
    double confirmedFor = 0; // best time when its winner was confirmed
};

class Run {
public:
    Run(Project& project, tune::Bench& bench, record::Database* user, record::TuneSession session, tune::Settings settings,
        const TuneEvents& events, const StopToken& stop)
        : m_project(&project)
        , m_journal(*project.database())
        , m_bench(&bench)
        , m_user(user)
        , m_session(std::move(session))
        , m_settings(std::move(settings))
        , m_events(&events)
        , m_stop(stop)
        , m_watch(project.database()->path(), m_session.id, stop)
    {}

    Result<record::TuneSession> all();

private:
    Status open();
    Result<bool> batch(); // false: the session is at its end
    Status confirmAll();
    Status confirm(Tuned& tuned);
    void share(Tuned& from);
    int trials() const;
    std::size_t next() const;
    // Nothing: go on.
    Result<std::optional<TuneState>> wished() const;
    std::string ending() const;

    Project* m_project;
    record::TuneJournal m_journal;
    tune::Bench* m_bench;
    record::Database* m_user; // may be null
    record::TuneSession m_session;
    tune::Settings m_settings;
    const TuneEvents* m_events;
    StopToken m_stop;
    WishWatch m_watch;
    std::vector<Tuned> m_tuned;
    std::string m_lost; // tasks that the project has no operator for
};

Status Run::open()
{
    const Result<std::vector<record::TuneTask>> rows = m_journal.tasks(m_session.id);
    const Result<std::vector<const Operator*>> ops = rows ? m_project->operators() : rows.error();
    if (!ops) {
        return ops.error();
    }
    for (record::TuneTask row : *rows) {
        const auto op = std::find_if(ops->begin(), ops->end(), [&](const Operator* one) { return one->taskId == row.task; });
        if (op == ops->end()) {
            m_lost = row.group;
            continue;
        }
        // Paused or killed: its end is open again.
        if (row.state == "failing") {
            row.state = "tuning";
        }
        const Result<std::vector<record::TuneSketch>> sketches = m_journal.sketches(row.id);
        if (!sketches) {
            return sketches.error();
        }
        Tuned tuned{*op, nullptr, tune::kindOf((*op)->task), 0, row.confirmedNs > 0 ? row.bestNs : 0};
        tune::TaskInput input{row, (*op)->task, *sketches, {}};
        if (m_user != nullptr && m_settings.transfer && m_settings.model) {
            constexpr int kOfEach = 96, kMost = 384;
            Result<std::vector<record::TuneKin>> kin = record::TuneJournal(*m_user).kin(tuned.kind, (*op)->task.target.toText(),
                                                                                        tune::kFeatureVersion, row.task, kOfEach, kMost);
            if (kin) {
                input.kin = *std::move(kin); // without them it only takes longer
            }
        }
        Result<std::unique_ptr<tune::TaskTuner>> tuner = tune::TaskTuner::make(std::move(input), m_settings, m_journal, *m_bench);
        if (!tuner) {
            return tuner.error();
        }
        tuned.tuner = *std::move(tuner);
        m_tuned.push_back(std::move(tuned));
    }
    return m_tuned.empty() ? Status(refused(format("The project has no operator any more that this session tuned ({}). Start a new one.", m_lost)))
                           : Status(Done{});
}

int Run::trials() const
{
    int all = 0;
    for (const Tuned& tuned : m_tuned) {
        all += tuned.tuner->row().trials;
    }
    return all;
}

std::size_t Run::next() const
{
    std::vector<tune::TaskOutlook> outlooks;
    for (const Tuned& tuned : m_tuned) {
        const record::TuneTask& row = tuned.tuner->row();
        const bool isWeighed = row.inModelNs > 0 && row.templateNs + row.defaultNs > 0;
        const double one = row.templateNs > 0 ? row.templateNs : row.defaultNs;
        outlooks.push_back({tuned.tuner->isOpen(), row.trials, isWeighed ? row.inModelNs / one : static_cast<double>(row.count), row.bestNs,
                            row.boundNs, tuned.tuner->sinceGain(), row.gain});
        if (row.trials == 0 && row.inModelNs > 0) {
            outlooks.back().weight = row.inModelNs / 1e6;
        }
    }
    return tune::nextTask(outlooks, m_settings.batch);
}

// What one task found is worth a try for those of its kind, and for those with the same anchor.
void Run::share(Tuned& from)
{
    const std::optional<tune::TaskTuner::Best> best = from.tuner->best();
    if (!best || (from.seenBestNs > 0 && best->ns >= 0.99 * from.seenBestNs)) {
        return;
    }
    from.seenBestNs = best->ns;
    for (Tuned& other : m_tuned) {
        const bool isKin = other.kind == from.kind || other.tuner->row().anchor == from.tuner->row().anchor;
        if (&other != &from && isKin) {
            other.tuner->addSeed(best->sketch, best->values);
        }
    }
}

Result<std::optional<TuneState>> Run::wished() const
{
    if (m_stop.stopRequested()) {
        return std::optional(TuneState::Paused);
    }
    const Result<std::optional<record::TuneSession>> now = m_journal.session(m_session.id);
    if (!now) {
        return now.error();
    }
    switch (*now ? (*now)->wish : TuneWish::Cancel) {
    case TuneWish::Run: return std::optional<TuneState>();
    case TuneWish::Pause: return std::optional(TuneState::Paused);
    case TuneWish::Stop: return std::optional(TuneState::Stopped);
    case TuneWish::Cancel: return std::optional(TuneState::Cancelled);
    }
    return std::optional<TuneState>();
}

Result<bool> Run::batch()
{
    const int left = m_settings.trials > 0 ? m_settings.trials - trials() : m_settings.batch;
    const bool inTime = m_settings.seconds <= 0 || m_session.activeSeconds < m_settings.seconds;
    const std::size_t chosen = next();
    if (left <= 0 || !inTime || chosen == m_tuned.size()) {
        return false;
    }
    Tuned& tuned = m_tuned[chosen];
    const auto start = std::chrono::steady_clock::now();
    const Result<bool> more = tuned.tuner->round(left, m_watch.search());
    if (!more) {
        return more.error();
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    m_session.activeSeconds += seconds;
    if (const Status kept = m_journal.addActiveSeconds(m_session.id, seconds); !kept) {
        return kept.error();
    }
    share(tuned);
    if (m_events->onRound) {
        m_events->onRound(tuned.tuner->row(), trials(), m_session.activeSeconds);
    }
    return true;
}

Status Run::confirm(Tuned& tuned)
{
    const record::TuneTask& row = tuned.tuner->row();
    if (row.bestNs <= 0 || row.bestNs == tuned.confirmedFor) {
        return Done{};
    }
    const auto keep = [&](const std::string& script, record::Origin origin, const measure::Measurement& m) {
        return m_project->database()->addRecord(toRecord(*tuned.op, script, origin, m));
    };
    if (const Status confirmed = tuned.tuner->confirm(keep, m_watch.confirm()); !confirmed) {
        return confirmed;
    }
    tuned.confirmedFor = row.bestNs;
    if (m_user != nullptr) {
        constexpr std::size_t kMost = 256;
        // Another project's tuning only starts later without it.
        (void)record::TuneJournal(*m_user).keepKin(tuned.tuner->kin(kMost)).has_value();
    }
    if (m_events->onConfirmed) {
        m_events->onConfirmed(tuned.tuner->row());
    }
    return Done{};
}

Status Run::confirmAll()
{
    for (Tuned& tuned : m_tuned) {
        if (const Status confirmed = confirm(tuned); !confirmed) {
            return confirmed;
        }
    }
    return Done{};
}

std::string Run::ending() const
{
    std::vector<std::string> bad;
    for (const Tuned& tuned : m_tuned) {
        const record::TuneTask& row = tuned.tuner->row();
        if (row.state == "failing" || row.state == "none valid") {
            bad.push_back(format("{}: {}", row.group, row.message));
        }
    }
    return join(bad, "\n");
}

Result<record::TuneSession> Run::all()
{
    if (const Status opened = open(); !opened) {
        return opened.error();
    }
    Status kept = m_journal.setState(m_session.id, TuneState::Running, "");
    TuneState state = TuneState::Done;
    for (bool more = true; kept && more;) {
        const Result<std::optional<TuneState>> wish = wished();
        if (!wish) {
            return wish.error();
        }
        if (*wish) {
            state = **wish;
            break;
        }
        const Result<bool> went = batch();
        if (!went) {
            return went.error();
        }
        more = *went;
    }
    if (!kept) {
        return kept.error();
    }
    if (state == TuneState::Done || state == TuneState::Stopped) {
        const Status confirmed = confirmAll();
        if (!confirmed && confirmed.error().kind == Error::Kind::Stopped) {
            const Result<std::optional<TuneState>> wish = wished();
            state = wish && *wish == TuneState::Cancelled ? TuneState::Cancelled : TuneState::Paused;
        } else if (!confirmed) {
            return confirmed.error();
        }
    }
    if (state == TuneState::Done) {
        for (Tuned& tuned : m_tuned) {
            if (const Status ended = tuned.tuner->endByBudget(); !ended) {
                return ended.error();
            }
        }
    }
    const std::string message = ending();
    const bool nothing = std::none_of(m_tuned.begin(), m_tuned.end(), [](const Tuned& t) { return t.tuner->row().bestNs > 0; });
    if (state == TuneState::Done && nothing) {
        state = TuneState::Failed;
    }
    kept = m_journal.setState(m_session.id, state, message);
    const Result<std::optional<record::TuneSession>> ended = kept ? m_journal.session(m_session.id) : kept.error();
    if (!ended) {
        return ended.error();
    }
    return **ended;
}

} // namespace

Result<record::TuneSession> tuningSession(Project& project, std::int64_t session)
{
    const Result<std::optional<record::TuneSession>> found = record::TuneJournal(*project.database()).session(session);
    if (!found) {
        return found.error();
    }
    return *found ? Result<record::TuneSession>(**found)
                  : refused(format("This project has no tuning session {}. --list shows those that there are.", session));
}

Result<record::TuneSession> runTuning(Project& project, tune::Bench& bench, const Folders& folders, std::int64_t session,
                                      const TuneEvents& events, const StopToken& stop)
{
    if (project.database() == nullptr) {
        return refused("Tuning needs a project that is kept: nothing could be resumed otherwise.");
    }
    const Result<std::unique_ptr<tune::TuningLock>> lock = tune::TuningLock::acquire(folders.runtime, project.database()->path());
    if (!lock) {
        return lock.error();
    }
    const Result<record::TuneSession> row = tuningSession(project, session);
    if (!row) {
        return row.error();
    }
    const Result<tune::Settings> settings = tune::Settings::parse(row->settings);
    if (!settings) {
        return settings.error();
    }
    const Result<std::unique_ptr<record::Database>> user = openUserDatabase(folders);
    return Run(project, bench, user ? user->get() : nullptr, *row, *settings, events, stop).all();
}

} // namespace nw::session
