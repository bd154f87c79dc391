#include "app/cli/verbs/sweep_algorithms.h"

#include "app/cli/verbs/measured.h"

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/session/algorithms.h"

namespace nw::app {
namespace {

void tell(const Session& session, const std::string& group, const session::AlgorithmTrial& trial)
{
    const measure::Measurement& m = trial.measurement;
    const bool isFine = m.outcome == wire::Outcome::Ok;
    const std::string figures = isFine ? measurementText(m) : format("{}: {}", wire::toText(m.outcome), m.error.message);
    session.say(format("{:<10} {:<10} {:<11} {}", group, trial.algorithm, trial.chosen.from, figures));
    Json object = measurementJson(m);
    object["group"] = group;
    object["algorithm"] = trial.algorithm;
    object["script"] = trial.chosen.script;
    session.emit(std::move(object));
}

} // namespace

int sweepAlgorithms(const CommonOptions& options, const std::string& protocol, const std::string& output)
{
    Session session(options);
    const Result<session::Project*> project = session.project();
    if (!project) {
        return session.fail(project.error());
    }
    const Result<measure::LocalDevice*> device = session.device();
    if (!device) {
        return session.fail(device.error());
    }
    const auto onTrial = [&](const std::string& group, const session::AlgorithmTrial& trial) { tell(session, group, trial); };
    const Result<std::vector<session::AlgorithmSweep>> swept =
        session::sweepAlgorithms(**project, **device, protocol, onTrial, session.stop());
    if (!swept) {
        return session.fail(swept.error());
    }
    if (swept->empty()) {
        session.say("Every operator of this model has one algorithm only.");
    }
    for (const session::AlgorithmSweep& sweep : *swept) {
        session.emit({{"groups", sweep.groups}, {"best", sweep.best}});
    }
    const std::string text = plan::toText(session::withBest((*project)->choices(), *swept));
    if (output.empty()) {
        session.say(text);
    } else if (const Status written = writeFile(output, text); !written) {
        return session.fail(written.error());
    }
    session.emit({{"choices", text}});
    int code = Fine;
    for (const session::AlgorithmSweep& sweep : *swept) {
        for (const session::AlgorithmTrial& trial : sweep.trials) {
            code = trial.measurement.outcome == wire::Outcome::WrongResult ? int{WrongResult} : code;
        }
        if (sweep.best.empty() && code == Fine) {
            code = session.fail(failed(sweep.groups.front() + " could not be measured by any algorithm; the lines above say why."));
        }
    }
    return code;
}

} // namespace nw::app
