#pragma once

#include "engine/base/expr.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nw {

// Index arithmetic made ready to be asked at many points: variables are places in a list.
class IndexProgram {
public:
    // Nothing when the expression loads, calculates with floats or uses another variable.
    static std::optional<IndexProgram> create(const Expr& e, std::span<const std::string> variables);

    // Values parallel to the variables. Nothing where one leaves 64 bits or divides by zero.
    std::optional<std::int64_t> value(std::span<const std::int64_t> point) const { return value(m_nodes.size() - 1, point); }

private:
    IndexProgram() = default;

    enum class Kind { Literal, Variable, Operation, Choice };
    struct Node { // operands stand before it
        Kind kind = Kind::Literal;
        BinaryOp op = BinaryOp::Add;
        std::int64_t literal = 0; // or the place of the variable
        std::size_t a = 0, b = 0, condition = 0;
    };
    std::optional<std::size_t> add(const Expr& e, std::span<const std::string> variables);
    std::optional<std::int64_t> value(std::size_t node, std::span<const std::int64_t> point) const;
    std::optional<std::int64_t> operation(const Node& node, std::span<const std::int64_t> point) const;

    std::vector<Node> m_nodes;
};

} // namespace nw
