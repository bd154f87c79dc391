#include "app/cli/verbs/measured.h"
#include "app/cli/verbs/schedule.h"

#include "engine/base/text.h"
#include "engine/session/tuning.h"
#include "engine/tune/tuning_lock.h"

#include <ctime>
#include <memory>

namespace nw::app {
namespace {

struct Options {
    std::vector<std::string> groups;
    tune::Settings settings;
    int trials = -1; // none was given
    std::int64_t resume = 0, pause = 0, stop = 0, cancel = 0;
    bool list = false, noTransfer = false, noModel = false;
};

std::string textOf(const record::TuneTask& task)
{
    const std::string best = task.bestNs > 0 ? timeText(task.bestNs) : "nothing yet";
    const double before = task.handNs > 0 ? task.handNs : task.templateNs > 0 ? task.templateNs : task.defaultNs;
    const std::string gain = before > 0 && task.bestNs > 0 ? format("  {:.2f} x before", before / task.bestNs) : "";
    return format("{:<24} {:>6} trials  best {}{}", task.group, task.trials, best, gain);
}

Json jsonOf(const record::TuneTask& task)
{
    Json object;
    object["ok"] = task.bestNs > 0 || task.trials == 0;
    object["group"] = task.group;
    object["task"] = task.task;
    object["state"] = task.state;
    object["message"] = task.message;
    object["choices"] = task.choices;
    object["count"] = task.count;
    object["in_model_ns"] = task.inModelNs;
    object["trials"] = task.trials;
    object["best_ns"] = task.bestNs;
    object["default_ns"] = task.defaultNs;
    object["template_ns"] = task.templateNs;
    object["hand_ns"] = task.handNs;
    object["bound_ns"] = task.boundNs;
    object["bound_by"] = task.boundBy;
    object["confirmed_ns"] = task.confirmedNs;
    object["spread"] = task.confirmedSpread;
    object["noisy"] = task.confirmedNoisy;
    return object;
}

int listSessions(const Session& session, session::Project& project)
{
    record::TuneJournal journal(*project.database());
    const Result<std::vector<record::TuneSession>> sessions = journal.sessions();
    if (!sessions) {
        return session.fail(sessions.error());
    }
    const Result<session::Folders> folders = session::userFolders();
    const bool isAlive = folders && tune::TuningLock::isHeld(folders->runtime, project.database()->path());
    std::vector<std::vector<std::string>> rows;
    for (const record::TuneSession& one : *sessions) {
        const Result<std::vector<record::TuneTask>> tasks = journal.tasks(one.id);
        if (!tasks) {
            return session.fail(tasks.error());
        }
        int trials = 0;
        std::vector<std::string> groups;
        for (const record::TuneTask& task : *tasks) {
            trials += task.trials;
            groups.push_back(task.group);
        }
        const bool wasKilled = one.state == record::TuneState::Running && !isAlive;
        const std::string state = wasKilled ? "killed (--resume)" : std::string(record::toText(one.state));
        rows.push_back({std::to_string(one.id), state, std::to_string(trials), format("{:.0f} s", one.activeSeconds),
                        groups.size() > 3 ? format("{} tasks", groups.size()) : join(groups, " ")});
        Json object{{"session", one.id}, {"state", std::string(record::toText(one.state))}, {"killed", wasKilled}, {"trials", trials},
                    {"seconds", one.activeSeconds}, {"message", one.message}, {"settings", one.settings}};
        object["tasks"] = Json::array();
        for (const record::TuneTask& task : *tasks) {
            object["tasks"].push_back(jsonOf(task));
        }
        session.emit(std::move(object));
    }
    session.say(rows.empty() ? "Nothing was tuned in this project yet." : tableText({"session", "state", "trials", "time", "operators"}, rows));
    return Fine;
}

// Pause, stop, cancel: the tuner, in whatever process it runs, looks several times a second.
int wish(const Session& session, session::Project& project, std::int64_t id, record::TuneWish wish)
{
    if (const Result<record::TuneSession> found = session::tuningSession(project, id); !found) {
        return session.fail(found.error());
    }
    record::TuneJournal journal(*project.database());
    if (const Status set = journal.setWish(id, wish); !set) {
        return session.fail(set.error());
    }
    session.say(format("session {}: {}, which its tuner hears within a second", id, record::toText(wish)));
    session.emit(Json{{"session", id}, {"wish", std::string(record::toText(wish))}});
    return Fine;
}

int exitCodeOf(record::TuneState state)
{
    switch (state) {
    case record::TuneState::Done:
    case record::TuneState::Stopped:
    case record::TuneState::Cancelled:
        return Fine;
    case record::TuneState::Paused:
    case record::TuneState::Running:
        return Interrupted;
    case record::TuneState::Failed:
        return Failure;
    }
    return Failure;
}

int tuneNow(Session& session, session::Project& project, const Options& wanted)
{
    const Result<session::Folders> folders = session::userFolders();
    Result<measure::LocalDevice::Settings> where = session::deviceSettings();
    if (!folders || !where) {
        return session.fail(folders ? where.error() : folders.error());
    }
    where->priority = measure::Priority::Tuner;
    // A candidate that takes so long is no candidate.
    where->buildTimeoutMs = 20000;
    where->runTimeoutMs = 10000;
    if (session.options().timeoutSeconds > 0) {
        where->runTimeoutMs = where->buildTimeoutMs = static_cast<std::int64_t>(session.options().timeoutSeconds * 1000);
    }
    measure::LocalDevice device(*std::move(where));
    record::TuneJournal journal(*project.database());
    std::int64_t id = wanted.resume;
    const auto isHeld = [&] { return tune::TuningLock::isHeld(folders->runtime, project.database()->path()); };
    if (isHeld()) {
        return session.fail(refused("Another tuner is at work on this project. Pause or stop it (--list, --pause N), or wait until it is done."));
    }
    if (id == 0) {
        const Result<std::int64_t> begun = session::beginTuning(project, device, wanted.settings, wanted.groups, session.stop());
        if (!begun) {
            return session.fail(begun.error());
        }
        id = *begun;
    } else if (const Status set = journal.setWish(id, record::TuneWish::Run); !set) {
        return session.fail(set.error());
    }
    session.say(format("session {}", id));
    session.emit(Json{{"session", id}});
    session::TuneEvents events;
    events.onRound = [&](const record::TuneTask& task, int trials, double seconds) {
        session.say(format("{:>6} {:>7.1f} s  {}{}", trials, seconds, textOf(task), task.message.empty() ? "" : "  " + task.message));
        Json object = jsonOf(task);
        object["trials_of_session"] = trials;
        object["seconds"] = seconds;
        session.emit(std::move(object));
    };
    events.onConfirmed = [&](const record::TuneTask& task) {
        session.say(format("{:<24} confirmed {} (by search {}), spread {}{}", task.group, timeText(task.confirmedNs), timeText(task.bestNs),
                           percentText(task.confirmedSpread), task.confirmedNoisy ? ", noisy" : ""));
        Json object = jsonOf(task);
        object["confirmed"] = true;
        session.emit(std::move(object));
    };
    tune::DeviceBench bench(device);
    const Result<record::TuneSession> ended = session::runTuning(project, bench, *folders, id, events, session.stop());
    if (!ended) {
        // The session is as good as killed: what was measured is kept, and it can go on. Unless another tuner has it.
        if (!isHeld()) {
            (void)journal.setState(id, record::TuneState::Paused, ended.error().message).has_value();
        }
        return session.fail(ended.error());
    }
    session.say(format("session {}: {}{}", id, record::toText(ended->state), ended->message.empty() ? "" : "\n" + ended->message));
    session.emit(Json{{"ok", exitCodeOf(ended->state) == Fine}, {"session", id}, {"state", std::string(record::toText(ended->state))},
                      {"message", ended->message}, {"seconds", ended->activeSeconds}});
    return exitCodeOf(ended->state);
}

int runTune(const CommonOptions& options, Options wanted)
{
    wanted.settings.seed = options.seed;
    wanted.settings.transfer = !wanted.noTransfer;
    wanted.settings.model = !wanted.noModel;
    Session session(options);
    const Result<session::Project*> project = session.project();
    if (!project) {
        return session.fail(project.error());
    }
    if ((*project)->database() == nullptr) {
        return session.fail(refused("Tuning needs a project that is kept."));
    }
    if (wanted.list) {
        return listSessions(session, **project);
    }
    for (const auto& [id, what] : {std::pair{wanted.pause, record::TuneWish::Pause}, std::pair{wanted.stop, record::TuneWish::Stop},
                                   std::pair{wanted.cancel, record::TuneWish::Cancel}}) {
        if (id != 0) {
            return wish(session, **project, id, what);
        }
    }
    if (wanted.resume != 0) {
        // With the project opened as it was when the session began.
        const Result<record::TuneSession> begun = session::tuningSession(**project, wanted.resume);
        const Result<tune::Settings> settings = begun ? tune::Settings::parse(begun->settings) : begun.error();
        if (!settings) {
            return session.fail(settings.error());
        }
        const Result<session::Project*> reopened = session.project(session::openOptionsOf(*settings));
        return reopened ? tuneNow(session, **reopened, wanted) : session.fail(reopened.error());
    }
    const Result<session::OpenOptions> open = session.openOptions();
    if (!open) {
        return session.fail(open.error());
    }
    session::keepOpenOptions(wanted.settings, *open);
    if (const Result<tune::Settings> checked = tune::Settings::parse(wanted.settings.toText()); !checked) {
        return session.fail(checked.error());
    }
    return tuneNow(session, **project, wanted);
}

} // namespace

void addTune(const Arguments& program, CommonOptions& options, int& exitCode)
{
    const Arguments verb = program.verb("tune", "search for the fastest schedules; the winners are confirmed and kept as the auto figures");
    addCommon(verb, options);
    const auto wanted = std::make_shared<Options>();
    tune::Settings& settings = wanted->settings;
    verb.option("GROUP", wanted->groups, "the operators; all when none is named");
    verb.option("--trials", wanted->trials, "most candidates that are measured; 0: no limit; 500 where --seconds is not given either")
        .between(0, 1000000000);
    verb.option("--seconds", settings.seconds, "of tuning; 0: no limit").notNegative();
    verb.option("--plateau", settings.plateau, "an operator is done after so many trials without a gain; 0: never").between(0, 1000000000);
    verb.option("--from", settings.from,
                "template, mine (your script's numbers vary), sketch (made from the definition) or all (sketches only where no "
                "template fits or it leaves few choices)")
        .oneOf({"template", "mine", "sketch", "all"});
    verb.option("--fix", settings.fixedLoops, "loops of --from mine whose numbers stay: \"oh ow\"");
    verb.option("--search", settings.search, "evolutionary, annealing or random").oneOf({"evolutionary", "annealing", "random"});
    verb.option("--batch", settings.batch, "candidates a round").between(1, 1024);
    verb.option("--finalists", settings.finalists, "how many are measured again under confirm").between(1, 20);
    verb.option("--failures", settings.failuresInRow, "an operator is given up after so many failures in a row").between(1, 1000000);
    verb.flag("--no-transfer", wanted->noTransfer, "learn nothing from other operators' records");
    verb.flag("--no-model", wanted->noModel, "no cost model: candidates as the search finds them");
    verb.flag("--list", wanted->list, "the sessions of this project");
    verb.option("--resume", wanted->resume, "go on with a session that was paused, stopped or killed");
    verb.option("--pause", wanted->pause, "ask the tuner of a session to pause");
    verb.option("--stop", wanted->stop, "ask it to stop and keep the best");
    verb.option("--cancel", wanted->cancel, "ask it to stop and keep nothing");
    verb.run([&options, &exitCode, wanted] {
        // Who asks for half an hour wants half an hour, not the usual number of trials before it is over.
        tune::Settings& asked = wanted->settings;
        asked.trials = wanted->trials >= 0 ? wanted->trials : asked.seconds > 0 ? 0 : asked.trials;
        exitCode = runTune(options, *wanted);
    });
}

} // namespace nw::app
