#include "engine/tune/sketches/stages.h"

#include "engine/base/text.h"
#include "engine/schedule/template_nest.h"

#include <algorithm>

namespace nw::tune::sketches {

namespace {

constexpr std::int64_t kMostVectors = 8;
constexpr std::int64_t kMostMapRows = 4;
constexpr std::int64_t kMostTurned = 16;
constexpr double kCheap = 4; // operations that may be done again for each read

schedule::BlockWalk walkOf(const Draft& draft, const std::string& block)
{
    return schedule::BlockWalk(draft.nest(), block, draft.target());
}

void fuseNeighbours(Draft& draft, const std::string& block)
{
    for (;;) {
        const schedule::MarkWords pair = walkOf(draft, block).oneWalk();
        if (pair.empty() || !draft.attempt(format("fuse {} into {}", join(pair, " "), draft.fresh(pair.front() + ".f")))) {
            return;
        }
    }
}

// In one step; what is read twice at the same place is one value.
std::size_t placesRead(const BlockView& view, const std::string& buffer)
{
    std::vector<const BlockAccess*> found;
    for (const BlockAccess& access : view.accesses) {
        const auto isSame = [&](const BlockAccess* other) {
            return std::equal(access.indices.begin(), access.indices.end(), other->indices.begin(), other->indices.end(), equal);
        };
        if (!access.isWrite && access.buffer == buffer && std::none_of(found.begin(), found.end(), isSame)) {
            found.push_back(&access);
        }
    }
    return found.size();
}

// The innermost loop as vectors, several of them a step.
void splitInner(Draft& draft, const std::string& block, const std::string& prefix)
{
    const BlockView view = viewOf(draft.nest(), block);
    if (view.loops.empty() || view.written().by.back().stride != 1) {
        return;
    }
    const BlockLoop inner = view.loops.back();
    const std::int64_t lanes = draft.target().lanes(laneType(view.type));
    if (inner.extent <= lanes) {
        draft.attempt("vectorize " + inner.name);
        return;
    }
    const std::string vectors = draft.fresh(prefix + "vectors");
    const std::string outside = draft.fresh(inner.name + ".o");
    const std::string middle = draft.fresh(inner.name + ".v");
    const std::string inside = draft.fresh(inner.name + ".i");
    const std::int64_t all = (inner.extent + lanes - 1) / lanes;
    draft.attempt({knobLine(vectors, doublings(std::min(all, kMostVectors)), 1),
                   format("split {} into {}:_ {}:?{} {}:lanes({})", inner.name, outside, middle, vectors, inside, toText(laneType(view.type))),
                   "vectorize " + inside, "unroll " + middle});
}

// Some steps of the loop around it side by side, which may share what they read.
void splitAround(Draft& draft, const std::string& block, const std::string& prefix)
{
    const BlockView view = viewOf(draft.nest(), block);
    const std::size_t vectors = view.loops.size() >= 4 ? view.loops.size() - 3 : 0; // the outermost part of the split above
    if (vectors == 0) {
        return;
    }
    const BlockLoop around = view.loops[vectors - 1];
    if (around.extent < 2 || around.isReduction) {
        return;
    }
    const std::string knob = draft.fresh(prefix + "rows");
    const std::string outside = draft.fresh(around.name + ".o");
    const std::string inside = draft.fresh(around.name + ".r");
    draft.attempt({knobLine(knob, doublings(std::min(around.extent, kMostMapRows)), 1), format("split {} into {}:_ {}:?{}", around.name, outside, inside, knob),
                   format("reorder {} {} {}", view.loops[vectors].name, inside, view.loops[vectors + 1].name), "unroll " + inside});
}

} // namespace

void scheduleMap(Draft& draft, const std::string& block, const std::string& prefix, bool turned)
{
    if (const std::optional<schedule::BlockWalk::Blocked> blocked = walkOf(draft, block).blocked()) {
        const BlockView view = viewOf(draft.nest(), block);
        const BlockLoop* loop = view.loop(blocked->loop);
        if (loop != nullptr && loop->extent > blocked->width) {
            draft.attempt(format("split {} into {}:_ {}:{}", loop->name, draft.fresh(loop->name + ".b"), draft.fresh(loop->name + ".e"), blocked->width));
        }
    }
    const std::optional<schedule::MarkWords> order = walkOf(draft, block).inMemoryOrder();
    if (order && order->size() > 1) {
        draft.attempt("reorder " + join(*order, " "));
    }
    fuseNeighbours(draft, block);
    const schedule::MarkWords across = walkOf(draft, block).across();
    if (turned && !across.empty()) {
        const BlockView view = viewOf(draft.nest(), block);
        const BlockLoop* loop = view.loop(across.front());
        const std::int64_t most = loop == nullptr ? 1 : std::min(loop->extent, kMostTurned);
        const std::string knob = draft.fresh(prefix + "columns");
        const std::string outside = draft.fresh(across.front() + ".o");
        const std::string inside = draft.fresh(across.front() + ".a");
        const bool isSplit = most > 1 && draft.attempt({knobLine(knob, doublings(most), draft.target().lanes(laneType(view.type))),
                                                        format("split {} into {}:_ {}:?{}", across.front(), outside, inside, knob)});
        splitInner(draft, block, prefix);
        const BlockView after = viewOf(draft.nest(), block);
        if (isSplit && after.loops.size() > 1 && after.loops.back().name != inside) {
            std::vector<std::string> names;
            for (const BlockLoop& each : after.loops) {
                if (each.name != inside) {
                    names.push_back(each.name);
                }
            }
            names.insert(names.end() - 1, inside);
            draft.attempt("reorder " + join(names, " "));
            draft.attempt("unroll " + inside);
        }
    } else {
        splitInner(draft, block, prefix);
        splitAround(draft, block, prefix);
    }
    double bytes = 4;
    for (const BlockLoop& loop : viewOf(draft.nest(), block).loops) {
        bytes *= static_cast<double>(loop.extent);
    }
    if (bytes > static_cast<double>(draft.target().l2Bytes)) {
        draft.attemptSwitched(draft.fresh(prefix + "past_caches"), false, "stream " + block);
    }
}

void inlineCheapProducers(Draft& draft)
{
    for (const std::string& name : draft.blockNames()) {
        const BlockView producer = viewOf(draft.nest(), name);
        if (producer.isReduction || !producer.written().isInternal) {
            continue;
        }
        double reads = 0;
        for (const std::string& other : draft.blockNames()) {
            const BlockView reader = viewOf(draft.nest(), other);
            reads += static_cast<double>(placesRead(reader, producer.written().buffer)) * reader.points() / std::max(producer.points(), 1.0);
        }
        if (reads <= 1 || producer.operations <= kCheap) {
            draft.attempt("compute_inline " + name);
        }
    }
}

void shareOut(Draft& draft, const std::string& block)
{
    const schedule::MarkWords outer = draft.task().threads > 1 ? schedule::outerLoops(draft.nest(), block, draft.task().threads) : schedule::MarkWords();
    if (!outer.empty()) {
        draft.attempt("parallel " + join(outer, " "));
    }
}

void shareOut(Draft& draft)
{
    for (const std::string& name : draft.blockNames()) {
        shareOut(draft, name);
    }
}

} // namespace nw::tune::sketches
