#include "engine/code/builder.h"

#include "engine/base/text.h"
#include "engine/compute/definition.h"
#include "engine/schedule/script.h"
#include "engine/schedule/task.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

namespace nw::code {
namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start)
{
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Made {
    std::optional<CompiledObject> object;
    std::optional<Error> error;
    double lowerMs = 0;
};

Made makeKernel(const wire::KernelJob& job, const Target& target)
{
    Made made;
    const auto start = Clock::now();
    const auto lowered = lowerKernel(job, target);
    made.lowerMs = millisecondsSince(start);
    if (!lowered) {
        made.error = lowered.error();
        return made;
    }
    auto object = compileKernel(job.symbol, *lowered, target, {job.listings});
    if (object) {
        made.object = *std::move(object);
    } else {
        made.error = object.error();
    }
    return made;
}

// Index of the first kernel that is the same but for its symbol, for each kernel.
std::vector<std::size_t> representatives(const std::vector<wire::KernelJob>& kernels)
{
    std::map<std::string, std::size_t> known;
    std::vector<std::size_t> first;
    for (std::size_t index = 0; index < kernels.size(); ++index) {
        const wire::KernelJob& kernel = kernels[index];
        const std::string key = join({kernel.definition, join(kernel.layouts, "\n"), kernel.script, kernel.listings ? "1" : "0"}, "\1");
        first.push_back(known.emplace(key, index).first->second);
    }
    return first;
}

} // namespace

Result<lower::Lowered> lowerKernel(const wire::KernelJob& job, const Target& target)
{
    auto definition = compute::parseDefinition(job.definition);
    if (!definition) {
        return definition.error();
    }
    std::vector<Layout> layouts;
    for (const std::string& text : job.layouts) {
        auto layout = parseLayout(text);
        if (!layout) {
            return layout.error();
        }
        layouts.push_back(*std::move(layout));
    }
    layouts.resize(definition->ports.size());
    const auto initial = schedule::initialNest(std::make_shared<const compute::Definition>(*std::move(definition)), layouts);
    if (!initial) {
        return initial.error();
    }
    const schedule::Context context{&target};
    const auto script = schedule::parseScript(job.script, schedule::allPrimitives(), context);
    if (!script) {
        return script.error();
    }
    // Whoever sent the script decided about unproven steps; the result is checked against the oracle either way.
    const auto replayed = schedule::replay(*initial, *script, {}, context, true);
    if (!replayed) {
        return replayed.error();
    }
    return lower::lower(replayed->nest(), target);
}

Builder::Builder(int threads)
    : m_pool(std::max(threads, 1))
{}

Result<const CompiledObject*> Builder::parallelRuntime(const Target& target)
{
    const std::string key = target.toText();
    if (const auto found = m_runtimes.find(key); found != m_runtimes.end()) {
        return &found->second;
    }
    auto made = compileParallelRuntime(target);
    if (!made) {
        return made.error();
    }
    return &m_runtimes.emplace(key, *std::move(made)).first->second;
}

Result<wire::BuildReply> Builder::build(const wire::BuildJob& job)
{
    const std::vector<std::size_t> first = representatives(job.kernels);
    std::vector<Made> made(job.kernels.size());
    m_pool.parallelFor(static_cast<std::int64_t>(made.size()), [&](std::int64_t at) {
        const auto index = static_cast<std::size_t>(at);
        if (first[index] == index) {
            made[index] = makeKernel(job.kernels[index], job.target);
        }
    });
    wire::BuildReply reply;
    reply.path = job.outputPath;
    std::vector<const CompiledObject*> objects;
    std::vector<SymbolAlias> aliases;
    std::vector<std::string> symbols;
    std::int64_t workspace = 0;
    bool callsParallel = false;
    for (std::size_t index = 0; index < made.size(); ++index) {
        const Made& kernel = made[first[index]];
        if (kernel.error) {
            Error error = *kernel.error;
            error.message = made.size() == 1 ? error.message : format("{}: {}", job.kernels[index].symbol, error.message);
            return error;
        }
        symbols.push_back(kernel.object->symbol);
        reply.kernels.push_back(kernel.object->listing);
        reply.kernels.back().symbol = job.kernels[index].symbol;
        workspace = std::max(workspace, kernel.object->listing.workspaceBytes);
        if (first[index] != index) {
            aliases.push_back({job.kernels[index].symbol, kernel.object->symbol});
            continue;
        }
        objects.push_back(&*kernel.object);
        callsParallel |= kernel.object->callsParallel;
        reply.lowerMs += kernel.lowerMs;
        reply.optimizeMs += kernel.object->optimizeMs;
        reply.codegenMs += kernel.object->codegenMs;
    }
    const std::int64_t workspaceOffset = (job.arenaBytes + 63) / 64 * 64;
    reply.arenaBytes = workspaceOffset + workspace;
    std::optional<CompiledObject> entry;
    if (!job.calls.empty()) {
        auto compiled = compileModelEntry(job.calls, symbols, workspaceOffset, job.target);
        if (!compiled) {
            return compiled.error();
        }
        entry = *std::move(compiled);
        reply.codegenMs += entry->codegenMs;
        objects.push_back(&*entry);
    }
    if (callsParallel) {
        const auto runtime = parallelRuntime(job.target);
        if (!runtime) {
            return runtime.error();
        }
        objects.push_back(*runtime);
    }
    const auto start = Clock::now();
    if (Status linked = linkSharedObject(objects, job.outputPath, aliases); !linked) {
        return linked.error();
    }
    reply.linkMs = millisecondsSince(start);
    return reply;
}

} // namespace nw::code
