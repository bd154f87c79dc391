#pragma once

#include "engine/base/result.h"
#include "engine/base/target.h"
#include "engine/lower/lowered.h"
#include "engine/wire/messages.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nw::code {

// From Lowered to a shared object that follows engine/wire/kernel_abi.h. No LLVM type appears here. All functions may be
// called from several threads at once; linking is serialised inside.
//
// What the code relies on: buffers are aligned to their element, and no port that is written overlaps another port or
// the workspace. Integer division by zero gives 0; a float converted to an integer saturates and NaN gives 0; Max and
// Min give NaN when an operand is NaN. No float is ever reassociated; a product is fused with the sum it is added to only
// in reduction steps and only on targets with FMA.

struct CompileOptions {
    bool listings = false; // keep lowered text, LLVM IR and assembly
    int level = 1;         // code generation level of LLVM, 0 to 3
    bool optimize = true;  // run the IR pipeline (tests compare with it off)
};

struct CompiledObject {
    std::string symbol;         // exported
    std::string bytes;          // ELF relocatable object
    wire::KernelListing listing;
    bool callsParallel = false; // needs the object of nw_parallel beside it
    double optimizeMs = 0, codegenMs = 0;
};

// One kernel. Refused, in words, for what has no code: an element type that cannot be computed with, a register buffer
// whose index stays variable.
Result<CompiledObject> compileKernel(const std::string& symbol, const lower::Lowered& lowered, const Target& target,
                                     const CompileOptions& options = {});

// "nw_model_run": the calls in order. `symbols` and `workspaces` (bytes) are parallel to BuildJob::kernels; the kernels'
// shared workspace begins at `workspaceOffset` in the arena.
Result<CompiledObject> compileModelEntry(const std::vector<wire::ModelCall>& calls, const std::vector<std::string>& symbols,
                                         std::int64_t workspaceOffset, const Target& target);

// The weak default of nw_parallel, on OpenMP; serial in a child made by fork.
Result<CompiledObject> compileParallelRuntime(const Target& target);

struct SymbolAlias {
    std::string name, means; // another name of an exported symbol
};
// Links objects to a shared object at `path` (written to a temporary, then renamed).
Status linkSharedObject(const std::vector<const CompiledObject*>& objects, const std::string& path,
                        const std::vector<SymbolAlias>& aliases = {});

// "LLVM 22.1.8": part of every record.
std::string compilerVersion();

} // namespace nw::code
