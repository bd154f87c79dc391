// Integers, comparisons, logic and choices. Integers are exact unless they come from a float (a Cast, a comparison, an
// arg-max) that its error leaves open.
//
// The rule for conditions: a comparison whose operands are nearer to each other than their bounds is open (bound 1).
// A select with an open condition may give either side, so its bound covers the other side too; only there does a
// discontinuity widen a bound.

#include "engine/base/ensure.h"
#include "engine/base/int_math.h"
#include "engine/compute/oracle/buffer.h"
#include "engine/compute/oracle/lanes.h"

#include <algorithm>

namespace nw::compute::oracle {
namespace {

std::uint64_t bits(std::int64_t x)
{
    return static_cast<std::uint64_t>(x);
}

// Division by zero is undefined; the oracle gives 0.
std::int64_t divide(BinaryOp op, std::int64_t a, std::int64_t b)
{
    if (!canDivide(a, b)) {
        return b == -1 && op != BinaryOp::FloorMod && op != BinaryOp::TruncMod ? a : 0;
    }
    switch (op) {
    case BinaryOp::Div: return a / b;
    case BinaryOp::FloorDiv: return floorDivide(a, b);
    case BinaryOp::FloorMod: return floorModulo(a, b);
    default: return a % b;
    }
}

template <typename Value>
void fill(DType type, Lanes& out, int n, Value&& value)
{
    for (int i = 0; i < n; ++i) {
        out.wholes[i] = wrapped(value(i), type);
    }
}

void wholeValues(BinaryOp op, DType type, const Lanes& a, const Lanes& b, Lanes& out, int n)
{
    const std::int64_t* const x = a.wholes;
    const std::int64_t* const y = b.wholes;
    const auto whole = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
    switch (op) {
    case BinaryOp::Add: return fill(type, out, n, [&](int i) { return whole(bits(x[i]) + bits(y[i])); });
    case BinaryOp::Sub: return fill(type, out, n, [&](int i) { return whole(bits(x[i]) - bits(y[i])); });
    case BinaryOp::Mul: return fill(type, out, n, [&](int i) { return whole(bits(x[i]) * bits(y[i])); });
    case BinaryOp::Div:
    case BinaryOp::FloorDiv:
    case BinaryOp::FloorMod:
    case BinaryOp::TruncMod: return fill(type, out, n, [&](int i) { return divide(op, x[i], y[i]); });
    case BinaryOp::Min: return fill(type, out, n, [&](int i) { return std::min(x[i], y[i]); });
    case BinaryOp::Max: return fill(type, out, n, [&](int i) { return std::max(x[i], y[i]); });
    case BinaryOp::Pow:
        return fill(type, out, n, [&](int i) {
            return static_cast<std::int64_t>(std::pow(static_cast<double>(x[i]), static_cast<double>(y[i])));
        });
    default: break;
    }
    throwBug(__FILE__, __LINE__, "no arithmetic on integers");
}

template <typename Read>
void compareLanes(BinaryOp op, Read&& a, Read&& b, Lanes& out, int n)
{
    const auto put = [&](auto&& holds) {
        for (int i = 0; i < n; ++i) {
            out.wholes[i] = holds(a(i), b(i)) ? 1 : 0;
        }
    };
    switch (op) {
    case BinaryOp::Lt: return put([](auto x, auto y) { return x < y; });
    case BinaryOp::Le: return put([](auto x, auto y) { return x <= y; });
    case BinaryOp::Gt: return put([](auto x, auto y) { return x > y; });
    case BinaryOp::Ge: return put([](auto x, auto y) { return x >= y; });
    case BinaryOp::Eq: return put([](auto x, auto y) { return x == y; });
    case BinaryOp::Ne: return put([](auto x, auto y) { return x != y; });
    default: break;
    }
    throwBug(__FILE__, __LINE__, "no comparison");
}

bool isComparison(BinaryOp op)
{
    switch (op) {
    case BinaryOp::Lt:
    case BinaryOp::Le:
    case BinaryOp::Gt:
    case BinaryOp::Ge:
    case BinaryOp::Eq:
    case BinaryOp::Ne: return true;
    default: return false;
    }
}

bool isLogic(BinaryOp op)
{
    return op == BinaryOp::And || op == BinaryOp::Or || op == BinaryOp::Xor;
}

} // namespace

void wholeArithmetic(BinaryOp op, DType type, const Lanes& a, const Lanes& b, Lanes& out, int n, bool tracks)
{
    wholeValues(op, type, a, b, out, n);
    out.isExact = !tracks || (a.isExact && b.isExact);
    for (int i = 0; i < n && !out.isExact; ++i) {
        const double ea = a.bound(i);
        const double eb = b.bound(i);
        const double x = std::abs(static_cast<double>(a.wholes[i]));
        const double y = std::abs(static_cast<double>(b.wholes[i]));
        double bound = ea == 0 && eb == 0 ? 0 : kInfinity;
        if (op == BinaryOp::Add || op == BinaryOp::Sub) {
            bound = ea + eb;
        } else if (op == BinaryOp::Mul) {
            bound = (eb == 0 ? 0 : x * eb) + (ea == 0 ? 0 : (y + eb) * ea);
        } else if (op == BinaryOp::Min || op == BinaryOp::Max) {
            bound = std::max(ea, eb);
        }
        out.bounds[i] = bound;
    }
}

void comparison(BinaryOp op, bool ofReals, const Lanes& a, const Lanes& b, Lanes& out, int n, bool tracks)
{
    if (ofReals) {
        const auto read = [](const Lanes& lanes) { return [p = lanes.reals](int i) { return p[i]; }; };
        compareLanes(op, read(a), read(b), out, n);
    } else {
        const auto read = [](const Lanes& lanes) { return [p = lanes.wholes](int i) { return p[i]; }; };
        compareLanes(op, read(a), read(b), out, n);
    }
    out.isExact = !tracks || (a.isExact && b.isExact);
    for (int i = 0; i < n && !out.isExact; ++i) {
        const double room = a.bound(i) + b.bound(i);
        const double apart = ofReals ? a.reals[i] - b.reals[i]
                                     : static_cast<double>(a.wholes[i]) - static_cast<double>(b.wholes[i]);
        out.bounds[i] = room != 0 && !(std::abs(apart) > room) ? 1 : 0;
    }
}

void logic(BinaryOp op, const Lanes& a, const Lanes& b, Lanes& out, int n, bool tracks)
{
    for (int i = 0; i < n; ++i) {
        const std::int64_t x = a.wholes[i];
        const std::int64_t y = b.wholes[i];
        out.wholes[i] = op == BinaryOp::And ? x & y : op == BinaryOp::Or ? x | y : x ^ y;
    }
    out.isExact = !tracks || (a.isExact && b.isExact);
    const std::int64_t decisive = op == BinaryOp::And ? 0 : op == BinaryOp::Or ? 1 : 2;
    for (int i = 0; i < n && !out.isExact; ++i) {
        const bool isDecided = (a.bound(i) == 0 && a.wholes[i] == decisive) || (b.bound(i) == 0 && b.wholes[i] == decisive);
        out.bounds[i] = isDecided ? 0 : std::max(a.bound(i), b.bound(i));
    }
}

void evaluateBinary(BinaryOp op, DType operandType, const Lanes& a, const Lanes& b, Lanes& out, int n, bool tracks)
{
    if (isComparison(op)) {
        comparison(op, isReal(operandType), a, b, out, n, tracks);
    } else if (isLogic(op)) {
        logic(op, a, b, out, n, tracks);
    } else if (isReal(operandType)) {
        realArithmetic(op, operandType, a, b, out, n, tracks);
    } else {
        wholeArithmetic(op, operandType, a, b, out, n, tracks);
    }
}

void evaluateSelect(DType type, const Lanes& condition, const Lanes& yes, const Lanes& no, Lanes& out, int n,
                    bool tracks)
{
    const bool ofReals = isReal(type);
    for (int i = 0; i < n; ++i) {
        if (ofReals) {
            out.reals[i] = condition.wholes[i] != 0 ? yes.reals[i] : no.reals[i];
        } else {
            out.wholes[i] = condition.wholes[i] != 0 ? yes.wholes[i] : no.wholes[i];
        }
    }
    out.isExact = !tracks || (condition.isExact && yes.isExact && no.isExact);
    for (int i = 0; i < n && !out.isExact; ++i) {
        const bool takesYes = condition.wholes[i] != 0;
        double bound = takesYes ? yes.bound(i) : no.bound(i);
        if (condition.bound(i) != 0) {
            const double apart = ofReals ? distance(yes.reals[i], no.reals[i])
                                         : std::abs(static_cast<double>(yes.wholes[i]) - static_cast<double>(no.wholes[i]));
            bound = std::max(bound, apart + (takesYes ? no.bound(i) : yes.bound(i)));
        }
        out.bounds[i] = ofReals && !std::isfinite(out.reals[i]) && bound != 0 ? kInfinity : bound;
    }
}

} // namespace nw::compute::oracle
