#include "engine/session/workbench.h"

#include <algorithm>

namespace nw::session {
namespace {

using record::Origin;

constexpr const char* kNone = "none yet: nestw apply";
constexpr const char* kUnproven = "a step of the script is not proved; `nestw bench` times it";

struct Candidate {
    std::string figure; // "default", "hand", "auto"
    std::string script;
    Origin origin;
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
Result<Candidates> candidatesOf(Project& project, const Operator& op)
{
    const Result<std::string> rule = defaultScript(op);
    if (!rule) {
        return rule.error();
    }
    Candidates made;
    std::vector<Candidate>& found = made.found;
    found.push_back({"default", *rule, Origin::Default});
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
            found.push_back({"auto", (*automatic)->script, (*automatic)->origin});
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
            found.insert(found.begin() + 1, {"hand", *plain, Origin::Edit});
        }
    }
    return made;
}

// In rounds where the protocol knows them; a search's minimum of single runs is taken of each for itself.
Result<measure::Together> measureAll(measure::LocalDevice& device, const Operator& op, const std::vector<Candidate>& candidates,
                                     const std::string& protocol, const StopToken& stop)
{
    measure::Together made;
    if (protocol == "search") {
        for (const Candidate& candidate : candidates) {
            made.scripts.push_back(device.measure(op.task, candidate.script, protocol, false, stop));
        }
        made.library = device.measureLibrary(op.task, protocol, stop);
    } else {
        std::vector<std::string> scripts;
        for (const Candidate& candidate : candidates) {
            scripts.push_back(candidate.script);
        }
        made = device.measureTogether(op.task, scripts, true, protocol, stop);
    }
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
    const Result<measure::Together> measured = measureAll(device, op, candidates, protocol, stop);
    if (!measured) {
        return measured.error();
    }
    made.together = measured->together;
    std::map<std::string, Figure> figures;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const Candidate& candidate = candidates[i];
        const measure::Measurement& m = measured->scripts[i];
        figures[candidate.figure] = toFigure(candidate.figure, m, candidate.script);
        made.boundNs = std::max(made.boundNs, m.bound.ns);
        made.boundBy = m.bound.by.empty() ? made.boundBy : m.bound.by;
        if (project.database() != nullptr) {
            const Result<std::int64_t> kept =
                project.database()->addRecord(toRecord(op, candidate.script, candidate.origin, m));
            if (!kept) {
                return kept.error();
            }
        }
    }
    figures["library"] = measured->library ? toFigure("library", *measured->library, "")
                                           : ghost("library", "oneDNN is not installed, or has no such operator");
    for (const char* name : {"default", "hand", "auto", "library"}) {
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
