#pragma once

#include "engine/base/result.h"
#include "engine/wire/messages.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace nw::measure {

// The shared objects that this process had built, in a folder of its own below the runtime folder. Every one has a path
// of its own, since a loader may keep what it once loaded from a path. Removed in the end; what a killed process left is
// removed when another one begins or ends.
class ObjectStore {
public:
    explicit ObjectStore(const std::filesystem::path& runtimeFolder);
    ~ObjectStore();
    ObjectStore(const ObjectStore&) = delete;
    ObjectStore& operator=(const ObjectStore&) = delete;

    Result<std::filesystem::path> newPath();
    const wire::BuildReply* find(const std::string& key); // nothing when unknown or its file is gone
    void keep(const std::string& key, const wire::BuildReply& reply);

private:
    static constexpr std::size_t kMost = 512; // objects of 3 to 12 KB each
    struct Entry {
        wire::BuildReply reply;
        std::uint64_t lastUse = 0;
    };

    std::filesystem::path m_runtimeFolder, m_folder;
    std::map<std::string, Entry> m_entries;
    std::uint64_t m_next = 0;
};

} // namespace nw::measure
