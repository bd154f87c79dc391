// sin and cos in f32. The argument is reduced in f64: n = round(x * 2/pi), r = x - n * pi/2 with pi/2 in parts; then
// polynomials in f32 on [-pi/4, pi/4], r + r^3 s(r^2) to 2^-27.9 and 1 - r^2 / 2 + r^4 c(r^2) to 2^-33 (made as those of
// math_exp.cpp). Arguments too large for that (nobody's data) go through libm, all lanes at once.

#include "engine/code/emit/math.h"

namespace nw::code {
namespace {

constexpr double kTwoOverPi = 0.63661977236758134308;
constexpr double kRound = 6755399441055744.0; // 1.5 * 2^52

// With FMA two parts reach 2^48. Without it a product with n must be exact, so the parts are short and |n| below 2^20.
constexpr double kHalfPi = 1.57079632679489655800;
constexpr double kHalfPiRest = 6.12323399573676603587e-17;
constexpr double kShort1 = 1.57079632673412561417;
constexpr double kShort2 = 6.07710050630396597660e-11;
constexpr double kShort3 = 2.02226624879595063154e-21;
constexpr double kLimitFused = 281474976710656.0; // 2^48
constexpr double kLimitShort = 1048576.0;         // 2^20

} // namespace

llvm::Value* MathEmitter::reducedWave(Value* x, int quarterTurns)
{
    Value* const wide = m_builder.CreateFPExt(x, likeType(x, m_builder.getDoubleTy()));
    Value* const shifted = m_builder.CreateFAdd(m_builder.CreateFMul(wide, number(wide, kTwoOverPi)), number(wide, kRound));
    Value* const n = m_builder.CreateFSub(shifted, number(wide, kRound));
    Value* rest = nullptr;
    if (m_target.hasFma) {
        rest = mulAdd(n, number(wide, -kHalfPi), wide);
        rest = mulAdd(n, number(wide, -kHalfPiRest), rest);
    } else {
        rest = mulAdd(n, number(wide, -kShort1), wide);
        rest = mulAdd(n, number(wide, -kShort2), rest);
        rest = mulAdd(n, number(wide, -kShort3), rest);
    }
    Value* const r = m_builder.CreateFPTrunc(rest, x->getType());
    Value* const square = m_builder.CreateFMul(r, r);
    Value* sine = polynomial(square, {-1.95178975e-4, 8.33218731e-3, -1.66666552e-1});
    sine = mulAdd(m_builder.CreateFMul(sine, square), r, r);
    Value* cosine = polynomial(square, {2.44323273e-5, -1.38873095e-3, 4.16666456e-2});
    cosine = mulAdd(m_builder.CreateFMul(cosine, square), square, mulAdd(square, number(x, -0.5), number(x, 1.0)));

    Value* quadrant = m_builder.CreateTrunc(bits(shifted), likeType(x, m_builder.getInt32Ty()));
    quadrant = m_builder.CreateAdd(quadrant, integer(quadrant, static_cast<std::uint64_t>(quarterTurns)));
    Value* const isOdd = m_builder.CreateICmpNE(m_builder.CreateAnd(quadrant, integer(quadrant, 1)), integer(quadrant, 0));
    Value* const flip = m_builder.CreateShl(m_builder.CreateAnd(quadrant, integer(quadrant, 2)), integer(quadrant, 30));
    Value* const chosen = m_builder.CreateSelect(isOdd, cosine, sine);
    return fromBits(m_builder.CreateXor(bits(chosen), flip), x);
}

llvm::Value* MathEmitter::wave(Value* x, int quarterTurns, const char* name)
{
    Value* const limit = number(x, m_target.hasFma ? kLimitFused : kLimitShort);
    Value* isLarge = m_builder.CreateFCmpOGT(absolute(x), limit);
    if (isLarge->getType()->isVectorTy()) {
        isLarge = m_builder.CreateOrReduce(isLarge);
    }
    llvm::Function* const function = m_builder.GetInsertBlock()->getParent();
    llvm::LLVMContext& context = m_builder.getContext();
    auto* const slow = llvm::BasicBlock::Create(context, "large", function);
    auto* const fast = llvm::BasicBlock::Create(context, "reduce", function);
    auto* const join = llvm::BasicBlock::Create(context, "wave", function);
    m_builder.CreateCondBr(isLarge, slow, fast);
    m_builder.SetInsertPoint(slow);
    Value* const fromLibm = viaLibm(name, {x});
    m_builder.CreateBr(join);
    m_builder.SetInsertPoint(fast);
    Value* const reduced = reducedWave(x, quarterTurns);
    m_builder.CreateBr(join);
    m_builder.SetInsertPoint(join);
    llvm::PHINode* const result = m_builder.CreatePHI(x->getType(), 2);
    result->addIncoming(fromLibm, slow);
    result->addIncoming(reduced, fast);
    if (quarterTurns == 0) { // keeps the sign of a zero
        return m_builder.CreateSelect(m_builder.CreateFCmpOEQ(x, number(x, 0.0)), x, result);
    }
    return result;
}

} // namespace nw::code
