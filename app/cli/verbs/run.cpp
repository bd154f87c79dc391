#include "app/cli/command.h"
#include "app/cli/tensors.h"

#include "engine/base/text.h"
#include "engine/model/onnx_file.h"
#include "engine/session/workbench.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

namespace nw::app {
namespace {

struct Options {
    std::vector<std::string> inputs, expected, outputs;
    double tolerance = 1e-4;
    std::string protocol = "quick";
    bool profile = false, onlyDefault = false;
};

struct Difference {
    double absolute = 0, relative = 0;
    bool within = true;
};

Difference differenceOf(const Tensor& got, const Tensor& wanted, double tolerance)
{
    double largest = 0;
    Difference d;
    for (std::int64_t i = 0; i < wanted.count(); ++i) {
        largest = std::max(largest, std::abs(wanted.asDouble(i)));
    }
    for (std::int64_t i = 0; i < wanted.count(); ++i) {
        const double difference = std::abs(got.asDouble(i) - wanted.asDouble(i));
        const bool bothNan = std::isnan(got.asDouble(i)) && std::isnan(wanted.asDouble(i));
        if (!bothNan && !(difference <= tolerance * largest)) {
            d.within = false;
        }
        d.absolute = std::max(d.absolute, std::isnan(difference) && !bothNan ? HUGE_VAL : difference);
    }
    d.relative = largest > 0 ? d.absolute / largest : d.absolute;
    return d;
}

void printProfile(const Session& session, const std::vector<const session::Operator*>& operators, const std::vector<double>& ns)
{
    std::vector<std::size_t> order(std::min(operators.size(), ns.size()));
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ns[a] > ns[b]; });
    const double total = std::accumulate(ns.begin(), ns.end(), 0.0);
    std::vector<std::vector<std::string>> rows;
    for (const std::size_t i : order) {
        const session::Operator& op = *operators[i];
        rows.push_back({op.name, op.nodeNames.empty() ? "layout" : join(op.nodeNames, "+"), timeText(ns[i]), percentText(ns[i] / total),
                        ns[i] > 0 ? format("{:.1f}", op.work.flops / ns[i]) : "", countText(op.work.flops), op.taskId.substr(0, 8),
                        std::to_string(op.count)});
        session.emit({{"group", op.name}, {"operators", op.nodeNames}, {"median_ns", ns[i]}, {"share", ns[i] / total},
                      {"flops", op.work.flops}, {"task", op.taskId}, {"count", op.count}});
    }
    session.say(tableText({"operator", "nodes", "time", "share", "GFLOP/s", "FLOPs", "task", "count"}, rows));
}

Status saveOutputs(const std::vector<std::string>& files, const std::vector<Tensor>& outputs, const graph::Graph& graph)
{
    for (std::size_t i = 0; i < files.size() && i < outputs.size(); ++i) {
        const std::string& name = graph.values[static_cast<std::size_t>(graph.outputs[i])].name;
        const Status written = model::writeTensorFile(files[i], name, outputs[i]);
        if (!written) {
            return written;
        }
    }
    return Done{};
}

// Prints each output and its difference; the exit code says whether all were within.
int judge(const Session& session, const session::ModelRun& run, const graph::Graph& graph, const std::vector<Tensor>& expected,
          const Options& wanted)
{
    int code = Fine;
    for (std::size_t i = 0; i < run.result.outputs.size(); ++i) {
        const Tensor& output = run.result.outputs[i];
        const std::string& name = graph.values[static_cast<std::size_t>(graph.outputs[i])].name;
        Json object{{"output", name}, {"shape", output.shape()}};
        std::string text = format("output {} [{}]", name, fmt::join(output.shape(), ", "));
        if (i < expected.size()) {
            const Difference d = expected[i].shape() == output.shape() ? differenceOf(output, expected[i], wanted.tolerance)
                                                                        : Difference{HUGE_VAL, HUGE_VAL, false};
            text += format("  largest difference {:.3g} ({:.3g} of the largest value): {}", d.absolute, d.relative,
                           d.within ? "within tolerance" : "DIFFERS");
            object.update({{"ok", d.within}, {"max_abs_diff", d.absolute}, {"max_rel_diff", d.relative}});
            code = d.within ? code : int{WrongResult};
        }
        session.say(text);
        session.emit(std::move(object));
    }
    return code;
}

int runModelVerb(const CommonOptions& options, const Options& wanted)
{
    Session session(options);
    Result<session::Project*> opened = session.project();
    if (!opened) {
        return session.fail(opened.error());
    }
    session::Project& project = **opened;
    const graph::Graph& graph = *project.graph();
    const Result<std::vector<const session::Operator*>> operators = project.operators();
    if (!operators) {
        return session.fail(operators.error());
    }
    session::ModelRunOptions run;
    Result<std::vector<Tensor>> inputs = inputsFrom(wanted.inputs, graph);
    if (!inputs) {
        return session.fail(inputs.error());
    }
    run.inputs = *std::move(inputs);
    for (const std::string& file : wanted.expected) {
        Result<Tensor> tensor = model::readTensorFile(file);
        if (!tensor) {
            return session.fail(tensor.error());
        }
        run.expected.push_back(*std::move(tensor));
    }
    run.tolerance = wanted.tolerance;
    run.protocol = wanted.protocol;
    run.profileRuns = wanted.profile ? 20 : 0;
    run.onlyDefaultScripts = wanted.onlyDefault;
    const Result<measure::LocalDevice*> device = session.device();
    if (!device) {
        return session.fail(device.error());
    }
    session.progress("building and running");
    const Result<session::ModelRun> done = session::runModel(project, **device, run, session.stop());
    session.progress("");
    if (!done) {
        return session.fail(done.error());
    }
    if (done->result.outcome != wire::Outcome::Ok && done->result.outcome != wire::Outcome::WrongResult) {
        return session.fail(done->result.outcome, done->result.error);
    }
    const int code = judge(session, *done, graph, run.expected, wanted);
    const Status saved = saveOutputs(wanted.outputs, done->result.outputs, graph);
    if (!saved) {
        return session.fail(saved.error());
    }
    if (done->result.outcome == wire::Outcome::WrongResult) {
        return session.fail(done->result.outcome, done->result.error);
    }
    const wire::RunReply& timing = done->result.run;
    if (wanted.protocol != "none") {
        session.say(format("one run {} ± {} ({} clean of {}{}), {} thread(s)", timeText(timing.medianNs), percentText(timing.spread),
                           timing.clean, timing.total, timing.noisy ? ", NOISY" : "", project.choices().threads));
    }
    session.say(format("{} kernels for {} operators, built in {:.1f} s; arena {}, constants {}", done->kernels, operators->size(),
                       done->buildMs / 1000, bytesText(done->arenaBytes), bytesText(done->constantBytes)));
    session.emit({{"ok", code == Fine}, {"median_ns", timing.medianNs}, {"spread", timing.spread}, {"n", timing.clean}, {"total", timing.total},
                  {"noisy", timing.noisy}, {"threads", project.choices().threads}, {"kernels", done->kernels},
                  {"build_ms", done->buildMs}, {"arena_bytes", done->arenaBytes}, {"constant_bytes", done->constantBytes},
                  {"device", "local"}});
    if (wanted.profile) {
        printProfile(session, *operators, done->groupNs);
    }
    return code;
}

} // namespace

void addRun(const Arguments& program, CommonOptions& options, int& exitCode)
{
    const Arguments verb = program.verb("run", "compile a whole model, run it, compare its outputs, time it");
    addCommon(verb, options);
    const auto wanted = std::make_shared<Options>();
    verb.option("--input", wanted->inputs, "arange, random:SEED or a .pb file; once an input, in the model's order")
        .oneEach();
    verb.option("--expect", wanted->expected, "a .pb file; once an output, in the model's order").oneEach();
    verb.option("--output", wanted->outputs, "write an output to this .pb file; once an output").oneEach();
    verb.option("--tolerance", wanted->tolerance, "of the largest expected value").notNegative();
    verb.option("--protocol", wanted->protocol, "quick, confirm or none (outputs only)")
        .oneOf({"quick", "search", "confirm", "none"});
    verb.flag("--profile", wanted->profile, "the operator table by time in the model");
    verb.flag("--default", wanted->onlyDefault, "only the fallback schedules");
    verb.run([&options, &exitCode, wanted] { exitCode = runModelVerb(options, *wanted); });
}

} // namespace nw::app
