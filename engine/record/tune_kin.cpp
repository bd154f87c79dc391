#include "engine/record/statements_internal.h"
#include "engine/record/tune_journal.h"

#include <map>
#include <set>

namespace nw::record {
namespace {

TuneKin readKin(SQLite::Statement& row)
{
    TuneKin kin;
    kin.kind = row.getColumn(0).getString();
    kin.task = row.getColumn(1).getString();
    kin.target = row.getColumn(2).getString();
    kin.threads = row.getColumn(3).getInt();
    kin.featureVersion = row.getColumn(4).getInt();
    kin.sketch = row.getColumn(5).getString();
    kin.values = row.getColumn(6).getString();
    kin.features = numbersOf<float>(row.getColumn(7));
    kin.ns = row.getColumn(8).getDouble();
    return kin;
}

} // namespace

Status TuneJournal::keepKin(const std::vector<TuneKin>& samples)
{
    return guarded(m_database->path(), [&]() -> Status {
        SQLite::Database& connection = m_database->m_state->connection;
        SQLite::Transaction transaction(connection, SQLite::TransactionBehavior::IMMEDIATE);
        std::set<std::string> tasks;
        for (const TuneKin& kin : samples) {
            if (tasks.insert(kin.task).second) {
                SQLite::Statement old(connection, "DELETE FROM tune_kin WHERE task = ?");
                bindAll(old, kin.task);
                old.exec();
            }
        }
        for (const TuneKin& kin : samples) {
            SQLite::Statement insert(connection, "INSERT INTO tune_kin (kind, task, target, threads, feature_version, sketch, chosen, "
                                                 "features, ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
            bindAll(insert, kin.kind, kin.task, kin.target, kin.threads, kin.featureVersion, kin.sketch, kin.values,
                    kin.features, kin.ns);
            insert.exec();
        }
        transaction.commit();
        return Done{};
    });
}

Result<std::vector<TuneKin>> TuneJournal::kin(const std::string& kind, const std::string& target, int featureVersion,
                                              const std::string& exceptTask, int ofEach, int most) const
{
    const Result<std::vector<TuneKin>> all = m_database->select<TuneKin>(
        "SELECT kind, task, target, threads, feature_version, sketch, chosen, features, ns FROM tune_kin WHERE kind = ? AND target = ? AND "
        "feature_version = ? AND task <> ? ORDER BY id DESC LIMIT ?",
        readKin, kind, target, featureVersion, exceptTask, 20 * most);
    if (!all) {
        return all.error();
    }
    std::map<std::string, int> taken;
    std::vector<TuneKin> found;
    for (const TuneKin& kin : *all) {
        if (static_cast<int>(found.size()) < most && taken[kin.task]++ < ofEach) {
            found.push_back(kin);
        }
    }
    return found;
}

} // namespace nw::record
