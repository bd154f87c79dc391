#include "tests/bench/opened_case.h"

#include <stdlib.h>

#include <fstream>
#include <memory>

namespace nw::bench {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder()
{
    std::string pattern = (fs::temp_directory_path() / "nw-bench-XXXXXX").string();
    m_path = ::mkdtemp(pattern.data()) != nullptr ? pattern : "";
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
}

Result<session::Operator> openCase(const OperatorCase& wanted, const std::string& choices, int threads, const fs::path& work,
                                   const session::Folders& folders)
{
    std::ofstream(work / "model.onnxtxt") << wanted.model;
    std::ofstream(work / "choices.txt") << choices << "target native\n";
    session::OpenOptions options;
    options.ephemeral = true;
    options.threads = threads;
    const Result<std::unique_ptr<session::Project>> project = session::Project::open(work, options, folders);
    if (!project) {
        return project.error();
    }
    const Result<const session::Operator*> found = (*project)->find(wanted.group);
    return found ? Result<session::Operator>(**found) : found.error();
}

} // namespace nw::bench
