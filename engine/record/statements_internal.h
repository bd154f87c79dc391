#pragma once

#include "engine/base/result.h"
#include "engine/record/database.h"

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <filesystem>
#include <string>

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

} // namespace nw::record
