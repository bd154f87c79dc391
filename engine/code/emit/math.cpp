#include "engine/code/emit/math.h"

#include "engine/base/ensure.h"
#include "engine/code/emit/unit.h"

#include <llvm/Analysis/VectorUtils.h>

#include <limits>

namespace nw::code {

using llvm::Intrinsic::ID;

llvm::Type* MathEmitter::likeType(Value* like, llvm::Type* element)
{
    auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(like->getType());
    return vector == nullptr ? element : llvm::FixedVectorType::get(element, vector->getNumElements());
}

llvm::Value* MathEmitter::bits(Value* a)
{
    const unsigned width = a->getType()->getScalarSizeInBits();
    return m_builder.CreateBitCast(a, likeType(a, m_builder.getIntNTy(width)));
}

llvm::Value* MathEmitter::fromBits(Value* a, Value* like)
{
    return m_builder.CreateBitCast(a, like->getType());
}

llvm::Value* MathEmitter::mulAdd(Value* a, Value* b, Value* c)
{
    return m_target.hasFma ? m_builder.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c})
                           : m_builder.CreateFAdd(m_builder.CreateFMul(a, b), c);
}

llvm::Value* MathEmitter::polynomial(Value* x, const std::vector<double>& coefficients)
{
    // In pairs a + b x and then by x^2: as many operations but one, and half of them wait for each other.
    const std::size_t count = coefficients.size();
    const auto pairFrom = [&](std::size_t index) { return mulAdd(number(x, coefficients[index]), x, number(x, coefficients[index + 1])); };
    std::size_t index = count % 2 == 0 ? 2 : 1;
    Value* sum = index == 2 ? pairFrom(0) : number(x, coefficients.front());
    Value* const square = count > index ? m_builder.CreateFMul(x, x) : nullptr;
    for (; index < count; index += 2) {
        sum = mulAdd(sum, square, pairFrom(index));
    }
    return sum;
}

// One instruction gives `b` when an operand is NaN; so a literal goes first, and what is the same in all lanes is asked
// itself, which a loop around does once. Where neither is known, both orders are taken: they agree but for a NaN, which one of
// them holds, and which stays one with any bits of the other (of zeros of both signs it is the negative one). A comparison
// with NaN and a blend would ask for the ports of the multiplications, and the compiler makes branches of it for scalars.
llvm::Value* MathEmitter::maximum(Value* a, Value* b, bool wantsMinimum)
{
    const auto isNumber = [](Value* value) {
        const auto* constant = llvm::dyn_cast<llvm::Constant>(value);
        if (constant != nullptr && value->getType()->isVectorTy()) {
            constant = constant->getSplatValue();
        }
        const auto* const literal = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
        return literal != nullptr && !literal->isNaN();
    };
    if (isNumber(b) || (!isNumber(a) && llvm::getSplatValue(b) != nullptr)) {
        std::swap(a, b);
    }
    const auto chosen = [&](Value* first, Value* second) {
        Value* const chooses = wantsMinimum ? m_builder.CreateFCmpOLT(first, second) : m_builder.CreateFCmpOGT(first, second);
        return m_builder.CreateSelect(chooses, first, second);
    };
    Value* const result = chosen(a, b);
    if (isNumber(a)) {
        return result;
    }
    if (llvm::getSplatValue(a) != nullptr) {
        return m_builder.CreateSelect(isNan(a), a, result);
    }
    return fromBits(m_builder.CreateOr(bits(result), bits(chosen(b, a))), a);
}

llvm::Value* MathEmitter::sign(Value* a)
{
    Value* const zero = number(a, 0.0);
    Value* const negative = m_builder.CreateSelect(m_builder.CreateFCmpOLT(a, zero), number(a, -1.0), a);
    return m_builder.CreateSelect(m_builder.CreateFCmpOGT(a, zero), number(a, 1.0), negative);
}

// C's fmod; with `followsDivisor` the result takes the sign of the divisor.
llvm::Value* MathEmitter::modulo(Value* a, Value* b, bool followsDivisor)
{
    Value* const rest = m_builder.CreateFRem(a, b);
    if (!followsDivisor) {
        return rest;
    }
    Value* const zero = number(a, 0.0);
    Value* const differs = m_builder.CreateICmpSLT(m_builder.CreateXor(bits(rest), bits(b)), llvm::Constant::getNullValue(bits(b)->getType()));
    Value* const moved = m_builder.CreateSelect(differs, m_builder.CreateFAdd(rest, b), rest);
    Value* const signedZero = m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, zero, b);
    return m_builder.CreateSelect(m_builder.CreateFCmpOEQ(rest, zero), signedZero, moved);
}

// Lane by lane, in double precision.
llvm::Value* MathEmitter::viaLibm(const char* name, const std::vector<Value*>& arguments)
{
    const llvm::FunctionCallee function = libm(m_module, name, static_cast<unsigned>(arguments.size()));
    llvm::Type* const type = arguments.front()->getType();
    const auto one = [&](const std::vector<Value*>& values) {
        std::vector<Value*> wide;
        for (Value* value : values) {
            wide.push_back(m_builder.CreateFPExt(value, m_builder.getDoubleTy()));
        }
        return m_builder.CreateFPCast(m_builder.CreateCall(function, wide), type->getScalarType());
    };
    auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    if (vector == nullptr) {
        return one(arguments);
    }
    Value* result = llvm::PoisonValue::get(type);
    for (std::uint64_t lane = 0; lane < vector->getNumElements(); ++lane) {
        std::vector<Value*> values;
        for (Value* argument : arguments) {
            values.push_back(m_builder.CreateExtractElement(argument, lane));
        }
        result = m_builder.CreateInsertElement(result, one(values), lane);
    }
    return result;
}

llvm::Value* MathEmitter::unary(UnaryOp op, Value* a)
{
    switch (op) {
    case UnaryOp::Neg:
        return m_builder.CreateFNeg(a);
    case UnaryOp::Abs:
        return call(llvm::Intrinsic::fabs, a);
    case UnaryOp::Sign:
        return sign(a);
    case UnaryOp::Floor:
        return call(llvm::Intrinsic::floor, a);
    case UnaryOp::Ceil:
        return call(llvm::Intrinsic::ceil, a);
    case UnaryOp::Round:
        return call(llvm::Intrinsic::roundeven, a);
    case UnaryOp::Sqrt:
        return call(llvm::Intrinsic::sqrt, a);
    case UnaryOp::IsNan:
        return isNan(a);
    case UnaryOp::IsInf:
        return m_builder.CreateFCmpOEQ(call(llvm::Intrinsic::fabs, a), llvm::ConstantFP::getInfinity(a->getType()));
    case UnaryOp::Exp:
        return exponential(a, std::numeric_limits<double>::infinity());
    case UnaryOp::Log:
        return isSingle(a) ? logarithm(a) : viaLibm("log", {a});
    case UnaryOp::Sin:
        return isSingle(a) ? wave(a, 0, "sin") : viaLibm("sin", {a});
    case UnaryOp::Cos:
        return isSingle(a) ? wave(a, 1, "cos") : viaLibm("cos", {a});
    case UnaryOp::Tan:
        return viaLibm("tan", {a});
    case UnaryOp::Asin:
        return viaLibm("asin", {a});
    case UnaryOp::Acos:
        return viaLibm("acos", {a});
    case UnaryOp::Atan:
        return viaLibm("atan", {a});
    case UnaryOp::Sinh:
        return viaLibm("sinh", {a});
    case UnaryOp::Cosh:
        return viaLibm("cosh", {a});
    case UnaryOp::Tanh:
        return isSingle(a) ? hyperbolicTangent(a) : viaLibm("tanh", {a});
    case UnaryOp::Asinh:
        return viaLibm("asinh", {a});
    case UnaryOp::Acosh:
        return viaLibm("acosh", {a});
    case UnaryOp::Atanh:
        return viaLibm("atanh", {a});
    case UnaryOp::Erf:
        return isSingle(a) ? errorFunction(a) : viaLibm("erf", {a});
    case UnaryOp::Sigmoid:
        return sigmoid(a);
    case UnaryOp::Not:
        break;
    }
    throwBug(__FILE__, __LINE__, "this function has no meaning for floats");
}

llvm::Value* MathEmitter::binary(BinaryOp op, Value* a, Value* b)
{
    switch (op) {
    case BinaryOp::Add:
        return m_builder.CreateFAdd(a, b);
    case BinaryOp::Sub:
        return m_builder.CreateFSub(a, b);
    case BinaryOp::Mul:
        return m_builder.CreateFMul(a, b);
    case BinaryOp::Div:
        return m_builder.CreateFDiv(a, b);
    case BinaryOp::FloorDiv:
        return call(llvm::Intrinsic::floor, m_builder.CreateFDiv(a, b));
    case BinaryOp::FloorMod:
        return modulo(a, b, true);
    case BinaryOp::TruncMod:
        return modulo(a, b, false);
    case BinaryOp::Min:
        return maximum(a, b, true);
    case BinaryOp::Max:
        return maximum(a, b, false);
    case BinaryOp::Pow:
        return isSingle(a) ? power(a, b) : viaLibm("pow", {a, b});
    default:
        throwBug(__FILE__, __LINE__, "this operator has no meaning for floats");
    }
}

} // namespace nw::code
