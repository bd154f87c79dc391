// What the measuring protocols are worth on this machine (DESIGN.md 4, MEASURING.md):
//   a pair of a kernel with itself gives 1.00 +- 0.02, ten times in ten;
//   a pair with a kernel slowed by 4 % says so, ten times in ten;
//   a pair on two threads states the difference that it can decide, and does not claim one that is not there;
//   confirm beside a busy process gives the undisturbed figure within 5 %, or says that it is noisy.
// Prints figures; exit code 6 when one does not hold. It compiles its kernels with cc.
#include "engine/measure/worker.h"
#include "engine/wire/messages.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

using namespace nw;

namespace {

// About 50 us of multiply-adds on each of the threads that it is run with; `extra` per cent more of the same work.
std::string compileKernel(const std::string& folder, const std::string& name, int extra)
{
    const std::string source = folder + "/" + name + ".c";
    const std::string object = folder + "/" + name + ".so";
    std::ofstream(source) << "#include <stdint.h>\n"
                             "struct env { int64_t threads; uint64_t* stamps; };\n"
                             "void nw_parallel(void (*)(void*, int64_t, int64_t), void*, int64_t, int64_t);\n"
                             "static void part(void* pointer, int64_t begin, int64_t end) {\n"
                             "float* y = pointer;\n"
                             "for (int64_t p = begin; p < end; ++p) {\n"
                             "float s[64];\n"
                             "for (int i = 0; i < 64; ++i) s[i] = i;\n"
                             "for (int r = 0; r < 20000 + 200 * " << extra << "; ++r)\n"
                             "  for (int i = 0; i < 64; ++i) s[i] = s[i] * 0.999f + 0.001f;\n"
                             "for (int i = 0; i < 64; ++i) y[64 * p + i] = s[i];\n}\n}\n"
                             "void kernel(void* const* ports, const struct env* env) {\n"
                             "if (env->threads > 1) nw_parallel(part, ports[0], env->threads, env->threads);\n"
                             "else part(ports[0], 0, 1);\n}\n";
    const std::string command = "cc -O3 -march=native -ffp-contract=fast -shared -fPIC -w -o " + object + " " + source;
    return std::system(command.c_str()) == 0 ? object : std::string();
}

wire::RunJob jobOf(const std::string& object, const wire::Protocol& protocol, int threads)
{
    wire::RunJob job;
    job.sharedObject = object;
    job.symbol = "kernel";
    wire::PortData output;
    output.role = wire::PortRole::Output;
    output.bytes = std::int64_t{64} * 4 * threads;
    job.dataSets = {{output}};
    job.protocol = protocol;
    job.threads = threads;
    job.timeoutMs = 60000;
    return job;
}

class Bench {
public:
    Bench(const std::string& runner, std::string folder)
        : m_worker({runner, 0, 0, {}})
        , m_same(compileKernel(folder, "same", 0))
        , m_slow(compileKernel(folder, "slow", 4))
    {}
    bool isReady() const { return !m_same.empty() && !m_slow.empty(); }

    // Ten pairs; how many came out as they should.
    bool pairs(const char* title, const std::string& rival, int threads, double expected)
    {
        int right = 0;
        for (int i = 0; i < 10; ++i) {
            wire::RunJob job = jobOf(m_same, {"pair", false, 10, 15, 12000, 0}, threads);
            job.rivals = {{rival, "kernel", {}, "", ""}};
            const auto result = m_worker.run(job);
            if (!result) {
                std::printf("%s: %s\n", title, result.error.message.c_str());
                continue;
            }
            const wire::RunReply& run = result.value;
            // Where nothing differs, nothing may be claimed; a difference must be claimed, and in its direction.
            const bool claims = std::abs(run.pairRatio - 1) > run.pairDecidable;
            const bool fine = expected == 1 ? !claims && (threads > 1 || std::abs(run.pairRatio - 1) <= 0.02)
                                            : claims && run.pairRatio > 1;
            right += fine ? 1 : 0;
            std::printf("%s: ratio %.4f, half-width %.4f, decides %.1f %%, clean %d of %d%s %s\n", title, run.pairRatio,
                        run.pairHalfWidth, run.pairDecidable * 100, run.pairClean, run.pairTotal, fine ? "" : "  WRONG",
                        run.note.c_str());
        }
        std::printf("%s: %d of 10 right\n", title, right);
        return right == 10;
    }

    bool besideABusyProcess()
    {
        const auto quiet = m_worker.run(jobOf(m_same, {"confirm", false, 20, 15, 6000, 0}, 1));
        const pid_t busy = ::fork();
        if (busy == 0) {
            volatile double x = 1;
            while (true) {
                x = x * 1.0000001;
            }
        }
        const auto disturbed = m_worker.run(jobOf(m_same, {"confirm", false, 20, 15, 6000, 0}, 1));
        ::kill(busy, SIGKILL);
        ::waitpid(busy, nullptr, 0);
        if (!quiet || !disturbed) {
            std::printf("confirm: %s%s\n", quiet.error.message.c_str(), disturbed.error.message.c_str());
            return false;
        }
        const double ratio = disturbed.value.medianNs / quiet.value.medianNs;
        const bool fine = disturbed.value.noisy || quiet.value.noisy || std::abs(ratio - 1) <= 0.05;
        std::printf("confirm: undisturbed %.0f ns%s, beside a busy process %.0f ns%s: %.3f %s\n", quiet.value.medianNs,
                    quiet.value.noisy ? " (noisy)" : "", disturbed.value.medianNs, disturbed.value.noisy ? " (noisy)" : "",
                    ratio, fine ? "" : "WRONG");
        return fine;
    }

    bool all()
    {
        const bool same = pairs("the same kernel", m_same, 1, 1);
        const bool slower = pairs("4 % slower", m_slow, 1, 1.04);
        const bool two = pairs("the same kernel, two threads", m_same, 2, 1);
        const bool confirmed = besideABusyProcess();
        return same && slower && two && confirmed;
    }

private:
    measure::Worker m_worker;
    std::string m_same, m_slow;
};

} // namespace

int main(int argc, char** argv)
{
    std::string runner = argc > 1 ? argv[1] : NW_RUNNER;
    char pattern[] = "/tmp/nw-pair-check-XXXXXX";
    if (::mkdtemp(pattern) == nullptr) {
        std::fprintf(stderr, "no temporary folder\n");
        return 1;
    }
    Bench bench(runner, pattern);
    if (!bench.isReady()) {
        std::fprintf(stderr, "cc cannot compile the kernels\n");
        return 1;
    }
    return bench.all() ? 0 : 6;
}
