#pragma once

#include "engine/plan/plan.h"
#include "engine/record/tune_journal.h"
#include "engine/record/database.h"
#include "engine/session/editing.h"
#include "engine/session/workbench.h"

#include <QMap>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>
#include <vector>

namespace nw::app {

// What the engine's threads hand to the window: plain values, never changed afterwards.

struct OpenedProject {
    QString title, path;           // path: as given by the person
    QString projectFile;           // the .nest
    std::vector<session::Operator> operators;
    plan::Plan plan;
    QString target;
    int threads = 1;
    std::map<std::string, session::Comparison> comparisons; // by group
    std::map<std::string, double> profileNs;                // by group, when the model was profiled before
};

// One operator as the project keeps it.
struct OperatorState {
    session::Operator op;
    session::Project::Chosen chosen;
    std::vector<record::Revision> revisions;
    std::vector<record::Record> records;
};

// What the tuner's journal says: the newest session, and of one task what was asked for.
struct TuneNews {
    std::optional<record::TuneSession> session;
    bool alive = false; // a tuner holds the project's lock
    std::vector<record::TuneTask> tasks;
    std::int64_t task = 0;
    std::vector<record::TuneTrial> trials; // of `task`, from the number asked for; `more`: not all that there are
    bool more = false;
    std::vector<record::TuneRound> rounds;
    std::vector<record::TuneSketch> sketches;
    std::vector<record::TuneFinal> finals;
    std::vector<record::Record> confirmed; // of tasks whose best was confirmed since this was asked last
};

} // namespace nw::app
