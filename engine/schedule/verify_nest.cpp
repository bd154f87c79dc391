#include "engine/base/text.h"
#include "engine/schedule/hints.h"
#include "engine/schedule/loop_nest.h"

#include <algorithm>
#include <set>

namespace nw::schedule {

namespace {

class Verifier {
public:
    explicit Verifier(const LoopNest& nest)
        : m_nest(nest)
        , m_ranges(nest.loopRanges())
    {}

    std::string run()
    {
        for (const Buffer& buffer : m_nest.buffers) {
            checkBuffer(buffer);
        }
        const std::vector<const Loop*> loops = m_nest.allLoops();
        for (const Loop* loop : loops) {
            checkLoop(*loop);
        }
        checkParallel(m_nest.roots, nullptr, true);
        for (const LoopNest::Path& path : m_nest.blocks()) {
            checkBlock(path);
        }
        return join(m_faults, "\n");
    }

private:
    template <typename... Parts>
    void fault(fmt::format_string<Parts...> words, Parts&&... parts)
    {
        m_faults.push_back(format(words, std::forward<Parts>(parts)...));
    }

    // Blocks may be called as a buffer (a stage and its tensor); everything else has a name of its own.
    void checkName(std::set<std::string>& taken, const std::string& name)
    {
        if (name.empty()) {
            fault("something has no name");
        } else if (!taken.insert(name).second) {
            fault("the name {} is used twice", name);
        }
    }

    void checkId(int id, const std::string& name)
    {
        if (id < 0 || id >= m_nest.nextId || !m_ids.insert(id).second) {
            fault("{} has the id {}, which is out of range or used twice", name, id);
        }
    }

    void checkBuffer(const Buffer& buffer)
    {
        checkName(m_bufferNames, buffer.name);
        const Layout& layout = buffer.layout;
        if (!layout.map.axes.empty() && layout.map.axes.size() != buffer.shape.size()) {
            fault("buffer {} has {} dimensions, its layout takes {}", buffer.name, buffer.shape.size(), layout.map.axes.size());
        }
        if ((buffer.scope == Scope::Port) != (buffer.port >= 0)) {
            fault("buffer {}: only a port has a port's index", buffer.name);
        }
        if (!buffer.atLoop.empty() && !m_nest.findLoop(buffer.atLoop)) {
            fault("buffer {} belongs to loop {}, which is not there", buffer.name, buffer.atLoop);
        }
        if (!buffer.atLoop.empty() && buffer.scope == Scope::Port) {
            fault("port {} belongs to loop {}, but a port belongs to the kernel", buffer.name, buffer.atLoop);
        }
    }

    void checkLoop(const Loop& loop)
    {
        checkName(m_loopNames, loop.name);
        checkId(loop.id, loop.name);
        if (loop.body.empty()) {
            fault("loop {} has nothing in it", loop.name);
        }
        const std::optional<std::int64_t> extent = constantExtent(loop);
        if (extent && *extent < 0) {
            fault("loop {} has the extent {}", loop.name, *extent);
        }
        const LoopKind kind = effectiveKind(m_nest, loop);
        if (kind == LoopKind::Vector || kind == LoopKind::Unrolled) {
            if (!extent) {
                fault("loop {} is vector or unrolled, but its extent is not a number", loop.name);
            }
        }
        if (kind == LoopKind::Vector
            && std::any_of(loop.body.begin(), loop.body.end(), [](const Stmt& s) { return s->loop() != nullptr; })) {
            fault("vector loop {} has a loop in it", loop.name);
        }
        for (const auto& [key, value] : loop.annotations) {
            const AnnotationKey* known = annotationKey(key);
            if (known == nullptr || !known->fits(kind) || !known->takes(value)) {
                fault("loop {} carries {} {}, of which it has no use", loop.name, key, value);
            }
        }
        for (const Prefetch& prefetch : loop.prefetches) {
            if (!prefetchFits(m_nest, loop, prefetch)) {
                fault("loop {} prefetches {} for {}, which it cannot", loop.name, prefetch.buffer, prefetch.block);
            }
        }
        if (!loop.follows.empty() && !m_nest.findLoop(loop.follows)) {
            fault("loop {} follows {}, which is not there", loop.name, loop.follows);
        }
    }

    // One set of threads does the work of parallel loops that stand directly inside one another.
    void checkParallel(const std::vector<Stmt>& statements, const Loop* around, bool directly)
    {
        for (const Stmt& statement : statements) {
            const Loop* loop = statement->loop();
            if (loop == nullptr) {
                continue;
            }
            const bool isParallel = loop->kind == LoopKind::Parallel;
            if (isParallel && !directly) {
                fault("parallel loop {} stands inside the parallel loop {}, but not directly", loop->name, around->name);
            }
            const Loop* outer = isParallel ? loop : around;
            checkParallel(loop->body, outer, outer == nullptr || (isParallel && loop->body.size() == 1));
        }
    }

    void checkVariables(const Block& block, const Expr& e, const std::set<std::string>& known)
    {
        for (const std::string& name : freeVars(e)) {
            if (!known.contains(name)) {
                fault("block {} uses {}, which it does not know: {}", block.name, name, toText(e));
            }
        }
    }

    // Inside 0 .. extent-1 by the loops' ranges, or by a guard.
    bool staysInside(const Expr& position, const Expr& extent, const Block& block)
    {
        const std::optional<std::int64_t> limit = constInt(extent);
        const Interval met = boundsOf(position, m_ranges);
        // Nothing runs where a range is empty.
        if ((met.low >= 0 && limit && met.high < *limit) || limit == 0) {
            return true;
        }
        return met.low > Interval::kMinusInf && !isConst(block.predicate, 1);
    }

    void checkBlock(const LoopNest::Path& path)
    {
        const Block& block = *path.block;
        checkName(m_blockNames, block.name);
        checkId(block.id, block.name);
        std::set<std::string> around;
        for (const Loop* loop : path.loops) {
            around.insert(loop->name);
        }
        std::set<std::string> iters;
        for (const IterVar& iter : block.iters) {
            if (!iters.insert(iter.name).second) {
                fault("block {} has two iteration variables {}", block.name, iter.name);
            }
            checkVariables(block, iter.binding, around);
            if (!staysInside(iter.binding, iter.extent, block)) {
                fault("block {}: {} = {} may leave 0 .. {} and nothing guards it", block.name, iter.name,
                      toText(iter.binding), toText(iter.extent));
            }
        }
        if (block.predicate == nullptr || block.value == nullptr) {
            fault("block {} lacks its predicate or value", block.name);
            return;
        }
        checkVariables(block, block.predicate, around);
        checkVariables(block, block.value, iters);
        if (block.init != nullptr && !block.isReduction()) {
            fault("block {}: only a reduction has an initial value", block.name);
        }
        if (block.streams && !canStream(m_nest, block)) {
            fault("block {} streams what it cannot", block.name);
        }
        if (block.continues() && !m_written.contains(block.buffer)) {
            fault("block {} goes on with {}, which nothing before it writes", block.name, block.buffer);
        }
        m_written.insert(block.buffer);
        checkAccess(path, block.buffer, block.indices, iters);
        walk(block.value, [&](const Expr& e) {
            if (const Load* load = e->as<Load>()) {
                checkAccess(path, load->buffer, load->indices, iters);
            }
            return true;
        });
    }

    void checkAccess(const LoopNest::Path& path, const std::string& name, const std::vector<Expr>& indices,
                     const std::set<std::string>& iters)
    {
        const Block& block = *path.block;
        const Buffer* buffer = m_nest.buffer(name);
        if (buffer == nullptr) {
            fault("block {} uses {}, which is not there", block.name, name);
            return;
        }
        if (buffer->shape.size() != indices.size()) {
            fault("block {} gives {} indices to {}, which has {}", block.name, indices.size(), name, buffer->shape.size());
        }
        for (const Expr& index : indices) {
            checkVariables(block, index, iters);
        }
        const bool reachable = buffer->atLoop.empty()
            || std::any_of(path.loops.begin(), path.loops.end(),
                           [&](const Loop* loop) { return loop->name == buffer->atLoop; });
        if (!reachable) {
            fault("block {} uses {} outside of loop {}, to which it belongs", block.name, name, buffer->atLoop);
        }
    }

    const LoopNest& m_nest;
    const Ranges m_ranges;
    std::set<std::string> m_bufferNames;
    std::set<std::string> m_loopNames;
    std::set<std::string> m_blockNames;
    std::set<std::string> m_written; // by blocks further up
    std::set<int> m_ids;
    std::vector<std::string> m_faults;
};

} // namespace

std::string verify(const LoopNest& nest)
{
    return Verifier(nest).run();
}

} // namespace nw::schedule
