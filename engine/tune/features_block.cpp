#include "engine/tune/features_parts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nw::tune {

using namespace schedule;

namespace {

constexpr double kLineBytes = 64;
// Steps of a loop at which an index that is no sum is looked at.
constexpr std::int64_t kLooks = 32;

struct DimensionStep { // how one index moves while one loop walks
    double reach = 0, count = 1;
    std::int64_t step = 0;
};

class BlockReader {
public:
    BlockReader(const LoopNest& nest, const LoopNest::Path& path, const NamedValues& symbols, std::map<const Buffer*, Addressing>& addressings)
        : m_nest(nest)
        , m_symbols(symbols)
        , m_addressings(addressings)
        , m_variables(symbols)
    {
        m_walk.block = path.block;
        m_walk.loops = path.loops;
    }

    BlockWalk read(const Target& target)
    {
        readLoops();
        const std::vector<const Load*> loads = readArithmetic();
        readIterations();
        addTouch(m_walk.block->buffer, m_walk.block->indices, true);
        for (const Load* load : loads) {
            addTouch(load->buffer, load->indices, false);
        }
        measureSteps();
        for (std::size_t i = 0; i < m_walk.touches.size(); ++i) {
            count(i);
        }
        findTile(target);
        return std::move(m_walk);
    }

private:
    void readLoops()
    {
        for (const Loop* loop : m_walk.loops) {
            m_variables.add(loop->name, 0);
            m_steps.push_back(extentOf(loop->extent, m_symbols));
            m_walk.extents.push_back(static_cast<double>(m_steps.back()));
            m_walk.kinds.push_back(effectiveKind(m_nest, *loop));
        }
        const std::size_t depth = m_walk.loops.size();
        m_walk.inside.assign(depth + 1, 1);
        for (std::size_t d = depth; d-- > 0;) {
            m_walk.inside[d] = m_walk.inside[d + 1] * m_walk.extents[d];
        }
        m_walk.reduces.assign(depth, 0);
        m_walk.bytes.assign(depth + 1, 0);
    }

    std::vector<const Load*> readArithmetic()
    {
        const Block& block = *m_walk.block;
        std::vector<const Load*> loads;
        readValue(block.value, m_walk.arithmetic, loads);
        Arithmetic& counted = m_walk.arithmetic;
        switch (block.combiner) {
        case compute::Combiner::None: break;
        case compute::Combiner::Sum: counted.sums += 1; break;
        case compute::Combiner::Prod: counted.products += 1; break;
        case compute::Combiner::Max:
        case compute::Combiner::Min: counted.comparisons += 1; break;
        }
        for (const Expr& guard : conjuncts(block.predicate)) {
            m_walk.guards += isConst(guard, 1) ? 0 : 1;
        }
        return loads;
    }

    void readIterations()
    {
        m_walk.needed = 1;
        std::vector<std::string> names;
        for (const IterVar& iter : m_walk.block->iters) {
            m_walk.needed *= static_cast<double>(extentOf(iter.extent, m_symbols));
            m_bindings.push_back(IndexForm::of(iter.binding, m_variables.names));
            m_iterations.add(iter.name, 0);
            for (const std::string& name : iter.reduction ? freeVars(iter.binding) : std::vector<std::string>()) {
                for (std::size_t l = 0; l < m_walk.loops.size(); ++l) {
                    m_walk.reduces[l] = m_walk.loops[l]->name == name ? 1 : m_walk.reduces[l];
                }
            }
        }
        for (std::size_t i = 0; i < m_symbols.names.size(); ++i) {
            m_iterations.add(m_symbols.names[i], m_symbols.values[i]);
        }
    }

    void addTouch(const std::string& name, const std::vector<Expr>& indices, bool isWrite)
    {
        const Buffer* buffer = m_nest.buffer(name);
        if (buffer == nullptr || buffer->shape.size() != indices.size()) {
            return;
        }
        Touch touch;
        touch.buffer = buffer;
        touch.isWrite = isWrite;
        touch.elementBytes = static_cast<double>(std::max<std::size_t>(1, byteSize(buffer->type)));
        for (const Expr& index : indices) {
            m_indices.push_back(IndexForm::of(index, m_iterations.names));
            touch.isKnown = touch.isKnown && m_indices.back().isKnown();
        }
        m_first.push_back(m_first.empty() ? 0 : m_first.back() + m_walk.touches.back().buffer->shape.size());
        const auto [addressing, isNew] = m_addressings.try_emplace(buffer);
        if (isNew) {
            addressing->second = addressingOf(*buffer);
        }
        m_memory.push_back(&addressing->second);
        m_walk.touches.push_back(std::move(touch));
    }

    // Indices of all touches, one behind the other, where one loop is at a step and the others at their first.
    void look(std::size_t loop, std::int64_t at, std::vector<std::int64_t>& found)
    {
        m_variables.values[m_symbols.names.size() + loop] = at;
        for (std::size_t i = 0; i < m_bindings.size(); ++i) {
            m_iterations.values[i] = m_bindings[i].at(m_variables.values).value_or(0);
        }
        m_variables.values[m_symbols.names.size() + loop] = 0;
        found.resize(m_indices.size());
        for (std::size_t i = 0; i < m_indices.size(); ++i) {
            found[i] = m_indices[i].at(m_iterations.values).value_or(0);
        }
    }

    void measureSteps()
    {
        const std::size_t loops = m_walk.loops.size();
        m_moved.assign(loops, std::vector<DimensionStep>(m_indices.size()));
        for (Touch& touch : m_walk.touches) {
            touch.moves.assign(loops, 0);
            touch.strides.assign(loops, 0);
        }
        if (loops == 0) {
            return;
        }
        std::vector<std::int64_t> start, next, at, room;
        look(0, 0, start);
        for (std::size_t l = 0; l < loops; ++l) {
            const std::int64_t last = m_steps[l] - 1;
            if (last < 1) {
                continue;
            }
            look(l, 1, next);
            std::vector<std::int64_t> looks{last, (last + 1) / 2, std::min<std::int64_t>(2, last)};
            bool isEven = true;
            for (const std::int64_t step : looks) {
                look(l, step, at);
                for (std::size_t i = 0; i < at.size() && isEven; ++i) {
                    isEven = difference(at[i], start[i]) == static_cast<double>(step) * difference(next[i], start[i]);
                }
            }
            if (isEven) {
                for (std::size_t i = 0; i < next.size(); ++i) {
                    const double step = std::abs(difference(next[i], start[i]));
                    m_moved[l][i] = {step * static_cast<double>(last), step > 0 ? static_cast<double>(last + 1) : 1, magnitude(next[i], start[i])};
                }
            } else {
                lookClosely(l, last, start);
            }
            for (std::size_t t = 0; t < m_walk.touches.size(); ++t) {
                Touch& touch = m_walk.touches[t];
                const auto part = [&](const std::vector<std::int64_t>& all) { return std::span(all).subspan(m_first[t], touch.buffer->shape.size()); };
                touch.strides[l] = difference(m_memory[t]->offset(part(next), room), m_memory[t]->offset(part(start), room));
                for (std::size_t i = m_first[t]; i < m_first[t] + touch.buffer->shape.size(); ++i) {
                    touch.moves[l] = m_moved[l][i].count > 1 || !m_indices[i].isKnown() ? 1 : touch.moves[l];
                }
            }
        }
    }

    // Divisions and remainders, as fused loops have them.
    void lookClosely(std::size_t l, std::int64_t last, const std::vector<std::int64_t>& start)
    {
        std::vector<std::int64_t> lowest = start, highest = start, before = start, at;
        const std::int64_t looks = std::min(last, kLooks);
        for (std::int64_t k = 0; k <= looks; ++k) {
            look(l, k == 0 ? 1 : static_cast<std::int64_t>(static_cast<double>(last) * static_cast<double>(k) / static_cast<double>(looks)), at);
            for (std::size_t i = 0; i < at.size(); ++i) {
                lowest[i] = std::min(lowest[i], at[i]);
                highest[i] = std::max(highest[i], at[i]);
                m_moved[l][i].step = std::gcd(m_moved[l][i].step, magnitude(at[i], before[i]));
            }
            before = at;
        }
        for (std::size_t i = 0; i < start.size(); ++i) {
            DimensionStep& moved = m_moved[l][i];
            moved.reach = difference(highest[i], lowest[i]);
            moved.count = moved.step > 0 ? std::min(static_cast<double>(last + 1), moved.reach / static_cast<double>(moved.step) + 1) : 1;
        }
    }

    static double difference(std::int64_t a, std::int64_t b) { return static_cast<double>(a) - static_cast<double>(b); }
    static std::int64_t magnitude(std::int64_t a, std::int64_t b)
    {
        constexpr double kMost = 4e18;
        return static_cast<std::int64_t>(std::min(kMost, std::abs(difference(a, b))));
    }

    // Different elements and their lines at every depth.
    void count(std::size_t t)
    {
        Touch& touch = m_walk.touches[t];
        const Addressing& memory = *m_memory[t];
        const std::size_t loops = m_walk.loops.size();
        const std::size_t rank = touch.buffer->shape.size();
        touch.elements.assign(loops + 1, 1);
        touch.bytes.assign(loops + 1, 0);
        std::vector<DimensionStep> together(rank);
        double walked = 1;
        std::vector<std::pair<double, double>> runs; // stride and extent, sorted
        for (std::size_t d = loops + 1; d-- > 0;) {
            if (d < loops && touch.moves[d] != 0) {
                walked *= std::max(1.0, m_walk.extents[d]);
                if (touch.strides[d] != 0) {
                    const std::pair<double, double> run{std::abs(touch.strides[d]), m_walk.extents[d]};
                    runs.insert(std::upper_bound(runs.begin(), runs.end(), run), run);
                }
                for (std::size_t i = 0; i < rank; ++i) {
                    const DimensionStep& moved = m_moved[d][m_first[t] + i];
                    together[i].reach += moved.reach;
                    together[i].count *= moved.count;
                    together[i].step = std::gcd(together[i].step, moved.step);
                }
            }
            double elements = 1;
            for (std::size_t i = 0; i < rank; ++i) {
                const DimensionStep& all = together[i];
                const double most = static_cast<double>(std::max<std::int64_t>(1, memory.extents[i]));
                const double along = !m_indices[m_first[t] + i].isKnown() ? walked
                    : all.step > 0 ? std::min(all.count, all.reach / static_cast<double>(all.step) + 1)
                                   : 1;
                elements *= std::min(most, along);
            }
            touch.elements[d] = std::min({elements, walked, memory.size});
            touch.bytes[d] = linesOf(touch, touch.elements[d], runs);
        }
    }

    static double linesOf(const Touch& touch, double elements, const std::vector<std::pair<double, double>>& runs)
    {
        double run = 1;
        for (const auto& [stride, extent] : runs) {
            if (stride > run) {
                break;
            }
            run += stride * (extent - 1);
        }
        run = std::min(run, elements);
        return elements / run * std::ceil(run * touch.elementBytes / kLineBytes) * kLineBytes;
    }

    void findTile(const Target& target)
    {
        const std::size_t loops = m_walk.loops.size();
        m_walk.tile = loops;
        const auto isTile = [](LoopKind kind) { return kind == LoopKind::Vector || kind == LoopKind::Unrolled; };
        while (m_walk.tile > 0 && isTile(m_walk.kinds[m_walk.tile - 1])) {
            --m_walk.tile;
        }
        for (std::size_t l = 0; l < loops; ++l) {
            m_walk.vector = m_walk.kinds[l] == LoopKind::Vector ? static_cast<int>(l) : m_walk.vector;
            m_walk.core = m_walk.reduces[l] != 0 ? l + 1 : m_walk.core;
        }
        m_walk.hasRegisters = !m_walk.touches.empty() && !m_walk.touches.front().isMemory();
        if (m_walk.vector < 0) {
            return;
        }
        const auto vector = static_cast<std::size_t>(m_walk.vector);
        const double extent = std::max(1.0, m_walk.extents[vector]);
        const double bytes = m_walk.touches.empty() ? 4 : m_walk.touches.front().elementBytes;
        m_walk.vectorsPerStep = std::ceil(extent * bytes / std::max(1, target.vectorBytes));
        m_walk.lanes = extent / m_walk.vectorsPerStep;
        m_walk.guardsVector = m_walk.guards > 0 && usesVar(m_walk.block->predicate, m_walk.loops[vector]->name);
    }

    const LoopNest& m_nest;
    const NamedValues& m_symbols;
    std::map<const Buffer*, Addressing>& m_addressings;
    NamedValues m_variables;  // symbols, then loops
    NamedValues m_iterations; // iteration variables, then symbols
    std::vector<std::int64_t> m_steps;
    std::vector<IndexForm> m_bindings, m_indices; // indices of all touches
    std::vector<std::size_t> m_first;             // of each touch's indices
    std::vector<const Addressing*> m_memory;      // of each touch's buffer
    std::vector<std::vector<DimensionStep>> m_moved; // per loop and index
    BlockWalk m_walk;
};

} // namespace

BlockWalk readBlock(const LoopNest& nest, const LoopNest::Path& path, const NamedValues& symbols,
                    std::map<const Buffer*, Addressing>& addressings, const Target& target)
{
    return BlockReader(nest, path, symbols, addressings).read(target);
}

} // namespace nw::tune
