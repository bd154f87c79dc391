#pragma once

#include "engine/tune/sketches/draft.h"

#include <string>

namespace nw::tune::sketches {

// Every stage made for a tile of the result, as far inside as none is made again and again; `main`, the sum with the most work,
// is tiled there. False where the result is the sum itself, where it cannot be tiled or where the sum cannot be placed.
bool near(Draft& draft, const std::string& main);

} // namespace nw::tune::sketches
