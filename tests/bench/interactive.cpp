// How long a person waits (DESIGN.md 8): replay of a 20-step script whose last step changed, one step on a nest of forty
// loops, legality of every primitive for a loop, and from a step to its first quick figure. Prints medians; exit code 6 when
// one is above its limit.

#include "engine/measure/device.h"
#include "engine/schedule/script.h"
#include "engine/session/project.h"
#include "tests/bench/median.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

using namespace nw;
using bench::medianOf;

namespace {

template <typename Work>
double millisecondsOf(Work&& work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Twenty steps on the convolution; the last splits a loop by `factor`.
std::string twentySteps(int factor)
{
    return "split oc into oco:_ oci:16\n"
           "split ow into owo:_ owi:14\n"
           "split ic into ico:_ ici:8\n"
           "reorder oco oh owo ico kh kw ici owi oci\n"
           "set_layout W as (o, i, h, w) -> (o / 16, i, h, w, o % 16)\n"
           "cache_write conv at owo in stack\n"
           "split oci into ocv:_ ocl:8\n"
           "split owi into owa:_ owb:7\n"
           "split oh into oho:_ ohi:4\n"
           "reorder oho oco ohi\n"
           "split oco into oca:_ ocb:2\n"
           "reverse_compute_at relu at owo\n"
           "vectorize ocl\n"
           "unroll ocv\n"
           "unroll owb\n"
           "unroll kw\n"
           "split oca into ocx:_ ocy:2\n"
           "fuse oho ocx into outer\n"
           "parallel outer\n"
           "split ici into icx:_ icy:" +
           std::to_string(factor) + "\n";
}

// A convolution and what follows it, stage by stage: 47 loops, of which the steps below leave 42.
std::string fortyLoops()
{
    std::string text = "definition conv\ninput X f32 [2, 64, 58, 58]\nconstant W f32 [64, 64, 3, 3]\noutput Y f32 [2, 56, 56]\n"
                       "stage conv f32 [n:2, oc:64, oh:56, ow:56] sum [ic:64, kh:3, kw:3] from 0.0 =\n"
                       "    X[n, ic, oh + kh, ow + kw] * W[oc, ic, kh, kw]\n";
    std::string last = "conv";
    for (int i = 1; i <= 9; ++i) {
        text += "stage s" + std::to_string(i) + " f32 [n:2, c:64, h:56, w:56] =\n    max(" + last + "[n, c, h, w] * 2.0, 0.0)\n";
        last = "s" + std::to_string(i);
    }
    return text + "stage top -> Y f32 [n:2, h:56, w:56] max [r0:64] from -inf =\n    " + last + "[n, r0, h, w]\n";
}

constexpr const char* kTwelve[] = {
    "split oc into oco:_ oci:16",
    "split ow into owo:_ owi:14",
    "split ic into ico:_ ici:8",
    "reorder n oco oh owo ico kh kw ici owi oci",
    "cache_write conv at owo in stack",
    "reverse_compute_at s1 at owo",
    "vectorize oci",
    "unroll owi",
    "compute_inline s3",
    "merge s4.n s5.n",
    "fuse n oco into f",
    "parallel f",
};

struct Applying {
    std::vector<double> steps; // median of each, in milliseconds
    std::size_t fewest = 1000; // loops of a nest that a step was done to
    schedule::LoopNest nest;
};
// Check and rewrite of one step after the other; the words are read beforehand.
Result<Applying> applyTwelve(const schedule::Context& context)
{
    const Result<compute::Definition> definition = compute::parseDefinition(fortyLoops());
    if (!definition) {
        return definition.error();
    }
    const Result<schedule::LoopNest> plain =
        schedule::initialNest(std::make_shared<const compute::Definition>(*definition), std::vector<Layout>(definition->ports.size()));
    if (!plain) {
        return plain.error();
    }
    Applying made;
    made.nest = *plain;
    for (const char* line : kTwelve) {
        const Result<schedule::Script> step = schedule::parseScript(line, schedule::allPrimitives(), context);
        if (!step) {
            return step.error();
        }
        made.fewest = std::min(made.fewest, made.nest.allLoops().size());
        std::vector<double> times;
        Result<schedule::Replay> done = failed("");
        for (int i = 0; i < 21; ++i) {
            times.push_back(millisecondsOf([&] { done = schedule::replay(made.nest, *step, {}, context); }));
        }
        if (!done) {
            return failed(std::string(line) + ": " + done.error().message);
        }
        made.steps.push_back(medianOf(times));
        made.nest = done->nest();
    }
    return made;
}

int report(const char* what, double value, double limit, const char* unit)
{
    const bool fine = value <= limit;
    std::printf("%-64s %10.3f %s  limit %.0f %s  %s\n", what, value, unit, limit, unit, fine ? "ok" : "ABOVE");
    return fine ? 0 : 6;
}

} // namespace

int main(int argc, char** argv)
{
    const std::string samples = argc > 1 ? argv[1] : NW_SOURCE_DIR "/projects";
    const Result<session::Folders> folders = session::userFolders();
    const Result<measure::Programs> programs = measure::findPrograms();
    if (!folders || !programs) {
        std::fprintf(stderr, "%s\n", (folders ? programs.error() : folders.error()).message.c_str());
        return 1;
    }
    session::OpenOptions options;
    options.ephemeral = true;
    const Result<std::unique_ptr<session::Project>> project = session::Project::open(samples + "/conv3x3", options, *folders);
    if (!project) {
        std::fprintf(stderr, "%s\n", project.error().message.c_str());
        return 1;
    }
    const Result<const session::Operator*> found = (*project)->find("conv.0");
    if (!found) {
        std::fprintf(stderr, "%s\n", found.error().message.c_str());
        return 1;
    }
    const session::Operator& op = **found;
    const schedule::Context context{&op.task.target};
    const Result<schedule::LoopNest> initial = schedule::initialNest(op.task);
    if (!initial) {
        return 1;
    }

    int code = 0;
    std::vector<double> cold;
    std::vector<double> warm;
    schedule::ReplayCache cache(*initial, context);
    for (int i = 0; i < 200; ++i) {
        const std::string text = twentySteps(2 + i % 7);
        Result<schedule::Replay> replayed = failed("");
        warm.push_back(1000 * millisecondsOf([&] { replayed = cache.replayText(text); }));
        if (!replayed) {
            std::fprintf(stderr, "the script was refused: line %d: %s\n", replayed.error().line, replayed.error().message.c_str());
            return 1;
        }
        if (i < 40) {
            cold.push_back(1000 * millisecondsOf([&] {
                schedule::ReplayCache fresh(*initial, context);
                replayed = fresh.replayText(text);
            }));
        }
    }
    // Every text of the loop above differs from the one before in its last line only; the first seven are new.
    std::printf("%-64s %10.3f us\n", "20-step script, nothing cached", medianOf(cold));
    code |= report("20-step script, last step changed: parse, check, replay", medianOf({warm.begin() + 1, warm.begin() + 7}), 200, "us");

    const Result<Applying> applied = applyTwelve(context);
    if (!applied) {
        std::fprintf(stderr, "%s\n", applied.error().message.c_str());
        return 1;
    }
    std::printf("12 steps on %zu loops and more, %zu loops after them\n", applied->fewest, applied->nest.allLoops().size());
    code |= report("one step of 12 on 40 loops, check and rewrite (median)", medianOf(applied->steps), 5, "ms");
    code |= report("one step of 12 on 40 loops, check and rewrite (slowest)", *std::max_element(applied->steps.begin(), applied->steps.end()), 5, "ms");
    std::vector<double> asked;
    for (const schedule::Loop* loop : applied->nest.allLoops()) {
        asked.push_back(millisecondsOf([&] { schedule::offers(applied->nest, loop->name, schedule::allPrimitives(), context); }));
    }
    code |= report("all primitives for one loop of these (slowest loop)", *std::max_element(asked.begin(), asked.end()), 50, "ms");

    const Result<schedule::Script> script = schedule::parseScript(twentySteps(2), schedule::allPrimitives(), context);
    const Result<schedule::Replay> replay = schedule::replay(*initial, *script, {}, context);
    std::vector<double> legality;
    for (const schedule::Loop* loop : replay->nest().allLoops()) {
        legality.push_back(millisecondsOf([&] { schedule::offers(replay->nest(), loop->name, schedule::allPrimitives(), context); }));
    }
    code |= report("all primitives for one loop of that nest (slowest loop)", *std::max_element(legality.begin(), legality.end()), 50, "ms");

    measure::LocalDevice device({*programs, folders->cache, folders->runtime, measure::Priority::Interactive, 120000, 30000,
                                 std::int64_t{4} << 30});
    const Status prepared = device.prepare(op.task);
    if (!prepared) {
        std::fprintf(stderr, "%s\n", prepared.error().message.c_str());
        return 1;
    }
    // The sample's tile with other widths: kernels of 2 to 5 ms.
    const auto tile = [](int columns, int channels) {
        return "split oc into oco:_ ocv:16/lanes(f32) oci:lanes(f32)\nsplit ow into owo:_ owi:" + std::to_string(columns) +
               "\nsplit ic into ico:_ ici:" + std::to_string(channels) +
               "\nreorder oco oh owo ico kh kw ici owi ocv oci\ncache_write conv at owo in registers\n"
               "reverse_compute_at relu at owo\nvectorize oci\nunroll ocv\nunroll owi\n"
               "set_layout W as (o, i, h, w) -> (o / 16, i, h, w, o % 16)\n";
    };
    static_cast<void>(device.measure(op.task, tile(4, 16), "quick"));
    std::vector<double> toFigure;
    for (const auto& [columns, channels] : std::vector<std::pair<int, int>>{{2, 16}, {4, 8}, {4, 32}, {5, 16}, {6, 16}, {2, 32}, {4, 64}}) {
        measure::Measurement m;
        toFigure.push_back(millisecondsOf([&, text = tile(columns, channels)] { m = device.measure(op.task, text, "quick"); }));
        if (m.outcome != wire::Outcome::Ok) {
            std::fprintf(stderr, "%s\n", m.error.message.c_str());
            return 1;
        }
        std::printf("  step -> figure %.0f ms (build %.0f ms), kernel %.3f ms\n", toFigure.back(), m.buildMs, m.medianNs / 1e6);
    }
    code |= report("step applied -> quick figure (oracle cached, builder warm)", medianOf(toFigure), 300, "ms");
    return code;
}
