#pragma once

#include "views/tuner/remaining_time.h"
#include "views/tuner/trial_series.h"
#include "views/tuner/tuner_values.h"

#include <QString>

#include <utility>
#include <vector>

namespace nw::views {

// Words of the tuner's panel, in the language of the window.
QString phaseText(TunerPhase phase, const TunerStatus& status, const std::vector<record::TuneTask>& tasks);
QString rangeText(const RemainingTime::Range& range); // "4 to 7 min", "about 30 s"
QString durationText(double seconds);                 // "45 s", "12 min", "1 h 20 min"
// "best 0.741 ms; last gain 212 trials ago, +0.4 %"; empty without trials.
QString gainText(const TrialSeries& series);
// Why it may as well stop; empty while gains come. `plateau`: of the budget, 0: none.
QString stopAdvice(const TrialSeries& series, int plateau);
QString outcomeText(const std::string& outcome);        // "wrong result"
QString causeText(const TrialSeries::Cause& cause);
QString taskStateText(const std::string& state);
QString fromText(const std::string& from);              // who proposed a trial
QString searchText(const QString& search);
QString startFromText(const QString& from);
// What is wrong with the cost model; empty: nothing.
QString modelWarning(const std::vector<record::TuneRound>& rounds);
// "tile=0.41 wide=0.22" of the last round that has any, in that order.
std::vector<std::pair<QString, double>> importanceOf(const std::vector<record::TuneRound>& rounds);
// Candidates that rules refused before they cost a build, by rule, the most first; of the last round that says so.
std::vector<std::pair<QString, int>> refusedOf(const std::vector<record::TuneRound>& rounds);
// "trial 212, round 4, mutation: tile: 0.741 ms ±1.2 %"
QString trialText(const record::TuneTrial& trial);
QString speedText(double gflops); // three digits and "GFLOP/s"

} // namespace nw::views
