#pragma once

#include "engine/base/result.h"
#include "engine/record/database.h"

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

// What the sources of this folder share; never included from elsewhere.
namespace nw::record {

struct Database::State {
    std::filesystem::path path;
    SQLite::Database connection;
    State(const std::filesystem::path& file, int flags)
        : path(file)
        , connection(file.string(), flags, 5000)
    {}
};

inline void bindOne(SQLite::Statement& statement, int at, const std::string& value) { statement.bind(at, value); }
// What is no number would be kept as NULL, which no column takes: a figure that nobody has is 0.
inline double finite(double value) { return std::isfinite(value) ? value : 0; }
inline void bindOne(SQLite::Statement& statement, int at, double value) { statement.bind(at, finite(value)); }
inline void bindOne(SQLite::Statement& statement, int at, int value) { statement.bind(at, value); }
inline void bindOne(SQLite::Statement& statement, int at, std::int64_t value) { statement.bind(at, value); }
inline void bindOne(SQLite::Statement& statement, int at, const std::optional<double>& value)
{
    if (value) {
        statement.bind(at, finite(*value));
    } else {
        statement.bind(at);
    }
}
// Numbers one behind the other; they live as long as the statement. No numbers are bytes of no length: a null pointer would be
// NULL, which no column takes.
template <typename T>
void bindOne(SQLite::Statement& statement, int at, const std::vector<T>& numbers)
{
    const void* const bytes = numbers.empty() ? static_cast<const void*>("") : numbers.data();
    statement.bind(at, bytes, static_cast<int>(numbers.size() * sizeof(T)));
}
template <typename T>
std::vector<T> numbersOf(const SQLite::Column& column)
{
    std::vector<T> numbers(static_cast<std::size_t>(column.getBytes()) / sizeof(T));
    if (!numbers.empty()) {
        std::memcpy(numbers.data(), column.getBlob(), numbers.size() * sizeof(T));
    }
    return numbers;
}
template <typename... Values>
void bindAll(SQLite::Statement& statement, const Values&... values)
{
    int at = 0;
    (bindOne(statement, ++at, values), ...);
}

// Makes or upgrades the tables. Failed when the file is newer than this program knows.
Status prepareSchema(SQLite::Database& connection, const std::filesystem::path& path);

// What SQLite said, for people.
inline Error databaseError(const std::filesystem::path& path, const SQLite::Exception& thrown)
{
    const std::string name = path.string();
    switch (thrown.getErrorCode()) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return failed(name + " is not a project file, or is damaged. Open another one, or restore a copy.");
    case SQLITE_READONLY:
        return failed(name + " cannot be written to. Change its permissions, or save a copy elsewhere.");
    case SQLITE_FULL:
        return failed("The disk that holds " + name + " is full. Free some space and try again.");
    case SQLITE_BUSY:
        return failed(name + " is locked by another program. Close it there, or try again.");
    case SQLITE_CANTOPEN:
        return failed(name + " cannot be opened. Check that its folder exists and may be written to.");
    case SQLITE_CONSTRAINT:
        return failed(name + " holds this entry already: another program wrote it at the same time. Try again.");
    default:
        return failed(name + ": " + thrown.what());
    }
}

// Runs `work`, turning the library's exceptions into Failed.
template <typename Work>
auto guarded(const std::filesystem::path& path, Work&& work) -> decltype(work())
{
    try {
        return work();
    } catch (const SQLite::Exception& thrown) {
        return databaseError(path, thrown);
    }
}

// Every row that a query with these values finds.
template <typename T, typename... Values>
Result<std::vector<T>> Database::select(const std::string& query, T (*read)(SQLite::Statement&), const Values&... values) const
{
    return guarded(path(), [&]() -> Result<std::vector<T>> {
        SQLite::Statement statement(m_state->connection, query);
        bindAll(statement, values...);
        std::vector<T> found;
        while (statement.executeStep()) {
            found.push_back(read(statement));
        }
        return found;
    });
}

template <typename... Values>
Status Database::change(const std::string& query, const Values&... values)
{
    return guarded(path(), [&]() -> Status {
        SQLite::Statement statement(m_state->connection, query);
        bindAll(statement, values...);
        statement.exec();
        return Done{};
    });
}

} // namespace nw::record
