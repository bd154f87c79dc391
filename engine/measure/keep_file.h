#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace nw::measure {

// Writes a cache file: to a temporary beside it, then renamed, so that another process sees all of it or nothing. Not
// synced: what a power cut leaves is found out by its size and made again.
Status keepFile(const std::filesystem::path& path, std::string_view bytes);
bool hasSize(const std::filesystem::path& path, std::int64_t bytes);

} // namespace nw::measure
