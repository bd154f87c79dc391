#pragma once

#include "engine/measure/runner/job.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace nw::runner {

// Times something that is not ours by the same protocol (RunJob::library, RunJob::libraryOp): "onednn" an operator of
// oneDNN, "bandwidth" a pass over memory. `beforeTiming` binds the threads once it is ready.
std::optional<wire::RunReply> runLibrary(const wire::RunJob& job, Rig& rig, std::int64_t deadlineNs,
                                         const std::function<void()>& beforeTiming, wire::RunReply& reply,
                                         JobFailure& failure);

} // namespace nw::runner
