#include "engine/measure/task_data.h"
#include "engine/schedule/script.h"

namespace nw::measure {

Result<schedule::LoopNest> scheduledNest(const schedule::Task& task, const std::string& script)
{
    const schedule::Context context{&task.target};
    const Result<schedule::LoopNest> initial = schedule::initialNest(task);
    if (!initial) {
        return initial.error();
    }
    const Result<schedule::Script> parsed = schedule::parseScript(script, schedule::allPrimitives(), context);
    if (!parsed) {
        return parsed.error();
    }
    const Result<schedule::Replay> replayed = schedule::replay(*initial, *parsed, {}, context, true);
    if (!replayed) {
        return replayed.error();
    }
    return replayed->nest();
}

std::vector<Layout> portLayouts(const schedule::LoopNest& nest)
{
    std::vector<Layout> layouts(nest.definition->ports.size());
    for (const schedule::Buffer& buffer : nest.buffers) {
        if (buffer.scope == schedule::Scope::Port && buffer.port >= 0) {
            layouts[static_cast<std::size_t>(buffer.port)] = buffer.layout;
        }
    }
    return layouts;
}

} // namespace nw::measure
