#pragma once

#include "engine/base/result.h"
#include "engine/measure/lock_file.h"

#include <filesystem>
#include <memory>

namespace nw::tune {

// One tuner per project at a time, across processes. The lock goes with its process, however that ends, so that nobody
// waits for a tuner that was killed.
class TuningLock {
public:
    // Refused when another process tunes this project.
    static Result<std::unique_ptr<TuningLock>> acquire(const std::filesystem::path& runtimeFolder,
                                                       const std::filesystem::path& project);
    static bool isHeld(const std::filesystem::path& runtimeFolder, const std::filesystem::path& project);

private:
    explicit TuningLock(measure::LockFile file)
        : m_file(std::move(file))
    {}
    measure::LockFile m_file;
};

} // namespace nw::tune
