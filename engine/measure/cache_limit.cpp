#include "engine/measure/cache_limit.h"

#include "engine/base/text.h"
#include "engine/measure/keep_file.h"

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <string>
#include <system_error>
#include <vector>

namespace nw::measure {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kBetweenLooks{10};

struct Entry {
    fs::path path;
    fs::file_time_type used;
    std::int64_t bytes = 0;
};

// Others add and remove while it looks: what goes wrong ends it, and is no error.
void forEach(const fs::path& folder, const std::function<void(const fs::directory_entry&)>& see)
{
    std::error_code code;
    for (fs::directory_iterator at(folder, code); !code && at != fs::directory_iterator(); at.increment(code)) {
        see(*at);
    }
}

std::int64_t bytesOf(const fs::path& path)
{
    std::error_code code;
    if (!fs::is_directory(path, code)) {
        const std::uintmax_t size = fs::file_size(path, code);
        return code ? 0 : static_cast<std::int64_t>(size);
    }
    std::int64_t sum = 0;
    forEach(path, [&](const fs::directory_entry& file) {
        std::error_code gone;
        const std::uintmax_t size = file.file_size(gone);
        sum += gone ? 0 : static_cast<std::int64_t>(size);
    });
    return sum;
}

std::vector<Entry> entriesOf(const fs::path& cacheFolder)
{
    std::vector<Entry> entries;
    for (const char* part : {"tasks", "constants"}) {
        forEach(cacheFolder / part, [&](const fs::directory_entry& one) {
            std::error_code gone;
            const fs::file_time_type used = one.last_write_time(gone);
            if (!gone) {
                entries.push_back({one.path(), used, bytesOf(one.path())});
            }
        });
    }
    return entries;
}

bool isOlder(const fs::path& path, std::chrono::seconds than)
{
    std::error_code code;
    const fs::file_time_type used = fs::last_write_time(path, code);
    return !code && fs::file_time_type::clock::now() - used > than;
}

// Under another name first, so that nobody finds half of it; back again when it came into use meanwhile.
bool removeEntry(const Entry& entry, std::chrono::seconds inUse)
{
    fs::path leaving = entry.path;
    leaving += format(".leaving{}", ::getpid());
    std::error_code code;
    fs::rename(entry.path, leaving, code);
    if (code) {
        return false;
    }
    if (!isOlder(leaving, inUse)) {
        fs::rename(leaving, entry.path, code);
        return false;
    }
    fs::remove_all(leaving, code);
    return !code;
}

} // namespace

std::int64_t cacheBytes(const fs::path& cacheFolder)
{
    std::int64_t sum = 0;
    for (const Entry& entry : entriesOf(cacheFolder)) {
        sum += entry.bytes;
    }
    return sum;
}

void markUsed(const fs::path& entry)
{
    std::error_code code;
    fs::last_write_time(entry, fs::file_time_type::clock::now(), code);
}

std::int64_t limitCache(const fs::path& cacheFolder, std::int64_t most, std::chrono::seconds inUse)
{
    std::vector<Entry> entries = entriesOf(cacheFolder);
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
    std::int64_t left = 0;
    for (const Entry& entry : entries) {
        left += entry.bytes;
    }
    std::int64_t removed = 0;
    for (const Entry& entry : entries) {
        if (left <= most) {
            break;
        }
        if (isOlder(entry.path, inUse) && removeEntry(entry, inUse)) {
            left -= entry.bytes;
            removed += entry.bytes;
        }
    }
    return removed;
}

void limitCacheAtTimes(const fs::path& cacheFolder)
{
    const fs::path looked = cacheFolder / "limited";
    std::error_code code;
    if (fs::exists(looked, code) && !isOlder(looked, kBetweenLooks)) {
        return;
    }
    (void)keepFile(looked, "").has_value(); // where nothing can be written nothing was added either
    limitCache(cacheFolder, kCacheLimit, kCacheInUse);
}

} // namespace nw::measure
