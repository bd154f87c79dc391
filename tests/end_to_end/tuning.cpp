#include "tests/end_to_end/tuning.h"

#include "engine/base/text.h"
#include "engine/record/tune_journal.h"
#include "engine/tune/space.h"

#include <QDir>

#include <set>

namespace nw::test {
namespace {

std::string faultsOf(record::TuneJournal& journal, const record::TuneTask& task)
{
    const Result<std::vector<record::TuneTrial>> trials = journal.trials(task.id);
    const Result<std::vector<record::TuneSketch>> sketches = trials ? journal.sketches(task.id) : trials.error();
    if (!sketches) {
        return sketches.error().message;
    }
    std::vector<std::pair<std::string, std::string>> scripts;
    for (const record::TuneSketch& sketch : *sketches) {
        scripts.emplace_back(sketch.name, sketch.script);
    }
    schedule::Task here;
    here.target = nativeTarget();
    const Result<tune::Space> space = tune::Space::make(scripts, here);
    if (!space) {
        return space.error().message;
    }
    std::set<std::string> distinct;
    int expected = 0;
    for (const record::TuneTrial& trial : *trials) {
        if (trial.number != expected++) {
            return format("task {}: trial {} stands where {} should", task.id, trial.number, expected - 1);
        }
        if (!space->parse(trial.sketch, trial.values)) {
            return format("task {}, trial {}: \"{}\" is no choice of sketch {}", task.id, trial.number, trial.values, trial.sketch);
        }
        if (!distinct.insert(format("{} {}", trial.sketch, trial.values)).second) {
            return format("task {}, trial {}: {} was measured twice", task.id, trial.number, trial.values);
        }
    }
    return {};
}

} // namespace

QString tuneModel(const Nestw& nestw, const QString& name)
{
    return nestw.write(name + QStringLiteral(".onnxtxt"), "<ir_version: 8, opset_import: [\"\" : 13]>\n"
                                                          "m (float[48,40] A, float[40,56] B, float[56] c) => (float[48,56] y) {\n"
                                                          "  p = MatMul(A, B)\n  s = Add(p, c)\n  y = Relu(s)\n}\n");
}

QString projectOf(const Nestw& nestw, const QString& name)
{
    const QDir folder(nestw.folder() + QStringLiteral("/data/nestwright/projects"));
    const QStringList found = folder.entryList({name + QStringLiteral("-*.nest")}, QDir::Files);
    return found.size() == 1 ? folder.filePath(found.first()) : QString();
}

QStringList tuneWords(const QString& model, const QStringList& rest)
{
    return QStringList{QStringLiteral("tune"), model, QStringLiteral("--from"), QStringLiteral("sketch"), QStringLiteral("--finalists"),
                       QStringLiteral("1"), QStringLiteral("--json")} + rest; // one: confirm takes its time with each
}

int trialsIn(const QString& project, int session)
{
    const Result<std::unique_ptr<record::Database>> database = record::Database::open(project.toStdString(), false);
    if (!database) {
        return -1;
    }
    record::TuneJournal journal(**database);
    const Result<std::vector<record::TuneSession>> sessions = journal.sessions();
    int all = 0;
    for (const record::TuneSession& one : sessions ? *sessions : std::vector<record::TuneSession>()) {
        const Result<std::vector<record::TuneTask>> tasks = journal.tasks(one.id);
        for (const record::TuneTask& task : tasks && (session == 0 || one.id == session) ? *tasks : std::vector<record::TuneTask>()) {
            const Result<std::vector<record::TuneTrial>> trials = journal.trials(task.id);
            all += trials ? static_cast<int>(trials->size()) : 0;
        }
    }
    return all;
}

std::string journalFaults(const QString& project)
{
    const Result<std::unique_ptr<record::Database>> database = record::Database::open(project.toStdString(), false);
    if (!database) {
        return database.error().message;
    }
    record::TuneJournal journal(**database);
    const Result<std::vector<record::TuneSession>> sessions = journal.sessions();
    if (!sessions) {
        return sessions.error().message;
    }
    for (const record::TuneSession& session : *sessions) {
        const Result<std::vector<record::TuneTask>> tasks = journal.tasks(session.id);
        if (!tasks) {
            return tasks.error().message;
        }
        for (const record::TuneTask& task : *tasks) {
            if (std::string fault = faultsOf(journal, task); !fault.empty()) {
                return fault;
            }
        }
    }
    return {};
}

std::optional<record::Record> bestRecord(const QString& project)
{
    using record::Origin;
    const Result<std::unique_ptr<record::Database>> database = record::Database::open(project.toStdString(), false);
    if (!database) {
        return std::nullopt;
    }
    const Result<std::vector<record::TuneTask>> tasks = record::TuneJournal(**database).tasks(1);
    if (!tasks || tasks->empty()) {
        return std::nullopt;
    }
    const Result<std::optional<record::Record>> best
        = (*database)->best(tasks->front().task, {Origin::Default, Origin::Edit, Origin::Template, Origin::Sweep, Origin::Tune});
    return best ? *best : std::nullopt;
}

std::string winnersSketch(const QString& project)
{
    const Result<std::unique_ptr<record::Database>> database = record::Database::open(project.toStdString(), false);
    if (!database) {
        return {};
    }
    const record::TuneJournal journal(**database);
    const Result<std::vector<record::TuneTask>> tasks = journal.tasks(1);
    if (!tasks || tasks->empty()) {
        return {};
    }
    const Result<std::vector<record::TuneTrial>> best = journal.trials(tasks->front().id, tasks->front().bestTrial);
    const Result<std::vector<record::TuneSketch>> sketches = journal.sketches(tasks->front().id);
    return best && sketches && !best->empty() ? sketches->at(static_cast<std::size_t>(best->front().sketch)).name : std::string();
}

int toldTrials(const std::vector<QJsonObject>& lines)
{
    int told = 0;
    for (const QJsonObject& line : lines) {
        told = line.value(QStringLiteral("trials_of_session")).toInt(told);
    }
    return told;
}

} // namespace nw::test
