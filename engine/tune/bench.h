#pragma once

#include "engine/base/stop.h"
#include "engine/measure/device.h"
#include "engine/tune/drift.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace nw::tune {

// Where candidates are built, checked and timed; a test has one of its own.
class Bench {
public:
    virtual ~Bench() = default;
    // Each under "search"; `onEach` hears of every one as soon as it is measured, in order. Returns early when stopped: those
    // not heard of were not measured. `onEach` answers whether to go on.
    virtual void measureAll(const schedule::Task& task, const std::vector<std::string>& scripts,
                            const std::function<bool(std::size_t index, const measure::Measurement&)>& onEach, const StopToken& stop)
        = 0;
    // Alternately in one run under "confirm".
    virtual std::vector<measure::Measurement> confirm(const schedule::Task& task, const std::vector<std::string>& scripts,
                                                      const StopToken& stop)
        = 0;
    // What there is to say of the machine since this was asked for; empty: nothing.
    virtual std::string takeNote() { return {}; }
};

// This computer: compiled on all cores, timed one by one while nothing else of ours runs.
class DeviceBench : public Bench {
public:
    explicit DeviceBench(measure::LocalDevice& device)
        : m_device(&device)
    {}
    void measureAll(const schedule::Task& task, const std::vector<std::string>& scripts,
                    const std::function<bool(std::size_t, const measure::Measurement&)>& onEach, const StopToken& stop) override;
    std::vector<measure::Measurement> confirm(const schedule::Task& task, const std::vector<std::string>& scripts,
                                              const StopToken& stop) override;
    std::string takeNote() override;

private:
    // What is known of a task: the best time so far, and the script that shows how fast the machine is.
    struct Known {
        double bestNs = 0;
        std::string reference;
        Drift drift;
    };
    void lookAtMachine(const schedule::Task& task, Known& known, const StopToken& stop);
    measure::Measurement search(const schedule::Task& task, const std::string& script, const Known& known, const StopToken& stop);
    measure::Measurement timed(const schedule::Task& task, const std::string& script, Known& known, const StopToken& stop);

    measure::LocalDevice* m_device;
    std::map<std::string, Known> m_known; // by task
};

} // namespace nw::tune
