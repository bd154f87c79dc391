#pragma once

#include "engine/base/result.h"
#include "engine/base/target.h"
#include "engine/code/llvm.h"
#include "engine/lower/lowered.h"
#include "engine/wire/messages.h"

#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace nw::code {

// What the functions of one module share while it is emitted. The first refusal ends up here; emission goes on with
// poison values, and the module is thrown away.
struct Unit {
    llvm::LLVMContext& context;
    llvm::Module& module;
    const Target& target;
    const lower::Lowered& lowered;
    std::string symbol;
    std::optional<Error> error;
    int taskCount = 0;
    bool callsParallel = false;
    std::map<std::tuple<std::string, bool, wire::AccessKind>, int> accesses; // buffer, stores, kind -> places in the code

    void refuse(std::string words)
    {
        if (!error) {
            error = nw::refused(std::move(words));
        }
    }

    llvm::Type* valueType(DType type); // in registers; null and a refusal when it cannot be computed with
    llvm::Type* memoryType(DType type); // a Bool is an i8
    llvm::Function* makeFunction(llvm::FunctionType* type, const std::string& name, bool exported);
    // kSafeBytes zero bytes that a load which must not happen reads instead.
    llvm::Value* safeZeros();
    static constexpr std::int64_t kSafeBytes = 1024;
};

// target-features, target-cpu, tune-cpu and the rest that each function carries.
void setFunctionAttributes(llvm::Function& function, const Target& target);

// An external function of libm, `double name(double)` or with two arguments.
llvm::FunctionCallee libm(llvm::Module& module, const char* name, unsigned arguments);

} // namespace nw::code
