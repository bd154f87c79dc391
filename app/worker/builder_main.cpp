// nestwright-builder FD: compiles what the client at the other end of the socket FD asks for, until it hangs up.
// nestwright-builder --once DEFINITION SCRIPT -o OUT.so: the same for one kernel, for looking at its code.
#include "engine/base/ensure.h"
#include "engine/base/files.h"
#include "engine/base/target.h"
#include "engine/base/text.h"
#include "engine/code/builder.h"
#include "engine/wire/channel.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

namespace {

using namespace nw;

wire::Outcome outcomeOf(const Error& error)
{
    switch (error.kind) {
    case Error::Kind::Refused:
        return wire::Outcome::Refused;
    case Error::Kind::Failed:
        return wire::Outcome::DoesNotBuild;
    case Error::Kind::Stopped:
        return wire::Outcome::Stopped;
    }
    return wire::Outcome::DoesNotBuild;
}

// A Bug costs one job, not the process.
Result<wire::BuildReply> buildSafely(code::Builder& builder, const wire::BuildJob& job)
{
    try {
        return builder.build(job);
    } catch (const Bug& bug) {
        return failed(format("This is a fault of the compiler, not of the schedule: {}", bug.what()));
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "out of memory\n");
        std::abort(); // what is left cannot be trusted; the client reads the outcome off the end of the process
    }
}

wire::Frame answer(code::Builder& builder, const wire::Frame& request)
{
    wire::Frame reply;
    reply.id = request.id;
    reply.kind = wire::Frame::Kind::Error;
    if (request.kind != wire::Frame::Kind::Build) {
        reply.error = failed("nestwright-builder answers build jobs only.");
        reply.outcome = wire::Outcome::ProtocolError;
        return reply;
    }
    const auto job = wire::decodeBuildJob(request.body);
    if (!job) {
        reply.error = job.error();
        reply.outcome = wire::Outcome::ProtocolError;
        return reply;
    }
    const auto built = buildSafely(builder, *job);
    if (!built) {
        reply.error = built.error();
        reply.outcome = outcomeOf(built.error());
        return reply;
    }
    reply.kind = wire::Frame::Kind::BuildDone;
    reply.body = wire::encode(*built);
    return reply;
}

int serve(int descriptor)
{
    wire::Channel channel(descriptor);
    code::Builder builder(nativeTarget().cores);
    for (;;) {
        const auto request = channel.receive(-1);
        if (!request) {
            return 0; // the client is gone
        }
        if (!channel.send(answer(builder, *request))) {
            return 1;
        }
    }
}

struct Once {
    std::string definitionPath, scriptPath, outputPath;
    std::string target = "native";
    std::vector<std::string> layouts;
    bool printsAssembly = false, printsIr = false, printsLowered = false;
};

Result<Once> parseOnce(const std::vector<std::string>& words)
{
    Once once;
    for (std::size_t at = 0; at < words.size(); ++at) {
        const std::string& word = words[at];
        const bool takesValue = word == "-o" || word == "--target" || word == "--layout";
        if (takesValue && at + 1 == words.size()) {
            return failed(format("{} needs a value behind it.", word));
        }
        if (word == "-o") {
            once.outputPath = words[++at];
        } else if (word == "--target") {
            once.target = words[++at];
        } else if (word == "--layout") { // in port order
            once.layouts.push_back(words[++at]);
        } else if (word == "--asm") {
            once.printsAssembly = true;
        } else if (word == "--ir") {
            once.printsIr = true;
        } else if (word == "--lowered") {
            once.printsLowered = true;
        } else if (word.starts_with("-")) {
            return failed(format("There is no option {}.", word));
        } else {
            (once.definitionPath.empty() ? once.definitionPath : once.scriptPath) = word;
        }
    }
    if (once.definitionPath.empty() || once.outputPath.empty()) {
        return failed("A definition file and -o OUT.so are needed.");
    }
    return once;
}

Result<wire::BuildReply> buildOnce(const Once& once)
{
    const auto target = targetByName(once.target);
    if (!target) {
        return target.error();
    }
    const auto definition = readFile(once.definitionPath);
    if (!definition) {
        return definition.error();
    }
    const auto script = once.scriptPath.empty() ? Result<std::string>(std::string()) : readFile(once.scriptPath);
    if (!script) {
        return script.error();
    }
    wire::BuildJob job;
    job.target = *target;
    job.outputPath = once.outputPath;
    job.kernels.push_back({"kernel_0", *definition, once.layouts, *script, true});
    code::Builder builder(1);
    return builder.build(job);
}

int runOnce(const std::vector<std::string>& words)
{
    const auto once = parseOnce(words);
    if (!once) {
        std::fprintf(stderr,
                     "%s\nnestwright-builder --once DEFINITION [SCRIPT] -o OUT.so [--target T] [--layout L]... [--asm] [--ir] "
                     "[--lowered]\n",
                     once.error().message.c_str());
        return 2;
    }
    const auto built = buildOnce(*once);
    if (!built) {
        const Error& error = built.error();
        std::fprintf(stderr, "%s%s\n", error.line > 0 ? format("line {}, column {}: ", error.line, error.column).c_str() : "",
                     error.message.c_str());
        return error.kind == Error::Kind::Refused ? 3 : 1;
    }
    const wire::KernelListing& kernel = built->kernels.front();
    const auto print = [](bool wanted, const std::string& text) {
        if (wanted) {
            std::fputs(text.c_str(), stdout);
        }
    };
    print(once->printsLowered, kernel.loweredText);
    print(once->printsIr, kernel.llvmIr);
    print(once->printsAssembly, kernel.assembly);
    std::fprintf(stderr,
                 "%s: %lld bytes of code, %d spills in innermost loops, %d in all; hottest loop: %d vector registers, %d FMAs; "
                 "lower %.1f ms, optimise %.1f ms, code %.1f ms, link %.1f ms\n",
                 built->path.c_str(), static_cast<long long>(kernel.codeBytes), kernel.spills, kernel.totalSpills,
                 kernel.vectorRegisters, kernel.fmas, built->lowerMs, built->optimizeMs, built->codegenMs, built->linkMs);
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    const std::vector<std::string> words(argv + 1, argv + argc);
    try {
        if (!words.empty() && words.front() == "--once") {
            return runOnce({words.begin() + 1, words.end()});
        }
        if (words.empty()) {
            std::fprintf(stderr, "nestwright-builder is started by nestwright and nestw; it takes the number of a connected "
                                 "socket. For one kernel by hand: --once DEFINITION [SCRIPT] -o OUT.so\n");
            return 2;
        }
        return serve(std::atoi(words.front().c_str()));
    } catch (const Bug& bug) {
        std::fprintf(stderr, "nestwright-builder: bug: %s\n", bug.what());
        return 1;
    }
}
