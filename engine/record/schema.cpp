#include "engine/record/statements_internal.h"

namespace nw::record {
namespace {

// "NWRT": so that `file` and we know a project from any other SQLite database.
constexpr int kApplicationId = 0x4e575254;
constexpr int kSchemaVersion = 2;

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

// Since version 2: what tuners did.
constexpr const char* kTuningTables = R"sql(
CREATE TABLE tune_session (
    id INTEGER PRIMARY KEY AUTOINCREMENT, settings TEXT NOT NULL, wish TEXT NOT NULL, state TEXT NOT NULL, message TEXT NOT NULL,
    active_seconds REAL NOT NULL, device TEXT NOT NULL, unix_time INTEGER NOT NULL, end_time INTEGER NOT NULL);
CREATE TABLE tune_task (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session INTEGER NOT NULL, task TEXT NOT NULL, anchor TEXT NOT NULL, grp TEXT NOT NULL,
    algorithm TEXT NOT NULL, threads INTEGER NOT NULL, count INTEGER NOT NULL, in_model_ns REAL NOT NULL, state TEXT NOT NULL,
    message TEXT NOT NULL, choices TEXT NOT NULL, default_ns REAL NOT NULL, template_ns REAL NOT NULL, hand_ns REAL NOT NULL,
    bound_ns REAL NOT NULL, bound_by TEXT NOT NULL, peak_flops REAL NOT NULL, nominal_flops REAL NOT NULL, best_ns REAL NOT NULL,
    best_trial INTEGER NOT NULL, confirmed_ns REAL NOT NULL, confirmed_spread REAL NOT NULL, confirmed_noisy INTEGER NOT NULL,
    confirmed_record INTEGER NOT NULL, trials INTEGER NOT NULL, gain REAL NOT NULL);
CREATE INDEX tune_task_by_session ON tune_task (session, id);
CREATE TABLE tune_sketch (
    task INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, script TEXT NOT NULL, PRIMARY KEY (task, number));
CREATE TABLE tune_trial (
    task INTEGER NOT NULL, number INTEGER NOT NULL, round INTEGER NOT NULL, sketch INTEGER NOT NULL, chosen TEXT NOT NULL,
    proposer TEXT NOT NULL, outcome TEXT NOT NULL, cause TEXT NOT NULL, message TEXT NOT NULL, ns REAL NOT NULL,
    spread REAL NOT NULL, noisy INTEGER NOT NULL, score REAL, build_ms REAL NOT NULL, run_ms REAL NOT NULL,
    unix_time INTEGER NOT NULL, PRIMARY KEY (task, number)) WITHOUT ROWID;
CREATE TABLE tune_round (
    task INTEGER NOT NULL, round INTEGER NOT NULL, trained INTEGER NOT NULL, kin INTEGER NOT NULL, correlation REAL NOT NULL,
    recall REAL NOT NULL, trusted INTEGER NOT NULL, note TEXT NOT NULL, importance TEXT NOT NULL, refused TEXT NOT NULL, seconds REAL NOT NULL,
    PRIMARY KEY (task, round));
CREATE TABLE tune_final (
    task INTEGER NOT NULL, trial INTEGER NOT NULL, search_ns REAL NOT NULL, confirm_ns REAL NOT NULL, spread REAL NOT NULL,
    noisy INTEGER NOT NULL, outcome TEXT NOT NULL, message TEXT NOT NULL, script TEXT NOT NULL, PRIMARY KEY (task, trial));
CREATE TABLE tune_kin (
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, task TEXT NOT NULL, target TEXT NOT NULL, threads INTEGER NOT NULL,
    feature_version INTEGER NOT NULL, sketch TEXT NOT NULL, chosen TEXT NOT NULL, features BLOB NOT NULL, ns REAL NOT NULL);
CREATE INDEX tune_kin_by_kind ON tune_kin (kind, target, id);
CREATE INDEX tune_kin_by_task ON tune_kin (task);
)sql";

} // namespace

Status prepareSchema(SQLite::Database& connection, const std::filesystem::path& path)
{
    connection.exec("PRAGMA journal_mode = WAL");
    connection.exec("PRAGMA synchronous = FULL");
    // 512 KB: a tuner appends for days, and what it once wrote is not read again; the system has the file in memory anyway.
    connection.exec("PRAGMA cache_size = -512");
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
    const int present = connection.execAndGet("PRAGMA user_version").getInt();
    if (present == kSchemaVersion) {
        return Done{};
    }
    const bool isOurs = present > 0 && application == kApplicationId;
    if (!isOurs) {
        if (connection.execAndGet("SELECT count(*) FROM sqlite_master").getInt() != 0) {
            return failed(path.string() + " is a database of another program, not a Nestwright project.");
        }
        connection.exec(kTables);
    }
    connection.exec(kTuningTables);
    connection.exec("PRAGMA application_id = " + std::to_string(kApplicationId));
    connection.exec("PRAGMA user_version = " + std::to_string(kSchemaVersion));
    transaction.commit();
    return Done{};
}

} // namespace nw::record
