#pragma once

#include "engine/plan/plan.h"
#include "engine/record/database.h"
#include "engine/session/editing.h"
#include "engine/session/workbench.h"

#include <QMap>
#include <QString>
#include <QStringList>

#include <memory>
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

} // namespace nw::app
