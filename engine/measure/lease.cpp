// Two lock files a device. DEVICE.lease is held by whoever measures. DEVICE.wish is shared by the interactive ones from
// the moment they want to measure until they have done so; a tuner takes the lease only while nobody holds the wish. The
// kernel drops both when a process dies.
#include "engine/base/text.h"
#include "engine/measure/device.h"
#include "engine/measure/lock_file.h"

#include <chrono>
#include <thread>

namespace nw::measure {
namespace {

class HeldLease : public Lease {
public:
    HeldLease(LockFile wish, LockFile lease)
        : m_wish(std::move(wish))
        , m_lease(std::move(lease))
    {}

private:
    LockFile m_wish, m_lease;
};

// One attempt.
bool tryTake(const LockFile& wish, const LockFile& lease, Priority priority, bool& wished)
{
    switch (priority) {
    case Priority::Interactive:
        // A tuner holds the wish for an instant when it looks; then the next attempt gets it.
        wished = wished || wish.tryShared();
        return wished && lease.tryExclusive();
    case Priority::Tuner: {
        if (!wish.tryExclusive()) {
            return false;
        }
        const bool taken = lease.tryExclusive();
        wish.unlock();
        return taken;
    }
    }
    return false;
}

} // namespace

Result<std::unique_ptr<Lease>> Lease::acquire(const std::filesystem::path& runtimeFolder, const std::string& device,
                                              Priority priority, const StopToken& stop, std::int64_t timeoutMs)
{
    std::error_code code;
    std::filesystem::create_directories(runtimeFolder, code);
    Result<LockFile> wish = LockFile::open(runtimeFolder / (device + ".wish"));
    if (!wish) {
        return wish.error();
    }
    Result<LockFile> lease = LockFile::open(runtimeFolder / (device + ".lease"));
    if (!lease) {
        return lease.error();
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeoutMs);
    const std::chrono::milliseconds pause(priority == Priority::Interactive ? 2 : 10);
    bool wished = false;
    while (!tryTake(*wish, *lease, priority, wished)) {
        if (stop.stopRequested()) {
            return stopped("stopped while waiting for the device " + device);
        }
        if (std::chrono::steady_clock::now() >= deadline) {
            return failed(format("The device {} is in use by another measurement. Try again when it has ended.", device));
        }
        std::this_thread::sleep_for(pause);
    }
    return std::unique_ptr<Lease>(new HeldLease(*std::move(wish), *std::move(lease)));
}

} // namespace nw::measure
