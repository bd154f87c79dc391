#pragma once

#include "engine/code/machine.h"

namespace llvm {
class FunctionPass;
}

namespace nw::code {

// Last machine pass: reads spills, FMAs and registers off the finished instructions.
llvm::FunctionPass* makeCodeFactsPass(CodeFacts& facts);

} // namespace nw::code
