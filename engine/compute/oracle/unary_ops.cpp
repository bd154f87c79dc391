// Functions of one operand and conversions, with their error bounds.

#include "engine/base/ensure.h"
#include "engine/compute/interpret.h"
#include "engine/compute/oracle/lanes.h"
#include "engine/compute/oracle/buffer.h"

#include <algorithm>

namespace nw::compute {

double ulpsOf(UnaryOp op)
{
    switch (op) {
    case UnaryOp::Neg:
    case UnaryOp::Not:
    case UnaryOp::Abs:
    case UnaryOp::Sign:
    case UnaryOp::Floor:
    case UnaryOp::Ceil:
    case UnaryOp::Round:
    case UnaryOp::IsNan:
    case UnaryOp::IsInf: return 0;
    case UnaryOp::Sqrt: return 0.5;
    case UnaryOp::Exp: return 3;
    case UnaryOp::Log: return 2;
    case UnaryOp::Sin:
    case UnaryOp::Cos:
    case UnaryOp::Tanh:
    case UnaryOp::Erf:
    case UnaryOp::Sigmoid: return 4;
    case UnaryOp::Tan:
    case UnaryOp::Asin:
    case UnaryOp::Acos:
    case UnaryOp::Atan:
    case UnaryOp::Sinh:
    case UnaryOp::Cosh:
    case UnaryOp::Asinh:
    case UnaryOp::Acosh:
    case UnaryOp::Atanh: return 6;
    }
    return 0;
}

double ulpsOf(BinaryOp op)
{
    return op == BinaryOp::Pow ? 8 : op == BinaryOp::FloorMod ? 1 : 0.5;
}

} // namespace nw::compute

namespace nw::compute::oracle {
namespace {

double signOf(double x)
{
    return std::isnan(x) ? x : static_cast<double>((x > 0) - (x < 0));
}

using Function = double (*)(double);

Function functionOf(UnaryOp op)
{
    switch (op) {
    case UnaryOp::Neg: return [](double x) { return -x; };
    case UnaryOp::Abs: return [](double x) { return std::abs(x); };
    case UnaryOp::Sign: return &signOf;
    case UnaryOp::Floor: return [](double x) { return std::floor(x); };
    case UnaryOp::Ceil: return [](double x) { return std::ceil(x); };
    case UnaryOp::Round: return [](double x) { return std::nearbyint(x); };
    case UnaryOp::Sqrt: return [](double x) { return std::sqrt(x); };
    case UnaryOp::Exp: return [](double x) { return std::exp(x); };
    case UnaryOp::Log: return [](double x) { return std::log(x); };
    case UnaryOp::Sin: return [](double x) { return std::sin(x); };
    case UnaryOp::Cos: return [](double x) { return std::cos(x); };
    case UnaryOp::Tan: return [](double x) { return std::tan(x); };
    case UnaryOp::Asin: return [](double x) { return std::asin(x); };
    case UnaryOp::Acos: return [](double x) { return std::acos(x); };
    case UnaryOp::Atan: return [](double x) { return std::atan(x); };
    case UnaryOp::Sinh: return [](double x) { return std::sinh(x); };
    case UnaryOp::Cosh: return [](double x) { return std::cosh(x); };
    case UnaryOp::Tanh: return [](double x) { return std::tanh(x); };
    case UnaryOp::Asinh: return [](double x) { return std::asinh(x); };
    case UnaryOp::Acosh: return [](double x) { return std::acosh(x); };
    case UnaryOp::Atanh: return [](double x) { return std::atanh(x); };
    case UnaryOp::Erf: return [](double x) { return std::erf(x); };
    case UnaryOp::Sigmoid: return [](double x) { return 1 / (1 + std::exp(-x)); };
    case UnaryOp::Not:
    case UnaryOp::IsNan:
    case UnaryOp::IsInf: break;
    }
    throwBug(__FILE__, __LINE__, "no function on floats");
}

enum class Form {
    Exact,    // no rounding, spreads no error
    Step,     // no rounding, jumps
    Monotone, // between the ends of the operand's interval the values lie between theirs
    Wave      // sin, cos, tan: not monotone, argument reduction costs an absolute error
};

Form formOf(UnaryOp op)
{
    switch (op) {
    case UnaryOp::Neg:
    case UnaryOp::Abs: return Form::Exact;
    case UnaryOp::Sign:
    case UnaryOp::Floor:
    case UnaryOp::Ceil:
    case UnaryOp::Round: return Form::Step;
    case UnaryOp::Sin:
    case UnaryOp::Cos:
    case UnaryOp::Tan: return Form::Wave;
    default: return Form::Monotone;
    }
}

// How far f may move when its operand is anywhere within x +- e.
double spreadOf(UnaryOp op, Function f, double x, double e, double y)
{
    if (e == 0) {
        return 0;
    }
    if (op == UnaryOp::Sin || op == UnaryOp::Cos) {
        return std::min(e, 2.0);
    }
    const double low = f(x - e);
    const double high = f(x + e);
    if (op == UnaryOp::Tan && (e >= 1 || low > high)) {
        return kInfinity;
    }
    if (op == UnaryOp::Cosh && std::abs(x) < e) {
        return std::max(distance(y, 1), std::max(distance(low, y), distance(high, y)));
    }
    if (op == UnaryOp::Sign && std::abs(x) <= e) {
        return std::max(distance(0, y), std::max(distance(low, y), distance(high, y)));
    }
    return std::max(distance(low, y), distance(high, y));
}

void boundFunction(UnaryOp op, Function f, DType type, const Lanes& a, Lanes& out, int n)
{
    const Form form = formOf(op);
    const Rounding rounding = roundingOf(type);
    const double last = ulpsOf(op) * rounding.epsilon;
    for (int i = 0; i < n; ++i) {
        const double y = out.reals[i];
        const double spread = form == Form::Exact ? a.bound(i) : spreadOf(op, f, a.reals[i], a.bound(i), y);
        double own = 0;
        if (op == UnaryOp::Sqrt) {
            own = spread == 0 && isHeld(y, type) && y * y == a.reals[i] ? 0 : last * (std::abs(y) + spread);
        } else if (form == Form::Monotone && !std::isinf(a.reals[i])) { // at infinity the limits are exact
            own = last * (std::abs(y) + spread) + rounding.flushed;
        } else if (form == Form::Wave) {
            const bool isReduced = std::abs(a.reals[i]) + a.bound(i) > 0.785;
            own = last * std::max(std::abs(y) + spread, isReduced ? 1.0 : 0.0) + rounding.flushed;
        }
        out.bounds[i] = spread + own;
    }
    settle(out, n, rounding, [&](int i) {
        const double e = a.bound(i);
        return e == 0 || (e < kInfinity && distance(f(a.reals[i] - e), f(a.reals[i] + e)) == 0);
    });
}

void testFloat(UnaryOp op, const Lanes& a, Lanes& out, int n, bool tracks)
{
    out.isExact = !tracks || a.isExact;
    for (int i = 0; i < n; ++i) {
        const bool holds = op == UnaryOp::IsNan ? std::isnan(a.reals[i]) : std::isinf(a.reals[i]);
        out.wholes[i] = holds ? 1 : 0;
        if (!out.isExact) {
            out.bounds[i] = a.bound(i) == kInfinity ? 1 : 0;
        }
    }
}

void wholeFunction(UnaryOp op, DType type, const Lanes& a, Lanes& out, int n, bool tracks)
{
    for (int i = 0; i < n; ++i) {
        const std::int64_t x = a.wholes[i];
        const auto negated = static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(x));
        std::int64_t y = x == 0 ? 1 : 0; // Not
        if (op == UnaryOp::Neg) {
            y = negated;
        } else if (op == UnaryOp::Abs) {
            y = x < 0 ? negated : x;
        } else if (op == UnaryOp::Sign) {
            y = (x > 0) - (x < 0);
        }
        out.wholes[i] = wrapped(y, type);
    }
    out.isExact = !tracks || a.isExact;
    for (int i = 0; i < n && !out.isExact; ++i) {
        out.bounds[i] = op == UnaryOp::Sign && a.bound(i) != 0 ? 2 : a.bound(i);
    }
}

// A value that no 64-bit integer is near becomes the nearest end; what a program gives there is undefined.
std::int64_t truncated(double x, DType type)
{
    const double high = type == DType::I32 ? 0x1p31 : 0x1p63;
    if (std::isnan(x)) {
        return 0;
    }
    if (x >= high) {
        return type == DType::I32 ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int64_t>::max();
    }
    return x <= -high ? static_cast<std::int64_t>(-high) : static_cast<std::int64_t>(x);
}

void realToWhole(DType type, const Lanes& a, Lanes& out, int n, bool tracks)
{
    const double high = type == DType::I32 ? 0x1p31 : 0x1p63;
    bool isExact = true;
    for (int i = 0; i < n; ++i) {
        const double x = a.reals[i];
        const double e = tracks ? a.bound(i) : 0;
        double bound = 0;
        if (type == DType::Bool) {
            out.wholes[i] = x != 0 ? 1 : 0;
            bound = e != 0 && std::abs(x) <= e ? 1 : 0;
        } else {
            out.wholes[i] = truncated(x, type);
            const bool isDefined = std::abs(x) + e < high;
            bound = !isDefined ? kInfinity
                               : std::max(std::trunc(x + e) - std::trunc(x), std::trunc(x) - std::trunc(x - e));
        }
        if (tracks) {
            out.bounds[i] = bound;
            isExact = isExact && bound == 0;
        }
    }
    out.isExact = isExact;
}

void wholeToReal(DType type, const Lanes& a, Lanes& out, int n, bool tracks)
{
    const Rounding rounding = roundingOf(type);
    bool isExact = true;
    for (int i = 0; i < n; ++i) {
        const std::int64_t x = a.wholes[i];
        out.reals[i] = static_cast<double>(x);
        if (tracks) {
            const bool fits = std::abs(out.reals[i]) <= (type == DType::F32 ? 0x1p24 : 0x1p53);
            out.bounds[i] = a.bound(i) + (fits && a.bound(i) == 0 ? 0 : rounding.unit * (std::abs(out.reals[i]) + a.bound(i)));
            isExact = isExact && out.bounds[i] == 0;
        }
    }
    out.isExact = isExact;
}

void realToReal(DType type, const Lanes& a, Lanes& out, int n, bool tracks)
{
    std::copy(a.reals, a.reals + n, out.reals);
    out.isExact = true;
    if (!tracks) {
        return;
    }
    const Rounding rounding = roundingOf(type);
    for (int i = 0; i < n; ++i) {
        const bool narrows = type == DType::F32 && !(a.bound(i) == 0 && isHeld(a.reals[i], type));
        out.bounds[i] = a.bound(i) + (narrows ? rounding.unit * (std::abs(a.reals[i]) + a.bound(i)) + rounding.smallest : 0);
    }
    settle(out, n, rounding, [&](int i) { return a.bound(i) != kInfinity; });
}

} // namespace

void evaluateUnary(UnaryOp op, DType type, DType operandType, const Lanes& a, Lanes& out, int n, bool tracks)
{
    if (!isReal(operandType)) {
        return wholeFunction(op, type, a, out, n, tracks);
    }
    if (op == UnaryOp::IsNan || op == UnaryOp::IsInf) {
        return testFloat(op, a, out, n, tracks);
    }
    const Function f = functionOf(op);
    for (int i = 0; i < n; ++i) {
        out.reals[i] = f(a.reals[i]);
    }
    out.isExact = !tracks || (a.isExact && (formOf(op) == Form::Exact || formOf(op) == Form::Step));
    if (!out.isExact) {
        boundFunction(op, f, type, a, out, n);
    }
}

void evaluateCast(DType type, DType operandType, const Lanes& a, Lanes& out, int n, bool tracks)
{
    if (isReal(operandType) && isReal(type)) {
        return realToReal(type, a, out, n, tracks);
    }
    if (isReal(operandType)) {
        return realToWhole(type, a, out, n, tracks);
    }
    if (isReal(type)) {
        return wholeToReal(type, a, out, n, tracks);
    }
    for (int i = 0; i < n; ++i) {
        out.wholes[i] = type == DType::Bool ? (a.wholes[i] != 0 ? 1 : 0) : wrapped(a.wholes[i], type);
    }
    out.isExact = !tracks || a.isExact;
    for (int i = 0; i < n && !out.isExact; ++i) {
        out.bounds[i] = type == DType::Bool && a.bound(i) != 0 ? 1 : a.bound(i);
    }
}

} // namespace nw::compute::oracle
