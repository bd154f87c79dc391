#include "engine/tune/tuning_lock.h"

#include "engine/base/hash.h"

#include <chrono>
#include <thread>

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
    Result<measure::LockFile> file = measure::LockFile::open(lockPath(runtimeFolder, project));
    if (!file) {
        return file.error();
    }
    // Whoever only looks holds it for an instant.
    for (int attempt = 0; !file->tryExclusive(); ++attempt) {
        if (attempt == 20) {
            return refused("Another tuner is at work on this project. Pause or stop it, or wait until it is done.");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return std::unique_ptr<TuningLock>(new TuningLock(*std::move(file)));
}

bool TuningLock::isHeld(const std::filesystem::path& runtimeFolder, const std::filesystem::path& project)
{
    const std::filesystem::path path = lockPath(runtimeFolder, project);
    std::error_code code;
    if (!std::filesystem::exists(path, code)) {
        return false; // looking leaves nothing behind
    }
    const Result<measure::LockFile> file = measure::LockFile::open(path);
    return file && !file->tryShared();
}

} // namespace nw::tune
