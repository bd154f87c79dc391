#pragma once

#include "engine/base/stop.h"
#include "engine/measure/device.h"
#include "engine/session/fuzz/case.h"

#include <filesystem>
#include <memory>

namespace nw::session::fuzz {

// Runs cases as a device does: built and checked by the workers under the correctness contract, not timed. The workers
// stay up from case to case; data files lie in a folder of their own, which is emptied now and then and goes in the end.
class WorkerCheck {
public:
    WorkerCheck(measure::Programs programs, std::filesystem::path folder);
    ~WorkerCheck();
    WorkerCheck(const WorkerCheck&) = delete;
    WorkerCheck& operator=(const WorkerCheck&) = delete;

    // False when code for the case's target cannot run on this machine.
    static bool canRun(const Case& one);
    Finding check(const Case& one, const StopToken& stop);

private:
    Status renew();

    measure::Programs m_programs;
    std::filesystem::path m_folder;
    std::unique_ptr<measure::LocalDevice> m_device;
    int m_checked = 0;
};

} // namespace nw::session::fuzz
