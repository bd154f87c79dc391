#include "engine/compute/merge_pixels.h"
#include "engine/compute/ops/context.h"

#include <algorithm>

namespace nw::compute {

// Defined twice: first with every value stored, which shows how often each is read; then for good, with the values
// that are read once, or are cheap, written into their readers.
Result<Definition> defineGroup(const graph::Graph& graph, const plan::Group& group)
{
    OpContext draft(graph, group, nullptr);
    const Result<Definition> stored = draft.build();
    if (!stored) {
        return stored.error();
    }
    std::map<std::string, int> loads;
    for (const Stage& stage : stored->stages) {
        walk(stage.body, [&](const Expr& node) {
            if (const auto* const access = node->as<Load>()) {
                ++loads[access->buffer];
            }
            return true;
        });
    }
    std::map<graph::ValueId, int> counts;
    for (const auto& [value, buffer] : draft.buffers()) {
        counts[value] = loads[buffer];
    }
    Result<Definition> made = OpContext(graph, group, &counts).build();
    const bool keepsRows = std::all_of(group.ports.begin(), group.ports.end(), [](const plan::GroupPort& port) {
        return keepsRowsTogether(port.layout);
    });
    return made && keepsRows ? Result<Definition>(withPixelsInARow(*std::move(made))) : made;
}

} // namespace nw::compute
