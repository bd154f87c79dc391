#pragma once

#include <string>

namespace nw::test {

// A matrix product with a tail, as the compiler prints it, with most instructions left out.
std::string nestText();
std::string loweredText();
std::string llvmText();
std::string assemblyText();
// The same with its outermost loop on several threads: the loops are in a function of their own.
std::string parallelLowered();
std::string parallelLlvm();

} // namespace nw::test
