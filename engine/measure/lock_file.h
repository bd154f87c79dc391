#pragma once

#include "engine/base/result.h"

#include <filesystem>

namespace nw::measure {

// A file that processes lock (flock): the kernel drops the lock with its process, however that ends. Every try returns at once.
class LockFile {
public:
    static Result<LockFile> open(const std::filesystem::path& path); // made when it is not there
    ~LockFile();
    LockFile(LockFile&& other) noexcept;
    LockFile(const LockFile&) = delete;
    LockFile& operator=(const LockFile&) = delete;
    LockFile& operator=(LockFile&&) = delete;

    bool tryExclusive() const;
    bool tryShared() const;
    void unlock() const;

private:
    explicit LockFile(int fd)
        : m_fd(fd)
    {}
    int m_fd;
};

} // namespace nw::measure
