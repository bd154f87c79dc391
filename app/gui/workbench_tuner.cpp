// The tuner's side of the workbench: its journal is read and its wishes are written in the thread that keeps the project.
#include "app/gui/workbench_state.h"

#include "engine/tune/tuning_lock.h"
#include "views/common/format.h"

namespace nw::app {

using views::fromStd;

namespace {

const QString kLook = QStringLiteral("look");
const QString kWish = QStringLiteral("wish");
// At once: so that the window's thread has a breath between two of them.
constexpr std::size_t kMostTrials = 2500;

Result<TuneNews> newsOf(session::Project& project, std::int64_t task, int from)
{
    const record::TuneJournal journal(*project.database());
    TuneNews news;
    const Result<session::Folders> folders = session::userFolders();
    news.alive = folders && tune::TuningLock::isHeld(folders->runtime, project.database()->path());
    const Result<std::vector<record::TuneSession>> sessions = journal.sessions();
    if (!sessions || sessions->empty()) {
        return sessions ? Result<TuneNews>(news) : Result<TuneNews>(sessions.error());
    }
    news.session = sessions->back();
    const Result<std::vector<record::TuneTask>> tasks = journal.tasks(news.session->id);
    if (!tasks) {
        return tasks.error();
    }
    news.tasks = *tasks;
    const bool isThere = std::any_of(tasks->begin(), tasks->end(), [task](const record::TuneTask& t) { return t.id == task; });
    if (!isThere) {
        return news;
    }
    news.task = task;
    const auto take = [](auto&& read, auto& into) -> Status {
        if (!read) {
            return read.error();
        }
        into = *std::move(read);
        return Done{};
    };
    Status done = take(journal.trials(task, from), news.trials);
    done = done ? take(journal.rounds(task), news.rounds) : done;
    done = done ? take(journal.sketches(task), news.sketches) : done;
    done = done ? take(journal.finals(task), news.finals) : done;
    if (!done) {
        return done.error();
    }
    news.more = news.trials.size() > kMostTrials;
    if (news.more) {
        news.trials.resize(kMostTrials);
    }
    return news;
}

} // namespace

void Workbench::lookAtTuning(std::int64_t task, int from)
{
    m_keeping.post(2, kLook, [this, task, from](const StopToken&) {
        if (!m_keeper->project || m_keeper->project->database() == nullptr) {
            return;
        }
        session::Project& project = *m_keeper->project;
        Result<TuneNews> news = newsOf(project, task, from);
        if (!news) {
            const QString why = fromStd(news.error().message);
            tell([this, why] {
                Q_EMIT log(tr("The tuner's journal could not be read: %1").arg(why));
                Q_EMIT tuneNews(nullptr);
            });
            return;
        }
        for (const record::TuneTask& row : news->tasks) {
            if (row.confirmedRecord == 0 || m_keeper->tuned[row.task] == row.confirmedRecord) {
                continue;
            }
            m_keeper->tuned[row.task] = row.confirmedRecord;
            const Result<std::optional<record::Record>> best =
                project.database()->best(row.task, {record::Origin::Tune, record::Origin::Sweep});
            if (best && *best) {
                news->confirmed.push_back(**best);
            }
        }
        const auto made = std::make_shared<const TuneNews>(*std::move(news));
        tell([this, made] { Q_EMIT tuneNews(made); });
    });
}

void Workbench::wishTuning(std::int64_t session, record::TuneWish wish)
{
    m_keeping.post(0, kWish, [this, session, wish](const StopToken&) {
        if (!m_keeper->project) {
            return;
        }
        const Status done = record::TuneJournal(*m_keeper->project->database()).setWish(session, wish);
        if (!done) {
            const QString why = fromStd(done.error().message);
            tell([this, why] { Q_EMIT problem(tr("The tuner could not be told: %1").arg(why)); });
        }
    });
}

void Workbench::endTuning(std::int64_t session, record::TuneState state)
{
    m_keeping.post(0, kWish, [this, session, state](const StopToken&) {
        if (!m_keeper->project) {
            return;
        }
        const Status done = record::TuneJournal(*m_keeper->project->database()).setState(session, state, {});
        if (!done) {
            const QString why = fromStd(done.error().message);
            tell([this, why] { Q_EMIT problem(why); });
        }
    });
}

} // namespace nw::app
