#include "engine/measure/runner/serve.h"

#include "engine/measure/runner/job.h"
#include "engine/wire/channel.h"
#include "engine/wire/kernel_abi.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>

namespace nw::runner {
namespace {

// Generated code calls nw_parallel without a context of ours, and a forked copy must find the connection: these two
// can only be static.
std::atomic<Team*> teamOfProcess{nullptr};
std::atomic<int> channelOfProcess{-1};

void endGroup(int)
{
    ::kill(0, SIGKILL);
}

// A copy made by a kernel that forks must not answer for us.
void closeChannelInCopy()
{
    ::close(channelOfProcess.load());
}

bool hasChildren()
{
    while (true) {
        const pid_t child = ::waitpid(-1, nullptr, WNOHANG);
        if (child == 0) {
            return true;
        }
        if (child < 0 && errno != EINTR) {
            return false;
        }
    }
}

wire::Frame answer(JobRunner& runner, const wire::Frame& request, int channelDescriptor)
{
    wire::Frame frame;
    frame.id = request.id;
    frame.kind = wire::Frame::Kind::Error;
    const Result<wire::RunJob> job = wire::decodeRunJob(request.body);
    if (!job) {
        frame.outcome = wire::Outcome::ProtocolError;
        frame.error = job.error();
        return frame;
    }
    JobFailure failure;
    const std::optional<wire::RunReply> reply = runner.run(*job, channelDescriptor, request.id, failure);
    if (reply) {
        frame.kind = wire::Frame::Kind::RunDone;
        frame.body = wire::encode(*reply);
    } else {
        frame.outcome = failure.outcome;
        frame.error = failure.error;
    }
    return frame;
}

} // namespace

int serve(int channelDescriptor)
{
    JobRunner runner;
    teamOfProcess.store(&runner.team());
    channelOfProcess.store(channelDescriptor);
    ::pthread_atfork(nullptr, nullptr, &closeChannelInCopy);
    // When the client dies, so do the processes that a kernel may have started: they are in our group.
    std::signal(SIGTERM, &endGroup);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);

    wire::Channel channel(channelDescriptor);
    wire::Frame hello;
    hello.body = "runner";
    if (!channel.send(hello)) {
        return 1;
    }
    while (true) {
        const Result<wire::Frame> request = channel.receive(-1);
        if (!request) {
            return request.error().message == wire::Channel::kEnded ? 0 : 1;
        }
        if (request->kind != wire::Frame::Kind::Run) {
            continue;
        }
        wire::Frame reply = answer(runner, *request, channelDescriptor);
        // Copies that a kernel left would steal time from the next measurement: we go with them, and the answer says so, or
        // the client's next job could meet a process that is about to end.
        const bool left = hasChildren();
        reply.last = reply.last || left;
        const Status sent = channel.send(reply);
        if (left) {
            endGroup(0);
        }
        if (!sent) {
            return 1;
        }
    }
}

} // namespace nw::runner

extern "C" __attribute__((visibility("default"))) void nw_parallel(nw_task task, void* context, std::int64_t n,
                                                                   std::int64_t threads)
{
    nw::runner::Team* const team = nw::runner::teamOfProcess.load(std::memory_order_relaxed);
    if (team == nullptr) {
        task(context, 0, n);
        return;
    }
    team->parallel(task, context, n, threads);
}
