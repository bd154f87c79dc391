#include "engine/base/text.h"
#include "engine/compute/winograd.h"
#include "engine/measure/library_op.h"
#include "engine/session/algorithms.h"
#include "engine/session/workbench.h"

#include <algorithm>

namespace nw::session {
namespace {

using record::Origin;

constexpr const char* kNone = "none yet: nestw apply";
constexpr const char* kUnproven = "a step of the script is not proved; `nestw bench` times it";

// How much more than the direct algorithm it may lose to rounding, as declared.
std::string errorText(const Operator& op)
{
    const std::optional<compute::WinogradShape> tiles = compute::winogradOf(*op.task.definition);
    const std::optional<graph::Winograd> from = tiles ? graph::winograd(tiles->tile) : std::nullopt;
    if (!from) {
        return {};
    }
    const graph::WinogradError error = graph::winogradError(*from);
    return format("; error {:.1f} times direct's, {:.1f} at worst", error.typical, error.worst);
}

struct Candidate {
    std::string figure; // "default", "hand", "auto", or another algorithm
    std::string script;
    Origin origin;
    Operator op; // its task is another algorithm's where that is meant
};

Figure toFigure(const std::string& name, const measure::Measurement& m, const std::string& script)
{
    Figure f;
    f.name = name;
    f.present = m.outcome == wire::Outcome::Ok;
    f.outcome = std::string(wire::toText(m.outcome));
    f.message = f.present ? "" : m.error.message;
    f.missing = f.present ? "" : f.outcome + ": " + m.error.message;
    f.ns = m.medianNs;
    f.spread = m.spread;
    f.n = m.run.clean;
    f.noisy = m.noisy;
    f.shareOfPeak = m.shareOfPeak;
    f.shareOfBound = m.shareOfBound;
    f.script = script;
    return f;
}

Figure ghost(const std::string& name, const std::string& why)
{
    Figure f;
    f.name = name;
    f.missing = why;
    return f;
}

// What stands beside each other: the fallback, the person's best or current script, the best found by search. A script with
// a step that is not proved is no figure.
struct Candidates {
    std::vector<Candidate> found;
    const char* noHand = kNone;
};

// The operator by each other algorithm, with the best script that is known for it.
Status addAlgorithms(Project& project, const Operator& op, std::vector<Candidate>& found)
{
    const Result<std::map<std::string, std::vector<std::string>>> known = algorithmsOf(project);
    if (!known) {
        return known.error();
    }
    const auto algorithms = known->find(op.name);
    for (const std::string& algorithm : algorithms == known->end() ? std::vector<std::string>{} : algorithms->second) {
        if (algorithm == op.task.algorithm) {
            continue;
        }
        Result<Operator> other = operatorBy(project, op, algorithm);
        const Result<Project::Chosen> chosen = other ? project.shippedScript(*other) : Result<Project::Chosen>(other.error());
        if (!chosen) {
            return chosen.error();
        }
        found.push_back({algorithm, chosen->script, originOf(*chosen), *std::move(other)});
    }
    return Done{};
}

Result<Candidates> candidatesOf(Project& project, const Operator& op)
{
    const Result<std::string> rule = defaultScript(op);
    if (!rule) {
        return rule.error();
    }
    Candidates made;
    std::vector<Candidate>& found = made.found;
    found.push_back({"default", *rule, Origin::Default, op});
    const Result<Project::Chosen> chosen = project.script(op);
    if (!chosen) {
        return chosen.error();
    }
    std::string hand = chosen->from == "default" ? "" : chosen->script;
    if (project.database() != nullptr) {
        const Result<std::optional<record::Record>> best = project.database()->best(op.taskId, {Origin::Edit});
        if (best && *best) {
            hand = (*best)->script;
        }
        const Result<std::optional<record::Record>> automatic = project.database()->best(op.taskId, {Origin::Sweep, Origin::Tune});
        if (automatic && *automatic) {
            found.push_back({"auto", (*automatic)->script, (*automatic)->origin, op});
        }
    }
    if (!hand.empty()) {
        const Result<std::string> plain = plainScript(hand, op);
        if (!plain) {
            return plain.error();
        }
        if (isUnproven(op, *plain)) {
            made.noHand = kUnproven;
        } else {
            found.insert(found.begin() + 1, {"hand", *plain, Origin::Edit, op});
        }
    }
    if (const Status added = addAlgorithms(project, op, found); !added) {
        return added.error();
    }
    return made;
}

// `direct`: what the library computes, whatever our algorithm is.
Result<measure::Together> measureAll(measure::LocalDevice& device, const Operator& direct, const std::vector<Candidate>& candidates,
                                     const std::string& protocol, const StopToken& stop)
{
    std::vector<measure::LocalDevice::Entry> entries;
    for (const Candidate& candidate : candidates) {
        entries.push_back({candidate.op.task, candidate.script});
    }
    // The library's shares are those of the first task: a direct one, where there is one.
    const auto isDirect = [](const Candidate& candidate) { return candidate.op.task.algorithm == "direct"; };
    const auto found = std::find_if(candidates.begin(), candidates.end(), isDirect);
    const auto first = found == candidates.end() ? std::size_t{0} : static_cast<std::size_t>(found - candidates.begin());
    std::swap(entries.front(), entries[first]);
    measure::Together made = measureEach(device, entries, measure::oneDnnOf(*direct.task.definition), protocol, stop);
    std::swap(made.scripts.front(), made.scripts[first]);
    for (const measure::Measurement& m : made.scripts) {
        if (m.outcome == wire::Outcome::Stopped) {
            return m.error;
        }
    }
    return made;
}

} // namespace

Figure boundFigure(const measure::Bound& bound)
{
    Figure f;
    f.name = "bound";
    f.present = true;
    f.measured = false;
    f.ns = bound.ns;
    f.by = bound.by;
    f.shareOfBound = 1;
    return f;
}

Result<Comparison> compare(Project& project, measure::LocalDevice& device, const Operator& op, const std::string& protocol,
                           const StopToken& stop)
{
    const Result<Candidates> all = candidatesOf(project, op);
    if (!all) {
        return all.error();
    }
    const std::vector<Candidate>& candidates = all->found;
    Comparison made{op.name, op.taskId, device.name(), op.task.threads, {}, 0, "", false};
    const Result<Operator> direct = operatorBy(project, op, "direct");
    if (!direct) {
        return direct.error();
    }
    const Result<measure::Together> measured = measureAll(device, *direct, candidates, protocol, stop);
    if (!measured) {
        return measured.error();
    }
    made.together = measured->together;
    std::map<std::string, Figure> figures;
    std::vector<Figure> others; // by other algorithms
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const Candidate& candidate = candidates[i];
        const measure::Measurement& m = measured->scripts[i];
        Figure figure = toFigure(candidate.figure, m, candidate.script);
        if (candidate.op.task.algorithm != op.task.algorithm) {
            figure.by = figure.present ? format("its own bound: {:.1f} us, {}{}", m.bound.ns / 1000, m.bound.by, errorText(candidate.op)) : "";
            others.push_back(std::move(figure));
        } else {
            figures[candidate.figure] = std::move(figure);
            made.boundNs = std::max(made.boundNs, m.bound.ns);
            made.boundBy = m.bound.by.empty() ? made.boundBy : m.bound.by;
        }
        if (project.database() != nullptr) {
            const Result<std::int64_t> kept =
                project.database()->addRecord(toRecord(candidate.op, candidate.script, candidate.origin, m));
            if (!kept) {
                return kept.error();
            }
        }
    }
    const std::optional<measure::Measurement> library = measured->library();
    figures["library"] = library ? toFigure("library", *library, "")
                                 : ghost("library", "oneDNN is not installed, or has no such operator");
    for (const char* name : {"default", "hand", "auto", "library"}) {
        if (std::string(name) == "library") {
            made.figures.insert(made.figures.end(), others.begin(), others.end());
        }
        const auto found = figures.find(name);
        if (found != figures.end()) {
            made.figures.push_back(found->second);
        } else {
            made.figures.push_back(ghost(name, std::string(name) == "hand" ? all->noHand : "none yet: nestw sweep"));
        }
    }
    made.figures.push_back(made.boundNs > 0 ? boundFigure({made.boundNs, made.boundBy})
                                            : ghost("bound", "unknown: the roofs of this device are not probed"));
    if (project.database() != nullptr) {
        const Status kept = project.database()->setText("comparison." + op.name, comparisonJson(made));
        if (!kept) {
            return kept.error();
        }
    }
    return made;
}

} // namespace nw::session
