#include "engine/record/database.h"

#include "engine/record/statements_internal.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace nw::record {
namespace {

constexpr const char* kColumns =
    "id, task, anchor, grp, script, origin, algorithm, protocol, cold, samples, clean, median_ns, spread, noisy, unproven, "
    "outcome, message, max_abs, max_rel, share_of_peak, share_of_bound, bound_ns, bound_by, device, device_state, "
    "compiler, llvm, unix_time";

Origin parseOrigin(const std::string& text)
{
    for (const Origin origin : {Origin::Default, Origin::Edit, Origin::Template, Origin::Sweep, Origin::Tune, Origin::Library}) {
        if (toText(origin) == text) {
            return origin;
        }
    }
    return Origin::Edit;
}

Record readRecord(SQLite::Statement& row)
{
    int column = 0;
    const auto next = [&] { return row.getColumn(column++); };
    Record r;
    r.id = next().getInt64();
    r.task = next().getString();
    r.anchor = next().getString();
    r.group = next().getString();
    r.script = next().getString();
    r.origin = parseOrigin(next().getString());
    r.algorithm = next().getString();
    r.protocol = next().getString();
    r.cold = next().getInt() != 0;
    r.samplesNs = numbersOf<double>(next());
    r.clean = next().getInt();
    r.medianNs = next().getDouble();
    r.spread = next().getDouble();
    r.noisy = next().getInt() != 0;
    r.unproven = next().getInt() != 0;
    r.outcome = next().getString();
    r.message = next().getString();
    r.maxAbsDiff = next().getDouble();
    r.maxRelDiff = next().getDouble();
    r.shareOfPeak = next().getDouble();
    r.shareOfBound = next().getDouble();
    r.boundNs = next().getDouble();
    r.boundBy = next().getString();
    r.device = next().getString();
    r.deviceState = next().getString();
    r.compiler = next().getString();
    r.llvm = next().getString();
    r.unixTime = next().getInt64();
    return r;
}

void bindRecord(SQLite::Statement& insert, const Record& r)
{
    bindAll(insert, r.task, r.anchor, r.group, r.script, std::string(toText(r.origin)), r.algorithm, r.protocol, r.cold ? 1 : 0, r.samplesNs,
            r.clean, r.medianNs, r.spread, r.noisy ? 1 : 0, r.unproven ? 1 : 0, r.outcome, r.message, r.maxAbsDiff, r.maxRelDiff,
            r.shareOfPeak, r.shareOfBound, r.boundNs, r.boundBy, r.device, r.deviceState, r.compiler, r.llvm, r.unixTime);
}

} // namespace

Database::Database(std::unique_ptr<State> state)
    : m_state(std::move(state))
{}
Database::~Database() = default;

Result<std::unique_ptr<Database>> Database::open(const std::filesystem::path& path, bool createIfMissing)
{
    return guarded(path, [&]() -> Result<std::unique_ptr<Database>> {
        auto state = std::make_unique<State>(path, SQLite::OPEN_READWRITE | (createIfMissing ? SQLite::OPEN_CREATE : 0));
        const Status prepared = prepareSchema(state->connection, path);
        if (!prepared) {
            return prepared.error();
        }
        return std::unique_ptr<Database>(new Database(std::move(state)));
    });
}

const std::filesystem::path& Database::path() const
{
    return m_state->path;
}

Status Database::setText(const std::string& key, std::string_view value)
{
    return guarded(m_state->path, [&]() -> Status {
        SQLite::Statement insert(m_state->connection, "INSERT OR REPLACE INTO text_value (key, value) VALUES (?, ?)");
        insert.bind(1, key);
        insert.bind(2, std::string(value));
        insert.exec();
        return Done{};
    });
}

Result<std::optional<std::string>> Database::text(const std::string& key) const
{
    return guarded(m_state->path, [&]() -> Result<std::optional<std::string>> {
        SQLite::Statement query(m_state->connection, "SELECT value FROM text_value WHERE key = ?");
        query.bind(1, key);
        return query.executeStep() ? std::optional<std::string>(query.getColumn(0).getString()) : std::nullopt;
    });
}

Status Database::setBlob(const std::string& key, std::span<const std::byte> bytes)
{
    if (bytes.size() > (std::size_t{1} << 30)) {
        return failed("This is too large to be kept inside a project file (more than 1 GiB); it is kept by its hash instead.");
    }
    return guarded(m_state->path, [&]() -> Status {
        SQLite::Statement insert(m_state->connection, "INSERT OR REPLACE INTO blob_value (key, value) VALUES (?, ?)");
        insert.bind(1, key);
        insert.bindNoCopy(2, static_cast<const void*>(bytes.data()), static_cast<int>(bytes.size()));
        insert.exec();
        return Done{};
    });
}

Result<std::optional<std::vector<std::byte>>> Database::blob(const std::string& key) const
{
    return guarded(m_state->path, [&]() -> Result<std::optional<std::vector<std::byte>>> {
        SQLite::Statement query(m_state->connection, "SELECT value FROM blob_value WHERE key = ?");
        query.bind(1, key);
        if (!query.executeStep()) {
            return std::optional<std::vector<std::byte>>{};
        }
        const SQLite::Column column = query.getColumn(0);
        const auto* bytes = static_cast<const std::byte*>(column.getBlob());
        return std::optional<std::vector<std::byte>>(std::vector<std::byte>(bytes, bytes + column.getBytes()));
    });
}

Result<std::int64_t> Database::addRecord(const Record& record)
{
    return guarded(m_state->path, [&]() -> Result<std::int64_t> {
        std::string holes = "NULL";
        const auto columns = std::count(kColumns, kColumns + std::strlen(kColumns), ',');
        for (std::ptrdiff_t i = 0; i < columns; ++i) {
            holes += ", ?";
        }
        SQLite::Statement insert(m_state->connection,
                                 std::string("INSERT INTO record (") + kColumns + ") VALUES (" + holes + ")");
        bindRecord(insert, record);
        insert.exec();
        return m_state->connection.getLastInsertRowid();
    });
}

Result<std::vector<Record>> Database::records(const std::string& task) const
{
    return select<Record>(std::string("SELECT ") + kColumns + " FROM record WHERE task = ? ORDER BY id", readRecord, task);
}

Result<std::vector<Record>> Database::recordsByAnchor(const std::string& anchor) const
{
    return select<Record>(std::string("SELECT ") + kColumns + " FROM record WHERE anchor = ? ORDER BY id", readRecord, anchor);
}

Result<std::optional<Record>> Database::best(const std::string& task, const std::vector<Origin>& origins) const
{
    const Result<std::vector<Record>> all = records(task);
    if (!all) {
        return all.error();
    }
    std::optional<Record> found;
    for (const Record& record : *all) {
        const bool wanted = std::find(origins.begin(), origins.end(), record.origin) != origins.end();
        if (wanted && record.outcome == "ok" && record.protocol == "confirm" && !record.cold && !record.unproven &&
            record.medianNs > 0 && (!found || record.medianNs < found->medianNs)) {
            found = record;
        }
    }
    return found;
}

Status Database::saveAs(const std::filesystem::path& target) const
{
    std::filesystem::path temporary = target;
    temporary += ".part";
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    const Status copied = guarded(target, [&]() -> Status {
        SQLite::Database copy(temporary.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        SQLite::Backup backup(copy, m_state->connection);
        backup.executeStep(-1);
        return Done{};
    });
    if (!copied) {
        std::filesystem::remove(temporary, ignored);
        return copied;
    }
    std::error_code problem;
    std::filesystem::rename(temporary, target, problem);
    if (problem) {
        return failed("The copy could not be put at " + target.string() + ": " + problem.message() + ".");
    }
    return Done{};
}

} // namespace nw::record
