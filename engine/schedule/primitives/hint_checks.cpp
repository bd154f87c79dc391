#include "engine/schedule/primitives/hint_checks.h"

#include "engine/base/text.h"
#include "engine/schedule/hints.h"
#include "engine/schedule/primitives/common.h"

namespace nw::schedule {

std::optional<Check> losesHints(const std::string& primitive, const Loop& loop, LoopKind kind)
{
    const char* const words = NW_WORDS("{0}: {1} carries {2}, of which a loop that is {3} has no use; undo that step first");
    for (const auto& [key, value] : loop.annotations) {
        if (!annotationFits(key, kind)) {
            return illegal(primitive + ".hint", words, {primitive, loop.name, key, verbOf(kind)}, {loop.name});
        }
    }
    if (kind == LoopKind::Vector && !loop.prefetches.empty()) {
        return illegal(primitive + ".hint", words, {primitive, loop.name, "prefetch", verbOf(kind)}, {loop.name});
    }
    return std::nullopt;
}

} // namespace nw::schedule
