#include "engine/measure/runner/library.h"

#include "engine/base/json.h"
#include "engine/base/text.h"
#include "engine/measure/runner/bandwidth.h"
#include "engine/measure/runner/onednn.h"
#include "engine/measure/runner/openblas.h"
#include "engine/measure/runner/timing.h"

namespace nw::runner {

Result<std::unique_ptr<Subject>> makeLibrary(const std::string& library, const std::string& op, int threads, Team& team)
{
    if (library == "onednn") {
        team.limitLibraries(threads); // it divides its work when the operator is made
        return makeOneDnn(op);
    }
    if (library == "openblas") {
        team.limitLibraries(threads);
        return makeOpenBlas(op, threads);
    }
    if (library == "bandwidth") {
        const Json json = Json::parse(op, nullptr, false);
        if (json.is_object() && json.contains("bytes") && json["bytes"].is_number_integer()) {
            return makeBandwidth(team, json.value("kind", std::string()), json["bytes"].get<std::int64_t>());
        }
    }
    return refused(format("the runner knows no library '{}' with {}", library, op));
}

wire::Outcome outcomeOfLibrary(const Error& error)
{
    return error.message.starts_with("out of memory") ? wire::Outcome::OutOfMemory : wire::Outcome::Refused;
}

std::optional<wire::RunReply> runLibrary(const wire::RunJob& job, Rig& rig, std::int64_t deadlineNs,
                                         const std::function<void()>& beforeTiming, wire::RunReply& reply,
                                         JobFailure& failure)
{
    Result<std::unique_ptr<Subject>> subject = makeLibrary(job.library, job.libraryOp, job.threads, rig.team);
    if (!subject) {
        failure = {outcomeOfLibrary(subject.error()), subject.error()};
        return std::nullopt;
    }
    beforeTiming();
    const std::int64_t begin = rig.clock.now();
    (*subject)->run(1);
    timeSubject(rig, **subject, job.protocol, static_cast<double>(rig.clock.now() - begin), deadlineNs, reply);
    reply.bestAddsPerClock = rig.bestAddsPerClock;
    return reply;
}

} // namespace nw::runner
