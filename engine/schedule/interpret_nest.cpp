// A nest run as written, one element at a time, with every access checked.

#include "engine/schedule/interpret_nest.h"

#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/schedule/nest_memory.h"
#include "engine/schedule/race_watch.h"
#include "engine/schedule/scalar_program.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>

namespace nw::schedule {

namespace {

struct IterProgram {
    ScalarProgram binding, extent;
};
struct BlockRun {
    const Block* block = nullptr;
    int target = 0;
    ScalarProgram predicate, value, init;
    std::vector<ScalarProgram> indices;
    std::vector<IterProgram> iters;
    // The element's initial value was stored in this round; a round starts where the outermost loop over a reduction
    // variable is entered, or with every run when there is no such loop.
    std::vector<std::uint32_t> rounds;
    std::uint32_t round = 0;
    bool everyRun = true;
};
struct Node {
    std::optional<BlockRun> block;
    const Loop* loop = nullptr;
    int slot = 0;
    bool anyOrder = false;
    ScalarProgram extent;
    std::vector<int> privateMemories; // allocated anew in each iteration
    std::vector<BlockRun*> reductions; // that start a round here
    std::vector<std::unique_ptr<Node>> body;
};

BinaryOp operatorOf(compute::Combiner combiner)
{
    switch (combiner) {
    case compute::Combiner::Prod: return BinaryOp::Mul;
    case compute::Combiner::Max: return BinaryOp::Max;
    case compute::Combiner::Min: return BinaryOp::Min;
    case compute::Combiner::Sum:
    case compute::Combiner::None: break;
    }
    return BinaryOp::Add;
}

class NestRun {
public:
    NestRun(const LoopNest& nest, std::uint64_t orderSeed)
        : m_nest(nest)
        , m_random(orderSeed)
        , m_shuffles(orderSeed != 0)
    {
        for (const Buffer& buffer : nest.buffers) {
            m_memories.emplace_back(buffer);
            m_touched.emplace_back(m_shuffles ? m_memories.back().values.size() : 0);
        }
        for (const Stmt& root : nest.roots) {
            m_roots.push_back(compile(*root, {}));
        }
        m_slots.resize(m_slotOf.size());
    }

    Status fill(const std::vector<Tensor>& inputs)
    {
        std::size_t next = 0;
        const std::vector<compute::Port>& ports = m_nest.definition->ports;
        for (std::size_t p = 0; p < ports.size(); ++p) {
            if (ports[p].kind == compute::PortKind::Output) {
                continue;
            }
            if (next == inputs.size()) {
                return failed(format("a tensor for port {} is missing", ports[p].name));
            }
            const Tensor& tensor = inputs[next++];
            for (NestMemory& memory : m_memories) {
                const Status filled = memory.isPort(static_cast<int>(p)) ? memory.fill(tensor) : Status(Done{});
                if (!filled) {
                    return filled;
                }
            }
        }
        return Done{};
    }

    Status run()
    {
        for (const std::unique_ptr<Node>& root : m_roots) {
            if (!runNode(*root)) {
                return *m_error;
            }
        }
        return Done{};
    }

    Result<std::vector<Tensor>> outputs() const
    {
        std::vector<Tensor> tensors;
        const std::vector<compute::Port>& ports = m_nest.definition->ports;
        for (std::size_t p = 0; p < ports.size(); ++p) {
            if (ports[p].kind == compute::PortKind::Output) {
                const auto memory = std::find_if(m_memories.begin(), m_memories.end(), [p](const NestMemory& one) {
                    return one.isPort(static_cast<int>(p));
                });
                ENSURE(memory != m_memories.end(), "no buffer for port " + ports[p].name);
                Result<Tensor> tensor = memory->toTensor();
                if (!tensor) {
                    return tensor.error();
                }
                tensors.push_back(*std::move(tensor));
            }
        }
        return tensors;
    }

private:
    int memoryOf(const std::string& name) const
    {
        for (std::size_t i = 0; i < m_memories.size(); ++i) {
            if (m_memories[i].buffer->name == name) {
                return static_cast<int>(i);
            }
        }
        throwBug(__FILE__, __LINE__, "no buffer " + name);
    }

    ScalarProgram program(const Expr& e)
    {
        return ScalarProgram::compile(
            e, {[this](const std::string& name) {
                    const auto found = m_slotOf.find(name);
                    ENSURE(found != m_slotOf.end(), "no loop " + name);
                    return found->second;
                },
                [this](const std::string& name) { return memoryOf(name); }});
    }

    std::unique_ptr<Node> compile(const StmtNode& statement, std::vector<Node*> around)
    {
        auto node = std::make_unique<Node>();
        if (const Block* block = statement.block()) {
            node->block = compileBlock(*block);
            for (Node* outer : around) {
                const bool reduces = std::any_of(block->iters.begin(), block->iters.end(), [&](const IterVar& iter) {
                    return iter.reduction && usesVar(iter.binding, outer->loop->name);
                });
                if (reduces) {
                    outer->reductions.push_back(&*node->block);
                    node->block->everyRun = false;
                    break;
                }
            }
            return node;
        }
        const Loop& loop = *statement.loop();
        node->loop = &loop;
        node->extent = program(loop.extent);
        node->slot = m_slotOf.emplace(loop.name, static_cast<int>(m_slotOf.size())).first->second;
        const LoopKind kind = effectiveKind(m_nest, loop);
        node->anyOrder = kind == LoopKind::Parallel || kind == LoopKind::Vector;
        for (std::size_t i = 0; i < m_memories.size(); ++i) {
            const Buffer& buffer = *m_memories[i].buffer;
            const bool isPrivate = buffer.scope == Scope::Stack || buffer.scope == Scope::Registers;
            if (isPrivate && buffer.atLoop == loop.name) {
                node->privateMemories.push_back(static_cast<int>(i));
            }
        }
        around.push_back(node.get());
        for (const Stmt& child : loop.body) {
            node->body.push_back(compile(*child, around));
        }
        return node;
    }

    BlockRun compileBlock(const Block& block)
    {
        const Substitution bindings = block.bindings();
        BlockRun run;
        run.block = &block;
        run.target = memoryOf(block.buffer);
        run.predicate = program(block.predicate);
        run.value = program(substitute(block.value, bindings));
        if (block.init != nullptr) {
            run.init = program(substitute(block.init, bindings));
            run.rounds.resize(m_memories[static_cast<std::size_t>(run.target)].values.size(), 0);
        }
        for (const Expr& index : block.indices) {
            run.indices.push_back(program(substitute(index, bindings)));
        }
        for (const IterVar& iter : block.iters) {
            run.iters.push_back({program(iter.binding), program(iter.extent)});
        }
        return run;
    }

    void complain(std::string message)
    {
        if (!m_error) {
            m_error = failed(std::move(message));
        }
    }

    Scalar read(const Block& block, int buffer, std::span<const std::int64_t> indices)
    {
        const NestMemory& memory = m_memories[static_cast<std::size_t>(buffer)];
        const std::optional<std::size_t> at = memory.place(indices);
        if (!at || memory.written[*at] == 0) {
            complain(format("block {} reads {}[{}], {}", block.name, memory.buffer->name, fmt::join(indices, ", "),
                            at ? "which was never written" : "which is outside"));
            return {};
        }
        if (m_shuffles && !m_races.reads(m_touched[static_cast<std::size_t>(buffer)], *at)) {
            complainOfRace(block, memory, indices);
        }
        return memory.values[*at];
    }

    void complainOfRace(const Block& block, const NestMemory& memory, std::span<const std::int64_t> indices)
    {
        complain(format("steps that run at once meet at {}[{}] in block {}, and one of them writes it", memory.buffer->name,
                        fmt::join(indices, ", "), block.name));
    }

    std::int64_t integerOf(const ScalarProgram& code) const
    {
        return code.run(m_slots, [](int, std::span<const std::int64_t>) { return Scalar{}; }).integer;
    }

    bool runNode(Node& node)
    {
        if (node.block) {
            runBlock(*node.block);
            return !m_error;
        }
        for (BlockRun* block : node.reductions) {
            ++block->round;
        }
        const std::int64_t extent = integerOf(node.extent);
        std::vector<std::int64_t> order(static_cast<std::size_t>(std::max<std::int64_t>(extent, 0)));
        std::iota(order.begin(), order.end(), 0);
        for (std::size_t i = order.size(); m_shuffles && node.anyOrder && i > 1; --i) {
            std::swap(order[i - 1], order[m_random.below(i)]);
        }
        const bool watched = m_shuffles && node.anyOrder;
        const int outer = m_races.current();
        const int run = watched ? m_races.enter() : 0;
        for (const std::int64_t step : order) {
            m_slots[static_cast<std::size_t>(node.slot)] = step;
            if (watched) {
                m_races.step(run, outer);
            }
            for (const int buffer : node.privateMemories) {
                std::vector<std::uint8_t>& written = m_memories[static_cast<std::size_t>(buffer)].written;
                std::fill(written.begin(), written.end(), std::uint8_t{0});
                m_touched[static_cast<std::size_t>(buffer)].forget();
            }
            for (const std::unique_ptr<Node>& child : node.body) {
                if (!runNode(*child)) {
                    return false;
                }
            }
        }
        m_races.leave(outer);
        return true;
    }

    void runBlock(BlockRun& run)
    {
        const Block& block = *run.block;
        const ScalarProgram::Loader loader
            = [&](int buffer, std::span<const std::int64_t> indices) { return read(block, buffer, indices); };
        if (run.predicate.run(m_slots, loader).integer == 0) {
            return;
        }
        for (std::size_t i = 0; i < run.iters.size(); ++i) {
            const std::int64_t at = integerOf(run.iters[i].binding);
            if (at < 0 || at >= integerOf(run.iters[i].extent)) {
                complain(format("block {} runs with {} = {}, which is outside", block.name, block.iters[i].name, at));
                return;
            }
        }
        std::vector<std::int64_t> indices;
        for (const ScalarProgram& index : run.indices) {
            indices.push_back(integerOf(index));
        }
        NestMemory& memory = m_memories[static_cast<std::size_t>(run.target)];
        const std::optional<std::size_t> at = memory.place(indices);
        if (!at) {
            complain(format("block {} writes {}[{}], which is outside", block.name, block.buffer, fmt::join(indices, ", ")));
            return;
        }
        Scalar value = run.value.run(m_slots, loader);
        if (block.isReduction()) {
            run.round += run.everyRun ? 1 : 0;
            if (block.init != nullptr && run.rounds[*at] != run.round) {
                run.rounds[*at] = run.round;
                memory.values[*at] = run.init.run(m_slots, loader);
            } else if (memory.written[*at] == 0) {
                complain(format("block {} reads {}[{}], which was never written", block.name, block.buffer,
                                fmt::join(indices, ", ")));
                return;
            }
            value = applyBinary(operatorOf(block.combiner), memory.buffer->type, memory.values[*at], value);
        }
        memory.values[*at] = value;
        memory.written[*at] = 1;
        if (m_shuffles && !m_races.writes(m_touched[static_cast<std::size_t>(run.target)], *at)) {
            complainOfRace(block, memory, indices);
        }
    }

    const LoopNest& m_nest;
    Random m_random;
    bool m_shuffles;
    std::vector<NestMemory> m_memories;
    std::vector<RaceWatch::Elements> m_touched; // parallel to the memories
    RaceWatch m_races;
    std::map<std::string, int> m_slotOf;
    std::vector<std::int64_t> m_slots;
    std::vector<std::unique_ptr<Node>> m_roots;
    std::optional<Error> m_error;
};

} // namespace

Result<std::vector<Tensor>> interpretNest(const LoopNest& nest, const std::vector<Tensor>& inputs, std::uint64_t orderSeed)
{
    NestRun run(nest, orderSeed);
    const Status filled = run.fill(inputs);
    if (!filled) {
        return filled.error();
    }
    const Status ran = run.run();
    return ran ? run.outputs() : Result<std::vector<Tensor>>(ran.error());
}

} // namespace nw::schedule
