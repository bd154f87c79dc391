#include "engine/record/statements_internal.h"
#include "engine/record/tune_journal.h"

#include <ctime>

namespace nw::record {
namespace {

TuneTask readTask(SQLite::Statement& row)
{
    int column = 0;
    const auto next = [&] { return row.getColumn(column++); };
    TuneTask t;
    t.id = next().getInt64();
    t.session = next().getInt64();
    t.task = next().getString();
    t.anchor = next().getString();
    t.group = next().getString();
    t.algorithm = next().getString();
    t.threads = next().getInt();
    t.count = next().getInt();
    t.inModelNs = next().getDouble();
    t.state = next().getString();
    t.message = next().getString();
    t.choices = next().getString();
    t.defaultNs = next().getDouble();
    t.templateNs = next().getDouble();
    t.handNs = next().getDouble();
    t.boundNs = next().getDouble();
    t.boundBy = next().getString();
    t.peakFlops = next().getDouble();
    t.nominalFlops = next().getDouble();
    t.bestNs = next().getDouble();
    t.bestTrial = next().getInt();
    t.confirmedNs = next().getDouble();
    t.confirmedSpread = next().getDouble();
    t.confirmedNoisy = next().getInt() != 0;
    t.confirmedRecord = next().getInt64();
    t.trials = next().getInt();
    t.gain = next().getDouble();
    return t;
}

TuneSketch readSketch(SQLite::Statement& row)
{
    return {row.getColumn(0).getInt64(), row.getColumn(1).getInt(), row.getColumn(2).getString(), row.getColumn(3).getString()};
}

} // namespace

Result<std::int64_t> TuneJournal::addSession(const TuneSession& session, std::vector<TuneTask>& tasks,
                                             const std::vector<std::vector<TuneSketch>>& sketches)
{
    return guarded(m_database->path(), [&]() -> Result<std::int64_t> {
        SQLite::Database& connection = m_database->m_state->connection;
        SQLite::Transaction transaction(connection, SQLite::TransactionBehavior::IMMEDIATE);
        SQLite::Statement insert(connection, "INSERT INTO tune_session (settings, wish, state, message, active_seconds, device, "
                                             "unix_time, end_time) VALUES (?, ?, ?, ?, ?, ?, ?, 0)");
        bindAll(insert, session.settings, std::string(toText(session.wish)), std::string(toText(session.state)), session.message,
                session.activeSeconds, session.device, session.unixTime != 0 ? session.unixTime : std::int64_t{std::time(nullptr)});
        insert.exec();
        const std::int64_t id = connection.getLastInsertRowid();
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            TuneTask& t = tasks[i];
            t.session = id;
            SQLite::Statement row(connection,
                                  "INSERT INTO tune_task (session, task, anchor, grp, algorithm, threads, count, in_model_ns, state, message, "
                                  "choices, default_ns, template_ns, hand_ns, bound_ns, bound_by, peak_flops, nominal_flops, best_ns, "
                                  "best_trial, confirmed_ns, confirmed_spread, confirmed_noisy, confirmed_record, trials, gain) VALUES "
                                  "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
            bindAll(row, t.session, t.task, t.anchor, t.group, t.algorithm, t.threads, t.count, t.inModelNs, t.state, t.message, t.choices,
                    t.defaultNs, t.templateNs, t.handNs, t.boundNs, t.boundBy, t.peakFlops, t.nominalFlops, t.bestNs, t.bestTrial,
                    t.confirmedNs, t.confirmedSpread, t.confirmedNoisy ? 1 : 0, t.confirmedRecord, t.trials, t.gain);
            row.exec();
            t.id = connection.getLastInsertRowid();
            for (const TuneSketch& sketch : i < sketches.size() ? sketches[i] : std::vector<TuneSketch>{}) {
                SQLite::Statement text(connection, "INSERT INTO tune_sketch (task, number, name, script) VALUES (?, ?, ?, ?)");
                bindAll(text, t.id, sketch.number, sketch.name, sketch.script);
                text.exec();
            }
        }
        transaction.commit();
        return id;
    });
}

Result<std::vector<TuneTask>> TuneJournal::tasks(std::int64_t session) const
{
    return m_database->select<TuneTask>("SELECT id, session, task, anchor, grp, algorithm, threads, count, in_model_ns, state, message, "
                                        "choices, default_ns, template_ns, hand_ns, bound_ns, bound_by, peak_flops, nominal_flops, best_ns, "
                                        "best_trial, confirmed_ns, confirmed_spread, confirmed_noisy, confirmed_record, trials, gain FROM "
                                        "tune_task WHERE session = ? ORDER BY id",
                                        readTask, session);
}

Status TuneJournal::updateTask(const TuneTask& t)
{
    return m_database->change("UPDATE tune_task SET in_model_ns = ?, state = ?, message = ?, choices = ?, default_ns = ?, template_ns = ?, "
                              "hand_ns = ?, bound_ns = ?, bound_by = ?, peak_flops = ?, nominal_flops = ?, best_ns = ?, best_trial = ?, "
                              "confirmed_ns = ?, confirmed_spread = ?, confirmed_noisy = ?, confirmed_record = ?, trials = ?, gain = ? "
                              "WHERE id = ?",
                              t.inModelNs, t.state, t.message, t.choices, t.defaultNs, t.templateNs, t.handNs, t.boundNs, t.boundBy,
                              t.peakFlops, t.nominalFlops, t.bestNs, t.bestTrial, t.confirmedNs, t.confirmedSpread,
                              t.confirmedNoisy ? 1 : 0, t.confirmedRecord, t.trials, t.gain, t.id);
}

Result<std::vector<TuneSketch>> TuneJournal::sketches(std::int64_t task) const
{
    return m_database->select<TuneSketch>("SELECT task, number, name, script FROM tune_sketch WHERE task = ? ORDER BY number", readSketch,
                                          task);
}

} // namespace nw::record
