#include "app/cli/verbs/schedule.h"

#include "engine/base/text.h"
#include "engine/session/workbench.h"

#include <memory>

namespace nw::app {
namespace {

void print(const Session& session, const session::Comparison& comparison)
{
    std::vector<std::vector<std::string>> rows;
    for (const session::Figure& f : comparison.figures) {
        if (!f.present) {
            rows.push_back({f.name, "", "", "", "", f.missing});
            continue;
        }
        rows.push_back({f.name, timeText(f.ns), f.measured ? "± " + percentText(f.spread) : "computed",
                        f.measured ? percentText(f.shareOfPeak) : "", f.measured ? percentText(f.shareOfBound) : "",
                        f.noisy && !f.by.empty() ? "noisy; " + f.by : f.noisy ? "noisy" : f.by});
    }
    session.say(format("{} on {}, {} thread(s), {}", comparison.group, comparison.device, comparison.threads,
                       comparison.together ? "measured together in alternating rounds" : "measured one by one"));
    session.say(tableText({"figure", "time", "spread", "of peak", "of bound", ""}, rows));
    Json object = Json::parse(session::comparisonJson(comparison));
    session.emit(std::move(object));
}

int compareAll(const CommonOptions& options, const std::string& group, const std::string& protocol)
{
    Session session(options);
    const Result<session::Project*> project = session.project();
    if (!project) {
        return session.fail(project.error());
    }
    const Result<const session::Operator*> op = operatorOrOnly(**project, group);
    if (!op) {
        return session.fail(op.error());
    }
    const Result<measure::LocalDevice*> device = session.device();
    if (!device) {
        return session.fail(device.error());
    }
    session.progress("measuring " + (*op)->name);
    const Result<session::Comparison> comparison = session::compare(**project, **device, **op, protocol, session.stop());
    session.progress("");
    if (!comparison) {
        return session.fail(comparison.error());
    }
    print(session, *comparison);
    for (const session::Figure& figure : comparison->figures) {
        if (figure.outcome == "wrong-result") {
            return WrongResult;
        }
    }
    return Fine;
}

} // namespace

void addCompare(const Arguments& program, CommonOptions& options, int& exitCode)
{
    const Arguments verb = program.verb("compare", "default, hand, auto, library and bound side by side");
    addCommon(verb, options);
    const auto group = std::make_shared<std::string>();
    const auto protocol = std::make_shared<std::string>("confirm");
    verb.option("GROUP", *group, "the operator; may be left out when there is one");
    verb.option("--protocol", *protocol, "quick, search or confirm").oneOf({"quick", "search", "confirm"});
    verb.run([&options, &exitCode, group, protocol] { exitCode = compareAll(options, *group, *protocol); });
}

} // namespace nw::app
