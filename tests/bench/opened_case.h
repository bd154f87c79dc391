#pragma once

#include "engine/session/project.h"
#include "tests/bench/operator_cases.h"

#include <filesystem>
#include <string>

namespace nw::bench {

// A folder that is gone with this.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return m_path; } // empty: none could be made

private:
    std::filesystem::path m_path;
};

// The case as the operator of a project that is not kept; its files are written into `work`.
Result<session::Operator> openCase(const OperatorCase& wanted, const std::string& choices, int threads, const std::filesystem::path& work,
                                   const session::Folders& folders);

} // namespace nw::bench
