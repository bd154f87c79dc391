#pragma once

#include "engine/record/tune_journal.h"

#include <QString>
#include <QStringList>

#include <optional>

namespace nw::views {

// How far a session may go; 0: without that limit.
struct TunerBudget {
    int trials = 0;
    double seconds = 0;
    int plateau = 0; // trials without a gain
    QString search, from;
    quint64 seed = 1;
};

// A session as it stands: what the journal says, and whether anybody works at it.
struct TunerStatus {
    std::optional<record::TuneSession> session; // none: nothing was tuned in this project yet
    bool alive = false;                         // a tuner holds the project's lock
    bool starting = false;                      // one was started and has not shown itself yet
    TunerBudget budget;
};

enum class TunerPhase {
    None,
    Starting,
    Running,
    Pausing,
    Stopping,
    Cancelling,
    Paused,
    Interrupted, // its process is gone without a word: it can be resumed
    Done,
    Stopped,
    Cancelled,
    Failed
};
TunerPhase phaseOf(const TunerStatus& status);
bool isAtWork(TunerPhase phase);     // a process tunes
bool canBeResumed(TunerPhase phase);
bool hasEnded(TunerPhase phase);     // nothing more comes of it by itself

// What a person wants tuned.
struct TuneRequest {
    QStringList groups; // empty: the whole model
    int trials = 0;
    double minutes = 0;
    int plateau = 0;
    QString search; // "evolutionary", "annealing", "random"
    QString from;   // "template", "sketch", "mine", "all"
    QStringList fix; // loops that keep the numbers they have
    quint64 seed = 1; // the same one, on the same records: the same proposals
};

} // namespace nw::views
