#include "engine/record/statements_internal.h"

#include <algorithm>
#include <ctime>

namespace nw::record {
namespace {

Revision readRevision(SQLite::Statement& row)
{
    return {row.getColumn(0).getInt64(), row.getColumn(1).getInt64(), row.getColumn(2).getString(),
            row.getColumn(3).getString(), row.getColumn(4).getString(), row.getColumn(5).getInt64()};
}

constexpr const char* kById = "SELECT id, parent, grp, branch, script, unix_time FROM revision WHERE id = ?";
constexpr const char* kOfGroup
    = "SELECT id, parent, grp, branch, script, unix_time FROM revision WHERE grp = ? ORDER BY id";

std::int64_t headId(SQLite::Database& connection, const std::string& group)
{
    SQLite::Statement query(connection, "SELECT revision FROM head WHERE grp = ?");
    query.bind(1, group);
    return query.executeStep() ? query.getColumn(0).getInt64() : 0;
}

// The parent's branch while that does not go on behind it, else the first free "main-2", "main-3", ...
std::string branchFor(SQLite::Database& connection, const std::string& group, std::int64_t parent, bool branches)
{
    SQLite::Statement query(connection, "SELECT branch FROM revision WHERE id = ?");
    query.bind(1, parent);
    const std::string own = query.executeStep() ? query.getColumn(0).getString() : "main";
    SQLite::Statement sibling(connection, "SELECT count(*) FROM revision WHERE grp = ? AND parent = ? AND branch = ?");
    sibling.bind(1, group);
    sibling.bind(2, parent);
    sibling.bind(3, own);
    sibling.executeStep();
    if (!branches && sibling.getColumn(0).getInt() == 0) {
        return own;
    }
    SQLite::Statement known(connection, "SELECT count(DISTINCT branch) FROM revision WHERE grp = ?");
    known.bind(1, group);
    known.executeStep();
    return "main-" + std::to_string(known.getColumn(0).getInt() + 1);
}

} // namespace

Result<Revision> Database::addRevision(const std::string& group, std::int64_t parent, const std::string& script, bool branches)
{
    return guarded(m_state->path, [&]() -> Result<Revision> {
        SQLite::Database& connection = m_state->connection;
        SQLite::Transaction transaction(connection, SQLite::TransactionBehavior::IMMEDIATE);
        if (parent != 0) {
            SQLite::Statement known(connection, "SELECT count(*) FROM revision WHERE grp = ? AND id = ?");
            known.bind(1, group);
            known.bind(2, parent);
            known.executeStep();
            if (known.getColumn(0).getInt() == 0) {
                return failed("There is no revision " + std::to_string(parent) + " of " + group + " to build on.");
            }
        }
        Revision made{0, parent, group, branchFor(connection, group, parent, branches), script, std::time(nullptr)};
        SQLite::Statement insert(connection,
                                 "INSERT INTO revision (parent, grp, branch, script, unix_time) VALUES (?, ?, ?, ?, ?)");
        insert.bind(1, made.parent);
        insert.bind(2, made.group);
        insert.bind(3, made.branch);
        insert.bind(4, made.script);
        insert.bind(5, made.unixTime);
        insert.exec();
        made.id = connection.getLastInsertRowid();
        SQLite::Statement head(connection, "INSERT OR REPLACE INTO head (grp, revision) VALUES (?, ?)");
        head.bind(1, group);
        head.bind(2, made.id);
        head.exec();
        transaction.commit();
        return made;
    });
}

Result<std::optional<Revision>> Database::head(const std::string& group) const
{
    return guarded(m_state->path, [&]() -> Result<std::optional<Revision>> {
        const std::int64_t id = headId(m_state->connection, group);
        if (id == 0) {
            return std::optional<Revision>{};
        }
        SQLite::Statement query(m_state->connection, kById);
        query.bind(1, id);
        return query.executeStep() ? std::optional<Revision>(readRevision(query)) : std::nullopt;
    });
}

Status Database::moveHead(const std::string& group, std::int64_t revision)
{
    return guarded(m_state->path, [&]() -> Status {
        SQLite::Database& connection = m_state->connection;
        SQLite::Transaction transaction(connection, SQLite::TransactionBehavior::IMMEDIATE);
        SQLite::Statement known(connection, "SELECT count(*) FROM revision WHERE grp = ? AND id = ?");
        known.bind(1, group);
        known.bind(2, revision);
        known.executeStep();
        if (revision != 0 && known.getColumn(0).getInt() == 0) {
            return failed("There is no revision " + std::to_string(revision) + " of " + group + ".");
        }
        SQLite::Statement head(connection, "INSERT OR REPLACE INTO head (grp, revision) VALUES (?, ?)");
        head.bind(1, group);
        head.bind(2, revision);
        head.exec();
        transaction.commit();
        return Done{};
    });
}

Result<std::vector<Revision>> Database::revisions(const std::string& group) const
{
    return guarded(m_state->path, [&]() -> Result<std::vector<Revision>> {
        SQLite::Statement query(m_state->connection, kOfGroup);
        query.bind(1, group);
        std::vector<Revision> found;
        while (query.executeStep()) {
            found.push_back(readRevision(query));
        }
        return found;
    });
}

} // namespace nw::record
