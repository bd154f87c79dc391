#pragma once

#include "engine/compute/definition.h"

#include <optional>
#include <string>
#include <string_view>

namespace nw::compute {

// The words of the canonical text, shared by printer and parser.
std::string_view wordOf(PortKind kind);     // "input", "constant", "output"
std::string_view wordOf(Combiner combiner); // "", "sum", "prod", "max", "min"
std::optional<PortKind> portKindOf(std::string_view word);
std::optional<Combiner> combinerOf(std::string_view word); // None is not a word

} // namespace nw::compute
