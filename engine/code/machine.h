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

// LLVM's side of a Target. Switches LLVM's loop strength reduction off: emission bumps its pointers by constants already,
// and LLVM's replaced the displacements of a convolution by a pointer each.
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
// Order of instructions before register allocation: as emitted (mostly fewer spills in a register tile), or LLVM's
// machine scheduler.
enum class Scheduler { SourceOrder, Machine };
// Relocatable object, or assembly with comments.
Result<std::string> emitObject(const llvm::Module& module, llvm::TargetMachine& machine, Scheduler scheduler,
                               CodeFacts* facts);
Result<std::string> emitAssembly(const llvm::Module& module, llvm::TargetMachine& machine, Scheduler scheduler);
std::int64_t codeBytesOf(const std::string& object);

} // namespace nw::code
