#include "engine/record/statements_internal.h"

namespace nw::record {
namespace {

// "NWRT": so that `file` and we know a project from any other SQLite database.
constexpr int kApplicationId = 0x4e575254;
constexpr int kSchemaVersion = 1;

constexpr const char* kTables = R"sql(
CREATE TABLE text_value (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE blob_value (key TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE revision (
    id INTEGER PRIMARY KEY AUTOINCREMENT, parent INTEGER NOT NULL, grp TEXT NOT NULL, branch TEXT NOT NULL,
    script TEXT NOT NULL, unix_time INTEGER NOT NULL);
CREATE INDEX revision_by_group ON revision (grp, id);
CREATE TABLE head (grp TEXT PRIMARY KEY, revision INTEGER NOT NULL);
CREATE TABLE record (
    id INTEGER PRIMARY KEY AUTOINCREMENT, task TEXT NOT NULL, anchor TEXT NOT NULL, grp TEXT NOT NULL,
    script TEXT NOT NULL, origin TEXT NOT NULL, algorithm TEXT NOT NULL, protocol TEXT NOT NULL, cold INTEGER NOT NULL,
    samples BLOB NOT NULL, clean INTEGER NOT NULL, median_ns REAL NOT NULL, spread REAL NOT NULL, noisy INTEGER NOT NULL,
    unproven INTEGER NOT NULL, outcome TEXT NOT NULL, message TEXT NOT NULL, max_abs REAL NOT NULL, max_rel REAL NOT NULL,
    share_of_peak REAL NOT NULL, share_of_bound REAL NOT NULL, bound_ns REAL NOT NULL, bound_by TEXT NOT NULL,
    device TEXT NOT NULL, device_state TEXT NOT NULL, compiler TEXT NOT NULL, llvm TEXT NOT NULL,
    unix_time INTEGER NOT NULL);
CREATE INDEX record_by_task ON record (task, id);
CREATE INDEX record_by_anchor ON record (anchor, id);
)sql";

} // namespace

Status prepareSchema(SQLite::Database& connection, const std::filesystem::path& path)
{
    connection.exec("PRAGMA journal_mode = WAL");
    connection.exec("PRAGMA synchronous = FULL");
    const int version = connection.execAndGet("PRAGMA user_version").getInt();
    const int application = connection.execAndGet("PRAGMA application_id").getInt();
    if (version > kSchemaVersion) {
        return failed(path.string() + " was written by a newer version of Nestwright. Update this one to open it.");
    }
    if (version == kSchemaVersion && application == kApplicationId) {
        return Done{};
    }
    // Two programs may make the file at the same moment: decide under the write lock.
    SQLite::Transaction transaction(connection, SQLite::TransactionBehavior::IMMEDIATE);
    if (connection.execAndGet("PRAGMA user_version").getInt() == kSchemaVersion) {
        return Done{};
    }
    if (connection.execAndGet("SELECT count(*) FROM sqlite_master").getInt() != 0) {
        return failed(path.string() + " is a database of another program, not a Nestwright project.");
    }
    connection.exec(kTables);
    connection.exec("PRAGMA application_id = " + std::to_string(kApplicationId));
    connection.exec("PRAGMA user_version = " + std::to_string(kSchemaVersion));
    transaction.commit();
    return Done{};
}

} // namespace nw::record
