#pragma once

#include "engine/base/result.h"
#include "engine/record/record.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace SQLite {
class Statement;
}

namespace nw::record {

// A script of a group as it stood after one edit. Edits name their parent; an edit whose parent is no longer the head of
// its branch becomes a branch of its own, so two programs may edit together and lose nothing.
struct Revision {
    std::int64_t id = 0;
    std::int64_t parent = 0; // 0: the empty script
    std::string group;
    std::string branch; // "main", "main-2", ...
    std::string script;
    std::int64_t unixTime = 0;
};

// One SQLite file in WAL mode: a project (*.nest) or the user's database. Every call is one transaction and is on disk
// when it returns (synchronous=FULL for edits, NORMAL for measurements), so a kill or a power cut loses at most the
// measurement in flight. Several processes may have it open. Failed in words when the file is no database, is newer than
// this program, read-only or full.
class Database {
public:
    static Result<std::unique_ptr<Database>> open(const std::filesystem::path& path, bool createIfMissing = true);
    ~Database();

    const std::filesystem::path& path() const;

    // Small values by key: "model.name", "model.hash", "choices", "source" ...
    Status setText(const std::string& key, std::string_view value);
    Result<std::optional<std::string>> text(const std::string& key) const;
    // Large values (the embedded model), by key.
    Status setBlob(const std::string& key, std::span<const std::byte> bytes);
    Result<std::optional<std::vector<std::byte>>> blob(const std::string& key) const;

    // Scripts. head() is what the group shows: the newest revision of the current branch, after undo the one undone to.
    // `branches`: a branch of its own whatever stands behind the parent.
    Result<Revision> addRevision(const std::string& group, std::int64_t parent, const std::string& script, bool branches = false);
    Result<std::optional<Revision>> head(const std::string& group) const;
    Status moveHead(const std::string& group, std::int64_t revision); // undo, redo, jump; 0: the empty script
    Result<std::vector<Revision>> revisions(const std::string& group) const; // oldest first

    Result<std::int64_t> addRecord(const Record& record);
    Result<std::vector<Record>> records(const std::string& task) const; // oldest first
    Result<std::vector<Record>> recordsByAnchor(const std::string& anchor) const;
    // Fastest correct, proven, confirmed record of the task among these origins, hot caches.
    Result<std::optional<Record>> best(const std::string& task, const std::vector<Origin>& origins) const;

    // A consistent copy while others write (SQLite's backup), atomically renamed into place.
    Status saveAs(const std::filesystem::path& target) const;

private:
    friend class TuneJournal;
    struct State;
    template <typename T, typename... Values>
    Result<std::vector<T>> select(const std::string& query, T (*read)(SQLite::Statement&), const Values&... values) const;
    template <typename... Values>
    Status change(const std::string& query, const Values&... values);
    explicit Database(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace nw::record
