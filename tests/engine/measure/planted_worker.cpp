// A worker that misbehaves on request: RunJob::symbol says how. Everything it does is meant to be told apart by
// measure::Worker.
#include "engine/wire/channel.h"

#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>
#include <vector>

using namespace nw;
using namespace nw::wire;

namespace {

void reply(Channel& channel, std::uint64_t id, const RunReply& answer, bool last = false)
{
    Frame frame;
    frame.kind = Frame::Kind::RunDone;
    frame.id = id;
    frame.body = encode(answer);
    frame.last = last;
    (void)channel.send(frame).has_value();
}

void sendError(Channel& channel, std::uint64_t id, Error error, Outcome outcome)
{
    Frame frame;
    frame.kind = Frame::Kind::Error;
    frame.id = id;
    frame.error = std::move(error);
    frame.outcome = outcome;
    (void)channel.send(frame).has_value();
}

[[noreturn]] void sleepForEver()
{
    while (true) {
        ::pause();
    }
}

void raw(const Channel& channel, const std::string& bytes)
{
    [[maybe_unused]] const ssize_t written = ::write(channel.fileDescriptor(), bytes.data(), bytes.size());
}

// Two children of the worker that ignore SIGTERM: one spins, one sleeps.
void makeChildren()
{
    for (const bool spins : {true, false}) {
        if (::fork() == 0) {
            std::signal(SIGTERM, SIG_IGN);
            volatile bool for_ever = true;
            while (spins && for_ever) {
            }
            sleepForEver();
        }
    }
}

void printMuch()
{
    const std::string line(999, 'x');
    for (int i = 0; i < 100000; ++i) {
        std::printf("%s\n", line.c_str());
    }
    std::printf("the last line\n");
    std::fflush(stdout);
}

void misbehave(const std::string& mode, Channel& channel, std::uint64_t id)
{
    if (mode == "crash") {
        std::fprintf(stderr, "about to crash\n");
        std::raise(SIGSEGV);
    } else if (mode == "abort") {
        std::abort();
    } else if (mode == "hang") {
        sleepForEver();
    } else if (mode == "ignores-term") {
        std::signal(SIGTERM, SIG_IGN);
        makeChildren();
        sleepForEver();
    } else if (mode == "exit0") {
        std::_Exit(0);
    } else if (mode == "exit1") {
        std::_Exit(1);
    } else if (mode == "garbage") {
        raw(channel, "\x05\x01\x01\x7fthis is no frame");
        sleepForEver();
    } else if (mode == "garbage-frame") {
        raw(channel, std::string("\x05\0\0\0hello", 9));
        sleepForEver();
    } else if (mode == "half-answer") {
        raw(channel, std::string("\x20\0\0\0hello", 9));
        std::_Exit(0);
    } else if (mode == "wrong-id") {
        reply(channel, id + 7, {});
        sleepForEver();
    } else if (mode == "last-answer") {
        RunReply answer;
        answer.medianNs = 41;
        reply(channel, id, answer, true);
        std::this_thread::sleep_for(std::chrono::milliseconds(500)); // slow to go, and reads no more
        std::_Exit(0);
    } else if (mode == "hang-up") {
        ::close(channel.fileDescriptor());
        sleepForEver();
    } else if (mode == "orphan-holds-connection") {
        makeChildren();
        std::_Exit(3);
    } else if (mode == "killed") {
        std::raise(SIGKILL);
    } else if (mode == "bad-alloc") {
        std::vector<std::string> hoard;
        while (true) {
            hoard.emplace_back(std::size_t{64} << 20, 'x');
        }
    } else if (mode == "print") {
        printMuch();
    } else if (mode == "spin") {
        volatile bool for_ever = true;
        while (for_ever) {
        }
    }
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 2) {
        return 2;
    }
    Channel channel(std::atoi(argv[1]));
    while (true) {
        const Result<Frame> frame = channel.receive(-1);
        if (!frame) {
            return 0;
        }
        if (frame->kind == Frame::Kind::Build) {
            sendError(channel, frame->id, failed("LLVM said no"), Outcome::Ok);
            continue;
        }
        const Result<RunJob> job = decodeRunJob(frame->body);
        if (!job) {
            return 3;
        }
        if (job->symbol == "refuse") {
            sendError(channel, frame->id, refused("not like this"), Outcome::Ok);
            continue;
        }
        if (job->symbol == "error-memory") {
            sendError(channel, frame->id, failed("no room for the buffers"), Outcome::OutOfMemory);
            continue;
        }
        misbehave(job->symbol, channel, frame->id);
        RunReply answer;
        answer.medianNs = 42;
        answer.note = argc > 2 ? argv[2] : "";
        if (job->symbol == "wrong") {
            answer.verdict = {true, false, 1, 1, "output 2, element 17: got 1, expected 2    "};
        }
        if (job->symbol == "slow") {
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
        }
        reply(channel, frame->id, answer);
    }
}
