#include "engine/measure/runner/library.h"

#include "engine/base/json.h"
#include "engine/base/text.h"
#include "engine/measure/runner/bandwidth.h"
#include "engine/measure/runner/onednn.h"
#include "engine/measure/runner/timing.h"

namespace nw::runner {
namespace {

Result<std::unique_ptr<Subject>> makeSubject(const wire::RunJob& job, Team& team)
{
    if (job.library == "onednn") {
        team.limitLibraries(job.threads); // it divides its work when the operator is made
        return makeOneDnn(job.libraryOp);
    }
    if (job.library == "bandwidth") {
        const Json json = Json::parse(job.libraryOp, nullptr, false);
        if (json.is_object() && json.contains("bytes") && json["bytes"].is_number_integer()) {
            return makeBandwidth(team, json.value("kind", std::string()), json["bytes"].get<std::int64_t>());
        }
    }
    return refused(format("the runner knows no library '{}' with {}", job.library, job.libraryOp));
}

} // namespace

std::optional<wire::RunReply> runLibrary(const wire::RunJob& job, Rig& rig, std::int64_t deadlineNs,
                                         const std::function<void()>& beforeTiming, wire::RunReply& reply,
                                         JobFailure& failure)
{
    Result<std::unique_ptr<Subject>> subject = makeSubject(job, rig.team);
    if (!subject) {
        const bool noMemory = subject.error().message.starts_with("out of memory");
        failure = {noMemory ? wire::Outcome::OutOfMemory : wire::Outcome::Refused, subject.error()};
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
