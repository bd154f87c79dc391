#pragma once

#include "engine/base/result.h"
#include "engine/record/database.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nw::record {

// What a tuner does, as it is kept in a project: every program that has the project open can watch it, and a tuner that
// was killed goes on from here. Times in nanoseconds unless they say otherwise.

// Waiting: not begun. Running counts only while a tuner holds the project's tuning lock (tune/tuning_lock.h): otherwise it
// was killed, and can be resumed.
enum class TuneState { Running, Paused, Done, Stopped, Cancelled, Failed };
std::string_view toText(TuneState state); // "running", "paused", "done", "stopped", "cancelled", "failed"
// What a person wants of it; the tuner looks before every batch. Stop keeps the best, Cancel keeps nothing.
enum class TuneWish { Run, Pause, Stop, Cancel };
std::string_view toText(TuneWish wish); // "run", "pause", "stop", "cancel"

struct TuneSession {
    std::int64_t id = 0;
    std::string settings; // as tune::Settings::toText writes them
    TuneWish wish = TuneWish::Run;
    TuneState state = TuneState::Running;
    std::string message;  // why it ended or failed
    double activeSeconds = 0; // spent tuning, all its processes together
    std::string device = "local";
    std::int64_t unixTime = 0, endTime = 0; // 0: not ended
};

// One task of a session; equal operators of a model are one.
struct TuneTask {
    std::int64_t id = 0;
    std::int64_t session = 0;
    std::string task, anchor;
    std::string group;     // "conv.0", the first of them, for people
    std::string algorithm = "direct";
    int threads = 1;
    int count = 1;         // operators of the model with this task
    double inModelNs = 0;  // share of the model's time, all `count` together; 0: not known
    std::string state = "waiting"; // "waiting", "tuning", "done", "exhausted" (every choice was tried), "none valid", "failing"
    std::string message;   // for people: why it is in that state
    std::string choices;   // size of the space: "12", "at most 1000000"
    // Figures to compare with, measured by the tuner itself where a script is there; 0: none.
    double defaultNs = 0, templateNs = 0, handNs = 0, boundNs = 0;
    std::string boundBy;
    double peakFlops = 0;  // alternated, of all threads; 0: not known
    double nominalFlops = 0;
    double bestNs = 0;     // fastest by search so far; 0: none yet
    int bestTrial = -1;
    // After re-measuring the fastest alternately under confirm; 0: not done.
    double confirmedNs = 0, confirmedSpread = 0;
    bool confirmedNoisy = false;
    std::int64_t confirmedRecord = 0; // Record::id
    int trials = 0;        // so far
    double gain = 0;       // share of the best time that the last round took off
};

// The scripts with knobs that a task's trials fill in.
struct TuneSketch {
    std::int64_t task = 0; // TuneTask::id
    int number = 0;
    std::string name;
    std::string script;
};

struct TuneTrial {
    std::int64_t task = 0; // TuneTask::id
    int number = 0;        // from 0, without a gap
    int round = 0;
    int sketch = 0;
    std::string values;    // "tile=4 wide=2"; empty: a script without knobs
    std::string from;      // who proposed it: "default", "template", "hand", "seed", "random", or a mutation's name
    std::string outcome;   // "ok", or as wire::toText(Outcome): "illegal" counts refused steps here
    std::string cause;     // failures are grouped by this: a refusal's rule id, "timeout", "wrong result" ...; empty when ok
    std::string message;   // the whole message
    double ns = 0;         // median under "search"; 0 unless ok
    double spread = 0;
    bool noisy = false;
    std::optional<double> score; // predicted before it was measured, higher is faster
    double buildMs = 0, runMs = 0;
    std::int64_t unixTime = 0;
};

struct TuneRound {
    std::int64_t task = 0;
    int round = 0;
    int trained = 0;        // samples the model was trained on; 0: no model yet
    int kin = 0;            // of them from other tasks (transfer)
    double correlation = 0; // rank, predicted against measured in this round
    double recall = 0;      // of the ten fastest
    bool trusted = false;   // the model chose; else candidates were drawn at random
    std::string note;       // "the model does no better than chance: candidates are drawn at random"
    std::string importance; // of knobs: "tile=0.41 wide=0.22", largest first
    std::string refused;    // candidates that rules refused before they cost a build, all so far: "vectorize.tail=12 ..."
    double seconds = 0;     // of the round
};

// One of the fastest, measured again alternately under confirm: both figures are kept.
struct TuneFinal {
    std::int64_t task = 0;
    int trial = 0;
    double searchNs = 0, confirmNs = 0, spread = 0;
    bool noisy = false;
    std::string outcome = "ok", message;
    std::string script; // plain
};

// What tuning a task taught, for tasks of the same kind: kept in the user's database, for every project.
struct TuneKin {
    std::string kind;      // of operator: the definition without its numbers (tune::kindOf)
    std::string task;      // Task::identity()
    std::string target;    // Target's name
    int threads = 1;
    int featureVersion = 0;
    std::string sketch, values; // names as in its space; for seeds
    std::vector<float> features;
    double ns = 0;         // 0: it failed
};

// Every call is one transaction, on disk when it returns.
class TuneJournal {
public:
    explicit TuneJournal(Database& database);

    Result<std::int64_t> addSession(const TuneSession& session, std::vector<TuneTask>& tasks,
                                    const std::vector<std::vector<TuneSketch>>& sketches); // gives the tasks their ids
    Result<std::vector<TuneSession>> sessions() const; // oldest first
    Result<std::optional<TuneSession>> session(std::int64_t id) const;
    Status setWish(std::int64_t session, TuneWish wish);
    Status setState(std::int64_t session, TuneState state, const std::string& message);
    Status addActiveSeconds(std::int64_t session, double seconds);

    Result<std::vector<TuneTask>> tasks(std::int64_t session) const;
    Status updateTask(const TuneTask& task); // everything but its identity
    Result<std::vector<TuneSketch>> sketches(std::int64_t task) const;

    // Failed when the number is there already: two tuners never write one trial twice.
    Status addTrial(const TuneTrial& trial);
    Result<std::vector<TuneTrial>> trials(std::int64_t task, int from = 0) const; // with numbers >= from, in order
    Status addRound(const TuneRound& round); // replaces one of that number
    Result<std::vector<TuneRound>> rounds(std::int64_t task) const;
    Status addFinal(const TuneFinal& final);
    Result<std::vector<TuneFinal>> finals(std::int64_t task) const; // fastest first

    // In place of what was kept of the same task.
    Status keepKin(const std::vector<TuneKin>& samples);
    // Of other tasks, newest first, at most so many of each task and all together.
    Result<std::vector<TuneKin>> kin(const std::string& kind, const std::string& target, int featureVersion, const std::string& exceptTask,
                                     int ofEach, int most) const;

private:
    Database* m_database;
};

} // namespace nw::record
