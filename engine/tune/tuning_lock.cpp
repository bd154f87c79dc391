#include "engine/tune/tuning_lock.h"

#include "engine/base/hash.h"
#include "engine/base/text.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace nw::tune {
namespace {

// The same file by whatever way its path is written.
std::filesystem::path lockPath(const std::filesystem::path& runtimeFolder, const std::filesystem::path& project)
{
    std::error_code code;
    const std::filesystem::path whole = std::filesystem::weakly_canonical(project, code);
    return runtimeFolder / ("tune-" + contentHash((code ? project : whole).string()) + ".lock");
}

} // namespace

Result<std::unique_ptr<TuningLock>> TuningLock::acquire(const std::filesystem::path& runtimeFolder,
                                                        const std::filesystem::path& project)
{
    std::error_code code;
    std::filesystem::create_directories(runtimeFolder, code);
    const std::filesystem::path path = lockPath(runtimeFolder, project);
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0) {
        return failed(format("cannot open {}: {}", path.string(), std::strerror(errno)));
    }
    std::unique_ptr<TuningLock> lock(new TuningLock(descriptor));
    // Whoever only looks holds it for an instant.
    for (int attempt = 0; ::flock(descriptor, LOCK_EX | LOCK_NB) != 0; ++attempt) {
        if (attempt == 20) {
            return refused("Another tuner is at work on this project. Pause or stop it, or wait until it is done.");
        }
        ::usleep(10000);
    }
    return lock;
}

bool TuningLock::isHeld(const std::filesystem::path& runtimeFolder, const std::filesystem::path& project)
{
    const int descriptor = ::open(lockPath(runtimeFolder, project).c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) {
        return false;
    }
    const bool held = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0;
    ::close(descriptor);
    return held;
}

TuningLock::~TuningLock()
{
    ::close(m_descriptor);
}

} // namespace nw::tune
