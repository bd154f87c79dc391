#include "tests/engine/lower/lowered_run.h"

#include "engine/base/overloaded.h"
#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/schedule/scalar_program.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>

namespace nw::lower {

namespace {

using schedule::Scalar;
using schedule::ScalarProgram;

struct Memory {
    std::vector<Scalar> values;
    std::vector<std::uint8_t> written;
};

struct Node;
using Nodes = std::vector<std::unique_ptr<Node>>;
struct Node {
    const LFor* loop = nullptr;
    const LIf* branch = nullptr;
    const LStore* store = nullptr;
    const LAlloc* alloc = nullptr;
    int slot = 0, buffer = 0;
    ScalarProgram condition, offset, value;
    Nodes first, second;
};

class Machine {
public:
    Machine(const Lowered& program, const schedule::LoopNest& nest, std::uint64_t orderSeed)
        : m_program(program)
        , m_nest(nest)
        , m_random(orderSeed)
        , m_shuffles(orderSeed != 0)
    {
        for (const LBuffer& buffer : program.buffers) {
            const auto count = static_cast<std::size_t>(buffer.elements);
            m_memories.push_back({std::vector<Scalar>(count), std::vector<std::uint8_t>(count, 0)});
        }
        m_body = compile(program.body);
        m_slots.resize(m_slotOf.size() + 1);
    }

    Status fill(const std::vector<Tensor>& inputs)
    {
        std::size_t next = 0;
        for (std::size_t i = 0; i < m_program.buffers.size(); ++i) {
            const LBuffer& buffer = m_program.buffers[i];
            if (buffer.scope != Scope::Port || buffer.isOutput) {
                continue;
            }
            if (next == inputs.size()) {
                return failed("an input is missing");
            }
            const Tensor& tensor = inputs[next++];
            std::fill(m_memories[i].written.begin(), m_memories[i].written.end(), std::uint8_t{1});
            forEachElement(buffer.name, [&](std::int64_t logical, std::int64_t memory) {
                m_memories[i].values[static_cast<std::size_t>(memory)]
                    = isFloat(tensor.type()) ? Scalar{tensor.asDouble(logical), 0} : Scalar{0, tensor.asInt(logical)};
            });
        }
        return Done{};
    }

    Status run()
    {
        runAll(m_body);
        return m_error ? Status(*m_error) : Status(Done{});
    }

    Result<std::vector<Tensor>> outputs()
    {
        std::vector<Tensor> tensors;
        for (std::size_t i = 0; i < m_program.buffers.size(); ++i) {
            const LBuffer& buffer = m_program.buffers[i];
            if (!buffer.isOutput) {
                continue;
            }
            Memory& memory = m_memories[i];
            const auto unwritten = std::find(memory.written.begin(), memory.written.end(), std::uint8_t{0});
            if (unwritten != memory.written.end()) {
                return failed(format("element {} of {} was never written", unwritten - memory.written.begin(), buffer.name));
            }
            std::vector<double> values(static_cast<std::size_t>(logicalCount(buffer.name)));
            forEachElement(buffer.name, [&](std::int64_t logical, std::int64_t at) {
                Scalar& value = memory.values[static_cast<std::size_t>(at)];
                values[static_cast<std::size_t>(logical)]
                    = isFloat(buffer.type) ? value.real : static_cast<double>(value.integer);
                value = {};
            });
            for (const Scalar& left : memory.values) {
                if (left.real != 0 || left.integer != 0) {
                    return failed(format("{} is not zero around its elements", buffer.name));
                }
            }
            tensors.push_back(Tensor::of(DType::F64, m_nest.buffer(buffer.name)->shape, values));
        }
        return tensors;
    }

    RunCounts counts() const { return m_counts; }

private:
    std::int64_t logicalCount(const std::string& name) const
    {
        std::int64_t count = 1;
        for (const std::int64_t extent : m_nest.buffer(name)->shape) {
            count *= extent;
        }
        return count;
    }

    void forEachElement(const std::string& name, const std::function<void(std::int64_t, std::int64_t)>& visit) const
    {
        const schedule::Buffer& buffer = *m_nest.buffer(name);
        std::vector<Expr> point;
        for (std::size_t i = 0; i < buffer.shape.size(); ++i) {
            point.push_back(var(format("x{}", i)));
        }
        const ScalarProgram offset = ScalarProgram::compile(
            buffer.layout.offset(point, buffer.shape, {}),
            {[](const std::string& variable) { return std::stoi(variable.substr(1)); }, [](const std::string&) { return 0; }});
        std::vector<std::int64_t> index(buffer.shape.size(), 0);
        for (std::int64_t i = 0; i < logicalCount(name); ++i) {
            visit(i, offset.run(index, {}).integer);
            for (std::size_t d = index.size(); d > 0 && ++index[d - 1] == buffer.shape[d - 1]; --d) {
                index[d - 1] = 0;
            }
        }
    }

    int bufferIndex(const std::string& name) const
    {
        for (std::size_t i = 0; i < m_program.buffers.size(); ++i) {
            if (m_program.buffers[i].name == name) {
                return static_cast<int>(i);
            }
        }
        throwBug(__FILE__, __LINE__, "no buffer " + name);
    }

    ScalarProgram program(const Expr& e)
    {
        return ScalarProgram::compile(e, {[this](const std::string& name) { return m_slotOf.at(name); },
                                          [this](const std::string& name) { return bufferIndex(name); }});
    }

    Nodes compile(const LBody& body)
    {
        Nodes nodes;
        for (const LStmt& statement : body) {
            auto node = std::make_unique<Node>();
            std::visit(overloaded{
                           [&](const LFor& loop) {
                               node->loop = &loop;
                               node->slot
                                   = m_slotOf.emplace(loop.variable, static_cast<int>(m_slotOf.size())).first->second;
                               node->first = compile(loop.body);
                           },
                           [&](const LIf& branch) {
                               node->branch = &branch;
                               node->condition = program(branch.condition);
                               node->first = compile(branch.then);
                               node->second = compile(branch.otherwise);
                           },
                           [&](const LStore& store) {
                               node->store = &store;
                               node->buffer = bufferIndex(store.buffer);
                               node->offset = program(store.offset);
                               node->value = program(store.value);
                           },
                           [&](const LAlloc& alloc) {
                               node->alloc = &alloc;
                               node->buffer = bufferIndex(alloc.buffer);
                               node->first = compile(alloc.body);
                           },
                           [&](const LPrefetch&) { node = nullptr; }, // changes nothing, wherever it points
                       },
                       statement->kind());
            if (node != nullptr) {
                nodes.push_back(std::move(node));
            }
        }
        return nodes;
    }

    Scalar read(const std::string& block, int buffer, std::int64_t at)
    {
        const Memory& memory = m_memories[static_cast<std::size_t>(buffer)];
        const bool inside = at >= 0 && at < static_cast<std::int64_t>(memory.values.size());
        if (!inside || memory.written[static_cast<std::size_t>(at)] == 0) {
            complain(format("{} reads {}[{}], {}", block, m_program.buffers[static_cast<std::size_t>(buffer)].name, at,
                            inside ? "which was never written" : "which is outside"));
            return {};
        }
        return memory.values[static_cast<std::size_t>(at)];
    }

    void complain(std::string message)
    {
        if (!m_error) {
            m_error = failed(std::move(message));
        }
    }

    void runAll(const Nodes& nodes)
    {
        for (const std::unique_ptr<Node>& node : nodes) {
            if (m_error) {
                return;
            }
            runOne(*node);
        }
    }

    void runOne(const Node& node)
    {
        if (node.loop != nullptr) {
            runLoop(node);
        } else if (node.branch != nullptr) {
            ++m_counts.tests;
            runAll(node.condition.run(m_slots, noMemory()).integer != 0 ? node.first : node.second);
        } else if (node.store != nullptr) {
            runStore(node);
        } else {
            Memory& memory = m_memories[static_cast<std::size_t>(node.buffer)];
            std::fill(memory.written.begin(), memory.written.end(), std::uint8_t{0});
            runAll(node.first);
        }
    }

    static ScalarProgram::Loader noMemory()
    {
        return [](int, std::span<const std::int64_t>) { return Scalar{}; };
    }

    void runLoop(const Node& node)
    {
        const LFor& loop = *node.loop;
        std::vector<std::int64_t> order(static_cast<std::size_t>(std::max<std::int64_t>(loop.end - loop.begin, 0)));
        std::iota(order.begin(), order.end(), loop.begin);
        const bool anyOrder = loop.kind == LoopKind::Parallel || loop.kind == LoopKind::Vector;
        for (std::size_t i = order.size(); m_shuffles && anyOrder && i > 1; --i) {
            std::swap(order[i - 1], order[m_random.below(i)]);
        }
        for (const std::int64_t step : order) {
            m_slots[static_cast<std::size_t>(node.slot)] = step;
            runAll(node.first);
        }
    }

    void runStore(const Node& node)
    {
        ++m_counts.stores;
        const std::string& block = node.store->block;
        const ScalarProgram::Loader loader
            = [&](int buffer, std::span<const std::int64_t> indices) { return read(block, buffer, indices[0]); };
        const std::int64_t at = node.offset.run(m_slots, loader).integer;
        Memory& memory = m_memories[static_cast<std::size_t>(node.buffer)];
        if (at < 0 || at >= static_cast<std::int64_t>(memory.values.size())) {
            complain(format("{} writes {}[{}], which is outside", block, node.store->buffer, at));
            return;
        }
        const Scalar value = node.value.run(m_slots, loader);
        memory.values[static_cast<std::size_t>(at)] = value;
        memory.written[static_cast<std::size_t>(at)] = 1;
    }

    const Lowered& m_program;
    const schedule::LoopNest& m_nest;
    Random m_random;
    bool m_shuffles;
    std::vector<Memory> m_memories;
    std::map<std::string, int> m_slotOf;
    std::vector<std::int64_t> m_slots;
    Nodes m_body;
    RunCounts m_counts;
    std::optional<Error> m_error;
};

} // namespace

Result<std::vector<Tensor>> runLowered(const Lowered& program, const schedule::LoopNest& nest,
                                       const std::vector<Tensor>& inputs, std::uint64_t orderSeed)
{
    Machine machine(program, nest, orderSeed);
    const Status filled = machine.fill(inputs);
    if (!filled) {
        return filled.error();
    }
    const Status ran = machine.run();
    return ran ? machine.outputs() : Result<std::vector<Tensor>>(ran.error());
}

Result<RunCounts> countLowered(const Lowered& program, const schedule::LoopNest& nest, const std::vector<Tensor>& inputs)
{
    Machine machine(program, nest, 0);
    const Status filled = machine.fill(inputs);
    if (!filled) {
        return filled.error();
    }
    const Status ran = machine.run();
    return ran ? Result<RunCounts>(machine.counts()) : ran.error();
}

} // namespace nw::lower
