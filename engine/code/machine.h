#pragma once

#include "engine/base/result.h"
#include "engine/base/target.h"
#include "engine/wire/messages.h"

#include <memory>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace nw::code {

// LLVM's side of a Target. Sets LLVM's options on first use: no machine scheduler before register allocation (it spills
// tiles that fit).
Result<std::unique_ptr<llvm::TargetMachine>> makeMachine(const Target& target, int level);

// The lean pipeline: what cleans up our own emission, and nothing that would change a schedule (no vectoriser, no
// unrolling).
void optimize(llvm::Module& module, llvm::TargetMachine& machine);

// What the machine code of a kernel tells about itself.
struct CodeFacts {
    int spills = 0;      // stores and reloads in innermost loops
    int totalSpills = 0;
    int vectorRegisters = 0, fmas = 0; // of the hottest innermost loop: deepest, then most FMAs, then most instructions
};
// Relocatable object. The module is changed on the way.
Result<std::string> emitObject(llvm::Module& module, llvm::TargetMachine& machine, CodeFacts* facts);
Result<std::string> emitAssembly(const llvm::Module& module, llvm::TargetMachine& machine);
std::int64_t codeBytesOf(const std::string& object);

} // namespace nw::code
