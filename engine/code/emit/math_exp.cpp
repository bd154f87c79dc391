// exp, log and what is made of them, in f32. Minimax polynomials after an exact reduction of the argument; integers are
// rounded and read by adding 1.5 * 2^23, which is defined for every input, NaN too.
//
// The coefficients come from a Remez exchange on the reduced range that minimises the error relative to the function's value;
// they were rounded to f32 one by one from the lowest degree up, and those that remained were fitted anew each time. The
// errors named below are of the rounded polynomials, before any rounding of their evaluation.

#include "engine/code/emit/math.h"

namespace nw::code {
namespace {

constexpr double kLog2E = 1.44269504088896341;
// ln 2 in two parts, the first with so few bits that its product with an exponent is exact.
constexpr double kLn2High = 0.693359375;
constexpr double kLn2Low = -2.12194440e-4;
constexpr double kRound = 12582912.0; // 1.5 * 2^23
constexpr int kBias = 127;            // of an f32's exponent

} // namespace

// Only the low bits count: those above them leave with the shift.
llvm::Value* MathEmitter::powerOfTwo(Value* biased, Value* like)
{
    return fromBits(m_builder.CreateShl(biased, integer(biased, 23)), like);
}

// exp(x) = 2^n * (1 + rest), with 1 + rest = exp(r) for |r| <= ln2 / 2; exp(r) = 1 + r + r^2 q(r) to 2^-23.2. One degree
// more would bring two units of the last place down to one, and take a tenth more time.
// The bias of the power that is wanted goes into the constant that rounds, so that no addition is left for it.
MathEmitter::Exponent MathEmitter::reduceExponent(Value* x, int bias)
{
    Value* const shifted = mulAdd(x, number(x, kLog2E), number(x, kRound + bias));
    Value* const n = m_builder.CreateFSub(shifted, number(x, kRound + bias));
    Value* r = mulAdd(n, number(x, -kLn2High), x);
    r = mulAdd(n, number(x, -kLn2Low), r);
    Value* const q = polynomial(r, {8.3125e-3, 4.1890327e-2, 1.6667117e-1, 4.999923e-1});
    return {bits(shifted), mulAdd(q, m_builder.CreateFMul(r, r), r)};
}

llvm::Value* MathEmitter::exponential(Value* x, double limit)
{
    constexpr double kSmall = 64;
    return !isSingle(x) ? viaLibm("exp", {x}) : limit <= kSmall ? smallExponential(x) : anyExponential(x);
}

// For every x. The factor 2^n is applied in two halves, so that results among the denormals round once and those above the
// range become infinite. About 2 ulp. Half of n + 2 * 127 is the one half with its bias, what is left the other.
llvm::Value* MathEmitter::anyExponential(Value* x)
{
    const Exponent e = reduceExponent(maximum(number(x, -104.0), maximum(number(x, 89.0), x, true), false), 2 * kBias);
    Value* const half = m_builder.CreateLShr(e.shifted, integer(e.shifted, 1));
    Value* const first = powerOfTwo(half, x);
    return m_builder.CreateFMul(mulAdd(e.rest, first, first), powerOfTwo(m_builder.CreateSub(e.shifted, half), x));
}

// For x <= 64 (and NaN): the factor is 2^(n + 30), so that it and its product are normal numbers for all that is left, and
// the 30 are taken away at the end, where a denormal result rounds.
llvm::Value* MathEmitter::smallExponential(Value* x)
{
    constexpr int kShift = 30;
    const Exponent e = reduceExponent(maximum(number(x, -104.0), x, false), kBias + kShift);
    Value* const factor = powerOfTwo(e.shifted, x);
    return m_builder.CreateFMul(mulAdd(e.rest, factor, factor), number(x, 1.0 / (1 << kShift)));
}

// For |x| <= 87 (and NaN), where the result is a normal number.
llvm::Value* MathEmitter::exponentialWithin(Value* x)
{
    const Exponent e = reduceExponent(x, kBias);
    Value* const factor = powerOfTwo(e.shifted, x);
    return mulAdd(e.rest, factor, factor);
}

// x = 2^e * m with m in [sqrt(1/2), sqrt(2)); log(x) = e * ln2 + log(1 + f), f = m - 1, with
// log(1 + f) = f - f^2 / 2 + f^3 t(f) to 2^-26.8. Below 1 ulp.
llvm::Value* MathEmitter::logarithm(Value* x)
{
    constexpr double kSmallestNormal = 1.17549435e-38;
    Value* const zero = number(x, 0.0);
    Value* const isTiny = m_builder.CreateFCmpOLT(x, number(x, kSmallestNormal));
    Value* const normal = m_builder.CreateSelect(isTiny, m_builder.CreateFMul(x, number(x, 8388608.0)), x); // 2^23
    Value* const raw = bits(normal);
    // Subtracting the bits of sqrt(1/2) puts the boundary between two exponents there.
    Value* const offset = m_builder.CreateSub(raw, integer(raw, 0x3F3504F3));
    Value* const exponent = m_builder.CreateAShr(offset, integer(raw, 23));
    Value* const mantissa = fromBits(m_builder.CreateSub(raw, m_builder.CreateShl(exponent, integer(raw, 23))), x);
    Value* e = m_builder.CreateSIToFP(exponent, x->getType());
    e = m_builder.CreateFSub(e, m_builder.CreateSelect(isTiny, number(x, 23.0), zero));
    Value* const f = m_builder.CreateFSub(mantissa, number(x, 1.0));
    Value* const square = m_builder.CreateFMul(f, f);
    Value* const t = polynomial(f, {-7.63800442e-2, 1.27645165e-1, -1.31594181e-1, 1.42008916e-1, -1.66233033e-1, 2.00012609e-1,
                                    -2.50008225e-1, 3.33333313e-1});
    Value* tail = mulAdd(square, number(x, -0.5), m_builder.CreateFMul(e, number(x, kLn2Low)));
    tail = mulAdd(t, m_builder.CreateFMul(square, f), tail);
    Value* result = mulAdd(e, number(x, kLn2High), m_builder.CreateFAdd(f, tail));
    Value* const infinity = llvm::ConstantFP::getInfinity(x->getType());
    result = m_builder.CreateSelect(m_builder.CreateFCmpOEQ(x, infinity), x, result);
    result = m_builder.CreateSelect(m_builder.CreateFCmpOEQ(x, zero), llvm::ConstantFP::getInfinity(x->getType(), true), result);
    return m_builder.CreateSelect(m_builder.CreateFCmpULT(x, zero), llvm::ConstantFP::getNaN(x->getType()), result);
}

// With e = exp(-|x|): 1 / (1 + e), or e / (1 + e) for a negative x, so that small results keep their digits.
llvm::Value* MathEmitter::sigmoid(Value* x)
{
    Value* const one = number(x, 1.0);
    Value* const negated = m_builder.CreateFNeg(absolute(x));
    Value* const e = exponential(negated, 0);
    Value* const isNegative = m_builder.CreateFCmpOLT(x, number(x, 0.0));
    return m_builder.CreateFDiv(m_builder.CreateSelect(isNegative, e, one), m_builder.CreateFAdd(one, e));
}

// x + x^3 s(x^2) to 2^-27.7 below 5/8, above it 1 - 2 / (exp(2 |x|) + 1); from 10 on the result is 1.
llvm::Value* MathEmitter::hyperbolicTangent(Value* x)
{
    constexpr double kSmall = 0.625;
    Value* const magnitude = absolute(x);
    Value* const one = number(x, 1.0);
    Value* const square = m_builder.CreateFMul(x, x);
    Value* small = polynomial(square, {-5.69229666e-3, 2.06281673e-2, -5.37365153e-2, 1.33314058e-1, -3.33332807e-1});
    small = mulAdd(m_builder.CreateFMul(small, square), magnitude, magnitude);
    Value* const limited = maximum(number(x, 10.0), magnitude, true);
    Value* const doubled = exponentialWithin(m_builder.CreateFAdd(limited, limited));
    Value* const large = m_builder.CreateFSub(one, m_builder.CreateFDiv(number(x, 2.0), m_builder.CreateFAdd(doubled, one)));
    Value* const result = m_builder.CreateSelect(m_builder.CreateFCmpOLT(magnitude, number(x, kSmall)), small, large);
    return copySign(result, x);
}

// x + x s(x^2) to 2^-26.1 below 0.9, above it 1 - exp(g(|x|)), where g is log(1 - erf) with an error of which 2^-28.8 of
// the result is left. About 1 ulp.
llvm::Value* MathEmitter::errorFunction(Value* x)
{
    constexpr double kBoundary = 0.9;
    Value* const magnitude = maximum(number(x, 4.0), absolute(x), true); // erf(4) is 1
    Value* const square = m_builder.CreateFMul(magnitude, magnitude);
    Value* large = polynomial(magnitude, {1.98215406e-4, -3.06547713e-3, 2.23152284e-2, -1.04113765e-1, -6.36976004e-1, -1.12779725,
                                          -1.66459824e-4});
    large = m_builder.CreateFSub(number(x, 1.0), exponentialWithin(large));
    Value* small = polynomial(square, {-6.0208072e-4, 4.9989596e-3, -2.6770493e-2, 1.12819217e-1, -3.76125038e-1, 1.28379151e-1});
    small = mulAdd(small, magnitude, magnitude);
    Value* const isLarge = m_builder.CreateFCmpOGT(magnitude, number(x, kBoundary));
    return copySign(m_builder.CreateSelect(isLarge, large, small), x);
}

} // namespace nw::code
