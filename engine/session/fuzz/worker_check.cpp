#include "engine/session/fuzz/worker_check.h"

#include "engine/base/text.h"

namespace nw::session::fuzz {

namespace {

constexpr int kChecksOfOneDevice = 400; // its data files and kernels are kept until then

Fault faultOf(const measure::Measurement& measured)
{
    using wire::Outcome;
    switch (measured.outcome) {
    case Outcome::Ok: return Fault::None;
    case Outcome::Refused: return Fault::Limit;
    case Outcome::WrongResult: return Fault::Wrong;
    case Outcome::Stopped: return Fault::Device;
    case Outcome::DeviceUnavailable: // the workers have started, so it is this job that they cannot take
    case Outcome::DoesNotBuild:
    case Outcome::Crash:
    case Outcome::Hang:
    case Outcome::OutOfMemory:
    case Outcome::EndedEarly:
    case Outcome::ProtocolError: return Fault::Bug;
    }
    return Fault::Bug;
}

} // namespace

WorkerCheck::WorkerCheck(measure::Programs programs, std::filesystem::path folder)
    : m_programs(std::move(programs))
    , m_folder(std::move(folder))
{}

WorkerCheck::~WorkerCheck()
{
    m_device.reset();
    std::error_code ignored;
    std::filesystem::remove_all(m_folder, ignored);
}

bool WorkerCheck::canRun(const Case& one)
{
    const Result<Target> target = targetByName(one.target);
    return target && canRunHere(*target);
}

Status WorkerCheck::renew()
{
    m_device.reset();
    std::error_code ignored;
    std::filesystem::remove_all(m_folder, ignored);
    measure::LocalDevice::Settings settings;
    settings.programs = m_programs;
    settings.cacheFolder = m_folder / "cache";
    settings.runtimeFolder = m_folder / "run";
#ifdef NW_SANITIZED
    settings.builderMemoryBytes = 0; // the sanitizer reserves terabytes of addresses
#endif
    m_device = std::make_unique<measure::LocalDevice>(std::move(settings));
    const Status started = m_device->builder().start();
    return started ? m_device->runner().start() : started;
}

Finding WorkerCheck::check(const Case& one, const StopToken& stop)
{
    if (m_checked++ % kChecksOfOneDevice == 0) {
        if (const Status ready = renew(); !ready) {
            m_checked = 0;
            return {Fault::Device, ready.error().message};
        }
    }
    const Result<schedule::Task> task = one.task();
    if (!task) {
        return {Fault::Device, task.error().message};
    }
    try {
        const measure::Measurement measured = m_device->measure(*task, one.script, "none", false, stop);
        const Fault fault = faultOf(measured);
        return {fault, fault == Fault::None ? "" : format("{}: {}", wire::toText(measured.outcome), measured.error.message)};
    } catch (const std::exception& thrown) {
        return {Fault::Bug, thrown.what()};
    }
}

} // namespace nw::session::fuzz
