#include "engine/compute/ops/context.h"

#include "engine/base/text.h"
#include "engine/compute/ops/index.h"
#include "engine/compute/ops/op_builder.h"

#include <algorithm>

namespace nw::compute {
namespace {

constexpr int kCheapOperations = 12;

bool isTranscendental(UnaryOp op)
{
    switch (op) {
    case UnaryOp::Neg:
    case UnaryOp::Not:
    case UnaryOp::Abs:
    case UnaryOp::Sign:
    case UnaryOp::Floor:
    case UnaryOp::Ceil:
    case UnaryOp::Round:
    case UnaryOp::Sqrt:
    case UnaryOp::IsNan:
    case UnaryOp::IsInf: return false;
    default: return true;
    }
}

// Whether writing the expression twice costs little: few operations and no transcendental. Index arithmetic is free.
bool isCheap(const Expr& e)
{
    int operations = 0;
    walk(e, [&](const Expr& node) {
        if (const auto* const one = node->as<Unary>()) {
            operations += isTranscendental(one->op) ? kCheapOperations + 1 : 1;
        } else if (const auto* const two = node->as<Binary>()) {
            operations += two->op == BinaryOp::Pow ? kCheapOperations + 1 : 1;
        } else if (node->as<Select>() != nullptr || node->as<CastTo>() != nullptr) {
            ++operations;
        }
        return node->as<Load>() == nullptr;
    });
    return operations <= kCheapOperations;
}

std::string describe(const graph::Node& node)
{
    return std::string(node.op->name) + (node.name.empty() ? "" : " \"" + node.name + "\"");
}

} // namespace

OpContext::OpContext(const graph::Graph& graph, const plan::Group& group,
                     const std::map<graph::ValueId, int>* loadCounts)
    : m_graph(graph)
    , m_group(group)
    , m_loadCounts(loadCounts)
{
    for (const graph::NodeId id : group.nodes) {
        const graph::Node& member = graph.nodes[static_cast<std::size_t>(id)];
        m_used.insert(member.inputs.begin(), member.inputs.end());
        if (member.op->opClass == graph::OpClass::Reduction || member.op->opClass == graph::OpClass::Contraction) {
            m_usedByStages.insert(member.inputs.begin(), member.inputs.end());
        }
    }
    m_used.erase(graph::kNoValue);
}

Result<Definition> OpContext::build()
{
    addPorts();
    if (m_group.nodes.empty()) {
        ENSURE(m_definition.ports.size() == 2, "a layout conversion has one input and one output");
        const Port source = m_definition.ports[0];
        m_definition.kind = "copy";
        Stage copy{"copy", m_definition.ports[1].name, source.type, axesByRank(source.shape), {}, Combiner::None, {}, {}};
        copy.body = load(source.name, source.type, varsOf(copy.spatial));
        m_definition.stages.push_back(std::move(copy));
        return std::move(m_definition);
    }
    const auto nodeOf = [&](graph::NodeId id) -> const graph::Node& { return m_graph.nodes[static_cast<std::size_t>(id)]; };
    // "conv.0": the planner knows the anchor, which need not be the first node of a chain.
    m_definition.kind = m_group.name.substr(0, m_group.name.rfind('.'));
    for (const graph::NodeId id : m_group.nodes) {
        if (Status status = buildNode(nodeOf(id)); !status) {
            return status.error();
        }
    }
    if (const std::string fault = verify(m_definition); !fault.empty()) {
        return failed(format("group {}: {}", m_group.name, fault));
    }
    return std::move(m_definition);
}

void OpContext::addPorts()
{
    for (const plan::GroupPort& port : m_group.ports) {
        const graph::TensorType& type = m_graph.values[static_cast<std::size_t>(port.value)].type;
        m_definition.ports.push_back({port.name, port.kind, type.type, type.shape, std::nullopt});
        if (port.kind == PortKind::Output) {
            m_outputPorts.emplace(port.value, port.name);
        } else {
            m_held.emplace(port.value, Held{port.name, type.type, {}, nullptr});
        }
    }
}

Status OpContext::buildNode(const graph::Node& node)
{
    m_node = &node;
    for (const std::vector<graph::ValueId>* const list : {&node.inputs, &node.outputs}) {
        for (const graph::ValueId value : *list) {
            if (value != graph::kNoValue) {
                const DType type = m_graph.values[static_cast<std::size_t>(value)].type.type;
                if (!isRunnable(type)) {
                    return refusal("element type " + std::string(toText(type)) + " cannot be computed with yet");
                }
            }
        }
    }
    const OpBuilder* const builder = findBuilder(node.op->name);
    if (builder == nullptr) {
        return refusal("there is no kernel for this operator");
    }
    if (builder->build != nullptr) {
        return builder->build(*this);
    }
    if (builder->onlyFloats && !isFloat(inputType(0))) {
        return refusal("it is not defined on " + std::string(toText(inputType(0))) + " values");
    }
    if (const Limit& limit = builder->limit; limit.input >= 0) {
        const auto input = static_cast<std::size_t>(limit.input);
        const bool isWhole = isInteger(inputType(input)); // a divisor
        limitInput(input, isWhole ? 1 : limit.low, isWhole ? 7 : limit.high);
    }
    std::vector<Axis> axes = outputAxes();
    std::vector<Expr> inputs;
    for (std::size_t i = 0; i < inputCount(); ++i) {
        inputs.push_back(hasInput(i) ? readBroadcast(i, outputShape(), varsOf(axes)) : nullptr);
    }
    finish(0, std::move(axes), builder->formula(*this, inputs));
    return Done{};
}

bool OpContext::hasInput(std::size_t i) const
{
    return i < m_node->inputs.size() && m_node->inputs[i] != graph::kNoValue;
}

bool OpContext::wantsOutput(std::size_t i) const
{
    if (i >= m_node->outputs.size() || m_node->outputs[i] == graph::kNoValue) {
        return false;
    }
    return m_outputPorts.count(m_node->outputs[i]) != 0 || m_used.count(m_node->outputs[i]) != 0;
}

DType OpContext::inputType(std::size_t i) const
{
    return m_graph.values[static_cast<std::size_t>(m_node->inputs.at(i))].type.type;
}

DType OpContext::outputType(std::size_t i) const
{
    return m_graph.values[static_cast<std::size_t>(m_node->outputs.at(i))].type.type;
}

const std::vector<Expr>& OpContext::inputShape(std::size_t i) const
{
    return m_graph.values[static_cast<std::size_t>(m_node->inputs.at(i))].type.shape;
}

const std::vector<Expr>& OpContext::outputShape(std::size_t i) const
{
    return m_graph.values[static_cast<std::size_t>(m_node->outputs.at(i))].type.shape;
}

Expr OpContext::read(std::size_t input, const std::vector<Expr>& indices)
{
    return readValue(m_node->inputs.at(input), indices);
}

Expr OpContext::readOutput(std::size_t output, const std::vector<Expr>& indices)
{
    return readValue(m_node->outputs.at(output), indices);
}

Expr OpContext::readValue(graph::ValueId value, const std::vector<Expr>& indices)
{
    const auto found = m_held.find(value);
    ENSURE(found != m_held.end(), "group " + m_group.name + " reads a value that is no port of it");
    const Held& held = found->second;
    if (!held.buffer.empty()) {
        return load(held.buffer, held.type, indices);
    }
    Substitution places;
    for (std::size_t i = 0; i < held.axes.size(); ++i) {
        places[held.axes[i].name] = indices.at(i);
    }
    return substitute(held.body, places);
}

Expr OpContext::readBroadcast(std::size_t input, const std::vector<Expr>& full, const std::vector<Expr>& at)
{
    return read(input, broadcastIndices(inputShape(input), full, at));
}

std::vector<Axis> OpContext::outputAxes(std::size_t output) const
{
    const std::vector<Expr>& shape = outputShape(output);
    std::vector<Expr> anchorShape;
    for (const Axis& axis : m_anchorAxes) {
        anchorShape.push_back(axis.extent);
    }
    return sameShape(anchorShape, shape) && !shape.empty() ? m_anchorAxes : axesByRank(shape);
}

std::string OpContext::freeName(const std::string& wanted) const
{
    const auto isTaken = [&](const std::string& name) {
        return m_definition.port(name) != nullptr || m_definition.stage(name) != nullptr;
    };
    std::string name = wanted;
    for (int i = 2; isTaken(name); ++i) {
        name = wanted + "." + std::to_string(i);
    }
    return name;
}

std::string OpContext::ownName() const
{
    return lowerCase(m_node->op->name);
}

std::string OpContext::bufferFor(graph::ValueId value, const std::string& stageName) const
{
    const auto port = m_outputPorts.find(value);
    return port == m_outputPorts.end() ? stageName : port->second;
}

Expr OpContext::addStage(Stage stage)
{
    stage.name = freeName(stage.name.empty() ? ownName() : stage.name);
    stage.buffer = stage.name;
    m_definition.stages.push_back(std::move(stage));
    const Stage& added = m_definition.stages.back();
    return load(added.buffer, added.type, varsOf(added.spatial));
}

void OpContext::noteAnchor(const std::vector<Axis>& axes)
{
    if (m_anchorAxes.empty()) {
        m_anchorAxes = axes;
    }
}

void OpContext::finish(std::size_t output, Stage stage)
{
    const graph::ValueId value = m_node->outputs.at(output);
    stage.name = freeName(stage.name.empty() ? ownName() : stage.name);
    stage.buffer = bufferFor(value, stage.name);
    noteAnchor(stage.spatial);
    m_held[value] = Held{stage.buffer, stage.type, {}, nullptr};
    m_definition.stages.push_back(std::move(stage));
}

void OpContext::finish(std::size_t output, std::vector<Axis> axes, Expr body, const std::string& name)
{
    const graph::ValueId value = m_node->outputs.at(output);
    if (mustStore(value, body)) {
        const DType type = body->type();
        finish(output, Stage{name, {}, type, std::move(axes), {}, Combiner::None, nullptr, std::move(body)});
        return;
    }
    noteAnchor(axes);
    const DType type = body->type();
    m_held[value] = Held{{}, type, std::move(axes), std::move(body)};
}

bool OpContext::mustStore(graph::ValueId value, const Expr& body) const
{
    if (m_loadCounts == nullptr || m_outputPorts.count(value) != 0 || m_usedByStages.count(value) != 0) {
        return true;
    }
    const auto count = m_loadCounts->find(value);
    return count != m_loadCounts->end() && count->second > 1 && !isCheap(body);
}

void OpContext::limitInput(std::size_t input, double low, double high)
{
    if (!hasInput(input)) {
        return;
    }
    const Held& held = m_held.at(m_node->inputs[input]);
    for (Port& port : m_definition.ports) {
        if (port.name == held.buffer && port.kind != PortKind::Output) {
            const double from = port.range ? std::max(port.range->first, low) : low;
            const double to = port.range ? std::min(port.range->second, high) : high;
            if (from <= to) {
                port.range = {from, to};
            }
        }
    }
}

Error OpContext::refusal(const std::string& why) const
{
    return refused(describe(*m_node) + ": " + why);
}

std::map<graph::ValueId, std::string> OpContext::buffers() const
{
    std::map<graph::ValueId, std::string> result;
    for (const auto& [value, held] : m_held) {
        if (!held.buffer.empty()) {
            result.emplace(value, held.buffer);
        }
    }
    return result;
}

} // namespace nw::compute
