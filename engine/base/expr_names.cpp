#include "engine/base/expr_names.h"

#include <algorithm>
#include <array>

namespace nw {
namespace {

// In the order of UnaryOp.
constexpr std::array<std::string_view, 26> kUnary
    = {"neg", "not", "abs",  "sign", "floor", "ceil", "round", "sqrt",  "exp",   "log",   "sin", "cos",     "tan",
       "asin", "acos", "atan", "sinh", "cosh",  "tanh", "asinh", "acosh", "atanh", "erf", "sigmoid", "isnan", "isinf"};

struct Infix {
    std::string_view word;
    BinaryOp op;
    int strength;
};

constexpr std::array<Infix, 14> kInfix = {{
    {"||", BinaryOp::Or, kOrStrength},
    {"&&", BinaryOp::And, 2},
    {"^", BinaryOp::Xor, 3},
    {"<", BinaryOp::Lt, kCompareStrength},
    {"<=", BinaryOp::Le, kCompareStrength},
    {">", BinaryOp::Gt, kCompareStrength},
    {">=", BinaryOp::Ge, kCompareStrength},
    {"==", BinaryOp::Eq, kCompareStrength},
    {"!=", BinaryOp::Ne, kCompareStrength},
    {"+", BinaryOp::Add, 5},
    {"-", BinaryOp::Sub, 5},
    {"*", BinaryOp::Mul, 6},
    {"/", BinaryOp::FloorDiv, 6}, // Div on floats
    {"%", BinaryOp::FloorMod, 6}, // a function on floats
}};

constexpr std::array<std::pair<std::string_view, BinaryOp>, 6> kFunctions = {{
    {"min", BinaryOp::Min},
    {"max", BinaryOp::Max},
    {"pow", BinaryOp::Pow},
    {"div", BinaryOp::Div},
    {"rem", BinaryOp::TruncMod},
    {"mod", BinaryOp::FloorMod},
}};

} // namespace

std::string_view functionName(UnaryOp op)
{
    return kUnary.at(static_cast<std::size_t>(op));
}

std::optional<UnaryOp> unaryNamed(std::string_view name)
{
    for (std::size_t i = 2; i < kUnary.size(); ++i) {
        if (kUnary[i] == name) {
            return static_cast<UnaryOp>(i);
        }
    }
    return std::nullopt;
}

BinaryNotation notationOf(BinaryOp op, DType operands)
{
    if (isFloat(operands) && op == BinaryOp::Div) {
        return {"/", 6};
    }
    if (isFloat(operands) && op == BinaryOp::FloorMod) {
        return {"mod", 0};
    }
    for (const Infix& row : kInfix) {
        if (row.op == op) {
            return {row.word, row.strength};
        }
    }
    for (const auto& [name, function] : kFunctions) {
        if (function == op) {
            return {name, 0};
        }
    }
    return {};
}

std::optional<BinaryOp> infixNamed(std::string_view word, DType operands)
{
    if (isFloat(operands) && word == "/") {
        return BinaryOp::Div;
    }
    for (const Infix& row : kInfix) {
        if (row.word == word) {
            return row.op;
        }
    }
    return std::nullopt;
}

std::optional<BinaryOp> functionNamed(std::string_view name)
{
    for (const auto& [known, op] : kFunctions) {
        if (known == name) {
            return op;
        }
    }
    return std::nullopt;
}

bool isLiteralWord(std::string_view name)
{
    static constexpr std::array<std::string_view, 6> words = {"true", "false", "inf", "nan", "infd", "nand"};
    return std::find(words.begin(), words.end(), name) != words.end();
}

} // namespace nw
