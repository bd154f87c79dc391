#pragma once

#include "engine/measure/runner/job.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace nw::runner {

// An operator of a library, ready to run on data of its own (RunJob::library, RunJob::libraryOp): "onednn" one of oneDNN,
// "openblas" a product of OpenBLAS, "bandwidth" a pass over memory. Refused when the library is not there or has none.
Result<std::unique_ptr<Subject>> makeLibrary(const std::string& library, const std::string& op, int threads, Team& team);
// Does that failure mean that there was no memory?
wire::Outcome outcomeOfLibrary(const Error& error);

// Times something that is not ours by the same protocol. `beforeTiming` binds the threads once it is ready.
std::optional<wire::RunReply> runLibrary(const wire::RunJob& job, Rig& rig, std::int64_t deadlineNs,
                                         const std::function<void()>& beforeTiming, wire::RunReply& reply,
                                         JobFailure& failure);

} // namespace nw::runner
