#pragma once

#include "tests/support/planted_tuning.h"
#include "tests/window/driver.h"

#include "engine/tune/settings.h"
#include "engine/tune/tuning_lock.h"

namespace nw::test {

// A journal in the project that a window shows, written as a tuner would from another process.
class TunerScene {
public:
    explicit TunerScene(Driver& driver); // the operator that is shown is the task

    record::TuneJournal& journal() { return *m_journal; }
    record::Database& database() { return *m_database; }
    // The small network's first convolution under a script with two knobs.
    PlantedSession session(int trials) const;
    std::string scriptOf(int rows, int wide) const; // plain
    std::unique_ptr<tune::TuningLock> lock() const;   // as long as it lives a tuner is at work

private:
    std::string m_task, m_group;
    std::filesystem::path m_project, m_runtime;
    std::unique_ptr<record::Database> m_database;
    std::unique_ptr<record::TuneJournal> m_journal;
};

} // namespace nw::test
