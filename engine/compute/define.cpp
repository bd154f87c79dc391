#include "engine/compute/ops/context.h"

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
    return OpContext(graph, group, &counts).build();
}

} // namespace nw::compute
