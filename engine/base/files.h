#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace nw {

// A file mapped read-only; the mapping lives as long as the last copy of `owner`.
struct MappedFile {
    std::shared_ptr<const void> owner;
    std::span<const std::byte> bytes;
};
Result<MappedFile> mapFile(const std::filesystem::path& path); // an empty file gives an empty span
Result<std::string> readFile(const std::filesystem::path& path, std::size_t limit = std::size_t{1} << 31);
// Writes to a temporary beside it, syncs and renames, so that a reader sees the old or the new file.
Status writeFile(const std::filesystem::path& path, std::string_view bytes);

// $XDG_DATA_HOME/nestwright, $XDG_CACHE_HOME/nestwright, $XDG_RUNTIME_DIR/nestwright (0700, falls back to a folder of
// the user's own under the temporary directory). They are made when missing. Called by app and passed down.
Result<std::filesystem::path> dataFolder();
Result<std::filesystem::path> cacheFolder();
Result<std::filesystem::path> runtimeFolder();

} // namespace nw
