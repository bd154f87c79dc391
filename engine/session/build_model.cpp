#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "engine/session/workbench.h"

#include <map>
#include <utility>

namespace nw::session {
namespace {

wire::CallArgument::Space toWire(plan::Space space)
{
    switch (space) {
    case plan::Space::Input:
        return wire::CallArgument::Space::Input;
    case plan::Space::Output:
        return wire::CallArgument::Space::Output;
    case plan::Space::Constant:
        return wire::CallArgument::Space::Constant;
    case plan::Space::Arena:
        return wire::CallArgument::Space::Arena;
    }
    return wire::CallArgument::Space::Arena;
}

// Gathers kernels (equal ones once), packed constants (each form once) and calls while walking the operators.
class Assembly {
public:
    Assembly(const plan::Plan& plan, bool allowUnproven)
        : m_graph(*plan.graph)
        , m_plan(plan)
        , m_allowUnproven(allowUnproven)
    {}

    Status add(const Operator& op, const std::string& script)
    {
        const schedule::Context context{&op.task.target};
        const Result<schedule::LoopNest> initial = schedule::initialNest(op.task);
        if (!initial) {
            return initial.error();
        }
        const Result<schedule::Script> parsed = schedule::parseScript(script, schedule::allPrimitives(), context);
        if (!parsed) {
            return parsed.error();
        }
        const Result<schedule::Replay> replayed = schedule::replay(*initial, *parsed, {}, context, true);
        if (!replayed) {
            return replayed.error();
        }
        for (const std::string& step : unprovenSteps(*replayed)) {
            if (!m_allowUnproven) {
                return failed(step + " A model with a step that is not proved is only made when this is asked for: nestw export --unproven.");
            }
            unproven.push_back(op.name + ", " + step);
        }
        wire::ModelCall call{kernelOf(op, script), {}};
        const plan::Call& planned = m_plan.calls[static_cast<std::size_t>(op.group)];
        const std::vector<compute::Port>& ports = op.task.definition->ports;
        for (std::size_t i = 0; i < ports.size(); ++i) {
            const plan::Place& place = planned.places[i];
            wire::CallArgument argument{toWire(place.space), place.index, place.offset};
            if (place.space == plan::Space::Constant) {
                const schedule::Buffer* buffer = replayed->nest().buffer(ports[i].name);
                ENSURE(buffer != nullptr, "a port without a buffer");
                const Result<int> packed = packedIndex(place.index, buffer->layout);
                if (!packed) {
                    return packed.error();
                }
                argument.index = *packed;
            }
            call.arguments.push_back(argument);
        }
        job.calls.push_back(std::move(call));
        return Done{};
    }

    wire::BuildJob job;
    std::vector<std::vector<std::byte>> constants;
    std::vector<std::string> unproven;

private:
    int kernelOf(const Operator& op, const std::string& script)
    {
        const auto [found, isNew] = m_kernels.try_emplace({op.taskId, script}, static_cast<int>(job.kernels.size()));
        if (isNew) {
            wire::KernelJob kernel;
            kernel.symbol = "kernel_" + std::to_string(found->second);
            kernel.definition = compute::toText(*op.task.definition);
            for (const Layout& layout : op.task.layouts) {
                kernel.layouts.push_back(layout.toText());
            }
            kernel.script = script;
            job.kernels.push_back(std::move(kernel));
        }
        return found->second;
    }

    Result<int> packedIndex(int constant, const Layout& layout)
    {
        const auto [found, isNew] = m_packed.try_emplace({constant, layout.toText()}, static_cast<int>(constants.size()));
        if (isNew) {
            const graph::Value& value =
                m_graph.values[static_cast<std::size_t>(m_plan.constants[static_cast<std::size_t>(constant)])];
            if (!value.constant) {
                return failed("The constant " + value.name + " has no value.");
            }
            constants.push_back(measure::packTensor(*value.constant, layout));
        }
        return found->second;
    }

    const graph::Graph& m_graph;
    const plan::Plan& m_plan;
    const bool m_allowUnproven;
    std::map<std::pair<std::string, std::string>, int> m_kernels;
    std::map<std::pair<int, std::string>, int> m_packed;
};

} // namespace

std::vector<std::string> unprovenSteps(const schedule::Replay& replay)
{
    std::vector<std::string> steps;
    for (const schedule::Step& step : replay.steps) {
        if (step.check.verdict == schedule::Verdict::Unproven) {
            steps.push_back(format("line {}: {}: {}.", step.line, step.text, fillWords(step.check.why.words, step.check.why.operands)));
        }
    }
    return steps;
}

Result<BuiltModel> buildModel(Project& project, measure::LocalDevice& device, const BuildModelOptions& options,
                              const StopToken& stop)
{
    const Result<const plan::Plan*> plan = project.plan();
    if (!plan) {
        return plan.error();
    }
    const Result<std::vector<const Operator*>> operators = project.operators();
    if (!operators) {
        return operators.error();
    }
    Assembly assembly(**plan, options.allowUnproven);
    for (const Operator* op : *operators) {
        Result<Project::Chosen> chosen = failed("");
        if (options.onlyDefaultScripts) {
            const Result<std::string> rule = defaultScript(*op);
            if (!rule) {
                return rule.error();
            }
            chosen = Project::Chosen{*rule, "default", 0};
        } else {
            chosen = project.shippedScript(*op);
        }
        if (!chosen) {
            return chosen.error();
        }
        const Status added = assembly.add(*op, chosen->script);
        if (!added) {
            Error error = added.error();
            error.message = op->name + ": " + error.message;
            return error;
        }
    }
    assembly.job.arenaBytes = (*plan)->arenaBytes;
    assembly.job.outputPath = options.outputPath.string();
    assembly.job.timeoutMs = options.timeoutMs;
    for (const Operator* op : *operators) {
        assembly.job.target = op->task.target;
    }
    const std::size_t kernels = assembly.job.kernels.size();
    const measure::JobResult<wire::BuildReply> built = device.builder().build(assembly.job, stop);
    if (!built) {
        Error error = built.error;
        error.message = "The model could not be built (" + std::string(wire::toText(built.outcome)) + "): " + error.message;
        return error;
    }
    return BuiltModel{built.value, std::move(assembly.constants), built.value.arenaBytes, kernels, std::move(assembly.unproven)};
}

} // namespace nw::session
