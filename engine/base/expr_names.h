#pragma once

#include "engine/base/expr.h"

#include <optional>
#include <string_view>

namespace nw {

// Notation shared by the printer and the parser of expressions.

std::string_view functionName(UnaryOp op); // "exp"; Neg and Not, which are signs, have names never printed
std::optional<UnaryOp> unaryNamed(std::string_view name);

// How an operation on operands of a type is written: an operator with its strength, or a function of two arguments.
struct BinaryNotation {
    std::string_view word;
    int strength = 0; // higher binds tighter; 0 for a function
};
BinaryNotation notationOf(BinaryOp op, DType operands);
// Operation written as `word` between operands, or called as a function, of the given type.
std::optional<BinaryOp> infixNamed(std::string_view word, DType operands);
std::optional<BinaryOp> functionNamed(std::string_view name);

inline constexpr int kOrStrength = 1;
inline constexpr int kCompareStrength = 4; // does not chain: a < b < c is an error
inline constexpr int kUnaryStrength = 7;
// Names that are literals and so cannot be variables.
bool isLiteralWord(std::string_view name); // true false inf nan infd nand

} // namespace nw
