#pragma once

#include "engine/measure/runner/job.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace nw::runner {

// Times another library's operator on the job's data (RunJob::library, RunJob::libraryOp) by the same protocol.
// `beforeTiming` binds the threads once the operator is ready.
std::optional<wire::RunReply> runLibrary(const wire::RunJob& job, const LoadedData& data, Rig& rig, RegionPool& pool,
                                         std::int64_t deadlineNs, const std::function<void()>& beforeTiming,
                                         wire::RunReply& reply, JobFailure& failure);

} // namespace nw::runner
