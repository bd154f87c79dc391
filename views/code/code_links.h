#pragma once

#include "views/code/line_links.h"

#include <string_view>

namespace nw::views {

// Lines of compiled code belong to loops by the shape of the code: the loops in the control flow of a function are put
// beside the loops of the lowered program that are still loops. Where the two differ in number the inner ones stay
// without a name. Blocks named "loop.NAME" say it themselves.
LineLinks linkLlvm(std::string_view llvm, std::string_view lowered);
// By the names of LLVM blocks in the comments of the assembly, and by "in Loop: Header=BB1_7".
LineLinks linkAssembly(std::string_view assembly, std::string_view llvm, std::string_view lowered);

} // namespace nw::views
