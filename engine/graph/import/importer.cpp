#include "engine/graph/import/importer.h"

#include "engine/base/half.h"
#include "engine/base/text.h"
#include "engine/graph/op_table.h"

#include <algorithm>
#include <cstring>

namespace nw::graph {
namespace {

// A folded constant larger than this stays a node, where the operator can be computed.
constexpr std::int64_t kFoldLimit = std::int64_t{4} << 30;

bool isTooLargeToFold(const TensorType& type)
{
    const auto shape = literalsOf(type.shape);
    if (!shape) {
        return false;
    }
    const Result<std::int64_t> count = elementCount(*shape);
    return !count || *count > kFoldLimit / static_cast<std::int64_t>(std::max<std::size_t>(byteSize(type.type), 1));
}

// Evaluated or never: there is no kernel for these.
bool isOnlyFolded(const Node& node)
{
    return node.op->name == "NonZero" || node.op->name == "Range";
}

template <typename T>
Tensor element(DType type, T value)
{
    return Tensor::of<T>(type, {}, {value});
}

} // namespace

ValueId Importer::addValue(std::string name, TensorType type)
{
    graph.values.push_back({std::move(name), std::move(type), std::nullopt, -1});
    m_read.push_back(false);
    return static_cast<ValueId>(graph.values.size()) - 1;
}

ValueId Importer::addConstant(std::string name, Tensor tensor)
{
    const ValueId id = addValue(std::move(name), {tensor.type(), extentsOf(tensor.shape())});
    graph.values.back().constant = std::move(tensor);
    return id;
}

ValueId Importer::addSymbolic(std::string name, DType type, SymbolicInts ints)
{
    const auto literals = literalsOf(ints.values);
    if (literals) {
        const Tensor wide = Tensor::of<std::int64_t>(DType::I64, ints.shape, *literals);
        if (type == DType::I64) {
            return addConstant(std::move(name), wide);
        }
        return addConstant(std::move(name), Tensor::of<std::int32_t>(DType::I32, ints.shape,
            std::vector<std::int32_t>(literals->begin(), literals->end())));
    }
    const ValueId id = addValue(std::move(name), {type, extentsOf(ints.shape)});
    symbolic.emplace(id, std::move(ints));
    return id;
}

const TensorType& Importer::type(ValueId value) const
{
    return graph.values.at(static_cast<std::size_t>(value)).type;
}

const Tensor* Importer::constant(ValueId value) const
{
    const std::optional<Tensor>& held = graph.values.at(static_cast<std::size_t>(value)).constant;
    return held ? &*held : nullptr;
}

bool Importer::isRead(ValueId value) const
{
    return m_read.at(static_cast<std::size_t>(value));
}

Result<std::vector<TensorType>> Importer::typesOf(const Node& node, std::size_t outputs) const
{
    Result<std::vector<TensorType>> types = node.op->shape({&graph, &node});
    if (!types) {
        return types;
    }
    ENSURE(outputs <= types->size(), "more outputs are wanted than the operator has");
    types->resize(outputs);
    for (const TensorType& type : *types) {
        Extents sizes;
        for (const Expr& extent : type.shape) {
            if (!isConst(extent, 0)) {
                sizes.push_back(extent);
            }
        }
        if (!productOf(sizes)) {
            return failed(format("its result of shape {} has more elements than can be counted", shapeText(type.shape)));
        }
    }
    return types;
}

Result<std::optional<std::vector<Tensor>>> Importer::fold(const Node& node, const std::vector<TensorType>& types) const
{
    using Folded = std::optional<std::vector<Tensor>>;
    std::vector<const Tensor*> inputs;
    for (const ValueId input : node.inputs) {
        inputs.push_back(input == kNoValue ? nullptr : constant(input));
        if (input != kNoValue && inputs.back() == nullptr) {
            return Folded{};
        }
    }
    const EvaluateFunction evaluate = evaluatorOf(node.op->name);
    const bool symbolicTypes = std::any_of(types.begin(), types.end(), [](const TensorType& t) { return !literalsOf(t.shape); });
    if (evaluate == nullptr || symbolicTypes || std::any_of(types.begin(), types.end(), isTooLargeToFold)) {
        return Folded{};
    }
    Result<std::vector<Tensor>> tensors = evaluate(node, inputs, types);
    if (tensors) {
        return Folded{*std::move(tensors)};
    }
    return tensors.error().kind == Error::Kind::Refused ? Result<Folded>(Folded{}) : Result<Folded>(tensors.error());
}

Result<std::vector<ValueId>> Importer::emit(Node node, std::size_t outputs, std::optional<TensorType> given, int origin)
{
    for (const ValueId input : node.inputs) {
        if (const auto found = symbolic.find(input); found != symbolic.end()) {
            return failed(format("it computes with {}, which depends on symbolic extents; bind {}",
                shapeText(found->second.values), symbolsText(found->second.values)));
        }
    }
    std::vector<ValueId> ids;
    if (given) {
        ids.push_back(addValue("", *std::move(given)));
        node.outputs = ids;
    }
    const Result<std::vector<TensorType>> types = typesOf(node, outputs);
    if (!types) {
        return types.error();
    }
    Result<std::optional<std::vector<Tensor>>> folded = fold(node, *types);
    if (!folded) {
        return folded.error();
    }
    for (std::size_t i = ids.size(); i < outputs; ++i) {
        ids.push_back(addValue("", (*types)[i]));
    }
    if (folded->has_value()) {
        for (std::size_t i = 0; i < outputs; ++i) {
            Value& value = graph.values[static_cast<std::size_t>(ids[i])];
            Tensor& tensor = (**folded)[i];
            ENSURE(tensor.type() == value.type.type && (isOnlyFolded(node) || literalsOf(value.type.shape) == tensor.shape()),
                "folding " + std::string(node.op->name) + " gave another type or shape than was inferred");
            value.type = {tensor.type(), extentsOf(tensor.shape())};
            value.constant = std::move(tensor);
        }
        return ids;
    }
    if (isOnlyFolded(node)) {
        const bool known = std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) { return constant(id); });
        const auto open = std::find_if(node.inputs.begin(), node.inputs.end(), [&](ValueId id) { return !constant(id); });
        return known ? failed("its result is too large") : unknownContents(*open, "", "input");
    }
    for (const ValueId input : node.inputs) {
        if (input != kNoValue) {
            m_read[static_cast<std::size_t>(input)] = true;
        }
    }
    for (const ValueId id : ids) {
        graph.values[static_cast<std::size_t>(id)].producer = static_cast<NodeId>(graph.nodes.size());
    }
    node.outputs = ids;
    graph.nodes.push_back(std::move(node));
    origins.push_back(origin);
    return ids;
}

void Importer::collectInputs(ValueId value, std::vector<bool>& seen, std::vector<ValueId>& inputs) const
{
    std::vector<ValueId> open{value};
    while (!open.empty()) {
        const ValueId id = open.back();
        open.pop_back();
        if (id == kNoValue || seen[static_cast<std::size_t>(id)]) {
            continue;
        }
        seen[static_cast<std::size_t>(id)] = true;
        const NodeId producer = graph.values[static_cast<std::size_t>(id)].producer;
        if (producer >= 0) {
            const std::vector<ValueId>& next = graph.nodes[static_cast<std::size_t>(producer)].inputs;
            open.insert(open.end(), next.begin(), next.end());
        } else if (constant(id) == nullptr) {
            inputs.push_back(id);
        }
    }
}

Error Importer::unknownContents(ValueId value, const std::string& label, const std::string& what) const
{
    const std::string head = label.empty() ? "" : label + ": ";
    if (const auto found = symbolic.find(value); found != symbolic.end()) {
        return failed(format("{}its {} depends on symbolic extents; bind {}", head, what,
            symbolsText(found->second.values)));
    }
    std::vector<bool> seen(graph.values.size(), false);
    std::vector<ValueId> inputs;
    collectInputs(value, seen, inputs);
    std::sort(inputs.begin(), inputs.end());
    const auto isIntegral = [&](ValueId id) { return !isFloat(type(id).type); };
    const auto chosen = std::find_if(inputs.begin(), inputs.end(), isIntegral);
    if (inputs.empty()) {
        return failed(format("{}its {} must be known before the model runs, and cannot be computed ahead", head, what));
    }
    const std::string& name = graph.values[static_cast<std::size_t>(chosen == inputs.end() ? inputs[0] : *chosen)].name;
    Refusal refusal;
    refusal.rule = kBindInputRule;
    refusal.words = NW_WORDS("{0}its {1} depends on the values of input '{2}' and decides shapes; give them with "
                             "--bind-input {2}=FILE");
    refusal.operands = {head, what, name};
    refusal.places = {name};
    return refused(std::move(refusal));
}

void Importer::dropConstants(ValueId first, const std::vector<ValueId>& candidates, const std::map<std::string, int>& needed)
{
    const auto drop = [&](ValueId id) {
        Value& value = graph.values[static_cast<std::size_t>(id)];
        const auto named = names.find(value.name);
        const bool stands = named != names.end() && named->second == id && needed.contains(value.name) &&
                            needed.at(value.name) > 0;
        if (value.constant && !isRead(id) && !stands) {
            value.constant.reset();
        }
    };
    for (ValueId id = first; id < static_cast<ValueId>(graph.values.size()); ++id) {
        drop(id);
    }
    std::for_each(candidates.begin(), candidates.end(), drop);
}

Result<Tensor> filledLike(const Tensor& element, const std::vector<std::int64_t>& shape)
{
    Result<Tensor> tensor = Tensor::create(element.type(), shape);
    if (!tensor) {
        return tensor;
    }
    const std::span<const std::byte> one = element.bytes();
    const bool isZero = std::all_of(one.begin(), one.end(), [](std::byte b) { return b == std::byte{0}; });
    const std::span<std::byte> out = tensor->mutableData<std::byte>();
    if (isZero || out.empty()) {
        return tensor;
    }
    // Doubling copies: fast for any element size.
    std::memcpy(out.data(), one.data(), one.size());
    for (std::size_t done = one.size(); done < out.size();) {
        const std::size_t next = std::min(done, out.size() - done);
        std::memcpy(out.data() + done, out.data(), next);
        done += next;
    }
    return tensor;
}

Result<Tensor> filledTensor(DType type, const std::vector<std::int64_t>& shape, double value)
{
    const auto integer = static_cast<std::int64_t>(value);
    switch (type) {
    case DType::F32:
        return filledLike(element(type, static_cast<float>(value)), shape);
    case DType::F64:
        return filledLike(element(type, value), shape);
    case DType::F16:
        return filledLike(element(type, floatToHalf(static_cast<float>(value))), shape);
    case DType::BF16:
        return filledLike(element(type, floatToBfloat(static_cast<float>(value))), shape);
    case DType::Bool:
        return filledLike(element(type, static_cast<std::uint8_t>(value != 0)), shape);
    case DType::I8:
    case DType::U8:
        return filledLike(element(type, static_cast<std::uint8_t>(integer)), shape);
    case DType::I16:
    case DType::U16:
        return filledLike(element(type, static_cast<std::uint16_t>(integer)), shape);
    case DType::I32:
    case DType::U32:
        return filledLike(element(type, static_cast<std::uint32_t>(integer)), shape);
    case DType::I64:
    case DType::U64:
        return filledLike(element(type, integer), shape);
    case DType::String:
    case DType::Other:
        break;
    }
    return failed(format("a tensor of element type {} cannot be made", toText(type)));
}

Tensor integerTensor(const std::vector<std::int64_t>& values)
{
    return Tensor::of<std::int64_t>(DType::I64, {static_cast<std::int64_t>(values.size())}, values);
}

std::string nodeLabel(const model::ModelNode& node, std::int64_t opset)
{
    std::string domain = node.domain.empty() ? "" : " of domain " + node.domain;
    std::string operatorText = format("({}{}, opset {})", node.opType, domain, opset);
    if (!node.name.empty()) {
        return format("node '{}' {}", node.name, operatorText);
    }
    for (const std::string& output : node.outputs) {
        if (!output.empty()) {
            return format("the node that makes '{}' {}", output, operatorText);
        }
    }
    return "a node without outputs " + operatorText;
}

} // namespace nw::graph
