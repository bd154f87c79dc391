#pragma once

#include "engine/base/stop.h"
#include "engine/record/record.h"
#include "engine/record/tune_journal.h"
#include "engine/schedule/task.h"
#include "engine/tune/bench.h"
#include "engine/tune/cost_model.h"
#include "engine/tune/settings.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nw::tune {

// The definition's text without its numbers: tasks of one kind are the same operator in other sizes.
std::string kindOf(const schedule::Task& task);

// What a task starts from.
struct TaskInput {
    record::TuneTask row;
    schedule::Task task;
    std::vector<record::TuneSketch> sketches; // names "default", "template", "hand", "mine" say whose script it is
    std::vector<record::TuneKin> kin;         // of other tasks of its kind
};

// Tunes one task, a batch at a time, and writes all into the journal. What the journal has of it is read first: a tuner that
// was killed goes on with the same history, model and proposals.
class TaskTuner {
public:
    static Result<std::unique_ptr<TaskTuner>> make(TaskInput input, const Settings& settings, record::TuneJournal journal, Bench& bench);
    ~TaskTuner();

    // Proposes, measures and learns from one batch, of at most so many candidates. False: there is nothing more to do, row()
    // says why. Failed when the journal cannot be written.
    Result<bool> round(int most, const StopToken& stop);
    bool isOpen() const; // rounds are left
    // Measures the fastest again, alternately under confirm, with the best of the scripts that were there before among them.
    // `keep` makes a record of the winner. Nothing to do where nothing ran.
    using Keep = std::function<Result<std::int64_t>(const std::string& script, record::Origin origin, const measure::Measurement&)>;
    Status confirm(const Keep& keep, const StopToken& stop);

    // The session's budget is spent: the task is done, as far as it came.
    Status endByBudget();
    const record::TuneTask& row() const;
    int sinceGain() const; // trials
    // Points worth a try: the best of another task of the same kind (sketch name and values).
    void addSeed(const std::string& sketch, const std::string& values);
    struct Best {
        std::string sketch, values, script;
        double ns = 0;
    };
    std::optional<Best> best() const; // by search
    // What others may learn from it, the fastest and some of all.
    std::vector<record::TuneKin> kin(std::size_t most);

private:
    struct State;
    explicit TaskTuner(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace nw::tune
