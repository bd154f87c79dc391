#include "engine/measure/runner/library.h"

#include "engine/base/text.h"

namespace nw::runner {

std::optional<wire::RunReply> runLibrary(const wire::RunJob& job, const LoadedData&, Rig&, RegionPool&, std::int64_t,
                                         const std::function<void()>&, wire::RunReply&, JobFailure& failure)
{
    failure = {wire::Outcome::Refused, refused(format("this runner knows no library '{}'", job.library))};
    return std::nullopt;
}

} // namespace nw::runner
