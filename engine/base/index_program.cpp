#include "engine/base/index_program.h"

#include "engine/base/int_math.h"

#include <algorithm>

namespace nw {

std::optional<IndexProgram> IndexProgram::create(const Expr& e, std::span<const std::string> variables)
{
    IndexProgram program;
    return program.add(e, variables) ? std::optional(std::move(program)) : std::nullopt;
}

std::optional<std::size_t> IndexProgram::add(const Expr& e, std::span<const std::string> variables)
{
    if (const auto* negated = e->as<Unary>(); negated != nullptr && negated->op == UnaryOp::Neg && isInteger(e->type())) {
        return add(intImm(0, e->type()) - negated->a, variables);
    }
    Node node;
    if (const auto* number = e->as<IntImm>()) {
        node.literal = number->value;
    } else if (const auto* variable = e->as<Var>()) {
        const auto found = std::find(variables.begin(), variables.end(), variable->name);
        if (found == variables.end()) {
            return std::nullopt;
        }
        node.kind = Kind::Variable;
        node.literal = found - variables.begin();
    } else {
        const auto* choice = e->as<Select>();
        const auto* calculation = e->as<Binary>();
        if (choice == nullptr && (calculation == nullptr || calculation->op == BinaryOp::Pow)) {
            return std::nullopt;
        }
        const auto a = add(choice != nullptr ? choice->yes : calculation->a, variables);
        const auto b = a ? add(choice != nullptr ? choice->no : calculation->b, variables) : std::nullopt;
        const auto condition = b && choice != nullptr ? add(choice->condition, variables) : b;
        if (!condition) {
            return std::nullopt;
        }
        node.kind = choice != nullptr ? Kind::Choice : Kind::Operation;
        node.op = choice != nullptr ? node.op : calculation->op;
        node.a = *a;
        node.b = *b;
        node.condition = *condition;
    }
    m_nodes.push_back(node);
    return m_nodes.size() - 1;
}

std::optional<std::int64_t> IndexProgram::value(std::size_t node, std::span<const std::int64_t> point) const
{
    const Node& asked = m_nodes[node];
    switch (asked.kind) {
    case Kind::Literal: return asked.literal;
    case Kind::Variable: return point[static_cast<std::size_t>(asked.literal)];
    case Kind::Operation: return operation(asked, point);
    case Kind::Choice: break;
    }
    const std::optional<std::int64_t> condition = value(asked.condition, point);
    return condition ? value(*condition != 0 ? asked.a : asked.b, point) : std::nullopt;
}

std::optional<std::int64_t> IndexProgram::operation(const Node& node, std::span<const std::int64_t> point) const
{
    const std::optional<std::int64_t> a = value(node.a, point);
    const std::optional<std::int64_t> b = value(node.b, point);
    if (!a || !b) {
        return std::nullopt;
    }
    switch (node.op) { // the common ones without making nodes
    case BinaryOp::Add: return checkedAdd(*a, *b);
    case BinaryOp::Sub: return checkedSub(*a, *b);
    case BinaryOp::Mul: return checkedMul(*a, *b);
    case BinaryOp::FloorDiv: return canDivide(*a, *b) ? std::optional(floorDivide(*a, *b)) : std::nullopt;
    case BinaryOp::FloorMod: return canDivide(*a, *b) ? std::optional(floorModulo(*a, *b)) : std::nullopt;
    case BinaryOp::And:
    case BinaryOp::Or:
    case BinaryOp::Xor: return constInt(binary(node.op, boolImm(*a != 0), boolImm(*b != 0)));
    default: return constInt(binary(node.op, intImm(*a), intImm(*b)));
    }
}

} // namespace nw
