#pragma once

#include "engine/base/result.h"

#include <string>
#include <vector>

namespace nw::code {

// Paths of stand-ins for libm.so.6, libgomp.so.1 and libc.so.6 that carry their names and the functions generated code
// calls: the linker then records what to load without these libraries' development files being installed. Made on first
// use (a temporary beside `outputPath`), kept in memory while the process lives.
Result<std::vector<std::string>> stubLibraries(const std::string& outputPath);

// Links objects (`more` are libraries and options behind them); with a `soname`, undefined symbols are allowed.
Status linkShared(const std::vector<std::string>& objects, const std::vector<std::string>& more, const std::string& path,
                  const std::string& soname);

// A nameless file in memory that the linker opens by its path.
class MemoryFile {
public:
    explicit MemoryFile(const std::string& bytes);
    MemoryFile(MemoryFile&& other) noexcept;
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile();
    bool complete() const { return m_complete; }
    std::string path() const;

private:
    int m_fd = -1;
    bool m_complete = false;
};

} // namespace nw::code
