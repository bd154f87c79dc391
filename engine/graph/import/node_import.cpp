#include "engine/graph/import/node_import.h"

#include "engine/base/text.h"
#include "engine/graph/op_table.h"

#include <algorithm>
#include <cmath>

namespace nw::graph {
namespace {

std::string kindOf(const model::Attribute& attribute)
{
    if (const auto* other = std::get_if<model::Subgraph>(&attribute)) {
        return "a " + other->what;
    }
    static constexpr const char* kKinds[] = {"an integer", "a float", "a string", "a tensor", "a list of integers",
        "a list of floats", "a list of strings"};
    return kKinds[attribute.index()];
}

} // namespace

NodeImport::NodeImport(Importer& importer, const model::ModelNode& node, int index, std::int64_t opset)
    : m_importer(importer)
    , m_node(node)
    , m_index(index)
    , m_opset(opset)
    , m_usedInputs(node.inputs.size(), false)
    , m_bound(node.outputs.size(), false)
{}

void NodeImport::fail(const std::string& reason)
{
    if (!m_error) {
        m_error = nw::failed(label() + ": " + reason);
    }
}

Status NodeImport::finish()
{
    for (const auto& [name, value] : m_node.attributes) {
        if (!m_usedAttributes.contains(name)) {
            fail(format("the attribute '{}' is not known for this operator", name));
        }
    }
    for (std::size_t i = 0; i < m_node.inputs.size(); ++i) {
        if (!m_node.inputs[i].empty() && !m_usedInputs[i]) {
            fail(format("it has an input {} ('{}') that this operator does not take", i + 1, m_node.inputs[i]));
        }
    }
    for (std::size_t i = 0; i < m_node.outputs.size(); ++i) {
        if (!m_node.outputs[i].empty() && !m_bound[i]) {
            fail(format("its output {} ('{}') is not supported", i + 1, m_node.outputs[i]));
        }
    }
    return m_error ? Status(*m_error) : Status(Done{});
}

bool NodeImport::has(std::size_t input)
{
    if (input >= m_node.inputs.size() || m_node.inputs[input].empty()) {
        return false;
    }
    m_usedInputs[input] = true;
    return true;
}

ValueId NodeImport::in(std::size_t input)
{
    if (!has(input)) {
        fail(format("its input {} is missing", input + 1));
        return kNoValue;
    }
    return m_importer.names.at(m_node.inputs[input]);
}

ValueId NodeImport::optional(std::size_t input)
{
    return has(input) ? in(input) : kNoValue;
}

ValueId NodeImport::peek(std::size_t input) const
{
    return m_node.inputs[input].empty() ? kNoValue : m_importer.names.at(m_node.inputs[input]);
}

const TensorType& NodeImport::type(ValueId value) const
{
    static const TensorType none;
    return value == kNoValue ? none : m_importer.type(value);
}

const Tensor* NodeImport::contents(ValueId value, const std::string& what)
{
    if (failed() || value == kNoValue) {
        return nullptr;
    }
    const Tensor* tensor = m_importer.constant(value);
    if (tensor == nullptr) {
        m_error = m_importer.unknownContents(value, label(), what);
    }
    return tensor;
}

std::vector<std::int64_t> NodeImport::integers(ValueId value, const std::string& what)
{
    const Tensor* tensor = contents(value, what);
    if (tensor == nullptr) {
        return {};
    }
    if ((tensor->type() != DType::I64 && tensor->type() != DType::I32) || tensor->shape().size() > 1) {
        fail(format("its {} is {}{}; it must be a list of i64", what, toText(tensor->type()), shapeText(shape(value))));
        return {};
    }
    std::vector<std::int64_t> out;
    for (std::int64_t i = 0; i < tensor->count(); ++i) {
        out.push_back(tensor->asInt(i));
    }
    return out;
}

Extents NodeImport::extents(ValueId value, const std::string& what)
{
    if (const SymbolicInts* ints = symbolic(value); ints != nullptr && ints->shape.size() <= 1) {
        return ints->values;
    }
    return extentsOf(integers(value, what));
}

const model::Attribute* NodeImport::attribute(const std::string& name)
{
    m_usedAttributes.insert(name);
    const auto found = m_node.attributes.find(name);
    return found == m_node.attributes.end() ? nullptr : &found->second;
}

template <typename T>
const T* NodeImport::attributeAs(const std::string& name, std::string_view kind)
{
    const model::Attribute* value = attribute(name);
    if (value == nullptr) {
        return nullptr;
    }
    const T* wanted = std::get_if<T>(value);
    if (wanted == nullptr) {
        fail(format("its attribute '{}' is {}; it must be {}", name, kindOf(*value), kind));
    }
    return wanted;
}

std::int64_t NodeImport::integer(const std::string& name, std::int64_t otherwise)
{
    const auto* value = attributeAs<std::int64_t>(name, "an integer");
    return value != nullptr ? *value : otherwise;
}

double NodeImport::real(const std::string& name, double otherwise)
{
    const auto* value = attributeAs<double>(name, "a float");
    return value != nullptr ? *value : otherwise;
}

std::string NodeImport::text(const std::string& name, const std::string& otherwise)
{
    const auto* value = attributeAs<std::string>(name, "a string");
    return value != nullptr ? *value : otherwise;
}

std::vector<std::int64_t> NodeImport::integerList(const std::string& name, const std::vector<std::int64_t>& otherwise)
{
    const auto* value = attributeAs<std::vector<std::int64_t>>(name, "a list of integers");
    return value != nullptr ? *value : otherwise;
}

std::vector<double> NodeImport::realList(const std::string& name)
{
    const auto* value = attributeAs<std::vector<double>>(name, "a list of floats");
    return value != nullptr ? *value : std::vector<double>{};
}

const Tensor* NodeImport::tensor(const std::string& name)
{
    return attributeAs<Tensor>(name, "a tensor");
}

void NodeImport::require(const std::string& name)
{
    if (!given(name)) {
        fail(format("its attribute '{}' is missing", name));
    }
}

std::int64_t NodeImport::axis(std::int64_t value, std::size_t rank)
{
    const Result<std::int64_t> normal = axisOf(value, rank);
    if (!normal) {
        fail(normal.error());
        return 0;
    }
    return *normal;
}

std::vector<std::int64_t> NodeImport::axes(const std::vector<std::int64_t>& values, std::size_t rank)
{
    std::vector<std::int64_t> out;
    for (const std::int64_t value : values) {
        out.push_back(axis(value, rank));
        if (std::count(out.begin(), out.end(), out.back()) > 1) {
            fail(format("axis {} is named twice", out.back()));
        }
    }
    return failed() ? std::vector<std::int64_t>{} : out;
}

std::vector<ValueId> NodeImport::emit(std::string_view op, std::vector<ValueId> inputs, Attributes attributes,
                                      std::size_t outputs, std::optional<TensorType> given)
{
    std::vector<ValueId> none(outputs, kNoValue);
    if (failed()) {
        return none;
    }
    while (!inputs.empty() && inputs.back() == kNoValue) {
        inputs.pop_back();
    }
    const OpInfo* info = findOp(op);
    ENSURE(info != nullptr, "no canonical operator " + std::string(op));
    Node node{info, m_node.name, std::move(inputs), {}, std::move(attributes)};
    Result<std::vector<ValueId>> ids = m_importer.emit(std::move(node), outputs, std::move(given), m_index);
    if (ids) {
        return *std::move(ids);
    }
    Error error = ids.error();
    if (error.refusal != nullptr) {
        Refusal refusal = *error.refusal;
        refusal.operands[0] = label() + ": ";
        error = refused(std::move(refusal));
    } else {
        error.message = label() + ": " + error.message;
    }
    m_error = std::move(error);
    return none;
}

ValueId NodeImport::make(std::string_view op, std::vector<ValueId> inputs, Attributes attributes)
{
    return emit(op, std::move(inputs), std::move(attributes), 1, std::nullopt).front();
}

std::vector<ValueId> NodeImport::makeAll(std::string_view op, std::vector<ValueId> inputs, Attributes attributes,
                                         std::size_t outputs)
{
    return emit(op, std::move(inputs), std::move(attributes), outputs, std::nullopt);
}

ValueId NodeImport::reshape(ValueId value, const Extents& shape)
{
    std::vector<std::int64_t> literal;
    for (const Expr& extent : shape) {
        literal.push_back(constInt(extent).value_or(-1));
    }
    return emit("Reshape", {value}, {{{"shape", std::move(literal)}}}, 1, TensorType{dtype(value), shape}).front();
}

ValueId NodeImport::expand(ValueId value, const Extents& shape)
{
    return emit("Expand", {value}, {}, 1, TensorType{dtype(value), shape}).front();
}

ValueId NodeImport::cast(ValueId value, DType to)
{
    if (dtype(value) == to) {
        return value;
    }
    return make("Cast", {value}, {{{"to", std::string(toText(to))}}});
}

ValueId NodeImport::constant(Tensor value)
{
    return m_importer.addConstant("", std::move(value));
}

ValueId NodeImport::scalar(DType type, double value)
{
    return filled(type, {}, value);
}

ValueId NodeImport::filled(DType type, const Extents& shape, double value)
{
    const auto literal = literalsOf(shape);
    if (failed()) {
        return kNoValue;
    }
    Result<Tensor> made = filledTensor(type, literal ? *literal : std::vector<std::int64_t>{}, value);
    if (!made) {
        fail(made.error());
        return kNoValue;
    }
    const ValueId id = constant(*std::move(made));
    return literal ? id : expand(id, shape);
}

ValueId NodeImport::symbolicInts(DType type, SymbolicInts ints)
{
    return failed() ? kNoValue : m_importer.addSymbolic("", type, std::move(ints));
}

const SymbolicInts* NodeImport::symbolic(ValueId value) const
{
    const auto found = m_importer.symbolic.find(value);
    return found == m_importer.symbolic.end() ? nullptr : &found->second;
}

bool NodeImport::isConstant(ValueId value) const
{
    return value != kNoValue && m_importer.constant(value) != nullptr;
}

bool NodeImport::wants(std::size_t output) const
{
    return output < m_node.outputs.size() && !m_node.outputs[output].empty();
}

void NodeImport::bind(std::size_t output, ValueId value)
{
    if (output >= m_node.outputs.size() || failed() || value == kNoValue) {
        return;
    }
    m_bound[output] = true;
    const std::string& name = m_node.outputs[output];
    if (name.empty()) {
        return;
    }
    if (!m_importer.graph.values[static_cast<std::size_t>(value)].name.empty()) {
        // The value is somebody else's already; this one is a view of it, or shares its bytes.
        if (const SymbolicInts* ints = symbolic(value)) {
            value = symbolicInts(dtype(value), *ints);
        } else if (isConstant(value)) {
            value = constant(*m_importer.constant(value));
        } else {
            value = make("Identity", {value});
        }
    }
    if (value != kNoValue) {
        m_importer.graph.values[static_cast<std::size_t>(value)].name = name;
        m_importer.names[name] = value;
    }
}

void NodeImport::note(const std::string& words)
{
    m_importer.notes.push_back(label() + ": " + words);
}

} // namespace nw::graph
