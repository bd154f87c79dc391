// pow in f32 through f64: 2^(b * log2 |a|), the sign and the special cases of IEEE 754 put in afterwards. Rounds once at
// the end, so it is within 1 ulp, denormal results included.

#include "engine/code/emit/math.h"

namespace nw::code {
namespace {

constexpr double kRound = 6755399441055744.0; // 1.5 * 2^52

} // namespace

// 2^e * m, m in [sqrt(1/2), sqrt(2)); log(m) = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.172.
llvm::Value* MathEmitter::logarithm2(Value* wide)
{
    constexpr std::uint64_t kSqrtHalfBits = 0x3FE6A09E667F3BCD;
    constexpr double kTwoOverLn2 = 2.88539008177792681;
    Value* const raw = bits(wide);
    Value* const exponent = m_builder.CreateAShr(m_builder.CreateSub(raw, integer(raw, kSqrtHalfBits)), integer(raw, 52));
    Value* const mantissa = fromBits(m_builder.CreateSub(raw, m_builder.CreateShl(exponent, integer(raw, 52))), wide);
    Value* const one = number(wide, 1.0);
    Value* const s = m_builder.CreateFDiv(m_builder.CreateFSub(mantissa, one), m_builder.CreateFAdd(mantissa, one));
    Value* const square = m_builder.CreateFMul(s, s);
    Value* const series = polynomial(square, {1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0});
    Value* const log2OfMantissa = m_builder.CreateFMul(m_builder.CreateFMul(s, series), number(wide, kTwoOverLn2));
    // The exponent is small: the bits of 1.5 * 2^52 plus it are that number plus it.
    Value* const asDouble = fromBits(m_builder.CreateAdd(exponent, integer(raw, 0x4338000000000000)), wide);
    return m_builder.CreateFAdd(m_builder.CreateFSub(asDouble, number(wide, kRound)), log2OfMantissa);
}

llvm::Value* MathEmitter::exponential2(Value* wide)
{
    constexpr double kLn2 = 0.69314718055994530942;
    Value* const shifted = m_builder.CreateFAdd(wide, number(wide, kRound));
    Value* const n = m_builder.CreateFSub(shifted, number(wide, kRound));
    Value* const rest = m_builder.CreateFMul(m_builder.CreateFSub(wide, n), number(wide, kLn2));
    Value* const series = polynomial(rest, {1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24,
                                            1.0 / 6, 0.5, 1.0, 1.0});
    Value* const scale = m_builder.CreateShl(bits(shifted), integer(bits(shifted), 52)); // the low bits of n, as an exponent
    return fromBits(m_builder.CreateAdd(bits(series), scale), wide);
}

llvm::Value* MathEmitter::powerOfLiteral(Value* a, double exponent)
{
    if (exponent == 1.0) {
        return a;
    }
    if (exponent == 2.0) {
        return m_builder.CreateFMul(a, a);
    }
    return exponent == 3.0 ? m_builder.CreateFMul(m_builder.CreateFMul(a, a), a) : nullptr;
}

llvm::Value* MathEmitter::power(Value* a, Value* b)
{
    const auto* constant = llvm::dyn_cast<llvm::Constant>(b);
    if (constant != nullptr && b->getType()->isVectorTy()) {
        constant = constant->getSplatValue();
    }
    if (const auto* const literal = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant)) {
        if (Value* const simple = powerOfLiteral(a, static_cast<double>(literal->getValueAPF().convertToFloat()))) {
            return simple;
        }
    }
    Value* const zero = number(a, 0.0);
    Value* const one = number(a, 1.0);
    Value* const infinity = llvm::ConstantFP::getInfinity(a->getType());
    Value* const magnitude = absolute(a);
    llvm::Type* const wideType = likeType(a, m_builder.getDoubleTy());
    Value* log2 = logarithm2(m_builder.CreateFPExt(magnitude, wideType));
    Value* const wideInfinity = llvm::ConstantFP::getInfinity(wideType);
    log2 = m_builder.CreateSelect(m_builder.CreateFCmpOEQ(magnitude, zero), m_builder.CreateFNeg(wideInfinity), log2);
    log2 = m_builder.CreateSelect(m_builder.CreateFCmpOEQ(magnitude, infinity), wideInfinity, log2);
    Value* exponent = m_builder.CreateFMul(log2, m_builder.CreateFPExt(b, wideType));
    exponent = maximum(number(exponent, -200.0), maximum(number(exponent, 200.0), exponent, true), false);
    Value* result = m_builder.CreateFPTrunc(exponential2(exponent), a->getType());

    Value* const half = m_builder.CreateFMul(b, number(b, 0.5));
    Value* const isInteger = m_builder.CreateFCmpOEQ(call(llvm::Intrinsic::floor, b), b);
    Value* const isOdd = m_builder.CreateAnd(isInteger, m_builder.CreateFCmpONE(call(llvm::Intrinsic::floor, half), half));
    result = m_builder.CreateSelect(isOdd, copySign(result, a), result);
    Value* const isNegative = m_builder.CreateAnd(m_builder.CreateFCmpOLT(a, zero), m_builder.CreateFCmpONE(magnitude, infinity));
    Value* const hasNoValue = m_builder.CreateAnd(isNegative, m_builder.CreateNot(isInteger));
    Value* const isUnknown = m_builder.CreateFCmpUNO(a, b);
    result = m_builder.CreateSelect(m_builder.CreateOr(hasNoValue, isUnknown), llvm::ConstantFP::getNaN(a->getType()), result);
    Value* const isUnit = m_builder.CreateAnd(m_builder.CreateFCmpOEQ(magnitude, one), m_builder.CreateFCmpOEQ(absolute(b), infinity));
    Value* isOne = m_builder.CreateOr(m_builder.CreateFCmpOEQ(b, zero), m_builder.CreateFCmpOEQ(a, one));
    isOne = m_builder.CreateOr(isOne, isUnit);
    return m_builder.CreateSelect(isOne, one, result);
}

} // namespace nw::code
