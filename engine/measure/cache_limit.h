#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

namespace nw::measure {

// Test data (a folder of files a definition, below "tasks") and packed constants (files below "constants") can all be made
// again; they may take so many bytes.
constexpr std::int64_t kCacheLimit = std::int64_t{4} << 30;
// What was used within this time stays whatever the limit says: another process may be about to read it.
constexpr std::chrono::hours kCacheInUse{2};

std::int64_t cacheBytes(const std::filesystem::path& cacheFolder);
// That a folder or file of the cache is used now.
void markUsed(const std::filesystem::path& entry);
// Removes the longest unused until no more than `most` bytes are left. Returns the bytes removed. Errors are passed over: what
// cannot be removed stays.
std::int64_t limitCache(const std::filesystem::path& cacheFolder, std::int64_t most, std::chrono::seconds inUse);
// The same with the limits above, unless some process of this user did so a short while ago. For those who add to the cache.
void limitCacheAtTimes(const std::filesystem::path& cacheFolder);

} // namespace nw::measure
