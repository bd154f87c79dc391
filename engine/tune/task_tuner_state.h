#pragma once

#include "engine/tune/candidates.h"
#include "engine/tune/history.h"
#include "engine/tune/learner.h"
#include "engine/tune/task_tuner.h"

#include <memory>

// What the sources of TaskTuner share; never included from elsewhere.
namespace nw::tune {

struct TaskTuner::State : Judge {
    static constexpr std::size_t kKept = 4096;   // candidates with their features
    static constexpr std::size_t kLearned = 1536; // trials that the model learns from: the fastest and the last

    State(TaskInput given, const Settings& wanted, record::TuneJournal kept, Bench& where, Space made, schedule::LoopNest initial);

    void restore(const std::vector<record::TuneTrial>& trials, const std::vector<record::TuneRound>& rounds);
    void addSeed(const std::string& sketch, const std::string& values);
    std::vector<Proposal> starting();
    std::vector<Proposal> proposals(int count);
    std::vector<std::optional<double>> scores(std::span<const Point> points) override;
    bool wasTried(const Point& point) const override;
    std::uint64_t identity(const Point& point) const override;
    void learn();
    Result<bool> round(int most, const StopToken& stop);
    void close();
    bool open() const;
    void takeHistory(); // into the row
    void takeFigures(const record::TuneTrial& trial, const measure::Measurement& m, const std::string& sketch);

    TaskInput input;
    Settings settings;
    record::TuneJournal journal;
    Bench* bench;
    std::unique_ptr<Space> space; // others point to it
    Candidates candidates;
    History history;
    Learner learner;
    std::vector<Point> seeds;
    int number = 0;    // of the next trial
    int nextRound = 0;
};

} // namespace nw::tune
