// exp, log and what is made of them, in f32. Minimax polynomials after an exact reduction of the argument; integers are
// rounded and read by adding 1.5 * 2^23, which is defined for every input, NaN too.

#include "engine/code/emit/math.h"

namespace nw::code {
namespace {

constexpr double kLog2E = 1.44269504088896341;
// ln 2 in two parts, the first with so few bits that its product with an exponent is exact.
constexpr double kLn2High = 0.693359375;
constexpr double kLn2Low = -2.12194440e-4;
constexpr double kRound = 12582912.0; // 1.5 * 2^23
constexpr std::uint64_t kRoundBits = 0x4B400000;

} // namespace

llvm::Value* MathEmitter::powerOfTwo(Value* exponent, Value* like)
{
    Value* const biased = m_builder.CreateAdd(exponent, integer(exponent, 127));
    return fromBits(m_builder.CreateShl(biased, integer(exponent, 23)), like);
}

// exp(x) = 2^n * exp(r), |r| <= ln2 / 2. The factor is applied in two halves, so that results among the denormals round
// once and those above the range become infinite. About 1 ulp.
llvm::Value* MathEmitter::exponential(Value* x)
{
    Value* const clamped = maximum(number(x, -104.0), maximum(number(x, 89.0), x, true), false);
    Value* const shifted = m_builder.CreateFAdd(m_builder.CreateFMul(clamped, number(x, kLog2E)), number(x, kRound));
    Value* const n = m_builder.CreateFSub(shifted, number(x, kRound));
    Value* rest = mulAdd(n, number(x, -kLn2High), clamped);
    rest = mulAdd(n, number(x, -kLn2Low), rest);
    Value* series = polynomial(rest, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1,
                                      5.0000001201e-1});
    series = mulAdd(series, m_builder.CreateFMul(rest, rest), rest);
    series = m_builder.CreateFAdd(series, number(x, 1.0));
    Value* const exponent = m_builder.CreateSub(bits(shifted), integer(bits(shifted), kRoundBits));
    Value* const half = m_builder.CreateAShr(exponent, integer(exponent, 1));
    Value* const scaled = m_builder.CreateFMul(series, powerOfTwo(half, x));
    return m_builder.CreateFMul(scaled, powerOfTwo(m_builder.CreateSub(exponent, half), x));
}

// x = 2^e * m with m in [sqrt(1/2), sqrt(2)); log(x) = e * ln2 + log(1 + f), f = m - 1. Below 2 ulp.
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
    Value* tail = polynomial(f, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
                                 -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
    tail = m_builder.CreateFMul(m_builder.CreateFMul(tail, square), f);
    tail = mulAdd(e, number(x, kLn2Low), tail);
    tail = mulAdd(square, number(x, -0.5), tail);
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
    Value* const e = isSingle(x) ? exponential(negated) : viaLibm("exp", {negated});
    Value* const isNegative = m_builder.CreateFCmpOLT(x, number(x, 0.0));
    return m_builder.CreateFDiv(m_builder.CreateSelect(isNegative, e, one), m_builder.CreateFAdd(one, e));
}

llvm::Value* MathEmitter::hyperbolicTangent(Value* x)
{
    constexpr double kSmall = 0.625;
    Value* const magnitude = absolute(x);
    Value* const one = number(x, 1.0);
    Value* const square = m_builder.CreateFMul(x, x);
    Value* small = polynomial(square, {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1});
    small = mulAdd(m_builder.CreateFMul(small, square), magnitude, magnitude);
    Value* const doubled = exponential(m_builder.CreateFAdd(magnitude, magnitude));
    Value* const large = m_builder.CreateFSub(one, m_builder.CreateFDiv(number(x, 2.0), m_builder.CreateFAdd(doubled, one)));
    Value* const result = m_builder.CreateSelect(m_builder.CreateFCmpOLT(magnitude, number(x, kSmall)), small, large);
    return copySign(result, x);
}

// An odd polynomial below 0.93, above it 1 - exp(polynomial of |x|). About 1 ulp.
llvm::Value* MathEmitter::errorFunction(Value* x)
{
    constexpr double kBoundary = 0.927734375;
    Value* const magnitude = maximum(number(x, 4.0), absolute(x), true); // erf(4) is 1
    Value* const square = m_builder.CreateFMul(magnitude, magnitude);
    Value* large = mulAdd(number(x, -1.72853470e-5), magnitude, number(x, 3.83197126e-4));
    Value* const upper = mulAdd(number(x, -3.88396438e-3), magnitude, number(x, 2.42546219e-2));
    large = mulAdd(large, square, upper);
    large = mulAdd(large, magnitude, number(x, -1.06777877e-1));
    large = mulAdd(large, magnitude, number(x, -6.34846687e-1));
    large = mulAdd(large, magnitude, number(x, -1.28717512e-1));
    large = mulAdd(large, magnitude, m_builder.CreateFNeg(magnitude));
    large = m_builder.CreateFSub(number(x, 1.0), exponential(large));
    Value* small = polynomial(square, {-5.96761703e-4, 4.99119423e-3, -2.67681349e-2, 1.12819925e-1, -3.76125336e-1, 1.28379166e-1});
    small = mulAdd(small, magnitude, magnitude);
    Value* const isLarge = m_builder.CreateFCmpOGT(magnitude, number(x, kBoundary));
    return copySign(m_builder.CreateSelect(isLarge, large, small), x);
}

} // namespace nw::code
