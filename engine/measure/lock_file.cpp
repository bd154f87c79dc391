#include "engine/measure/lock_file.h"

#include "engine/base/text.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace nw::measure {

Result<LockFile> LockFile::open(const std::filesystem::path& path)
{
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) {
        return failed(format("cannot open {}: {}", path.string(), std::strerror(errno)));
    }
    return LockFile(fd);
}

LockFile::~LockFile()
{
    if (m_fd >= 0) {
        ::close(m_fd);
    }
}

LockFile::LockFile(LockFile&& other) noexcept
    : m_fd(std::exchange(other.m_fd, -1))
{}

bool LockFile::tryExclusive() const
{
    return ::flock(m_fd, LOCK_EX | LOCK_NB) == 0;
}

bool LockFile::tryShared() const
{
    return ::flock(m_fd, LOCK_SH | LOCK_NB) == 0;
}

void LockFile::unlock() const
{
    ::flock(m_fd, LOCK_UN);
}

} // namespace nw::measure
