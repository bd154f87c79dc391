// How a tuning session begins: which tasks, from which scripts, and what the model's time says of their weight.
#include "engine/session/tuning.h"

#include "engine/base/text.h"
#include "engine/session/workbench.h"
#include "engine/tune/sketches.h"
#include "engine/tune/space.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace nw::session {
namespace {

std::string joinPairs(const std::map<std::string, std::string>& pairs)
{
    std::vector<std::string> parts;
    for (const auto& [name, value] : pairs) {
        parts.push_back(name + ":" + value);
    }
    return join(parts, ",");
}

std::map<std::string, std::string> splitPairs(const std::string& text)
{
    std::map<std::string, std::string> pairs;
    for (const std::string& part : splitText(text, ',')) {
        const std::size_t colon = part.rfind(':');
        if (colon != std::string::npos) {
            pairs[part.substr(0, colon)] = part.substr(colon + 1);
        }
    }
    return pairs;
}

// Nanoseconds of the model that its groups take; empty when it cannot be run: then every operator weighs alike.
std::vector<double> profiled(Project& project, measure::LocalDevice& device, const StopToken& stop)
{
    ModelRunOptions options;
    const graph::Graph& graph = *project.graph();
    for (const graph::ValueId input : graph.inputs) {
        const auto shape = graph.staticShape(input);
        // Zeros are right for indices, and fast or slow for nothing.
        Result<Tensor> tensor = shape ? Tensor::create(graph.values[static_cast<std::size_t>(input)].type.type, *shape)
                                      : Result<Tensor>(failed("no static shape"));
        if (!tensor) {
            return {};
        }
        options.inputs.push_back(*std::move(tensor));
    }
    options.protocol = "none";
    options.profileRuns = 5;
    const Result<ModelRun> run = runModel(project, device, options, stop);
    return run ? run->groupNs : std::vector<double>{};
}

// A template that a usual budget exhausts leaves the rest of it to sketches: a softmax's has three legal choices.
bool hasFewChoices(const std::string& script, const schedule::Task& task)
{
    constexpr std::uint64_t kFew = 1000;
    const Result<tune::Space> space = tune::Space::make({{"template", script}}, task);
    return space && space->count().count < kFew;
}

} // namespace

Result<std::unique_ptr<record::Database>> openUserDatabase(const Folders& folders)
{
    std::error_code code;
    std::filesystem::create_directories(folders.data, code);
    return record::Database::open(folders.data / "records.db");
}

void keepOpenOptions(tune::Settings& settings, const OpenOptions& options)
{
    settings.threads = options.threads;
    settings.target = options.target;
    settings.algorithms = joinPairs(options.algorithms);
    std::map<std::string, std::string> bind;
    for (const auto& [name, extent] : options.bind) {
        bind[name] = std::to_string(extent);
    }
    settings.bind = joinPairs(bind);
}

OpenOptions openOptionsOf(const tune::Settings& settings)
{
    OpenOptions options;
    options.threads = settings.threads;
    options.target = settings.target;
    options.algorithms = splitPairs(settings.algorithms);
    for (const auto& [name, extent] : splitPairs(settings.bind)) {
        options.bind[name] = std::strtoll(extent.c_str(), nullptr, 10);
    }
    return options;
}

Result<std::vector<record::TuneSketch>> sketchesOf(Project& project, const Operator& op, const tune::Settings& settings)
{
    std::vector<record::TuneSketch> sketches;
    const auto add = [&](const std::string& name, const std::string& script) {
        sketches.push_back({0, static_cast<int>(sketches.size()), name, script});
    };
    const Result<std::string> fallback = defaultScript(op);
    if (!fallback) {
        return fallback.error();
    }
    add("default", *fallback);
    const Result<Project::Chosen> chosen = project.script(op);
    if (!chosen) {
        return chosen.error();
    }
    const bool isWritten = chosen->from == "edit" || chosen->from == "sample";
    const Result<std::string> hand = isWritten ? plainScript(chosen->script, op) : Result<std::string>(refused(""));
    if (hand) {
        add("hand", *hand);
    }
    const std::optional<std::string> expert = templateScript(op);
    const bool wantsTemplate = settings.from == "template" || settings.from == "all";
    if (settings.from == "template" && !expert) {
        return refused(format("No expert template fits {}. Tune it from sketches (--from sketch), or from your own script (--from mine).", op.name));
    }
    if (expert && wantsTemplate) {
        add("template", *expert);
    } else if (expert) {
        if (const Result<std::string> plain = plainScript(*expert, op)) {
            add("template", *plain);
        }
    }
    const Result<schedule::LoopNest> initial = schedule::initialNest(op.task);
    if (!initial) {
        return initial.error();
    }
    if (settings.from == "mine" && !hand) {
        return refused(format("{} has no script of yours whose numbers could vary. Edit it first, or tune it from a template or from sketches.", op.name));
    }
    if (hand && (settings.from == "mine" || settings.from == "all")) {
        const std::vector<std::string> words = splitWords(settings.fixedLoops);
        const Result<std::string> seeded = tune::seededFrom(op.task, *initial, chosen->script, {words.begin(), words.end()});
        if (seeded) {
            add("mine", *seeded);
        } else if (settings.from == "mine") {
            return seeded.error();
        }
    }
    if (settings.from == "sketch" || (settings.from == "all" && (!expert || hasFewChoices(*expert, op.task)))) {
        for (const tune::Sketch& sketch : tune::sketchesFor(op.task, *initial)) {
            add(sketch.name, sketch.script);
        }
    }
    return sketches;
}

Result<std::int64_t> beginTuning(Project& project, measure::LocalDevice& device, const tune::Settings& settings,
                                 const std::vector<std::string>& groups, const StopToken& stop)
{
    if (project.database() == nullptr) {
        return refused("Tuning needs a project that is kept: nothing could be resumed otherwise.");
    }
    const Result<std::vector<const Operator*>> all = project.operators();
    if (!all) {
        return all.error();
    }
    for (const std::string& group : groups) {
        if (const Result<const Operator*> found = project.find(group); !found) {
            return found.error();
        }
    }
    const std::vector<double> times = groups.empty() && all->size() > 1 ? profiled(project, device, stop) : std::vector<double>{};
    std::vector<record::TuneTask> tasks;
    std::vector<std::vector<record::TuneSketch>> sketches;
    for (const Operator* op : *all) {
        if (!groups.empty() && std::find(groups.begin(), groups.end(), op->name) == groups.end()) {
            continue;
        }
        if (stop.stopRequested()) {
            return stopped("Stopped before the tuning began.");
        }
        const double ns = static_cast<std::size_t>(op->group) < times.size() ? times[static_cast<std::size_t>(op->group)] : 0;
        const auto same = std::find_if(tasks.begin(), tasks.end(), [&](const record::TuneTask& t) { return t.task == op->taskId; });
        if (same != tasks.end()) {
            same->inModelNs += ns;
            continue;
        }
        Result<std::vector<record::TuneSketch>> from = sketchesOf(project, *op, settings);
        if (!from && (from.error().kind != Error::Kind::Refused || !groups.empty())) {
            return from.error();
        }
        if (!from) {
            continue; // of a whole model, those that have such a script
        }
        record::TuneTask task;
        task.task = op->taskId;
        task.anchor = op->task.anchorIdentity();
        task.group = op->name;
        task.algorithm = op->task.algorithm;
        task.threads = op->task.threads;
        task.count = op->count;
        task.inModelNs = ns;
        task.nominalFlops = op->work.nominalFlops;
        std::vector<std::pair<std::string, std::string>> scripts;
        for (const record::TuneSketch& sketch : *from) {
            scripts.emplace_back(sketch.name, sketch.script);
        }
        const Result<tune::Space> space = tune::Space::make(scripts, op->task);
        if (!space) {
            return space.error();
        }
        task.choices = space->count().toText();
        tasks.push_back(std::move(task));
        sketches.push_back(*std::move(from));
    }
    if (tasks.empty()) {
        return refused("There is nothing to tune: no operator has a script of the wanted sort.");
    }
    record::TuneSession session;
    session.settings = settings.toText();
    session.device = device.name();
    return record::TuneJournal(*project.database()).addSession(session, tasks, sketches);
}

} // namespace nw::session
