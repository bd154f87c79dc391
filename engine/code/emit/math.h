#pragma once

#include "engine/base/expr.h"
#include "engine/base/target.h"
#include "engine/code/llvm.h"

#include <functional>
#include <vector>

namespace nw::code {

// Float arithmetic and functions on scalars and vectors of f32 and f64, emitted inline. In f32 at most 4 units of the last
// place off everywhere (compute::ulpsOf declares it), infinities, NaN, denormals and signed zeros included; no tables.
class MathEmitter {
public:
    MathEmitter(llvm::IRBuilder<>& builder, llvm::Module& module, const Target& target)
        : m_builder(builder)
        , m_module(module)
        , m_target(target)
    {}

    llvm::Value* unary(UnaryOp op, llvm::Value* a);
    llvm::Value* binary(BinaryOp op, llvm::Value* a, llvm::Value* b);
    // exp(x) of a value that is known to be at most `limit` (or NaN): up to 64 it costs less.
    llvm::Value* exponential(llvm::Value* x, double limit);

private:
    using Value = llvm::Value;

    // math.cpp
    Value* call(llvm::Intrinsic::ID id, Value* a) { return m_builder.CreateUnaryIntrinsic(id, a); }
    Value* number(Value* like, double value) { return llvm::ConstantFP::get(like->getType(), value); }
    Value* integer(Value* like, std::uint64_t value) { return llvm::ConstantInt::get(like->getType(), value); }
    Value* mulAdd(Value* a, Value* b, Value* c); // fused where the target can
    Value* polynomial(Value* x, const std::vector<double>& coefficients); // highest degree first
    Value* maximum(Value* a, Value* b, bool wantsMinimum);
    Value* sign(Value* a);
    Value* modulo(Value* a, Value* b, bool followsDivisor);
    Value* viaLibm(const char* name, const std::vector<Value*>& arguments);
    llvm::Type* likeType(Value* like, llvm::Type* element);
    Value* bits(Value* a);
    Value* fromBits(Value* a, Value* like);
    Value* isNan(Value* a) { return m_builder.CreateFCmpUNO(a, a); }
    Value* absolute(Value* a) { return call(llvm::Intrinsic::fabs, a); }
    Value* copySign(Value* a, Value* from) { return m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, a, from); }
    bool isSingle(Value* a) const { return a->getType()->getScalarType()->isFloatTy(); }

    // math_exp.cpp, f32
    struct Exponent {
        Value *shifted, *rest; // the bits of 1.5 * 2^23 + bias + n; exp(x) / 2^n - 1
    };
    Exponent reduceExponent(Value* x, int bias);
    Value* anyExponential(Value* x);
    Value* smallExponential(Value* x);
    Value* exponentialWithin(Value* x);
    Value* powerOfTwo(Value* biased, Value* like); // of an integer whose low bits are a normal number's biased exponent
    Value* logarithm(Value* x);
    Value* sigmoid(Value* x);
    Value* hyperbolicTangent(Value* x);
    Value* errorFunction(Value* x);

    // math_trig.cpp, f32
    Value* wave(Value* x, int quarterTurns, const char* name); // sin(x + quarterTurns * pi / 2)
    Value* reducedWave(Value* x, int quarterTurns);

    // math_pow.cpp, f32
    Value* power(Value* a, Value* b);
    Value* powerOfLiteral(Value* a, double exponent); // null: nothing simpler than power()
    Value* logarithm2(Value* wide);                   // f64, of a positive finite number
    Value* exponential2(Value* wide);                 // f64, |x| <= 200

    llvm::IRBuilder<>& m_builder;
    llvm::Module& m_module;
    const Target& m_target;
};

} // namespace nw::code
