#pragma once

#include "engine/base/expr.h"

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>

namespace nw::compute::oracle {

inline constexpr int kLanes = 256;
inline constexpr std::size_t kWidth = kLanes;
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The values of one node for a block of lanes. A value that is not finite has a bound of 0 (the program must give the
// same) or infinity (nothing is known).
struct Lanes {
    double* reals = nullptr;        // float types
    std::int64_t* wholes = nullptr; // integer types and bool
    double* bounds = nullptr;       // meaningless while isExact
    bool isExact = true;            // every bound is 0

    double bound(int lane) const { return isExact ? 0.0 : bounds[lane]; }
};

// How the element type rounds: error of one operation, smallest step, largest finite value.
struct Rounding {
    double unit = 0;    // largest relative error of one correctly rounded operation
    double epsilon = 0; // unit in the last place of 1, for ulps and sums
    double smallest = 0;
    double flushed = 0; // below this a transcendental may give 0
    double largest = 0;
};

// The oracle computes in double itself, so an f64 program gets twice the room.
inline Rounding roundingOf(DType type)
{
    if (type == DType::F64) {
        return {DBL_EPSILON, 2 * DBL_EPSILON, DBL_TRUE_MIN, DBL_MIN, DBL_MAX};
    }
    return {0x1p-24, 0x1p-23, 0x1p-150, FLT_MIN, FLT_MAX};
}

// A double that the element type can hold; of f64 nothing is known, as the oracle's own operations round too.
inline bool isHeld(double value, DType type)
{
    return type == DType::F32 && static_cast<double>(static_cast<float>(value)) == value;
}

// Largest difference of two possible results; infinity when one of them is no number.
inline double distance(double a, double b)
{
    if (a == b || (std::isnan(a) && std::isnan(b))) {
        return 0;
    }
    const double d = std::abs(a - b);
    return std::isnan(d) ? kInfinity : d;
}

// Evaluate one node for `n` lanes. Without `tracks` no bounds are kept: the caller has shown that the program is
// exact on its data.
void evaluateUnary(UnaryOp op, DType type, DType operandType, const Lanes& a, Lanes& out, int n, bool tracks);
void evaluateBinary(BinaryOp op, DType operandType, const Lanes& a, const Lanes& b, Lanes& out, int n, bool tracks);
void evaluateSelect(DType type, const Lanes& condition, const Lanes& yes, const Lanes& no, Lanes& out, int n,
                    bool tracks);
void evaluateCast(DType type, DType operandType, const Lanes& a, Lanes& out, int n, bool tracks);

// Parts of evaluateBinary.
void realArithmetic(BinaryOp op, DType type, const Lanes& a, const Lanes& b, Lanes& out, int n, bool tracks);
void wholeArithmetic(BinaryOp op, DType type, const Lanes& a, const Lanes& b, Lanes& out, int n, bool tracks);
void comparison(BinaryOp op, bool ofReals, const Lanes& a, const Lanes& b, Lanes& out, int n, bool tracks);
void logic(BinaryOp op, const Lanes& a, const Lanes& b, Lanes& out, int n, bool tracks);

// Integers wrap around as the element type does.
inline std::int64_t wrapped(std::int64_t value, DType type)
{
    return type == DType::I32 ? static_cast<std::int32_t>(static_cast<std::uint64_t>(value)) : value;
}

// What a result becomes in the element type: beyond the largest value it is infinite, below the smallest 0; where
// that cannot be told within the bound, or the operands leave open whether the result is finite, nothing is known.
inline void settleOne(double& value, double& bound, bool isCertain, const Rounding& rounding)
{
    if (!std::isfinite(value)) {
        bound = isCertain ? 0 : kInfinity;
    } else if (std::isnan(bound)) {
        bound = kInfinity;
    } else if (std::abs(value) + bound > rounding.largest) {
        const bool overflows = std::abs(value) - bound > rounding.largest * (1 + rounding.epsilon);
        value = overflows ? std::copysign(kInfinity, value) : value;
        bound = overflows ? 0 : kInfinity;
    } else if (std::abs(value) < rounding.smallest) {
        bound += std::abs(value);
        value = std::copysign(0.0, value);
    }
}

template <typename Certain>
void settle(Lanes& out, int n, const Rounding& rounding, Certain&& isCertain)
{
    bool isExact = true;
    for (int i = 0; i < n; ++i) {
        const double size = std::abs(out.reals[i]);
        if (!(size + out.bounds[i] <= rounding.largest) || (size < rounding.smallest && size != 0)) {
            settleOne(out.reals[i], out.bounds[i], isCertain(i), rounding);
        }
        isExact = isExact && out.bounds[i] == 0;
    }
    out.isExact = isExact;
}

} // namespace nw::compute::oracle
