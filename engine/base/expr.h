#pragma once

#include "engine/base/dtype.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace nw {

// Scalar expressions: index arithmetic (always I64) and the bodies of computations (any runnable type).
// Immutable and shared; `same` pointers mean unchanged. Variables and buffers are known by name; a
// definition or nest keeps its names unique.
class ExprNode;
using Expr = std::shared_ptr<const ExprNode>;

enum class UnaryOp {
    Neg, Not, Abs, Sign, Floor, Ceil, Round /* half to even */, Sqrt, Exp, Log, Sin, Cos, Tan, Asin, Acos, Atan,
    Sinh, Cosh, Tanh, Asinh, Acosh, Atanh, Erf, Sigmoid, IsNan, IsInf
};
enum class BinaryOp {
    Add, Sub, Mul,
    Div,      // IEEE for floats; truncates towards zero for integers
    FloorDiv, // integers: rounds towards -inf (index arithmetic; printed "/")
    FloorMod, // result has the sign of the divisor (index arithmetic; printed "%"); also Python-style float mod
    TruncMod, // C's fmod / %
    Min, Max, // NaN in either operand gives NaN
    Pow,
    Lt, Le, Gt, Ge, Eq, Ne, // give Bool
    And, Or, Xor            // Bool
};

struct IntImm { std::int64_t value; };    // I64, I32 or Bool
struct FloatImm { double value; };        // F32 or F64 (an F32 literal is already rounded to float)
struct Var { std::string name; };         // I64 for loops and axes
struct Unary { UnaryOp op; Expr a; };
struct Binary { BinaryOp op; Expr a, b; };
struct Select { Expr condition, yes, no; }; // evaluates only the chosen side
struct CastTo { Expr a; };                  // to the node's type; float to int truncates, to Bool is != 0
struct Load { std::string buffer; std::vector<Expr> indices; };

class ExprNode {
public:
    using Kind = std::variant<IntImm, FloatImm, Var, Unary, Binary, Select, CastTo, Load>;
    ExprNode(DType type, Kind kind);
    DType type() const { return m_type; }
    const Kind& kind() const { return m_kind; }
    std::size_t hash() const { return m_hash; } // structural, stable within a process
    template <typename T>
    const T* as() const { return std::get_if<T>(&m_kind); }

private:
    DType m_type;
    Kind m_kind;
    std::size_t m_hash;
};

// Makers. They check types with ENSURE and fold nothing but literals of equal kind (1 + 2); see simplify.h.
Expr intImm(std::int64_t value, DType type = DType::I64);
Expr floatImm(double value, DType type = DType::F32);
Expr boolImm(bool value);
Expr var(std::string name, DType type = DType::I64);
Expr unary(UnaryOp op, Expr a);
Expr binary(BinaryOp op, Expr a, Expr b); // comparison and logic give Bool, the rest the operands' type
Expr select(Expr condition, Expr yes, Expr no);
Expr castTo(DType type, Expr a); // the same expression when it has the type already
Expr load(std::string buffer, DType type, std::vector<Expr> indices);
// Literal of the given type: integer or float.
Expr literal(DType type, double value);
// What the makers accept: the type of the result, nothing when the operands do not suit the operation.
std::optional<DType> resultType(UnaryOp op, DType a);
std::optional<DType> resultType(BinaryOp op, DType a, DType b);

inline Expr operator+(Expr a, Expr b) { return binary(BinaryOp::Add, std::move(a), std::move(b)); }
inline Expr operator-(Expr a, Expr b) { return binary(BinaryOp::Sub, std::move(a), std::move(b)); }
inline Expr operator*(Expr a, Expr b) { return binary(BinaryOp::Mul, std::move(a), std::move(b)); }
inline Expr operator+(Expr a, std::int64_t b) { return binary(BinaryOp::Add, std::move(a), intImm(b)); }
inline Expr operator-(Expr a, std::int64_t b) { return binary(BinaryOp::Sub, std::move(a), intImm(b)); }
inline Expr operator*(Expr a, std::int64_t b) { return binary(BinaryOp::Mul, std::move(a), intImm(b)); }
inline Expr floorDiv(Expr a, Expr b) { return binary(BinaryOp::FloorDiv, std::move(a), std::move(b)); }
inline Expr floorMod(Expr a, Expr b) { return binary(BinaryOp::FloorMod, std::move(a), std::move(b)); }
inline Expr lessThan(Expr a, Expr b) { return binary(BinaryOp::Lt, std::move(a), std::move(b)); }
inline Expr lessEqual(Expr a, Expr b) { return binary(BinaryOp::Le, std::move(a), std::move(b)); }
Expr allOf(const std::vector<Expr>& conditions); // conjunction, true when empty
// The operands of nested And, in order; a literal true gives none.
std::vector<Expr> conjuncts(const Expr& condition);

bool equal(const Expr& a, const Expr& b); // structural
// Total order by structure, the same in every process: negative, 0 when equal, positive. Variables come first, by name.
int compareExpr(const Expr& a, const Expr& b);
bool isConst(const Expr& e, std::int64_t value);
std::optional<std::int64_t> constInt(const Expr& e); // value of an integer literal

// Calls `visit` on the node and everything below it, parents first; a false return skips what is below.
void walk(const Expr& e, const std::function<bool(const Expr&)>& visit);
// Rebuilds bottom-up: `change` gets a node whose operands were already changed and returns it or another.
Expr rewriteExpr(const Expr& e, const std::function<Expr(const Expr&)>& change);
using Substitution = std::map<std::string, Expr>;
Expr substitute(const Expr& e, const Substitution& variables);
std::vector<std::string> freeVars(const Expr& e); // sorted, unique
bool usesVar(const Expr& e, const std::string& name);
bool hasLoad(const Expr& e); // reads memory somewhere

// Canonical text, parseable: "(n * 4 + h) / 2", "select(h < 3, X[n, h], 0.0)", "max(a, b)", "exp(x)", "f32(i)".
// Precedence-aware, no superfluous parentheses. Int Div prints "div(a, b)", TruncMod "rem(a, b)", FloorDiv "/",
// FloorMod "%"; on floats "/" is Div and mod is "mod(a, b)". Float literals always carry a '.', 'e', "inf" or "nan"
// and print shortest round-trip; an F64 literal ends in "d". Other integer types than I64 print as i32(5); true, false.
std::string toText(const Expr& e);

} // namespace nw
