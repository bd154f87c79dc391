// Memory in the order in which loops walk it: constants are laid so once, inputs are copied.
#include "engine/tune/sketches/packing.h"

#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/tune/sketches/view.h"

#include <algorithm>
#include <set>

namespace nw::tune::sketches {

namespace {

struct Digit {
    std::string text;
    std::size_t place = 0;
};

// The loops, one for each dimension, that alone walk a constant; empty when one of its indices is no plain axis. A
// dimension of one step has none.
std::optional<std::vector<std::string>> loopsOfDimensions(const schedule::Block& block, const std::string& buffer)
{
    const std::vector<std::vector<Expr>> reads = schedule::readsOf(block, buffer);
    if (reads.size() != 1) {
        return std::nullopt;
    }
    std::vector<std::string> loops;
    for (const Expr& index : reads.front()) {
        const auto* named = index->as<Var>();
        const schedule::IterVar* iter = named != nullptr ? block.iter(named->name) : nullptr;
        const Expr walked = iter != nullptr ? simplify(iter->binding) : index;
        const auto* loop = walked->as<Var>();
        if (loop == nullptr && !constInt(walked)) {
            return std::nullopt;
        }
        loops.push_back(loop != nullptr ? loop->name : std::string());
    }
    return loops;
}

} // namespace

void packConstants(Draft& draft, const schedule::LoopNest& plain, const std::string& blockName, const AxisParts& parts,
                   const std::vector<std::string>& order)
{
    const schedule::LoopNest::Path path = plain.findBlock(blockName);
    for (const std::string& name : schedule::buffersRead(*path.block)) {
        const schedule::Buffer& buffer = *plain.buffer(name);
        const bool isConstant = buffer.port >= 0 && plain.definition->ports[static_cast<std::size_t>(buffer.port)].kind == compute::PortKind::Constant;
        const std::optional<std::vector<std::string>> loops = isConstant ? loopsOfDimensions(*path.block, name) : std::nullopt;
        if (!loops || loops->size() < 2) {
            continue;
        }
        std::vector<std::string> axes;
        std::vector<Digit> digits;
        const auto placeOf = [&](const std::string& loop) { return static_cast<std::size_t>(std::find(order.begin(), order.end(), loop) - order.begin()); };
        for (std::size_t i = 0; i < loops->size(); ++i) {
            axes.push_back(format("a{}", i));
            const auto split = parts.find((*loops)[i]);
            if (split == parts.end()) {
                digits.push_back({axes.back(), (*loops)[i].empty() ? 0 : placeOf((*loops)[i])});
                continue;
            }
            std::string rest = axes.back();
            for (const AxisPart& part : split->second) {
                const std::string inner = part.steps.find('*') == std::string::npos ? part.steps : "(" + part.steps + ")";
                digits.push_back({part.steps.empty() ? rest : format("{} / {}", rest, inner), placeOf(part.loop)});
                rest = format("{} % {}", rest, inner);
            }
        }
        std::stable_sort(digits.begin(), digits.end(), [](const Digit& a, const Digit& b) { return a.place < b.place; });
        std::vector<std::string> texts;
        for (const Digit& digit : digits) {
            texts.push_back(digit.text);
        }
        draft.attempt(format("set_layout {} as ({}) -> ({})", name, join(axes, ", "), join(texts, ", ")));
    }
}

void layAlong(Draft& draft, const BlockView& view, const std::string& lanes)
{
    const BlockAccess& written = view.written();
    if (!written.isInternal || written.by[view.indexOf(lanes)].stride == 1) {
        return;
    }
    std::vector<std::string> axes, order;
    std::string last;
    for (std::size_t i = 0; i < written.indices.size(); ++i) {
        axes.push_back(format("a{}", i));
        if (usesVar(written.indices[i], lanes)) {
            last = axes.back();
        } else {
            order.push_back(axes.back());
        }
    }
    order.push_back(last);
    draft.attempt(format("set_layout {} as ({}) -> ({})", written.buffer, join(axes, ", "), join(order, ", ")));
}

bool copyInput(Draft& draft, const std::string& buffer, const std::string& block, const std::string& at, const std::string& scope,
               const std::string& lanes, std::int64_t laneCount)
{
    const std::vector<std::string> before = draft.blockNames();
    if (!draft.attempt(format("cache_read {} for {} at {} in {}", buffer, block, at, scope))) {
        return false;
    }
    for (const std::string& name : draft.blockNames()) {
        if (std::find(before.begin(), before.end(), name) != before.end()) {
            continue;
        }
        const BlockView copy = viewOf(draft.nest(), name);
        if (copy.loops.empty() || copy.loops.back().name == at) {
            continue;
        }
        const BlockLoop& inner = copy.loops.back();
        if (copy.written().by.back().stride != 1 || inner.extent <= laneCount) {
            draft.attempt("vectorize " + inner.name);
            continue;
        }
        const std::string outside = draft.fresh(inner.name + ".o");
        const std::string inside = draft.fresh(inner.name + ".i");
        draft.attempt({format("split {} into {}:_ {}:{}", inner.name, outside, inside, lanes), "vectorize " + inside});
    }
    return true;
}

} // namespace nw::tune::sketches
