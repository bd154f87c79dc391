#include "engine/base/text.h"
#include "engine/schedule/templates.h"
#include "engine/session/branches.h"
#include "engine/session/project_state.h"

#include <algorithm>
#include <ctime>

namespace nw::session {
Result<std::string> plainScript(const std::string& text, const Operator& op)
{
    const schedule::Context context{&op.task.target};
    const Result<schedule::Script> script = schedule::parseScript(text, schedule::allPrimitives(), context);
    if (!script) {
        return script.error();
    }
    if (script->knobs.empty() && script->constraints.empty()) {
        return text;
    }
    const Result<schedule::Script> bound = schedule::bindKnobs(*script, {}, context);
    if (!bound) {
        return bound.error();
    }
    return bound->toText();
}

Result<std::string> defaultScript(const Operator& op)
{
    const Result<schedule::LoopNest> nest = schedule::initialNest(op.task);
    if (!nest) {
        return nest.error();
    }
    return schedule::defaultScript(*nest, {&op.task.target}, op.task.threads);
}

std::optional<std::string> templateScript(const Operator& op)
{
    const Result<schedule::LoopNest> nest = schedule::initialNest(op.task);
    std::optional<schedule::TemplateScript> found;
    if (nest) {
        found = schedule::templateFor(op.task, *nest);
    }
    return found ? std::optional(std::move(found->script)) : std::nullopt;
}

namespace {

Result<Project::Chosen> byRule(const Operator& op)
{
    const Result<std::string> rule = defaultScript(op);
    if (!rule) {
        return rule.error();
    }
    return Project::Chosen{*rule, "default", 0};
}

} // namespace

Result<std::optional<Project::Chosen>> Project::writtenScript(const Operator& op)
{
    if (m_state->database) {
        const Result<std::optional<record::Revision>> head = m_state->database->head(op.scriptName());
        if (!head) {
            return head.error();
        }
        if (*head) {
            return std::optional(Chosen{(*head)->script, "edit", (*head)->id});
        }
    }
    const auto sample = m_state->source.samples.find(op.scriptName());
    if (sample != m_state->source.samples.end()) {
        return std::optional(Chosen{sample->second, "sample", 0});
    }
    return std::optional<Chosen>();
}

Result<Project::Chosen> Project::script(const Operator& op)
{
    const Result<std::optional<Chosen>> written = writtenScript(op);
    if (!written) {
        return written.error();
    }
    return *written ? Result<Chosen>(**written) : byRule(op);
}

Result<Project::Chosen> Project::shippedScript(const Operator& op)
{
    if (m_state->database) {
        using record::Origin;
        const Result<std::optional<record::Record>> best = m_state->database->best(
            op.taskId, {Origin::Default, Origin::Edit, Origin::Template, Origin::Sweep, Origin::Tune});
        if (!best) {
            return best.error();
        }
        if (*best) {
            return Chosen{(*best)->script, "best record", 0, (*best)->origin};
        }
    }
    const Result<std::optional<Chosen>> written = writtenScript(op);
    if (!written) {
        return written.error();
    }
    const std::optional<std::string> expert = *written ? std::nullopt : templateScript(op);
    Result<Chosen> chosen = *written ? Result<Chosen>(**written)
        : expert                     ? Result<Chosen>(Chosen{*expert, "template", 0})
                                     : byRule(op);
    if (!chosen) {
        return chosen;
    }
    const Result<std::string> plain = plainScript(chosen->script, op);
    if (!plain) {
        return plain.error();
    }
    chosen->script = *plain;
    return chosen;
}

namespace {

// What a person typed half is no work to go back to.
bool replays(const Operator& op, const std::string& text)
{
    const schedule::Context context{&op.task.target};
    const Result<schedule::LoopNest> nest = schedule::initialNest(op.task);
    const Result<schedule::Script> script = schedule::parseScript(text, schedule::allPrimitives(), context);
    return nest && script && schedule::replay(*nest, *script, {}, context, true);
}

} // namespace

Result<record::Revision> Project::edit(const Operator& op, std::int64_t parent, const std::string& script)
{
    if (!m_state->database) {
        return failed("This project is not kept in a file, so a script cannot be changed in it.");
    }
    const Result<std::vector<record::Revision>> known = m_state->database->revisions(op.scriptName());
    if (!known) {
        return known.error();
    }
    const auto sample = m_state->source.samples.find(op.scriptName());
    const bool fromSample = parent == 0 && sample != m_state->source.samples.end();
    const auto before = std::find_if(known->begin(), known->end(), [&](const record::Revision& r) {
        return fromSample ? r.parent == 0 && r.script == sample->second : r.id == parent;
    });
    const std::string old = before != known->end() ? before->script : fromSample ? sample->second : std::string();
    const bool branches = changesAMiddleStep(old, script) && replays(op, old);
    std::int64_t behind = before != known->end() ? before->id : parent;
    if (branches && before == known->end()) { // the sample's own steps become a branch like any other
        const Result<record::Revision> first = m_state->database->addRevision(op.scriptName(), 0, old);
        if (!first) {
            return first.error();
        }
        behind = first->id;
    }
    return m_state->database->addRevision(op.scriptName(), behind, script, branches);
}

bool isUnproven(const Operator& op, const std::string& script, std::span<const schedule::Primitive* const> primitives)
{
    const schedule::Context context{&op.task.target};
    const Result<schedule::LoopNest> nest = schedule::initialNest(op.task);
    const Result<schedule::Script> parsed = schedule::parseScript(script, primitives, context);
    if (!nest || !parsed) {
        return false;
    }
    const Result<schedule::Replay> replayed = schedule::replay(*nest, *parsed, {}, context, true);
    return replayed && replayed->unproven;
}

record::Record toRecord(const Operator& op, const std::string& script, record::Origin origin,
                        const measure::Measurement& measurement)
{
    record::Record r;
    r.task = op.taskId;
    r.anchor = op.task.anchorIdentity();
    r.group = op.name;
    r.script = script;
    r.origin = origin;
    r.algorithm = op.task.algorithm;
    r.protocol = measurement.protocol;
    r.cold = measurement.cold;
    for (const bool clean : {true, false}) {
        for (const wire::Sample& sample : measurement.run.samples) {
            if (sample.clean == clean) {
                r.samplesNs.push_back(sample.ns);
            }
        }
    }
    r.clean = measurement.run.clean;
    r.medianNs = measurement.medianNs;
    r.spread = measurement.spread;
    r.noisy = measurement.noisy;
    r.unproven = isUnproven(op, script);
    r.outcome = std::string(wire::toText(measurement.outcome));
    r.message = measurement.outcome == wire::Outcome::Ok ? "" : measurement.error.message;
    r.maxAbsDiff = measurement.run.verdict.maxAbsDiff;
    r.maxRelDiff = measurement.run.verdict.maxRelDiff;
    r.shareOfPeak = measurement.shareOfPeak;
    r.shareOfBound = measurement.shareOfBound;
    r.boundNs = measurement.bound.ns;
    r.boundBy = measurement.bound.by;
    double peak = 0;
    double delay = 0;
    for (const wire::Sample& sample : measurement.run.samples) {
        peak = std::max(peak, sample.peakGflops);
        delay = std::max(delay, sample.runDelayShare);
    }
    r.deviceState = format("{{\"peak_gflops\": {:.1f}, \"worst_run_delay\": {:.4f}, \"clean\": {}, \"total\": {}}}", peak, delay,
                           measurement.run.clean, measurement.run.total);
    r.compiler = "nestwright 0.1.0";
    r.llvm = measurement.build.kernels.empty() ? "" : "22.1";
    r.unixTime = std::time(nullptr);
    return r;
}

} // namespace nw::session
