#include "engine/schedule/hints.h"

#include "engine/schedule/analysis/access.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>
#include <map>

namespace nw::schedule {

namespace {

bool same(const Prefetch& a, const Prefetch& b) { return a.block == b.block && a.buffer == b.buffer; }

void addOnce(std::vector<Prefetch>& to, const Prefetch& prefetch)
{
    if (std::none_of(to.begin(), to.end(), [&](const Prefetch& other) { return same(other, prefetch); })) {
        to.push_back(prefetch);
    }
}

// Steps along the way of the hints of one nest to the next.
class Carrier {
public:
    Carrier(const LoopNest& before, Applied& applied)
        : m_before(before)
        , m_nest(applied.nest)
        , m_forward(applied.forward)
    {
        for (const LoopNest::Path& path : before.blocks()) {
            m_old[path.block->id] = path.block;
        }
    }

    void run()
    {
        for (const Loop* loop : m_before.allLoops()) {
            if (!loop->annotations.empty() || !loop->prefetches.empty()) {
                handOn(*loop);
            }
        }
        land();
        std::vector<LoopId> ids;
        for (const Loop* loop : m_nest.allLoops()) {
            if (!loop->annotations.empty() || !loop->prefetches.empty()) {
                ids.push_back(loop->id);
            }
        }
        for (const LoopId id : ids) {
            settle(*m_nest.findLoop(id).loop);
        }
        carryStreams();
    }

private:
    // Loops that took the place of one, as chains, each innermost first: one for a split, one for each copy.
    std::vector<std::vector<const Loop*>> successors(const Loop& old) const
    {
        const auto went = m_forward.loops.find(old.id);
        const std::vector<LoopId> all = went == m_forward.loops.end() ? std::vector<LoopId>{old.id} : went->second;
        std::vector<LoopNest::Path> paths;
        for (const LoopId id : all) {
            if (LoopNest::Path path = m_nest.findLoop(id)) {
                paths.push_back(std::move(path));
            }
        }
        std::vector<std::vector<const Loop*>> chains;
        for (const LoopNest::Path& path : paths) {
            const bool holdsAnother = std::any_of(paths.begin(), paths.end(), [&](const LoopNest::Path& other) {
                return contains(other, path.loop->name);
            });
            if (holdsAnother) {
                continue;
            }
            std::vector<const Loop*>& chain = chains.emplace_back(1, path.loop);
            for (auto around = path.loops.rbegin(); around != path.loops.rend(); ++around) {
                if (std::find(all.begin(), all.end(), (*around)->id) != all.end()) {
                    chain.push_back(*around);
                }
            }
        }
        return chains;
    }

    void handOn(const Loop& old)
    {
        for (const std::vector<const Loop*>& chain : successors(old)) {
            for (const auto& [key, value] : old.annotations) {
                const std::string& name = key;
                if (const auto at = firstOf(chain, [&](LoopKind kind) { return annotationFits(name, kind); })) {
                    const std::int64_t now = name == "grain" ? fewer(value, at->inside) : value;
                    m_annotations.push_back({at->loop, name, now});
                }
            }
            for (const Prefetch& prefetch : old.prefetches) {
                if (const auto at = firstOf(chain, [](LoopKind kind) { return kind != LoopKind::Vector; })) {
                    m_prefetches.push_back({at->loop, {prefetch.block, prefetch.buffer, fewer(prefetch.ahead, at->inside)}});
                }
            }
        }
    }

    // As many steps of a loop, counted in those of a part that holds `inside` of them.
    static std::int64_t fewer(std::int64_t steps, std::int64_t inside) { return (steps + inside - 1) / inside; }

    struct Landing {
        LoopId loop = 0;
        std::int64_t inside = 1; // steps that the parts inside of it have together
    };
    // The innermost loop of a chain whose kind will do. One that follows another takes the kind of that: it will not.
    template <typename Fits>
    std::optional<Landing> firstOf(const std::vector<const Loop*>& chain, const Fits& fits) const
    {
        Landing landing;
        for (const Loop* loop : chain) {
            if (loop->follows.empty() && fits(effectiveKind(m_nest, *loop))) {
                landing.loop = loop->id;
                return landing;
            }
            landing.inside *= std::max<std::int64_t>(constantExtent(*loop).value_or(1), 1);
        }
        return std::nullopt;
    }

    void land()
    {
        for (const auto& [id, key, value] : m_annotations) {
            changeLoop(m_nest, id, [&, key = key, value = value](Loop& loop) { loop.annotations.emplace(key, value); });
        }
        for (const auto& [id, prefetch] : m_prefetches) {
            changeLoop(m_nest, id, [&, prefetch = prefetch](Loop& loop) { addOnce(loop.prefetches, prefetch); });
        }
    }

    // What does not fit goes to where it does.
    void settle(const Loop& loop)
    {
        Loop settled = loop;
        const LoopKind kind = effectiveKind(m_nest, loop);
        std::erase_if(settled.annotations, [&](const auto& entry) { return !annotationFits(entry.first, kind); });
        settled.prefetches.clear();
        for (const Prefetch& prefetch : loop.prefetches) {
            for (const Prefetch& now : placesOf(loop, prefetch)) {
                addOnce(settled.prefetches, now);
            }
        }
        changeLoop(m_nest, loop.id, [&](Loop& changed) {
            changed.annotations = settled.annotations;
            changed.prefetches = settled.prefetches;
        });
    }

    std::vector<Prefetch> placesOf(const Loop& loop, const Prefetch& prefetch) const
    {
        if (prefetchFits(m_nest, loop, prefetch)) {
            return {prefetch};
        }
        std::vector<Prefetch> places;
        for (const Block* block : blocksIn(loop.body)) {
            const bool isNew = !m_old.contains(block->id);
            const Prefetch now{block->name, prefetch.buffer, prefetch.ahead};
            if ((isNew || cameOf(*block, prefetch.block)) && prefetchFits(m_nest, loop, now)) {
                places.push_back(now);
            }
        }
        return places;
    }

    bool cameOf(const Block& block, const std::string& name) const
    {
        const LoopNest::Path old = m_before.findBlock(name);
        const auto went = old ? m_forward.blocks.find(old.block->id) : m_forward.blocks.end();
        return went != m_forward.blocks.end() && std::find(went->second.begin(), went->second.end(), block.id) != went->second.end();
    }

    void carryStreams()
    {
        m_nest.roots = mapBlocks(m_nest.roots, [&](const Block& block) -> std::optional<Block> {
            const auto old = m_old.find(block.id);
            const bool storesNow = old == m_old.end() || old->second->buffer != block.buffer;
            const bool streams = canStream(m_nest, block) && (storesNow ? wasStreamed(block.buffer) : block.streams);
            if (streams == block.streams) {
                return std::nullopt;
            }
            Block changed = block;
            changed.streams = streams;
            return changed;
        });
    }

    bool wasStreamed(const std::string& buffer) const
    {
        return std::any_of(m_old.begin(), m_old.end(),
                           [&](const auto& entry) { return entry.second->streams && entry.second->buffer == buffer; });
    }

    const LoopNest& m_before;
    LoopNest& m_nest;
    const Forward& m_forward;
    std::map<BlockId, const Block*> m_old;
    struct Annotation {
        LoopId loop;
        std::string key;
        std::int64_t value;
    };
    std::vector<Annotation> m_annotations; // to be put on their loops, as the prefetches
    std::vector<std::pair<LoopId, Prefetch>> m_prefetches;
};

bool hasHints(const std::vector<Stmt>& statements)
{
    return std::any_of(statements.begin(), statements.end(), [](const Stmt& statement) {
        const Loop* loop = statement->loop();
        return loop == nullptr ? statement->block()->streams
                               : !loop->annotations.empty() || !loop->prefetches.empty() || hasHints(loop->body);
    });
}

} // namespace

bool AnnotationKey::fits(LoopKind kind) const
{
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

const std::vector<AnnotationKey>& annotationKeys()
{
    static const std::vector<AnnotationKey> kKeys{
        {"grain", {LoopKind::Parallel}, 1, std::int64_t{1} << 40, false},
        {"unroll_hint", {LoopKind::Serial}, 1, 64, false},
        {"align", {LoopKind::Serial, LoopKind::Parallel}, 16, 256, true},
    };
    return kKeys;
}

const AnnotationKey* annotationKey(std::string_view name)
{
    const std::vector<AnnotationKey>& keys = annotationKeys();
    const auto found = std::find_if(keys.begin(), keys.end(), [&](const AnnotationKey& key) { return key.name == name; });
    return found == keys.end() ? nullptr : &*found;
}

bool annotationFits(std::string_view name, LoopKind kind)
{
    const AnnotationKey* key = annotationKey(name);
    return key != nullptr && key->fits(kind);
}

bool madeAnewIn(const LoopNest& nest, const Loop& loop, const Buffer& buffer)
{
    if (buffer.atLoop.empty()) {
        return false;
    }
    const LoopNest::Path home = nest.findLoop(buffer.atLoop);
    return buffer.atLoop == loop.name || contains(home, loop.name);
}

bool indexIsRead(const Block& block, const std::string& buffer)
{
    const std::vector<std::vector<Expr>> reads = readsOf(block, buffer);
    return std::any_of(reads.begin(), reads.end(), [](const std::vector<Expr>& indices) {
        return std::any_of(indices.begin(), indices.end(), &hasLoad);
    });
}

bool prefetchFits(const LoopNest& nest, const Loop& loop, const Prefetch& prefetch)
{
    const Buffer* buffer = nest.buffer(prefetch.buffer);
    const LoopNest::Path path = nest.findBlock(prefetch.block);
    return buffer != nullptr && path && prefetch.ahead >= 1 && contains(path, loop.name) && readsBuffer(*path.block, prefetch.buffer)
        && buffer->scope != Scope::Registers && !madeAnewIn(nest, loop, *buffer) && !indexIsRead(*path.block, prefetch.buffer)
        && effectiveKind(nest, loop) != LoopKind::Vector;
}

bool canStream(const LoopNest& nest, const Block& block)
{
    const Buffer* buffer = nest.buffer(block.buffer);
    return buffer != nullptr && (buffer->scope == Scope::Port || buffer->scope == Scope::Heap) && !block.isReduction()
        && !readsBuffer(block, block.buffer);
}

void carryHints(const LoopNest& before, Applied& applied)
{
    if (hasHints(before.roots)) {
        Carrier(before, applied).run();
    }
}

} // namespace nw::schedule
