#pragma once

#include "engine/base/stop.h"
#include "engine/base/tensor.h"
#include "engine/schedule/loop_nest.h"
#include "engine/schedule/task.h"
#include "engine/wire/messages.h"

#include <filesystem>
#include <string>
#include <vector>

namespace nw::measure {

// A definition's test data and what its outputs must be, as files in `folder`: made once by the oracle, then shared by
// every schedule, target and process. Logical values lie row-major; each memory form is a further file named after the
// layout. Two sets where integers give exact sums (small integers, compared bit for bit, and uniform values), otherwise
// the uniform one.
class TaskData {
public:
    // Makes what is missing below `cacheFolder`/tasks. Stopped when asked.
    static Result<TaskData> prepare(const std::filesystem::path& cacheFolder, const compute::Definition& definition,
                                    int threads, const StopToken& stop);

    // Whether its files are there still (what was long unused is removed, cache_limit.h); marks them as used.
    bool isThere() const;

    // The data sets in the memory forms of these layouts (parallel to the definition's ports), with a workspace behind.
    Result<std::vector<std::vector<wire::PortData>>> dataSets(const std::vector<Layout>& layouts,
                                                              std::int64_t workspaceBytes) const;

private:
    struct Set {
        std::string name;    // "integers" or "uniform"
        bool isExact = true; // no bounds
    };
    Result<wire::PortData> portData(const Set& set, std::size_t index, const Layout& layout) const;

    std::filesystem::path m_folder;
    compute::Definition m_definition;
    std::vector<Set> m_sets;
};

// The nest that a knob-free script makes of the task. Unproven steps are allowed: the check decides.
Result<schedule::LoopNest> scheduledNest(const schedule::Task& task, const std::string& script);
// The ports' layouts once the script has packed the constants.
std::vector<Layout> portLayouts(const schedule::LoopNest& nest);

} // namespace nw::measure
