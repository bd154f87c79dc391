#pragma once

#include "engine/base/expr.h"
#include "engine/base/result.h"

#include <functional>
#include <string_view>

namespace nw {

// Parses what toText(Expr) prints. Types of variables and buffers come from the callbacks (a variable defaults
// to I64 when `typeOfVar` is empty). Errors carry line (1) and column. Functions of unknown name are errors.
struct ExprNames {
    std::function<Result<DType>(const std::string& name)> typeOfVar;
    std::function<Result<DType>(const std::string& buffer)> typeOfBuffer;
};
Result<Expr> parseExpr(std::string_view text, const ExprNames& names = {});

} // namespace nw
