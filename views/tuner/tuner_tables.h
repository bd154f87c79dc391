#pragma once

#include "views/tuner/trial_series.h"

#include <QString>

#include <utility>
#include <vector>

namespace nw::views {

// What the tuner's panel shows, as tables for other programs: the names of columns first, times in nanoseconds, shares of one.
QString trialsCsv(const TrialSeries& series);
QString tasksCsv(const std::vector<record::TuneTask>& tasks);
QString causesCsv(const TrialSeries& series);
QString roundsCsv(const std::vector<record::TuneRound>& rounds);
QString sharesCsv(const std::vector<std::pair<QString, double>>& shares);

} // namespace nw::views
