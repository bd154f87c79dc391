// The device's side of the workbench: measuring, building, comparing, sweeping, probing.
#include "app/gui/workbench_state.h"

#include "engine/tune/sweep.h"
#include "views/common/format.h"

namespace nw::app {

using views::fromStd;
using views::toStd;

namespace {

// Smaller goes first: what a person waits for, then what fills in.
constexpr int kQuickFirst = 0;
constexpr int kBuildNext = 1;
constexpr int kLongNext = 2;
constexpr int kBackground = 3;

const QString kQuick = QStringLiteral("quick");
const QString kConfirm = QStringLiteral("confirm");
const QString kBuild = QStringLiteral("build");
const QString kDefault = QStringLiteral("default");
const QString kLong = QStringLiteral("long");

} // namespace

Result<measure::LocalDevice*> Workbench::Bench::ready()
{
    if (!device) {
        Result<measure::LocalDevice::Settings> settings = session::deviceSettings();
        if (!settings) {
            return settings.error();
        }
        device = std::make_unique<measure::LocalDevice>(*std::move(settings));
    }
    return device.get();
}

Result<session::Project*> Workbench::Bench::opened(const QString& wantedPath, const QMap<QString, qint64>& wantedBind)
{
    if (const Result<measure::LocalDevice*> there = ready(); !there) {
        return there.error();
    }
    if (!project || path != wantedPath || bind != wantedBind) {
        const Result<session::Folders> folders = session::userFolders();
        if (!folders) {
            return folders.error();
        }
        Result<std::unique_ptr<session::Project>> made =
            session::Project::open(std::filesystem::path(toStd(wantedPath)), optionsOf(wantedBind), *folders);
        if (!made) {
            return made.error();
        }
        project = *std::move(made);
        path = wantedPath;
        bind = wantedBind;
    }
    return project.get();
}

void Workbench::measure(const session::Operator& op, const std::string& script, record::Origin origin, Protocol protocol,
                        bool background)
{
    const bool quick = protocol == Protocol::Quick;
    const QString name = quick ? kQuick : kConfirm;
    const int urgency = background ? kBackground : quick ? kQuickFirst : kLongNext;
    if (quick) {
        m_device.putBack(kBackground); // a person waits for this one
    }
    m_device.post(urgency, origin == record::Origin::Default ? kDefault : name, [this, op, script, origin, name](const StopToken& stop) {
        const QString group = fromStd(op.name);
        const QString text = fromStd(script);
        const Result<measure::LocalDevice*> device = m_bench->ready();
        if (!device) {
            const QString why = fromStd(device.error().message);
            tell([this, why] { Q_EMIT problem(why); });
            return;
        }
        tell([this, group, text, name] {
            Q_EMIT measuring(group, text, name);
            Q_EMIT deviceBusy(name == kQuick ? tr("measuring %1").arg(group) : tr("confirming %1").arg(group));
        });
        const measure::Measurement m = (*device)->measure(op.task, script, toStd(name), false, stop);
        const record::Record record = session::toRecord(op, script, origin, m);
        const session::Timing timing = session::timingOf(record);
        if (m.outcome != wire::Outcome::Stopped) {
            addRecord(record);
        }
        const bool stoppedEarly = m.outcome == wire::Outcome::Stopped;
        const bool died = m.outcome == wire::Outcome::Crash || m.outcome == wire::Outcome::EndedEarly ||
            m.outcome == wire::Outcome::OutOfMemory || m.outcome == wire::Outcome::ProtocolError;
        tell([this, group, text, origin, timing, stoppedEarly, died] {
            Q_EMIT deviceBusy({});
            if (died) {
                Q_EMIT log(tr("The worker of %1 ended (%2); a new one was started.").arg(group, fromStd(timing.message)));
            }
            if (!stoppedEarly) {
                Q_EMIT measured(group, text, origin, timing);
            }
        });
    });
}

void Workbench::cancelMeasuring()
{
    m_device.cancel(kQuick);
    m_device.cancel(kConfirm);
}

void Workbench::leaveOperator()
{
    cancelMeasuring();
    m_device.cancel(kDefault);
    m_device.cancel(kBuild);
}

void Workbench::build(const session::Operator& op, const std::string& script)
{
    m_device.cancel(kBuild);
    m_device.putBack(kBackground);
    m_device.post(kBuildNext, kBuild, [this, op, script](const StopToken& stop) {
        const QString group = fromStd(op.name);
        const QString text = fromStd(script);
        const Result<measure::LocalDevice*> device = m_bench->ready();
        if (!device) {
            const QString why = fromStd(device.error().message);
            tell([this, group, text, why] { Q_EMIT buildFailed(group, text, why); });
            return;
        }
        const measure::JobResult<wire::BuildReply> reply = (*device)->build(op.task, script, true, stop);
        if (reply.outcome == wire::Outcome::Stopped) {
            return;
        }
        if (reply.outcome != wire::Outcome::Ok || reply.value.kernels.empty()) {
            const QString why = fromStd(reply.error.message);
            tell([this, group, text, why] { Q_EMIT buildFailed(group, text, why); });
            return;
        }
        const wire::KernelListing listing = reply.value.kernels.front();
        tell([this, group, text, listing] { Q_EMIT built(group, text, listing); });
    });
}

void Workbench::compare(const QString& op)
{
    m_device.cancel(kConfirm);
    m_device.putBack(kBackground);
    m_device.post(kLongNext, kLong, [this, op, path = m_path, bind = m_bind](const StopToken& stop) {
        tell([this, op] {
            Q_EMIT deviceBusy(tr("comparing %1").arg(op));
            Q_EMIT comparing(op);
        });
        const Result<session::Project*> project = m_bench->opened(path, bind);
        const Result<const session::Operator*> found =
            project ? (*project)->find(toStd(op)) : Result<const session::Operator*>(project.error());
        const Result<session::Comparison> made =
            found ? session::compare(**project, *m_bench->device, **found, "confirm", stop) : Result<session::Comparison>(found.error());
        if (made) {
            tell([this, comparison = *made] {
                Q_EMIT deviceBusy({});
                Q_EMIT compared(comparison);
            });
            return;
        }
        endJob(made.error());
    });
}

// The device is free again; a failure is told, a job that was stopped ended as it was meant to.
void Workbench::endJob(const Error& error)
{
    const QString why = error.kind == Error::Kind::Stopped ? QString() : fromStd(error.message);
    tell([this, why] {
        Q_EMIT deviceBusy({});
        if (!why.isEmpty()) {
            Q_EMIT problem(why);
        }
    });
}

void Workbench::sweep(const session::Operator& op, const std::string& script)
{
    m_device.cancel(kConfirm);
    m_device.putBack(kBackground);
    m_device.post(kLongNext, kLong, [this, op, script](const StopToken& stop) {
        const QString group = fromStd(op.name);
        tell([this, group] { Q_EMIT deviceBusy(tr("sweeping %1").arg(group)); });
        const Result<measure::LocalDevice*> device = m_bench->ready();
        const Result<schedule::Script> parsed = device
            ? schedule::parseScript(script, schedule::allPrimitives(), {&op.task.target})
            : Result<schedule::Script>(device.error());
        if (!parsed) {
            return endJob(parsed.error());
        }
        const auto onTrial = [&](const tune::Trial& trial, std::size_t index, std::size_t total) {
            const QString text = trial.refused.empty() && trial.quick.outcome == wire::Outcome::Ok
                ? views::formatTime(trial.quick.medianNs)
                : fromStd(trial.refused.empty() ? trial.quick.error.message : trial.refused);
            tell([this, index, total, text] {
                Q_EMIT sweepAdvanced(static_cast<int>(index) + 1, static_cast<int>(total), text);
            });
        };
        const Result<tune::Sweep> made = tune::sweep(**device, op.task, *parsed, 200, 3, onTrial, stop);
        if (!made) {
            return endJob(made.error());
        }
        if (made->best < 0) {
            return endJob(failed(toStd(tr("No choice of this script is valid: every one was refused, wrong or failed."))));
        }
        const record::Record record = session::toRecord(op, made->bestScript, record::Origin::Sweep, made->confirmed);
        addRecord(record);
        const session::Timing timing = session::timingOf(record);
        tell([this, group, best = fromStd(made->bestScript), timing] {
            Q_EMIT deviceBusy({});
            Q_EMIT swept(group, best, timing);
        });
    });
}

void Workbench::profile()
{
    m_device.cancel(kConfirm);
    m_device.putBack(kBackground);
    m_device.post(kLongNext, kLong, [this, path = m_path, bind = m_bind](const StopToken& stop) {
        tell([this] { Q_EMIT deviceBusy(tr("running the whole model")); });
        const Result<session::Project*> project = m_bench->opened(path, bind);
        session::ModelRunOptions options;
        options.profileRuns = 5;
        const Result<session::ModelRun> run =
            project ? session::runModel(**project, *m_bench->device, options, stop) : Result<session::ModelRun>(project.error());
        if (!run) {
            return endJob(run.error());
        }
        std::map<std::string, double> times;
        double total = 0;
        const plan::Plan& plan = **(*project)->plan();
        for (std::size_t i = 0; i < plan.groups.size() && i < run->groupNs.size(); ++i) {
            times[plan.groups[i].name] = run->groupNs[i];
            total += run->groupNs[i];
            const Status kept =
                (*project)->database()->setText("profile." + plan.groups[i].name, std::to_string(run->groupNs[i]));
            if (!kept) {
                break; // only a convenience of the next opening
            }
        }
        tell([this, times, total] {
            Q_EMIT deviceBusy({});
            Q_EMIT profiled(times, total);
        });
    });
}

void Workbench::exportTo(const QString& folder)
{
    m_device.cancel(kConfirm);
    m_device.putBack(kBackground);
    m_device.post(kLongNext, kLong, [this, folder, path = m_path, bind = m_bind](const StopToken& stop) {
        tell([this] { Q_EMIT deviceBusy(tr("building the whole model")); });
        const Result<session::Project*> project = m_bench->opened(path, bind);
        const std::string name = std::filesystem::path(toStd(path)).lexically_normal().stem().string();
        const Result<session::Exported> made = project
            ? session::exportModel(**project, *m_bench->device, std::filesystem::path(toStd(folder)), name, false, stop)
            : Result<session::Exported>(project.error());
        if (!made) {
            return endJob(made.error());
        }
        tell([this, folder, file = fromStd(made->name)] {
            Q_EMIT deviceBusy({});
            Q_EMIT exported(folder, file);
        });
    });
}

void Workbench::probe()
{
    m_device.post(kQuickFirst, QStringLiteral("probe"), [this](const StopToken&) {
        tell([this] { Q_EMIT deviceBusy(tr("measuring the roofs of this computer")); });
        const Result<measure::LocalDevice*> device = m_bench->ready();
        const Result<measure::Roofs> roofs = device ? (*device)->roofs(1) : Result<measure::Roofs>(device.error());
        if (!roofs) {
            const QString why = fromStd(roofs.error().message);
            tell([this, why] {
                Q_EMIT deviceBusy({});
                Q_EMIT problem(tr("The roofs of this computer could not be measured: %1").arg(why));
            });
            return;
        }
        tell([this, known = *roofs] {
            Q_EMIT deviceBusy({});
            Q_EMIT roofsKnown(known);
        });
    });
}

void Workbench::cancelLong()
{
    m_device.cancel(kLong);
}

} // namespace nw::app
