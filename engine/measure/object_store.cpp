#include "engine/measure/object_store.h"

#include "engine/base/text.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace nw::measure {
namespace {

constexpr const char* kPrefix = "objects-";
// What one run of a model writes (model_run.cpp).
constexpr const char* kRunPrefix = "run-";

// Folders of processes that no longer run: each name carries the process's number.
void removeLeftovers(const std::filesystem::path& runtimeFolder)
{
    std::error_code code;
    // Without exceptions: it is done at the end of a process, too.
    for (std::filesystem::directory_iterator entry(runtimeFolder, code), end; !code && entry != end; entry.increment(code)) {
        const std::string name = entry->path().filename().string();
        const char* const prefix = name.starts_with(kPrefix) ? kPrefix : kRunPrefix;
        if (!name.starts_with(prefix)) {
            continue;
        }
        const int pid = std::atoi(name.c_str() + std::string_view(prefix).size());
        if (pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH) {
            std::error_code kept; // of another user, say
            std::filesystem::remove_all(entry->path(), kept);
        }
    }
}

} // namespace

ObjectStore::ObjectStore(const std::filesystem::path& runtimeFolder)
    : m_runtimeFolder(runtimeFolder)
{
    std::error_code code;
    std::filesystem::create_directories(runtimeFolder, code);
    removeLeftovers(runtimeFolder);
    // The number after the process's tells two stores of one process apart.
    for (int i = 0; m_folder.empty() && i < 1000; ++i) {
        const std::filesystem::path folder = runtimeFolder / format("{}{}-{}", kPrefix, ::getpid(), i);
        if (std::filesystem::create_directory(folder, code)) {
            m_folder = folder;
        }
    }
}

ObjectStore::~ObjectStore()
{
    std::error_code code;
    if (!m_folder.empty()) {
        std::filesystem::remove_all(m_folder, code);
    }
    // Again: a window may have been killed while a tuner ran for hours, and nothing may start for as long.
    removeLeftovers(m_runtimeFolder);
}

Result<std::filesystem::path> ObjectStore::newPath()
{
    if (m_folder.empty()) {
        return failed("There is no folder for compiled kernels: the runtime folder cannot be written.");
    }
    return m_folder / format("k{}.so", m_next++);
}

const wire::BuildReply* ObjectStore::find(const std::string& key)
{
    const auto found = m_entries.find(key);
    std::error_code code;
    if (found == m_entries.end() || !std::filesystem::exists(found->second.reply.path, code)) {
        return nullptr;
    }
    found->second.lastUse = ++m_next;
    return &found->second.reply;
}

void ObjectStore::keep(const std::string& key, const wire::BuildReply& reply)
{
    if (m_entries.size() >= kMost) {
        const auto oldest = std::min_element(m_entries.begin(), m_entries.end(), [](const auto& a, const auto& b) {
            return a.second.lastUse < b.second.lastUse;
        });
        std::error_code code;
        std::filesystem::remove(oldest->second.reply.path, code);
        m_entries.erase(oldest);
    }
    m_entries.insert_or_assign(key, Entry{reply, ++m_next});
}

} // namespace nw::measure
