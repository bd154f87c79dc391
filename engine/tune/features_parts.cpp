#include "engine/tune/features_parts.h"

#include <algorithm>

namespace nw::tune {

namespace {

// What an extent of unknown size is taken for.
constexpr std::int64_t kUnknownExtent = 64;

} // namespace

std::int64_t extentOf(const Expr& extent, const NamedValues& symbols)
{
    const std::int64_t value = IndexForm::of(extent, symbols.names).at(symbols.values).value_or(kUnknownExtent);
    return std::max<std::int64_t>(0, value);
}

std::int64_t Addressing::offset(std::span<const std::int64_t> logical, std::vector<std::int64_t>& room) const
{
    room.resize(logical.size());
    for (std::size_t i = 0; i < logical.size(); ++i) {
        room[i] = logical[i] + (i < before.size() ? before[i] : 0);
    }
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < strides.size(); ++i) {
        const std::int64_t index = forms.empty() ? room[i] : forms[i].at(room).value_or(0);
        sum += static_cast<std::uint64_t>(index) * static_cast<std::uint64_t>(strides[i]);
    }
    return static_cast<std::int64_t>(sum);
}

Addressing addressingOf(const schedule::Buffer& buffer)
{
    Addressing made;
    made.extents = buffer.shape;
    if (buffer.layout.border.size() == buffer.shape.size()) {
        for (std::size_t i = 0; i < buffer.shape.size(); ++i) {
            const auto [before, behind] = buffer.layout.border[i];
            made.extents[i] += before + behind;
            made.before.push_back(before);
        }
    }
    std::vector<std::int64_t> memory = made.extents;
    if (!buffer.layout.map.axes.empty() && !buffer.layout.map.isIdentity()) {
        if (Result<std::vector<std::int64_t>> shape = buffer.layout.memoryShape(buffer.shape)) {
            memory = *std::move(shape);
            for (const Expr& out : buffer.layout.map.out) {
                made.forms.push_back(IndexForm::of(out, buffer.layout.map.axes));
            }
        }
    }
    made.strides.assign(memory.size(), 1);
    for (std::size_t i = memory.size(); i-- > 1;) {
        made.strides[i - 1] = static_cast<std::int64_t>(static_cast<std::uint64_t>(made.strides[i])
                                                        * static_cast<std::uint64_t>(std::max<std::int64_t>(1, memory[i])));
    }
    for (const std::int64_t extent : made.extents) {
        made.size *= static_cast<double>(std::max<std::int64_t>(1, extent));
    }
    return made;
}

void readValue(const Expr& e, Arithmetic& counted, std::vector<const Load*>& loads)
{
    if (const auto* unary = e->as<Unary>()) {
        const bool isCheap = unary->op <= UnaryOp::Round || unary->op == UnaryOp::IsNan || unary->op == UnaryOp::IsInf;
        (isCheap ? counted.others : unary->op == UnaryOp::Sqrt ? counted.quotients : counted.functions) += 1;
        readValue(unary->a, counted, loads);
    } else if (const auto* binary = e->as<Binary>()) {
        switch (binary->op) {
        case BinaryOp::Add:
        case BinaryOp::Sub: counted.sums += 1; break;
        case BinaryOp::Mul: counted.products += 1; break;
        case BinaryOp::Div:
        case BinaryOp::FloorDiv:
        case BinaryOp::FloorMod:
        case BinaryOp::TruncMod: counted.quotients += 1; break;
        case BinaryOp::Pow: counted.functions += 1; break;
        case BinaryOp::Min:
        case BinaryOp::Max:
        case BinaryOp::Lt:
        case BinaryOp::Le:
        case BinaryOp::Gt:
        case BinaryOp::Ge:
        case BinaryOp::Eq:
        case BinaryOp::Ne: counted.comparisons += 1; break;
        case BinaryOp::And:
        case BinaryOp::Or:
        case BinaryOp::Xor: counted.others += 1; break;
        }
        readValue(binary->a, counted, loads);
        readValue(binary->b, counted, loads);
    } else if (const auto* choice = e->as<Select>()) {
        counted.choices += 1;
        readValue(choice->condition, counted, loads);
        readValue(choice->yes, counted, loads);
        readValue(choice->no, counted, loads);
    } else if (const auto* cast = e->as<CastTo>()) {
        counted.others += 1;
        readValue(cast->a, counted, loads);
    } else if (const auto* read = e->as<Load>()) {
        counted.loads += 1;
        const bool isKnown = std::any_of(loads.begin(), loads.end(), [&](const Load* other) {
            return other->buffer == read->buffer && std::equal(other->indices.begin(), other->indices.end(), read->indices.begin(), read->indices.end(), equal);
        });
        if (!isKnown) {
            loads.push_back(read);
        }
        for (const Expr& index : read->indices) {
            if (hasLoad(index)) { // a place that is looked up: the look-up is a read too
                readValue(index, counted, loads);
            }
        }
    }
}

} // namespace nw::tune
