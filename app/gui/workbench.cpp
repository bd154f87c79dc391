#include "app/gui/workbench_state.h"

#include "views/common/format.h"

#include <cctype>
#include <set>

namespace nw::app {

using views::fromStd;
using views::toStd;

namespace {

const QString kOpen = QStringLiteral("open");
const QString kKeep = QStringLiteral("keep");

// What a dimension of this name is likely to be: one picture, a sentence of 128 words, a square picture.
std::int64_t proposalFor(std::string name)
{
    for (char& c : name) {
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
    if (has("seq") || has("len") || has("token") || has("time")) {
        return 128;
    }
    return has("height") || has("width") ? 224 : 1;
}

QList<views::UnboundDimension> unboundOf(const session::Project& project)
{
    QList<views::UnboundDimension> found;
    const model::Model& model = project.model();
    for (const model::ValueInfo& input : model.inputs) {
        if (model.initializers.contains(input.name)) {
            continue;
        }
        std::string shape;
        for (const auto& dimension : input.shape) {
            shape += (shape.empty() ? "" : ", ") + (dimension.symbol.empty() ? std::to_string(dimension.value.value_or(0)) : dimension.symbol);
        }
        for (const auto& dimension : input.shape) {
            if (dimension.symbol.empty() || project.choices().bind.contains(dimension.symbol)) {
                continue;
            }
            const QString name = fromStd(dimension.symbol);
            auto known = std::find_if(found.begin(), found.end(), [&](const views::UnboundDimension& s) { return s.name == name; });
            if (known == found.end()) {
                found.append({name, proposalFor(dimension.symbol), {}});
                known = found.end() - 1;
            }
            known->usedBy.append(fromStd(input.name + "[" + shape + "]"));
        }
    }
    return found;
}

Result<OpenedProject> snapshot(session::Project& project)
{
    const Result<const plan::Plan*> plan = project.plan();
    if (!plan) {
        return plan.error();
    }
    const Result<std::vector<const session::Operator*>> operators = project.operators();
    if (!operators) {
        return operators.error();
    }
    OpenedProject made;
    made.title = fromStd(project.title());
    made.plan = **plan;
    made.target = fromStd(project.choices().target);
    made.threads = project.choices().threads;
    made.projectFile = fromStd(project.database()->path().string());
    for (const session::Operator* op : *operators) {
        made.operators.push_back(*op);
        const Result<std::optional<std::string>> kept = project.database()->text("comparison." + op->name);
        if (kept && *kept) {
            if (const Result<session::Comparison> comparison = session::parseComparison(**kept); comparison) {
                made.comparisons[op->name] = *comparison;
            }
        }
        const Result<std::optional<std::string>> time = project.database()->text("profile." + op->name);
        if (time && *time) {
            made.profileNs[op->name] = std::strtod((*time)->c_str(), nullptr);
        }
    }
    return made;
}

} // namespace

session::OpenOptions optionsOf(const QMap<QString, qint64>& bind)
{
    session::OpenOptions options;
    for (auto it = bind.begin(); it != bind.end(); ++it) {
        options.bind[toStd(it.key())] = it.value();
    }
    return options;
}

Workbench::Workbench(QObject* parent)
    : QObject(parent)
    , m_keeper(std::make_unique<Keeper>())
    , m_bench(std::make_unique<Bench>())
    , m_keeping(Lane::AtEnd::Finish, [this](const QString& words) {
        tell([this, words] { Q_EMIT problem(tr("A fault of Nestwright while keeping the project: %1").arg(words)); });
    })
    , m_device(Lane::AtEnd::Drop, [this](const QString& words) {
        tell([this, words] { Q_EMIT problem(tr("A fault of Nestwright while measuring: %1").arg(words)); });
    })
{}

Workbench::~Workbench()
{
    m_keeping.cancel(kOpen);
}

void Workbench::open(const QString& path, const QMap<QString, qint64>& bind)
{
    m_path = path;
    m_bind = bind;
    m_device.cancelAll();
    m_keeping.cancel(kOpen);
    m_keeping.post(0, kOpen, [this, path, bind](const StopToken& stop) {
        const Result<session::Folders> folders = session::userFolders();
        Result<std::unique_ptr<session::Project>> project =
            folders ? session::Project::open(std::filesystem::path(toStd(path)), optionsOf(bind), *folders)
                    : Result<std::unique_ptr<session::Project>>(folders.error());
        if (stop.stopRequested()) {
            return;
        }
        if (!project) {
            const QString why = fromStd(project.error().message);
            tell([this, why] { Q_EMIT openFailed(why, tr("Open another file, or look at the model's producer.")); });
            return;
        }
        const QList<views::UnboundDimension> unbound = unboundOf(**project);
        if (!unbound.isEmpty()) {
            const QString title = fromStd((*project)->title());
            tell([this, title, unbound] { Q_EMIT dimensionsNeeded(title, unbound); });
            return;
        }
        if (!bind.isEmpty()) { // the next opening knows them
            const Status remembered = (*project)->database()->setText("choices", plan::toText((*project)->choices()));
            if (!remembered) {
                const QString why = fromStd(remembered.error().message);
                tell([this, why] { Q_EMIT problem(why); });
            }
        }
        Result<OpenedProject> made = snapshot(**project);
        if (!made) {
            const QString why = fromStd(made.error().message);
            tell([this, why] { Q_EMIT openFailed(why, tr("The model was read, but it cannot be compiled as it is.")); });
            return;
        }
        made->path = path;
        m_keeper->project = *std::move(project);
        m_keeper->revisions.clear();
        m_keeper->tuned.clear();
        auto shared = std::make_shared<const OpenedProject>(*std::move(made));
        tell([this, shared] { Q_EMIT opened(shared); });
    });
}

void Workbench::cancelOpen()
{
    m_keeping.cancel(kOpen);
}

void Workbench::loadOperator(const QString& name)
{
    m_keeping.post(1, QStringLiteral("load"), [this, name](const StopToken&) {
        if (!m_keeper->project) {
            return;
        }
        session::Project& project = *m_keeper->project;
        const Result<const session::Operator*> op = project.find(toStd(name));
        const Result<session::Project::Chosen> chosen =
            op ? project.script(**op) : Result<session::Project::Chosen>(op.error());
        if (!chosen) {
            const QString why = fromStd(chosen.error().message);
            tell([this, why] { Q_EMIT problem(why); });
            return;
        }
        auto state = std::make_shared<OperatorState>();
        state->op = **op;
        state->chosen = *chosen;
        if (Result<std::vector<record::Revision>> revisions = project.database()->revisions((*op)->scriptName()); revisions) {
            state->revisions = *std::move(revisions);
        }
        if (Result<std::vector<record::Record>> records = project.database()->records((*op)->taskId); records) {
            state->records = *std::move(records);
        }
        m_keeper->revisions[{name, 0}] = chosen->revision;
        std::shared_ptr<const OperatorState> made = state;
        tell([this, made] { Q_EMIT operatorLoaded(made); });
    });
}

void Workbench::keep(const QString& op, qint64 parent, qint64 state, const QString& text)
{
    m_keeping.post(0, kKeep, [this, op, parent, state, text](const StopToken&) {
        if (!m_keeper->project) {
            return;
        }
        const Result<const session::Operator*> found = m_keeper->project->find(toStd(op));
        const std::int64_t before = m_keeper->revisions[{op, parent}];
        const Result<record::Revision> revision =
            found ? m_keeper->project->edit(**found, before, toStd(text)) : Result<record::Revision>(found.error());
        if (!revision) {
            const QString why = fromStd(revision.error().message);
            tell([this, why] { Q_EMIT problem(tr("The step is shown but could not be kept: %1").arg(why)); });
            return;
        }
        m_keeper->revisions[{op, state}] = revision->id;
        tellRevisions(op, revision->id);
    });
}

void Workbench::moveTo(const QString& op, qint64 state)
{
    m_keeping.post(0, kKeep, [this, op, state](const StopToken&) {
        if (m_keeper->project) {
            showRevision(op, m_keeper->revisions[{op, state}]);
        }
    });
}

void Workbench::openRevision(const QString& op, qint64 state, std::int64_t revision)
{
    m_keeping.post(0, kKeep, [this, op, state, revision](const StopToken&) {
        if (m_keeper->project) {
            m_keeper->revisions[{op, state}] = revision;
            showRevision(op, revision);
        }
    });
}

namespace {

// Under which name an operator's scripts are kept.
std::string scriptNameOf(session::Project& project, const QString& op)
{
    const Result<const session::Operator*> found = project.find(toStd(op));
    return found ? (*found)->scriptName() : toStd(op);
}

} // namespace

// In the keeping thread, as the one below.
void Workbench::showRevision(const QString& op, std::int64_t revision)
{
    session::Project& project = *m_keeper->project;
    const Status moved = project.database()->moveHead(scriptNameOf(project, op), revision);
    if (!moved) {
        const QString why = fromStd(moved.error().message);
        tell([this, why] { Q_EMIT problem(why); });
        return;
    }
    tellRevisions(op, revision);
}

void Workbench::tellRevisions(const QString& op, std::int64_t head)
{
    session::Project& project = *m_keeper->project;
    const Result<std::vector<record::Revision>> known = project.database()->revisions(scriptNameOf(project, op));
    if (!known) {
        const QString why = fromStd(known.error().message);
        tell([this, why] { Q_EMIT problem(why); });
        return;
    }
    tell([this, op, head, revisions = *known] { Q_EMIT revisionsKnown(op, revisions, head); });
}

void Workbench::saveAs(const QString& path)
{
    m_keeping.post(0, kKeep, [this, path](const StopToken&) {
        if (!m_keeper->project) {
            return;
        }
        const Status done = m_keeper->project->saveAs(std::filesystem::path(toStd(path)));
        const QString why = done ? QString() : fromStd(done.error().message);
        tell([this, path, why] {
            if (why.isEmpty()) {
                Q_EMIT saved(path);
            } else {
                Q_EMIT problem(why);
            }
        });
    });
}

void Workbench::addRecord(const record::Record& record)
{
    m_keeping.post(0, kKeep, [this, record](const StopToken&) {
        if (!m_keeper->project) {
            return;
        }
        const Result<std::int64_t> kept = m_keeper->project->database()->addRecord(record);
        if (!kept) {
            const QString why = fromStd(kept.error().message);
            tell([this, why] { Q_EMIT problem(tr("The measurement is shown but could not be kept: %1").arg(why)); });
        }
    });
}

bool Workbench::isIdle() const
{
    return m_keeping.isIdle() && m_device.isIdle();
}

} // namespace nw::app
