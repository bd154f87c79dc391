#pragma once

#include "app/cli/command.h"

#include "engine/schedule/script.h"

namespace nw::app {

// An operator of the model with its script replayed.
struct Scheduled {
    session::Project* project = nullptr;
    const session::Operator* op = nullptr;
    session::Project::Chosen chosen;
    schedule::LoopNest plain; // without any step
    schedule::Script script;
    schedule::Replay replay;
};
// `group` may be empty when the model has one operator. `scriptFile` replaces the project's script.
Result<Scheduled> openScheduled(Session& session, const std::string& group, const std::string& scriptFile, bool ephemeral,
                                bool allowUnproven = false);
Result<const session::Operator*> operatorOrOnly(session::Project& project, const std::string& group);
// Refused when --algorithm names one that the operator cannot be computed by.
Status hasAlgorithm(const Session& session, session::Project& project, const session::Operator& op);
schedule::Context contextOf(const session::Operator& op);
// The text of a script file, "-" for standard input.
Result<std::string> readScript(const std::string& path);
std::string verdictText(const schedule::Check& check);

} // namespace nw::app
