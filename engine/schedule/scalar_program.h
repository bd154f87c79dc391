#pragma once

#include "engine/base/expr.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace nw::schedule {

// A value of an expression: floats in `real`, I64, I32 and Bool in `integer`.
struct Scalar {
    double real = 0;
    std::int64_t integer = 0;
};

// Operators as the element type computes them: F32 rounds after every operation, I32 wraps; integer division by zero
// gives 0.
Scalar applyUnary(UnaryOp op, DType type, Scalar a);
Scalar applyBinary(BinaryOp op, DType operandType, Scalar a, Scalar b);
Scalar convertScalar(DType from, DType to, Scalar a);

// An expression with its variables and buffers resolved to numbers, for interpreters that run it often.
class ScalarProgram {
public:
    struct Names {
        std::function<int(const std::string& variable)> slot;
        std::function<int(const std::string& buffer)> buffer;
    };
    using Loader = std::function<Scalar(int buffer, std::span<const std::int64_t> indices)>;

    static ScalarProgram compile(const Expr& e, const Names& names);
    // `slots` holds the variables by number. Only the chosen side of a select is evaluated.
    Scalar run(std::span<const std::int64_t> slots, const Loader& loader) const;

private:
    enum class Code { Constant, Variable, Unary, Binary, Select, Cast, Load };
    struct Node {
        Code code = Code::Constant;
        int op = 0; // operator, slot or buffer
        DType type = DType::I64;
        DType operandType = DType::I64;
        Scalar constant;
        std::vector<int> operands;
    };
    int add(const Expr& e, const Names& names);
    Scalar runNode(int index, std::span<const std::int64_t> slots, const Loader& loader) const;

    std::vector<Node> m_nodes;
    int m_root = 0;
};

} // namespace nw::schedule
