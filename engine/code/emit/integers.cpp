#include "engine/code/emit/integers.h"

#include "engine/base/ensure.h"

namespace nw::code {
namespace {

using llvm::Value;

enum class Part { Quotient, Remainder };

// Towards zero, without trapping. A zero divisor gives 0 for both parts.
Value* truncating(llvm::IRBuilder<>& builder, Part part, Value* a, Value* b)
{
    Value* const zero = llvm::Constant::getNullValue(a->getType());
    const auto divided = [&](Value* divisor) {
        return part == Part::Quotient ? builder.CreateSDiv(a, divisor) : builder.CreateSRem(a, divisor);
    };
    Value* const one = llvm::ConstantInt::get(a->getType(), 1);
    Value* const minusOne = llvm::ConstantInt::getAllOnesValue(a->getType());
    if (const auto* constant = llvm::dyn_cast<llvm::Constant>(b)) {
        const auto* scalar = llvm::dyn_cast_or_null<llvm::ConstantInt>(
            b->getType()->isVectorTy() ? constant->getSplatValue() : constant);
        if (scalar != nullptr && !scalar->isZero() && !scalar->isMinusOne()) {
            return divided(b);
        }
    }
    Value* const isZero = builder.CreateICmpEQ(b, zero);
    Value* const isMinusOne = builder.CreateICmpEQ(b, minusOne);
    Value* const safe = builder.CreateSelect(builder.CreateOr(isZero, isMinusOne), one, b);
    Value* result = divided(safe); // by one where the divisor is 0 or -1
    if (part == Part::Quotient) {
        result = builder.CreateSelect(isMinusOne, builder.CreateNeg(a), result);
    }
    return builder.CreateSelect(isZero, zero, result);
}

Value* flooring(llvm::IRBuilder<>& builder, Part part, Value* a, Value* b)
{
    Value* const zero = llvm::Constant::getNullValue(a->getType());
    Value* const remainder = truncating(builder, Part::Remainder, a, b);
    Value* const differs = builder.CreateICmpSLT(builder.CreateXor(remainder, b), zero);
    Value* const adjusts = builder.CreateAnd(builder.CreateICmpNE(remainder, zero), differs);
    if (part == Part::Remainder) {
        return builder.CreateSelect(adjusts, builder.CreateAdd(remainder, b), remainder);
    }
    Value* const quotient = truncating(builder, Part::Quotient, a, b);
    return builder.CreateSelect(adjusts, builder.CreateSub(quotient, llvm::ConstantInt::get(a->getType(), 1)), quotient);
}

// By squaring; a negative exponent gives what an integer can hold of it: 1 and -1 to their power, otherwise 0.
Value* integerPower(llvm::IRBuilder<>& builder, Value* base, Value* exponent)
{
    llvm::Type* const type = base->getType();
    Value* const zero = llvm::Constant::getNullValue(type);
    Value* const one = llvm::ConstantInt::get(type, 1);
    Value* result = one;
    Value* square = base;
    const unsigned bits = type->getScalarSizeInBits();
    for (unsigned bit = 0; bit + 1 < bits; ++bit) {
        Value* const isSet = builder.CreateICmpNE(builder.CreateAnd(exponent, llvm::ConstantInt::get(type, std::uint64_t{1} << bit)), zero);
        result = builder.CreateSelect(isSet, builder.CreateMul(result, square), result);
        square = builder.CreateMul(square, square);
    }
    Value* const isOdd = builder.CreateICmpNE(builder.CreateAnd(exponent, one), zero);
    Value* const minusOne = llvm::ConstantInt::getAllOnesValue(type);
    Value* const ofMinusOne = builder.CreateSelect(isOdd, minusOne, one);
    Value* const small = builder.CreateSelect(builder.CreateICmpEQ(base, one), one,
                                              builder.CreateSelect(builder.CreateICmpEQ(base, minusOne), ofMinusOne, zero));
    return builder.CreateSelect(builder.CreateICmpSLT(exponent, zero), small, result);
}

Value* boolBinary(llvm::IRBuilder<>& builder, BinaryOp op, Value* a, Value* b)
{
    switch (op) {
    case BinaryOp::And:
    case BinaryOp::Mul:
    case BinaryOp::Min:
        return builder.CreateAnd(a, b);
    case BinaryOp::Or:
    case BinaryOp::Add:
    case BinaryOp::Max:
        return builder.CreateOr(a, b);
    case BinaryOp::Xor:
    case BinaryOp::Sub:
        return builder.CreateXor(a, b);
    default:
        throwBug(__FILE__, __LINE__, "this operator has no meaning for bool");
    }
}

} // namespace

Value* integerUnary(llvm::IRBuilder<>& builder, UnaryOp op, Value* a, DType type)
{
    Value* const zero = llvm::Constant::getNullValue(a->getType());
    switch (op) {
    case UnaryOp::Neg:
        return type == DType::Bool ? a : builder.CreateNeg(a);
    case UnaryOp::Not:
        return builder.CreateNot(a);
    case UnaryOp::Abs:
        return type == DType::Bool ? a : builder.CreateBinaryIntrinsic(llvm::Intrinsic::abs, a, builder.getFalse());
    case UnaryOp::Sign: {
        Value* const positive = builder.CreateZExt(builder.CreateICmpSGT(a, zero), a->getType());
        return builder.CreateSub(positive, builder.CreateZExt(builder.CreateICmpSLT(a, zero), a->getType()));
    }
    case UnaryOp::Floor:
    case UnaryOp::Ceil:
    case UnaryOp::Round:
        return a;
    default:
        throwBug(__FILE__, __LINE__, "this function has no meaning for integers");
    }
}

Value* integerBinary(llvm::IRBuilder<>& builder, BinaryOp op, Value* a, Value* b, DType type)
{
    if (type == DType::Bool) {
        return boolBinary(builder, op, a, b);
    }
    switch (op) {
    case BinaryOp::Add:
        return builder.CreateAdd(a, b);
    case BinaryOp::Sub:
        return builder.CreateSub(a, b);
    case BinaryOp::Mul:
        return builder.CreateMul(a, b);
    case BinaryOp::Div:
        return truncating(builder, Part::Quotient, a, b);
    case BinaryOp::TruncMod:
        return truncating(builder, Part::Remainder, a, b);
    case BinaryOp::FloorDiv:
        return flooring(builder, Part::Quotient, a, b);
    case BinaryOp::FloorMod:
        return flooring(builder, Part::Remainder, a, b);
    case BinaryOp::Min:
        return builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b);
    case BinaryOp::Max:
        return builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, b);
    case BinaryOp::Pow:
        return integerPower(builder, a, b);
    case BinaryOp::And:
        return builder.CreateAnd(a, b);
    case BinaryOp::Or:
        return builder.CreateOr(a, b);
    case BinaryOp::Xor:
        return builder.CreateXor(a, b);
    default:
        throwBug(__FILE__, __LINE__, "a comparison is no arithmetic");
    }
}

Value* floorByLiteral(llvm::IRBuilder<>& builder, Value* a, std::int64_t divisor, bool wantsQuotient, bool isNonNegative)
{
    llvm::Type* const type = a->getType();
    Value* const by = llvm::ConstantInt::get(type, static_cast<std::uint64_t>(divisor));
    if ((divisor & (divisor - 1)) == 0) {
        return wantsQuotient ? builder.CreateAShr(a, llvm::ConstantInt::get(type, static_cast<std::uint64_t>(__builtin_ctzll(static_cast<std::uint64_t>(divisor)))))
                             : builder.CreateAnd(a, llvm::ConstantInt::get(type, static_cast<std::uint64_t>(divisor - 1)));
    }
    if (isNonNegative) {
        return wantsQuotient ? builder.CreateUDiv(a, by) : builder.CreateURem(a, by);
    }
    return flooring(builder, wantsQuotient ? Part::Quotient : Part::Remainder, a, by);
}

} // namespace nw::code
