#pragma once

#include "engine/record/tune_journal.h"
#include "engine/session/project.h"
#include "engine/tune/bench.h"
#include "engine/tune/settings.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nw::session {

// The user's database: what every project's tuning taught (DESIGN.md 1.6), beside the projects in the user's data folder.
Result<std::unique_ptr<record::Database>> openUserDatabase(const Folders& folders);

// How a project was opened, as the tuner's settings keep it, and back.
void keepOpenOptions(tune::Settings& settings, const OpenOptions& options);
OpenOptions openOptionsOf(const tune::Settings& settings);

// Scripts that a task's tuner starts from, by what was asked ("default" always, "hand" where a person wrote one ...).
// Refused when there is nothing of the wanted sort: no template fits, no script of one's own.
Result<std::vector<record::TuneSketch>> sketchesOf(Project& project, const Operator& op, const tune::Settings& settings);

// Refused: the project has no such session.
Result<record::TuneSession> tuningSession(Project& project, std::int64_t session);
// A new session over these groups (all when empty), equal tasks once, in the project's database. With several tasks the
// model is profiled first, so that they are weighed by its time.
Result<std::int64_t> beginTuning(Project& project, measure::LocalDevice& device, const tune::Settings& settings,
                                 const std::vector<std::string>& groups, const StopToken& stop);

struct TuneEvents {
    // After each batch: the task's row as it is now, what the session did so far, and the round.
    std::function<void(const record::TuneTask& task, int trialsOfSession, double secondsOfSession)> onRound;
    std::function<void(const record::TuneTask& task)> onConfirmed;
};
// Goes on with a session until its budget is spent, nothing is left to try, or a person wishes otherwise (in the journal, or
// by `stop`, which pauses). The winners are confirmed and kept as records. The session as it ended. Refused: another process
// tunes this project. Failed: the journal could not be written; it can be resumed.
Result<record::TuneSession> runTuning(Project& project, tune::Bench& bench, const Folders& folders, std::int64_t session,
                                      const TuneEvents& events, const StopToken& stop);

} // namespace nw::session
