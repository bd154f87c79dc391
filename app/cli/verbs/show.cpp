#include "app/cli/verbs/schedule.h"

#include "engine/base/text.h"
#include "engine/lower/lowered.h"
#include "engine/session/workbench.h"

#include <memory>

namespace nw::app {
namespace {

struct Options {
    std::string group, script;
    bool definition = false, lowered = false, passes = false, assembly = false, llvm = false, listing = false;
};

int showListings(Session& session, const Scheduled& scheduled, const Options& wanted)
{
    const Result<measure::LocalDevice*> device = session.device();
    if (!device) {
        return session.fail(device.error());
    }
    const Result<schedule::Script> plain = schedule::bindKnobs(scheduled.script, {}, contextOf(*scheduled.op));
    if (!plain) {
        return session.fail(plain.error());
    }
    const measure::JobResult<wire::BuildReply> built =
        (*device)->build(scheduled.op->task, plain->toText(), true, session.stop());
    if (!built) {
        return session.fail(built.outcome, built.error);
    }
    const wire::KernelListing& listing = built.value.kernels.front();
    if (wanted.llvm) {
        session.say(listing.llvmIr);
    }
    if (wanted.assembly) {
        session.say(listing.assembly);
    }
    session.say(format("innermost loop: {} vector registers, {} FMAs, {} spills (whole kernel {}); code {}; workspace {}",
                       listing.vectorRegisters, listing.fmas, listing.spills, listing.totalSpills, bytesText(listing.codeBytes),
                       bytesText(listing.workspaceBytes)));
    Json accesses = Json::array();
    std::vector<std::vector<std::string>> rows;
    for (const wire::AccessCount& access : listing.accesses) {
        rows.push_back({access.buffer, access.stores ? "stores" : "loads", std::string(wire::toText(access.kind)), std::to_string(access.count)});
        accesses.push_back({{"buffer", access.buffer}, {"stores", access.stores}, {"kind", wire::toText(access.kind)}, {"count", access.count}});
    }
    session.say(tableText({"buffer", "access", "by vector lanes", "places"}, rows));
    Json object{{"accesses", accesses}, {"vector_registers", listing.vectorRegisters}, {"fmas", listing.fmas}, {"spills", listing.spills},
                {"total_spills", listing.totalSpills}, {"code_bytes", listing.codeBytes}, {"workspace_bytes", listing.workspaceBytes}};
    if (wanted.llvm) {
        object["llvm"] = listing.llvmIr;
    }
    if (wanted.assembly) {
        object["assembly"] = listing.assembly;
    }
    session.emit(std::move(object));
    return Fine;
}

int show(const CommonOptions& options, const Options& wanted)
{
    Session session(options);
    const Result<Scheduled> scheduled = openScheduled(session, wanted.group, wanted.script, false, true);
    if (!scheduled) {
        return session.fail(scheduled.error());
    }
    if (wanted.assembly || wanted.llvm || wanted.listing) {
        return showListings(session, *scheduled, wanted);
    }
    if (wanted.definition) {
        session.say(compute::toText(*scheduled->op->task.definition));
        session.emit({{"definition", compute::toText(*scheduled->op->task.definition)}});
        return Fine;
    }
    if (wanted.lowered || wanted.passes) {
        std::vector<lower::StageText> stages;
        const Result<lower::Lowered> lowered =
            lower::lower(scheduled->replay.nest(), scheduled->op->task.target, wanted.passes ? &stages : nullptr);
        if (!lowered) {
            return session.fail(lowered.error());
        }
        for (const lower::StageText& stage : stages) {
            session.say(format("--- {} ({:.0f} us)\n{}", stage.pass, stage.microseconds, stage.text));
        }
        session.say(toText(*lowered));
        session.emit({{"lowered", toText(*lowered)}});
        return Fine;
    }
    session.say(format("# {} of {}, script from {}", scheduled->op->name, scheduled->project->title(), scheduled->chosen.from));
    session.say(scheduled->chosen.script.empty() ? "# (no steps)\n" : scheduled->chosen.script);
    for (const std::string& step : session::unprovenSteps(scheduled->replay)) {
        session.say("# NOT PROVED: " + step);
    }
    session.say(toText(scheduled->replay.nest()));
    Json steps = Json::array();
    for (const schedule::Step& step : scheduled->replay.steps) {
        steps.push_back({{"text", step.text}, {"line", step.line}, {"verdict", verdictText(step.check)}});
    }
    session.emit({{"group", scheduled->op->name}, {"task", scheduled->op->taskId}, {"from", scheduled->chosen.from},
                  {"revision", scheduled->chosen.revision}, {"script", scheduled->chosen.script}, {"steps", steps},
                  {"nest", toText(scheduled->replay.nest())}, {"unproven", scheduled->replay.unproven}});
    return Fine;
}

} // namespace

void addShow(const Arguments& program, CommonOptions& options, int& exitCode)
{
    const Arguments verb = program.verb("show", "an operator's script and loop nest; its lowered code, LLVM IR, assembly");
    addCommon(verb, options);
    const auto wanted = std::make_shared<Options>();
    verb.option("GROUP", wanted->group, "the operator, e.g. conv.0");
    verb.option("--script", wanted->script, "a script file instead of the project's; - for standard input, @template for the expert's, @default for the plain rule");
    verb.flag("--definition", wanted->definition, "what it computes");
    verb.flag("--lowered", wanted->lowered, "the program after lowering");
    verb.flag("--passes", wanted->passes, "the program after each lowering pass");
    verb.flag("--llvm", wanted->llvm, "LLVM IR");
    verb.flag("--asm", wanted->assembly, "assembly");
    verb.flag("--listing", wanted->listing, "registers, FMAs and spills");
    verb.run([&options, &exitCode, wanted] { exitCode = show(options, *wanted); });
}

} // namespace nw::app
