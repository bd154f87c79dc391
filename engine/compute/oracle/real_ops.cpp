// Arithmetic on floats with its error bound: what the operands' bounds become, plus half a unit in the last place.

#include "engine/base/ensure.h"
#include "engine/compute/interpret.h"
#include "engine/compute/oracle/lanes.h"

#include <algorithm>

namespace nw::compute::oracle {
namespace {

// out = value(i), bound = spread(i) from the operands + rounding. With exact operands a result that the type holds is
// exact too.
template <typename Value, typename Spread, typename Certain>
void rounded(DType type, const Lanes& a, const Lanes& b, Lanes& out, int n, bool tracks, Value&& value, Spread&& spread,
             Certain&& isCertain)
{
    for (int i = 0; i < n; ++i) {
        out.reals[i] = value(i);
    }
    if (!tracks) {
        out.isExact = true;
        return;
    }
    const Rounding rounding = roundingOf(type);
    if (a.isExact && b.isExact) {
        for (int i = 0; i < n; ++i) {
            out.bounds[i] = isHeld(out.reals[i], type) ? 0 : rounding.unit * std::abs(out.reals[i]) + rounding.smallest;
        }
        settle(out, n, rounding, [](int) { return true; });
        return;
    }
    for (int i = 0; i < n; ++i) {
        const double spreads = spread(i);
        out.bounds[i] = spreads + rounding.unit * (std::abs(out.reals[i]) + spreads) + rounding.smallest;
    }
    settle(out, n, rounding, isCertain);
}

bool isFiniteBound(const Lanes& a, const Lanes& b, int i)
{
    return a.bound(i) != kInfinity && b.bound(i) != kInfinity;
}

// Away from zero for all its possible values, or known exactly.
bool isSigned(const Lanes& a, int i)
{
    return a.bound(i) == 0 || std::abs(a.reals[i]) > a.bound(i) || std::isnan(a.reals[i]);
}

void sum(BinaryOp op, DType type, const Lanes& a, const Lanes& b, Lanes& out, int n, bool tracks)
{
    const auto spread = [&](int i) { return a.bound(i) + b.bound(i); };
    const auto isCertain = [&](int i) { return isFiniteBound(a, b, i); };
    if (op == BinaryOp::Add) {
        rounded(type, a, b, out, n, tracks, [&](int i) { return a.reals[i] + b.reals[i]; }, spread, isCertain);
    } else {
        rounded(type, a, b, out, n, tracks, [&](int i) { return a.reals[i] - b.reals[i]; }, spread, isCertain);
    }
}

void product(DType type, const Lanes& a, const Lanes& b, Lanes& out, int n, bool tracks)
{
    rounded(
        type, a, b, out, n, tracks, [&](int i) { return a.reals[i] * b.reals[i]; },
        [&](int i) {
            const double ea = a.bound(i);
            const double eb = b.bound(i);
            // Written so that an exact operand adds nothing, be it infinite.
            return (eb == 0 ? 0 : std::abs(a.reals[i]) * eb) + (ea == 0 ? 0 : (std::abs(b.reals[i]) + eb) * ea);
        },
        [&](int i) { return isFiniteBound(a, b, i) && isSigned(a, i) && isSigned(b, i); });
}

void quotient(DType type, const Lanes& a, const Lanes& b, Lanes& out, int n, bool tracks)
{
    rounded(
        type, a, b, out, n, tracks, [&](int i) { return a.reals[i] / b.reals[i]; },
        [&](int i) {
            const double eb = b.bound(i);
            if (eb != 0 && std::abs(b.reals[i]) <= eb) {
                return kInfinity;
            }
            const double scattered = a.bound(i) + (eb == 0 ? 0 : std::abs(out.reals[i]) * eb);
            return scattered == 0 ? 0 : scattered / (std::abs(b.reals[i]) - eb);
        },
        [&](int i) { return isFiniteBound(a, b, i) && isSigned(a, i) && isSigned(b, i); });
}

double largerOf(double a, double b)
{
    return std::isnan(a) || a > b ? a : b;
}

double smallerOf(double a, double b)
{
    return std::isnan(a) || a < b ? a : b;
}

// Of two operands the chosen one counts when the other cannot overtake it, else the larger bound.
void extreme(BinaryOp op, const Lanes& a, const Lanes& b, Lanes& out, int n, bool tracks)
{
    const bool isMax = op == BinaryOp::Max;
    for (int i = 0; i < n; ++i) {
        out.reals[i] = isMax ? largerOf(a.reals[i], b.reals[i]) : smallerOf(a.reals[i], b.reals[i]);
    }
    out.isExact = !tracks || (a.isExact && b.isExact);
    for (int i = 0; i < n && !out.isExact; ++i) {
        const double ahead = (a.reals[i] - b.reals[i]) * (isMax ? 1 : -1);
        const double room = a.bound(i) + b.bound(i);
        out.bounds[i] = ahead > room ? a.bound(i) : -ahead > room ? b.bound(i) : std::max(a.bound(i), b.bound(i));
    }
}

double floorModulo(double a, double b)
{
    const double rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// Remainders jump by the divisor where the quotient passes a whole number.
void remainder(BinaryOp op, DType type, const Lanes& a, const Lanes& b, Lanes& out, int n, bool tracks)
{
    const auto value = [&](double x, double y) {
        return op == BinaryOp::TruncMod ? std::fmod(x, y) : floorModulo(x, y);
    };
    rounded(
        type, a, b, out, n, tracks, [&](int i) { return value(a.reals[i], b.reals[i]); },
        [&](int i) {
            const double ea = a.bound(i);
            const double eb = b.bound(i);
            if (ea == 0 && eb == 0) {
                return 0.0;
            }
            if (std::abs(b.reals[i]) <= eb) {
                return kInfinity;
            }
            const double q = a.reals[i] / b.reals[i];
            const double slack = (ea + std::abs(q) * eb) / (std::abs(b.reals[i]) - eb);
            const bool jumps = std::floor(q - slack) != std::floor(q + slack);
            return ea + (std::abs(q) + 1) * eb + (jumps ? std::abs(b.reals[i]) : 0);
        },
        [&](int i) { return isFiniteBound(a, b, i); });
}

void power(DType type, const Lanes& a, const Lanes& b, Lanes& out, int n, bool tracks)
{
    for (int i = 0; i < n; ++i) {
        out.reals[i] = std::pow(a.reals[i], b.reals[i]);
    }
    out.isExact = true;
    if (!tracks) {
        return;
    }
    const Rounding rounding = roundingOf(type);
    for (int i = 0; i < n; ++i) {
        const double ea = a.bound(i);
        const double eb = b.bound(i);
        double spreads = 0;
        for (const double x : {a.reals[i] - ea, a.reals[i] + ea}) {
            for (const double y : {b.reals[i] - eb, b.reals[i] + eb}) {
                spreads = std::max(spreads, ea == 0 && eb == 0 ? 0 : distance(std::pow(x, y), out.reals[i]));
            }
        }
        const double last = ulpsOf(BinaryOp::Pow) * rounding.epsilon;
        out.bounds[i] = spreads + last * (std::abs(out.reals[i]) + spreads) + rounding.flushed;
    }
    settle(out, n, rounding, [&](int i) { return a.bound(i) == 0 && b.bound(i) == 0; });
}

} // namespace

void realArithmetic(BinaryOp op, DType type, const Lanes& a, const Lanes& b, Lanes& out, int n, bool tracks)
{
    switch (op) {
    case BinaryOp::Add:
    case BinaryOp::Sub: return sum(op, type, a, b, out, n, tracks);
    case BinaryOp::Mul: return product(type, a, b, out, n, tracks);
    case BinaryOp::Div: return quotient(type, a, b, out, n, tracks);
    case BinaryOp::Min:
    case BinaryOp::Max: return extreme(op, a, b, out, n, tracks);
    case BinaryOp::FloorMod:
    case BinaryOp::TruncMod: return remainder(op, type, a, b, out, n, tracks);
    case BinaryOp::Pow: return power(type, a, b, out, n, tracks);
    case BinaryOp::FloorDiv:
    case BinaryOp::Lt:
    case BinaryOp::Le:
    case BinaryOp::Gt:
    case BinaryOp::Ge:
    case BinaryOp::Eq:
    case BinaryOp::Ne:
    case BinaryOp::And:
    case BinaryOp::Or:
    case BinaryOp::Xor: break;
    }
    throwBug(__FILE__, __LINE__, "no arithmetic on floats");
}

} // namespace nw::compute::oracle
