#pragma once

#include "engine/measure/runner/check.h"
#include "engine/measure/runner/disturbance.h"
#include "engine/measure/runner/rig.h"
#include "engine/wire/messages.h"

#include <cstdint>
#include <optional>

namespace nw::runner {

// What could not be done, and what that means for the job.
struct JobFailure {
    wire::Outcome outcome = wire::Outcome::DeviceUnavailable;
    Error error;
};

// Does run jobs, one after the other, and keeps between them what is costly to make: threads, buffers, what the
// processor showed of itself. One in a process, made before anything narrows its affinity.
class JobRunner {
public:
    JobRunner();

    // The reply, or nothing with `failure` set. `channelDescriptor` and `jobId` are for the report of a memory fault.
    std::optional<wire::RunReply> run(const wire::RunJob& job, int channelDescriptor, std::uint64_t jobId,
                                      JobFailure& failure);
    Team& team() { return m_team; }

private:
    class Run;

    Team m_team;
    Probes m_probes;
    Clock m_clock;
    Evictor m_evictor;
    Rig m_rig;
    RegionPool m_pool;
    std::optional<Load> m_lastLoad; // when the last job ended
};

} // namespace nw::runner
