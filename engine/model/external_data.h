#pragma once

#include "engine/base/files.h"
#include "engine/base/result.h"

#include <filesystem>
#include <map>
#include <string>

namespace nw::model {

// The files beside a model that hold its large tensors. Each is mapped once and lives as long as a tensor uses it.
class ExternalFiles {
public:
    explicit ExternalFiles(std::filesystem::path folder)
        : m_folder(std::move(folder))
    {}
    // Refuses an absolute location, one with "..", and one whose links lead out of the folder.
    Result<MappedFile> open(const std::string& location);

private:
    std::filesystem::path m_folder;
    std::map<std::string, MappedFile> m_open;
};

} // namespace nw::model
