#pragma once

#include "engine/base/expr.h"
#include "engine/code/llvm.h"

#include <cstdint>

namespace nw::code {

// Integer and Bool arithmetic on scalars and vectors. Wraps around; a zero divisor gives 0 and the smallest integer
// divided by -1 wraps: no instruction traps.
llvm::Value* integerUnary(llvm::IRBuilder<>& builder, UnaryOp op, llvm::Value* a, DType type);
llvm::Value* integerBinary(llvm::IRBuilder<>& builder, BinaryOp op, llvm::Value* a, llvm::Value* b, DType type);
// Floor division or modulo by a positive literal.
llvm::Value* floorByLiteral(llvm::IRBuilder<>& builder, llvm::Value* a, std::int64_t divisor, bool wantsQuotient,
                            bool isNonNegative);

} // namespace nw::code
