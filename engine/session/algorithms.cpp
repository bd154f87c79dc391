#include "engine/session/algorithms.h"

#include "engine/base/text.h"
#include "engine/plan/algorithms.h"
#include "engine/session/project_state.h"

#include <algorithm>

namespace nw::session {

Result<std::map<std::string, std::vector<std::string>>> algorithmsOf(const Project& project)
{
    const Result<std::vector<plan::Group>> groups = plan::fuseGroups(*project.graph());
    if (!groups) {
        return groups.error();
    }
    std::map<std::string, std::vector<std::string>> found;
    for (const plan::Group& group : *groups) {
        std::vector<std::string> algorithms = plan::algorithmsOf(*project.graph(), group);
        if (algorithms.size() > 1) {
            found.emplace(group.name, std::move(algorithms));
        }
    }
    return found;
}

Result<Operator> operatorBy(Project& project, const Operator& op, const std::string& algorithm)
{
    if (algorithm == op.task.algorithm) {
        return op;
    }
    plan::Choices choices = plannedChoices(project.choices(), project.target());
    choices.algorithms = {{op.name, algorithm}};
    const Result<plan::Plan> plan = plan::makePlan(project.graph(), choices);
    if (!plan) {
        return plan.error();
    }
    const auto group = std::find_if(plan->groups.begin(), plan->groups.end(), [&](const plan::Group& g) { return g.name == op.name; });
    ENSURE(group != plan->groups.end(), "an operator without its group");
    Result<Operator> made = makeOperator(*plan, static_cast<std::size_t>(group - plan->groups.begin()), choices, project.target());
    if (made) {
        made->count = op.count;
    }
    return made;
}

measure::Together measureEach(measure::LocalDevice& device, const std::vector<measure::LocalDevice::Entry>& entries,
                              const std::vector<measure::LibraryOp>& libraries, const std::string& protocol, const StopToken& stop)
{
    if (protocol != "search") {
        return device.measureTogether(entries, libraries, protocol, stop);
    }
    measure::Together made;
    for (const measure::LocalDevice::Entry& entry : entries) {
        made.scripts.push_back(device.measure(entry.task, entry.script, protocol, false, stop));
    }
    for (const measure::LibraryOp& one : libraries) {
        made.libraries.push_back(device.measureLibrary(entries.front().task, one, protocol, stop));
    }
    return made;
}

record::Origin originOf(const Project::Chosen& chosen)
{
    if (chosen.recorded) {
        return *chosen.recorded;
    }
    return chosen.from == "default" ? record::Origin::Default : chosen.from == "template" ? record::Origin::Template : record::Origin::Edit;
}

namespace {

// Each algorithm with the script that it would be built with.
struct Entrants {
    std::vector<Operator> operators;
    std::vector<Project::Chosen> chosen;
};
Result<Entrants> entrantsOf(Project& project, const Operator& op, const std::vector<std::string>& algorithms)
{
    Entrants made;
    for (const std::string& algorithm : algorithms) {
        Result<Operator> other = operatorBy(project, op, algorithm);
        Result<Project::Chosen> chosen = other ? project.shippedScript(*other) : Result<Project::Chosen>(other.error());
        if (!chosen) {
            return chosen.error();
        }
        made.operators.push_back(*std::move(other));
        made.chosen.push_back(*std::move(chosen));
    }
    return made;
}

Result<AlgorithmSweep> sweepOf(Project& project, measure::LocalDevice& device, const Operator& op, const std::vector<std::string>& algorithms,
                               const std::string& protocol, const OnAlgorithm& onTrial, const StopToken& stop)
{
    const Result<Entrants> entrants = entrantsOf(project, op, algorithms);
    if (!entrants) {
        return entrants.error();
    }
    AlgorithmSweep sweep{{op.name}, {}, {}};
    double least = 0;
    std::vector<measure::LocalDevice::Entry> entries;
    for (std::size_t i = 0; i < entrants->operators.size(); ++i) {
        entries.push_back({entrants->operators[i].task, entrants->chosen[i].script});
    }
    const std::vector<measure::Measurement> all = measureEach(device, entries, {}, protocol, stop).scripts;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const measure::Measurement& m = all[i];
        const Project::Chosen& chosen = entrants->chosen[i];
        if (m.outcome == wire::Outcome::Stopped) {
            return m.error;
        }
        if (project.database() != nullptr) {
            const Result<std::int64_t> kept =
                project.database()->addRecord(toRecord(entrants->operators[i], chosen.script, originOf(chosen), m));
            if (!kept) {
                return kept.error();
            }
        }
        if (m.outcome == wire::Outcome::Ok && (sweep.best.empty() || m.medianNs < least)) {
            sweep.best = algorithms[i];
            least = m.medianNs;
        }
        sweep.trials.push_back({algorithms[i], chosen, m});
        onTrial(op.name, sweep.trials.back());
    }
    return sweep;
}

} // namespace

Result<std::vector<AlgorithmSweep>> sweepAlgorithms(Project& project, measure::LocalDevice& device, const std::string& protocol,
                                                    const OnAlgorithm& onTrial, const StopToken& stop)
{
    const Result<std::map<std::string, std::vector<std::string>>> known = algorithmsOf(project);
    const Result<std::vector<const Operator*>> operators = project.operators();
    if (!known || !operators) {
        return known ? operators.error() : known.error();
    }
    std::vector<AlgorithmSweep> sweeps;
    std::map<std::string, std::size_t> byTask;
    for (const Operator* op : *operators) {
        const auto algorithms = known->find(op->name);
        if (algorithms == known->end()) {
            continue;
        }
        // Equal tasks may be computed differently now; what they are by the direct algorithm tells.
        const Result<Operator> direct = operatorBy(project, *op, algorithms->second.front());
        if (!direct) {
            return direct.error();
        }
        const auto [task, isNew] = byTask.try_emplace(direct->taskId, sweeps.size());
        if (!isNew) {
            sweeps[task->second].groups.push_back(op->name);
            continue;
        }
        Result<AlgorithmSweep> sweep = sweepOf(project, device, *op, algorithms->second, protocol, onTrial, stop);
        if (!sweep) {
            return sweep.error();
        }
        sweeps.push_back(*std::move(sweep));
    }
    return sweeps;
}

plan::Choices withBest(const plan::Choices& choices, const std::vector<AlgorithmSweep>& sweeps)
{
    plan::Choices made = choices;
    for (const AlgorithmSweep& sweep : sweeps) {
        for (const std::string& group : sweep.groups) {
            if (!sweep.best.empty()) {
                made.algorithms[group] = sweep.best;
            }
        }
    }
    return made;
}

} // namespace nw::session
