#include "engine/base/text.h"
#include "engine/graph/import/node_import.h"

#include "engine/base/simplify.h"

#include <algorithm>
#include <functional>

namespace nw::graph {
namespace {

// Arithmetic on small integer tensors whose elements hold symbols: what exporters build target shapes with.

using Ints = std::vector<std::int64_t>;
using Folded = std::optional<SymbolicInts>; // nothing: not one of the forms done here

constexpr std::int64_t kMostElements = 256;

Folded valueOf(NodeImport& n, ValueId id)
{
    if (id == kNoValue) {
        return std::nullopt;
    }
    if (const SymbolicInts* ints = n.symbolic(id)) {
        return *ints;
    }
    if (!n.isConstant(id) || isFloat(n.dtype(id))) {
        return std::nullopt;
    }
    const Tensor* tensor = n.contents(id, "input");
    if (tensor->count() > kMostElements) {
        return std::nullopt;
    }
    SymbolicInts out{tensor->shape(), {}};
    for (std::int64_t i = 0; i < tensor->count(); ++i) {
        out.values.push_back(intImm(tensor->asInt(i)));
    }
    return out;
}

// Literal contents of an optional list input or, before `inputSince`, of an attribute.
std::optional<Ints> listOf(NodeImport& n, std::size_t input, const char* attribute, std::int64_t inputSince)
{
    if (n.opset() < inputSince) {
        return n.integerList(attribute);
    }
    const ValueId id = n.optional(input);
    if (id == kNoValue) {
        return Ints{};
    }
    return n.isConstant(id) ? std::optional(n.integers(id, attribute)) : std::nullopt;
}

Folded elementwise(const std::vector<SymbolicInts>& operands, const std::function<Expr(const std::vector<Expr>&)>& combine)
{
    SymbolicInts out;
    for (const SymbolicInts& operand : operands) {
        if (operand.shape.size() > 1) {
            return std::nullopt;
        }
        if (operand.shape.size() > out.shape.size() || operand.values.size() > 1) {
            out.shape = operand.shape;
        }
    }
    const std::size_t count = out.shape.empty() ? 1 : static_cast<std::size_t>(out.shape[0]);
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<Expr> parts;
        for (const SymbolicInts& operand : operands) {
            if (operand.values.size() != 1 && operand.values.size() != count) {
                return std::nullopt;
            }
            parts.push_back(operand.values[operand.values.size() == 1 ? 0 : i]);
        }
        const Expr value = combine(parts);
        if (value == nullptr) {
            return std::nullopt;
        }
        out.values.push_back(simplifyExtent(value));
    }
    return out;
}

bool isNotNegative(const Expr& e)
{
    Ranges ranges;
    for (const std::string& name : freeVars(e)) {
        ranges[name] = {1, Interval::kPlusInf};
    }
    return boundsOf(e, ranges).low >= 0;
}

Expr combineTwo(std::string_view op, const Expr& a, const Expr& b)
{
    if (op == "Add") {
        return a + b;
    }
    if (op == "Sub") {
        return a - b;
    }
    if (op == "Mul") {
        return a * b;
    }
    if (op == "Max" || op == "Min") {
        return binary(op == "Max" ? BinaryOp::Max : BinaryOp::Min, a, b);
    }
    if (op == "Div" && constInt(b).value_or(1) != 0 && isNotNegative(a) && isNotNegative(b)) {
        const auto exact = quotientOf(Extents{a}, Extents{b});
        return exact ? *exact : floorDiv(a, b);
    }
    if (op == "Equal") {
        // Decided or not at all: extents are at least 1, so comparing one with -1 or 0 is.
        if (sameExtent(a, b)) {
            return intImm(1);
        }
        const Expr difference = simplifyExtent(a - b);
        const bool apart = constInt(difference).value_or(0) != 0 ||
                           (isNotNegative(difference) && isNotNegative(difference - 1)) ||
                           isNotNegative(simplifyExtent(b - a - 1));
        return apart ? intImm(0) : nullptr;
    }
    return nullptr;
}

Folded foldTwo(NodeImport& n)
{
    const Folded a = valueOf(n, n.in(0));
    const Folded b = valueOf(n, n.in(1));
    if (!a || !b) {
        return std::nullopt;
    }
    return elementwise({*a, *b}, [&](const std::vector<Expr>& parts) { return combineTwo(n.op(), parts[0], parts[1]); });
}

Folded foldWhere(NodeImport& n)
{
    const Folded condition = valueOf(n, n.in(0));
    const Folded yes = valueOf(n, n.in(1));
    const Folded no = valueOf(n, n.in(2));
    if (!condition || !yes || !no || !literalsOf(condition->values)) {
        return std::nullopt;
    }
    return elementwise({*condition, *yes, *no},
        [](const std::vector<Expr>& parts) { return isConst(parts[0], 0) ? parts[2] : parts[1]; });
}

Folded foldConcat(NodeImport& n)
{
    SymbolicInts out{{0}, {}};
    for (std::size_t i = 0; i < n.inputCount(); ++i) {
        const Folded part = valueOf(n, n.in(i));
        if (!part || part->shape.size() != 1) {
            return std::nullopt;
        }
        out.values.insert(out.values.end(), part->values.begin(), part->values.end());
    }
    n.ignore("axis");
    out.shape[0] = static_cast<std::int64_t>(out.values.size());
    return out;
}

Folded foldGather(NodeImport& n)
{
    const Folded x = valueOf(n, n.in(0));
    const Folded indices = valueOf(n, n.in(1));
    const auto places = indices ? literalsOf(indices->values) : std::nullopt;
    if (!x || x->shape.size() != 1 || !places || n.integer("axis", 0) > 0) {
        return std::nullopt;
    }
    SymbolicInts out{indices->shape, {}};
    const auto size = static_cast<std::int64_t>(x->values.size());
    for (const std::int64_t place : *places) {
        if (place < -size || place >= size) {
            n.fail(format("its index {} is outside an extent of {}", place, size));
            return std::nullopt;
        }
        out.values.push_back(x->values[static_cast<std::size_t>(place < 0 ? place + size : place)]);
    }
    return out;
}

Folded foldSlice(NodeImport& n)
{
    const Folded x = valueOf(n, n.in(0));
    const auto starts = listOf(n, 1, "starts", 10);
    const auto ends = listOf(n, 2, "ends", 10);
    const auto axes = listOf(n, 3, "axes", 10);
    const auto steps = n.opset() < 10 ? std::optional(Ints{}) : listOf(n, 4, "steps", 10);
    if (!x || x->shape.size() != 1 || !starts || starts->size() != 1 || !ends || ends->size() != 1 || !axes || !steps ||
        (!steps->empty() && steps->front() != 1)) {
        return std::nullopt;
    }
    const auto size = static_cast<std::int64_t>(x->values.size());
    const auto place = [&](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? std::max(at, -size) + size : at, 0, size);
    };
    const std::int64_t from = place(starts->front());
    const std::int64_t to = std::max(from, place(ends->front()));
    return SymbolicInts{{to - from}, std::vector<Expr>(x->values.begin() + from, x->values.begin() + to)};
}

// Squeeze, Unsqueeze, Reshape and Flatten of these small tensors only change the shape.
Folded foldView(NodeImport& n)
{
    const Folded x = valueOf(n, n.in(0));
    if (!x) {
        return std::nullopt;
    }
    SymbolicInts out{x->shape, x->values};
    if (n.op() == "Reshape") {
        const auto target = listOf(n, 1, "shape", 5);
        n.ignore("allowzero");
        const bool flat = target && target->size() == 1 &&
                          (target->front() == -1 || target->front() == static_cast<std::int64_t>(x->values.size()));
        const bool scalar = target && target->empty() && x->values.size() == 1;
        if (!flat && !scalar) {
            return std::nullopt;
        }
        out.shape = scalar ? Ints{} : Ints{static_cast<std::int64_t>(x->values.size())};
        return out;
    }
    const auto given = listOf(n, 1, "axes", 13);
    if (!given) {
        return std::nullopt;
    }
    if (n.op() == "Squeeze") {
        if (x->values.size() != 1 || (!given->empty() && given->size() != x->shape.size())) {
            return std::nullopt;
        }
        out.shape.clear();
        return out;
    }
    const Ints axes = n.axes(*given, x->shape.size() + given->size());
    out.shape.clear();
    std::size_t next = 0;
    for (std::size_t i = 0; i < x->shape.size() + given->size() && !n.failed(); ++i) {
        const bool added = std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(i)) != axes.end();
        out.shape.push_back(added ? 1 : x->shape[next++]);
    }
    return out;
}

Folded foldProduct(NodeImport& n)
{
    const Folded x = valueOf(n, n.in(0));
    const auto axes = listOf(n, 1, "axes", 18);
    const bool keep = n.integer("keepdims", 1) != 0;
    n.ignore("noop_with_empty_axes");
    const auto product = x && x->shape.size() == 1 && axes ? productOf(x->values) : std::nullopt;
    if (!product || (axes->empty() && n.integer("noop_with_empty_axes", 0) != 0)) {
        return std::nullopt;
    }
    return SymbolicInts{keep ? Ints{1} : Ints{}, {*product}};
}

struct Form {
    std::string_view op;
    Folded (*fold)(NodeImport& n);
};

constexpr Form kForms[] = {{"Add", &foldTwo}, {"Sub", &foldTwo}, {"Mul", &foldTwo}, {"Div", &foldTwo}, {"Max", &foldTwo},
    {"Min", &foldTwo}, {"Equal", &foldTwo}, {"Where", &foldWhere}, {"Concat", &foldConcat}, {"Gather", &foldGather},
    {"Slice", &foldSlice}, {"Squeeze", &foldView}, {"Unsqueeze", &foldView}, {"Reshape", &foldView},
    {"ReduceProd", &foldProduct}};

} // namespace

bool importSymbolic(NodeImport& n)
{
    bool touches = false;
    for (std::size_t i = 0; i < n.inputCount(); ++i) {
        touches = touches || n.symbolic(n.peek(i)) != nullptr;
    }
    if (!touches) {
        return false;
    }
    if (n.op() == "Cast" || n.op() == "Identity") {
        const ValueId x = n.in(0);
        n.ignore("saturate");
        n.ignore("round_mode");
        const std::int64_t to = n.op() == "Cast" ? n.integer("to", 0) : 0;
        const bool isInteger = n.op() == "Identity" || to == 7 || to == 6; // INT64, INT32
        if (isInteger && n.symbolic(x) != nullptr) {
            n.bind(0, n.symbolicInts(to == 6 ? DType::I32 : DType::I64, SymbolicInts(*n.symbolic(x))));
        }
        return isInteger;
    }
    const auto form = std::find_if(std::begin(kForms), std::end(kForms), [&](const Form& f) { return f.op == n.op(); });
    if (form == std::end(kForms) || n.outputCount() != 1 || ((n.op() == "Max" || n.op() == "Min") && n.inputCount() != 2)) {
        return false;
    }
    const Folded folded = form->fold(n);
    if (n.failed()) {
        return true;
    }
    if (!folded) {
        return false;
    }
    if (n.op() == "Equal") {
        std::vector<std::uint8_t> bits;
        for (const Expr& value : folded->values) {
            bits.push_back(isConst(value, 0) ? 0 : 1);
        }
        n.bind(0, n.constant(Tensor::of<std::uint8_t>(DType::Bool, folded->shape, bits)));
        return true;
    }
    n.bind(0, n.symbolicInts(n.dtype(n.in(n.op() == "Where" ? 1 : 0)), *folded));
    return true;
}

} // namespace nw::graph
