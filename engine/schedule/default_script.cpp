// The frozen fallback rule as a script. For each root nest
//
//   n oc oh ow ic kh kw   =>   parallel n.oc.oh, ow.o, ic, kh, kw, vector ow.i
//
// The innermost spatial loop that walks the written buffer with stride 1 is split by the vector lanes, moved innermost
// within its chain and vectorised; the spatial loops outside of it are fused and made parallel when the work is worth
// waking threads. Nothing else. A step that is not legal for a nest is left out.

#include "engine/schedule/script.h"

#include "engine/base/text.h"
#include "engine/schedule/run_step.h"
#include "engine/schedule/script_line.h"

#include <algorithm>

namespace nw::schedule {

namespace {

constexpr double kWorthThreads = 100e-6 * 50e9; // operations: 100 us of one core at 50 GFLOP/s

class DefaultRule {
public:
    DefaultRule(const LoopNest& initial, const Context& context, int threads)
        : m_nest(initial)
        , m_context(context)
        , m_threads(threads)
    {}

    std::string script()
    {
        std::vector<std::string> names;
        for (const LoopNest::Path& path : m_nest.blocks()) {
            names.push_back(path.block->name);
        }
        for (const std::string& name : names) {
            const std::string contiguous = vectorise(name);
            if (m_threads > 1 && work(name) > kWorthThreads) {
                makeParallel(name, contiguous);
            }
        }
        return m_text;
    }

private:
    // Appends the line when it is legal for the nest as it is now.
    bool attempt(const std::string& line)
    {
        const Result<ParsedLine> parsed = parseLine(line, allPrimitives(), m_context);
        if (!parsed || !parsed->step) {
            return false;
        }
        const Script noKnobs;
        const Result<KnobLookup> knobs = KnobLookup::create(noKnobs, {});
        const Result<Args> args = evaluateArgs(*parsed->step, *knobs, m_context);
        if (!args) {
            return false;
        }
        Result<Step> done = runStep(m_nest, *parsed->step, *args, m_context, false);
        if (!done) {
            return false;
        }
        m_nest = std::move(done->nest);
        m_text += line + "\n";
        return true;
    }

    static bool reduces(const Block& block, const std::string& loop)
    {
        return std::any_of(block.iters.begin(), block.iters.end(),
                           [&](const IterVar& iter) { return iter.reduction && usesVar(iter.binding, loop); });
    }

    // Elements of the written buffer between steps 0 and 1 of a loop, the others standing at 0.
    std::optional<std::int64_t> stride(const LoopNest::Path& path, const std::string& loop) const
    {
        const Buffer* buffer = m_nest.buffer(path.block->buffer);
        const Substitution bindings = path.block->bindings();
        std::optional<std::int64_t> offsets[2];
        for (const std::int64_t step : {0, 1}) {
            Substitution values;
            for (const Loop* other : path.loops) {
                values[other->name] = intImm(other->name == loop ? step : 0);
            }
            std::vector<Expr> indices;
            for (const Expr& index : path.block->indices) {
                indices.push_back(simplify(substitute(substitute(index, bindings), values)));
            }
            offsets[step] = constInt(simplify(buffer->layout.offset(indices, buffer->shape, {})));
        }
        return offsets[0] && offsets[1] ? std::optional(*offsets[1] - *offsets[0]) : std::nullopt;
    }

    // The name of what was the contiguous loop: of its outer part when it was split; empty when there is none.
    std::string vectorise(const std::string& blockName)
    {
        const LoopNest::Path path = m_nest.findBlock(blockName);
        const Buffer* buffer = m_nest.buffer(path.block->buffer);
        const auto found = std::find_if(path.loops.rbegin(), path.loops.rend(), [&](const Loop* loop) {
            const std::optional<std::int64_t> extent = constantExtent(*loop);
            return extent && *extent > 1 && !reduces(*path.block, loop->name) && stride(path, loop->name) == 1;
        });
        if (found == path.loops.rend()) {
            return {};
        }
        const std::string loop = (*found)->name;
        const DType type = buffer->type == DType::Bool ? DType::F32 : buffer->type;
        std::string inner = loop;
        std::string outer = loop;
        if (*constantExtent(**found) > m_context.target->lanes(type)) {
            outer = m_nest.freshName(loop + ".o");
            inner = m_nest.freshName(loop + ".i");
            if (!attempt(format("split {} into {}:_ {}:lanes({})", loop, outer, inner, toText(type)))) {
                return loop;
            }
        }
        moveInnermost(blockName, inner);
        attempt("vectorize " + inner);
        return outer;
    }

    void moveInnermost(const std::string& blockName, const std::string& loop)
    {
        const LoopNest::Path path = m_nest.findBlock(blockName);
        std::vector<std::string> order;
        bool inside = false;
        for (const Loop* other : path.loops) {
            if (inside) {
                order.push_back(other->name);
            }
            inside = inside || other->name == loop;
        }
        if (!order.empty()) {
            order.push_back(loop);
            attempt("reorder " + join(order, " "));
        }
    }

    double work(const std::string& blockName) const
    {
        const LoopNest::Path path = m_nest.findBlock(blockName);
        double operations = path.block->isReduction() ? 1 : 0;
        walk(path.block->value, [&](const Expr& e) {
            const bool counts = e->as<Unary>() != nullptr || (e->as<Binary>() != nullptr && e->type() != DType::Bool);
            operations += counts ? 1 : 0;
            return e->as<Load>() == nullptr; // index arithmetic is no work
        });
        double runs = std::max(operations, 1.0);
        for (const IterVar& iter : path.block->iters) {
            runs *= static_cast<double>(constInt(simplify(iter.extent)).value_or(1));
        }
        return runs;
    }

    void makeParallel(const std::string& blockName, const std::string& contiguous)
    {
        const LoopNest::Path path = m_nest.findBlock(blockName);
        std::vector<std::string> outer;
        for (const Loop* loop : path.loops) {
            if (reduces(*path.block, loop->name) || loop->name == contiguous || loop->kind != LoopKind::Serial) {
                break;
            }
            outer.push_back(loop->name);
        }
        if (outer.empty() && !path.loops.empty() && path.loops.front()->name == contiguous) {
            outer.push_back(contiguous);
        }
        if (outer.size() > 1) {
            const std::string fused = m_nest.freshName(join(outer, "."));
            if (attempt(format("fuse {} into {}", join(outer, " "), fused))) {
                outer = {fused};
            }
        }
        if (!outer.empty()) {
            attempt("parallel " + outer.front());
        }
    }

    LoopNest m_nest;
    Context m_context;
    int m_threads;
    std::string m_text;
};

} // namespace

std::string defaultScript(const LoopNest& initial, const Context& context, int threads)
{
    return DefaultRule(initial, context, threads).script();
}

} // namespace nw::schedule
