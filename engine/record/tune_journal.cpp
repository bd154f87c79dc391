#include "engine/record/tune_journal.h"

#include "engine/record/statements_internal.h"

#include <ctime>

namespace nw::record {
namespace {

constexpr const char* kSessionColumns = "id, settings, wish, state, message, active_seconds, device, unix_time, end_time";

TuneState parseState(const std::string& text)
{
    for (const TuneState state : {TuneState::Running, TuneState::Paused, TuneState::Done, TuneState::Stopped, TuneState::Cancelled}) {
        if (toText(state) == text) {
            return state;
        }
    }
    return TuneState::Failed;
}

TuneWish parseWish(const std::string& text)
{
    for (const TuneWish wish : {TuneWish::Pause, TuneWish::Stop, TuneWish::Cancel}) {
        if (toText(wish) == text) {
            return wish;
        }
    }
    return TuneWish::Run;
}

TuneSession readSession(SQLite::Statement& row)
{
    TuneSession s;
    s.id = row.getColumn(0).getInt64();
    s.settings = row.getColumn(1).getString();
    s.wish = parseWish(row.getColumn(2).getString());
    s.state = parseState(row.getColumn(3).getString());
    s.message = row.getColumn(4).getString();
    s.activeSeconds = row.getColumn(5).getDouble();
    s.device = row.getColumn(6).getString();
    s.unixTime = row.getColumn(7).getInt64();
    s.endTime = row.getColumn(8).getInt64();
    return s;
}

TuneTrial readTrial(SQLite::Statement& row)
{
    TuneTrial t;
    t.task = row.getColumn(0).getInt64();
    t.number = row.getColumn(1).getInt();
    t.round = row.getColumn(2).getInt();
    t.sketch = row.getColumn(3).getInt();
    t.values = row.getColumn(4).getString();
    t.from = row.getColumn(5).getString();
    t.outcome = row.getColumn(6).getString();
    t.cause = row.getColumn(7).getString();
    t.message = row.getColumn(8).getString();
    t.ns = row.getColumn(9).getDouble();
    t.spread = row.getColumn(10).getDouble();
    t.noisy = row.getColumn(11).getInt() != 0;
    if (!row.getColumn(12).isNull()) {
        t.score = row.getColumn(12).getDouble();
    }
    t.buildMs = row.getColumn(13).getDouble();
    t.runMs = row.getColumn(14).getDouble();
    t.unixTime = row.getColumn(15).getInt64();
    return t;
}

TuneRound readRound(SQLite::Statement& row)
{
    TuneRound r;
    r.task = row.getColumn(0).getInt64();
    r.round = row.getColumn(1).getInt();
    r.trained = row.getColumn(2).getInt();
    r.kin = row.getColumn(3).getInt();
    r.correlation = row.getColumn(4).getDouble();
    r.recall = row.getColumn(5).getDouble();
    r.trusted = row.getColumn(6).getInt() != 0;
    r.note = row.getColumn(7).getString();
    r.importance = row.getColumn(8).getString();
    r.refused = row.getColumn(9).getString();
    r.seconds = row.getColumn(10).getDouble();
    return r;
}

TuneFinal readFinal(SQLite::Statement& row)
{
    TuneFinal f;
    f.task = row.getColumn(0).getInt64();
    f.trial = row.getColumn(1).getInt();
    f.searchNs = row.getColumn(2).getDouble();
    f.confirmNs = row.getColumn(3).getDouble();
    f.spread = row.getColumn(4).getDouble();
    f.noisy = row.getColumn(5).getInt() != 0;
    f.outcome = row.getColumn(6).getString();
    f.message = row.getColumn(7).getString();
    f.script = row.getColumn(8).getString();
    return f;
}

} // namespace

std::string_view toText(TuneState state)
{
    switch (state) {
    case TuneState::Running: return "running";
    case TuneState::Paused: return "paused";
    case TuneState::Done: return "done";
    case TuneState::Stopped: return "stopped";
    case TuneState::Cancelled: return "cancelled";
    case TuneState::Failed: return "failed";
    }
    return "failed";
}

std::string_view toText(TuneWish wish)
{
    switch (wish) {
    case TuneWish::Run: return "run";
    case TuneWish::Pause: return "pause";
    case TuneWish::Stop: return "stop";
    case TuneWish::Cancel: return "cancel";
    }
    return "run";
}

TuneJournal::TuneJournal(Database& database)
    : m_database(&database)
{}

Result<std::vector<TuneSession>> TuneJournal::sessions() const
{
    return m_database->select<TuneSession>(std::string("SELECT ") + kSessionColumns + " FROM tune_session ORDER BY id", readSession);
}

Result<std::optional<TuneSession>> TuneJournal::session(std::int64_t id) const
{
    const Result<std::vector<TuneSession>> found =
        m_database->select<TuneSession>(std::string("SELECT ") + kSessionColumns + " FROM tune_session WHERE id = ?", readSession, id);
    if (!found) {
        return found.error();
    }
    return found->empty() ? std::optional<TuneSession>{} : std::optional<TuneSession>(found->front());
}

Status TuneJournal::setWish(std::int64_t session, TuneWish wish)
{
    return m_database->change("UPDATE tune_session SET wish = ? WHERE id = ?", std::string(toText(wish)), session);
}

Status TuneJournal::setState(std::int64_t session, TuneState state, const std::string& message)
{
    const bool ended = state != TuneState::Running && state != TuneState::Paused;
    return m_database->change("UPDATE tune_session SET state = ?, message = ?, end_time = ? WHERE id = ?", std::string(toText(state)),
                              message, ended ? std::int64_t{std::time(nullptr)} : std::int64_t{0}, session);
}

Status TuneJournal::addActiveSeconds(std::int64_t session, double seconds)
{
    return m_database->change("UPDATE tune_session SET active_seconds = active_seconds + ? WHERE id = ?", seconds, session);
}

Status TuneJournal::addTrial(const TuneTrial& t)
{
    return m_database->change(
        "INSERT INTO tune_trial (task, number, round, sketch, chosen, proposer, outcome, cause, message, ns, spread, noisy, score, "
        "build_ms, run_ms, unix_time) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        t.task, t.number, t.round, t.sketch, t.values, t.from, t.outcome, t.cause, t.message, t.ns, t.spread, t.noisy ? 1 : 0, t.score,
        t.buildMs, t.runMs, t.unixTime);
}

Result<std::vector<TuneTrial>> TuneJournal::trials(std::int64_t task, int from) const
{
    return m_database->select<TuneTrial>("SELECT task, number, round, sketch, chosen, proposer, outcome, cause, message, ns, spread, "
                                         "noisy, score, build_ms, run_ms, unix_time FROM tune_trial WHERE task = ? AND number >= ? "
                                         "ORDER BY number",
                                         readTrial, task, from);
}

Status TuneJournal::addRound(const TuneRound& r)
{
    return m_database->change("INSERT OR REPLACE INTO tune_round (task, round, trained, kin, correlation, recall, trusted, note, "
                              "importance, refused, seconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                              r.task, r.round, r.trained, r.kin, r.correlation, r.recall, r.trusted ? 1 : 0, r.note, r.importance,
                              r.refused, r.seconds);
}

Result<std::vector<TuneRound>> TuneJournal::rounds(std::int64_t task) const
{
    return m_database->select<TuneRound>("SELECT task, round, trained, kin, correlation, recall, trusted, note, importance, refused, seconds "
                                         "FROM tune_round WHERE task = ? ORDER BY round",
                                         readRound, task);
}

Status TuneJournal::addFinal(const TuneFinal& f)
{
    return m_database->change("INSERT OR REPLACE INTO tune_final (task, trial, search_ns, confirm_ns, spread, noisy, outcome, message, "
                              "script) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                              f.task, f.trial, f.searchNs, f.confirmNs, f.spread, f.noisy ? 1 : 0, f.outcome, f.message, f.script);
}

Result<std::vector<TuneFinal>> TuneJournal::finals(std::int64_t task) const
{
    return m_database->select<TuneFinal>("SELECT task, trial, search_ns, confirm_ns, spread, noisy, outcome, message, script FROM "
                                         "tune_final WHERE task = ? ORDER BY outcome <> 'ok', confirm_ns",
                                         readFinal, task);
}

} // namespace nw::record
