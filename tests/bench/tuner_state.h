#pragma once

#include "engine/base/stop.h"
#include "engine/record/tune_journal.h"
#include "engine/session/project.h"
#include "engine/tune/bench.h"
#include "engine/tune/space.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nw::bench {

// What a session of the tuner is to do. Two that differ in any of these (but the kin) are two sessions.
struct Wanted {
    std::string purpose; // "search", "kin", "neighbour", "rate", "memory"
    std::string from;    // "template": the expert's beside the default rule; "sketch": made from the definition alone
    std::string search = "evolutionary";
    std::uint64_t seed = 1;
    int trials = 0;
    bool model = true;
    bool confirms = false; // the fastest are measured again in the end
    bool keepsKin = false; // what it taught goes into the state, in the end
    std::vector<record::TuneKin> kin;
};

// What became of it.
struct Tuned {
    record::TuneTask row;
    std::vector<record::TuneSketch> sketches;
    std::vector<record::TuneTrial> trials;
    std::vector<record::TuneRound> rounds;
    int wanted = 0;
    bool isWhole = false; // all trials, or nothing more to try; and confirmed, where that was wanted
    std::string winner;   // plain script of the fastest under confirm; empty: none
    // "120 of 200", with why there will be no more
    std::string progress() const;
};

Result<std::vector<record::TuneSketch>> scriptsFrom(const std::string& from, const session::Operator& op);
Result<tune::Space> spaceOf(const std::vector<record::TuneSketch>& sketches, const schedule::Task& task);

// The file that everything is kept in: a run that was killed goes on where it was. One process at a time.
class TunerState {
public:
    // `onlyReads`: nothing is tuned or measured; what is not there is missing.
    static Result<std::unique_ptr<TunerState>> open(const std::filesystem::path& path, const session::Folders& folders, bool onlyReads,
                                                    const StopToken& stop);
    ~TunerState();

    using OnRound = std::function<void(const record::TuneTask& row)>;
    Result<Tuned> tuned(const session::Operator& op, const Wanted& wanted, tune::Bench& bench, const OnRound& onRound = {});
    // Of these tasks only.
    Result<std::vector<record::TuneKin>> kinOf(const session::Operator& op, const std::vector<std::string>& tasks);
    // Scripts that won any session of the task.
    Result<std::vector<std::string>> winners(const std::string& task);

    record::Database& database();
    bool onlyReads() const;
    const StopToken& stop() const;

private:
    struct State;
    explicit TunerState(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace nw::bench
