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

    llvm::IRBuilder<>& m_builder;
    llvm::Module& m_module;
    const Target& m_target;
};

} // namespace nw::code
