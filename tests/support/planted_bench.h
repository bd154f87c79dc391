#pragma once

#include "engine/record/tune_journal.h"
#include "engine/tune/task_tuner.h"

#include <QTemporaryDir>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nw::test {

measure::Measurement ran(double ns);
measure::Measurement failedRun(wire::Outcome outcome, const std::string& message);

// The number behind "name:" in a plain script; 0 where there is none.
double numberIn(const std::string& script, const std::string& name);
bool has(const std::string& script, const std::string& words);

// A bench without a machine: what a script takes comes of a rule.
class PlantedBench : public tune::Bench {
public:
    using Rule = std::function<measure::Measurement(const std::string& script)>;
    explicit PlantedBench(Rule rule)
        : m_rule(std::move(rule))
    {}
    void measureAll(const schedule::Task& task, const std::vector<std::string>& scripts,
                    const std::function<bool(std::size_t, const measure::Measurement&)>& onEach, const StopToken& stop) override;
    std::vector<measure::Measurement> confirm(const schedule::Task& task, const std::vector<std::string>& scripts,
                                              const StopToken& stop) override;

    std::vector<std::string> measured, confirmed; // in order
    Rule confirmRule;                             // under confirm, where that differs
    std::function<void()> afterEach;

private:
    Rule m_rule;
};

// Where a task of one definition is tuned: a journal of its own, and tuners that come and go.
class TuneDesk {
public:
    // Sketches by name and script.
    TuneDesk(const std::string& definition, const std::vector<std::pair<std::string, std::string>>& sketches, const Target& target);

    // A tuner as a program would make it that has just been started.
    std::unique_ptr<tune::TaskTuner> tuner(tune::Bench& bench, const tune::Settings& settings, const std::vector<record::TuneKin>& kin = {});
    // Rounds of at most `batch` until so many trials are there or there is nothing more to do.
    static void tune(tune::TaskTuner& tuner, int trials);

    const schedule::Task& task() const { return m_task; }
    record::TuneJournal journal() { return record::TuneJournal(*m_database); }
    std::vector<record::TuneTrial> trials();
    std::vector<record::TuneRound> rounds();
    record::TuneTask row(); // as it is kept
    // "0 tiles a=1 b=2 random 1000; ..." without times of day.
    std::string story(std::size_t from = 0);
    // Trial by which something was within so much of the best possible; 0: never.
    int trialsTo(double ns);

private:
    QTemporaryDir m_folder; // in memory where it can be: every trial waits for the disk
    schedule::Task m_task;
    std::unique_ptr<record::Database> m_database;
    std::vector<record::TuneSketch> m_sketches;
    std::int64_t m_session = 0;
};

} // namespace nw::test
