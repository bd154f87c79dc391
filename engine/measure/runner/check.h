#pragma once

#include "engine/base/result.h"
#include "engine/measure/runner/fault.h"
#include "engine/measure/runner/kernel.h"
#include "engine/measure/runner/port_data.h"
#include "engine/measure/runner/region.h"
#include "engine/wire/messages.h"

#include <cstdint>

namespace nw::runner {

struct CheckReport {
    wire::CheckVerdict verdict;
    double slowestRunNs = 0; // of the checked runs: a first idea of the time
    int runs = 0;
};

// Runs the entry on every data set with every buffer at both edges of its region (and once shifted by one element) and
// judges outputs, padding, marks around the buffers, and that inputs were left alone. The first fault ends it. An access
// to a guard page is reported by `faults` and does not come back.
Result<CheckReport> check(const LoadedCode& code, bool isModel, const LoadedData& data, std::int64_t threads,
                          RegionPool& pool, FaultReport& faults);

} // namespace nw::runner
