#pragma once

#include "engine/compute/definition.h"

namespace nw::compute {

// Whether rows of pixels follow one another in the layout, which is then the same for one row of all pixels: no border, and
// h and w stand in memory side by side.
bool keepsRowsTogether(const Layout& layout);

// A convolution whose window is one pixel, with its element-wise epilogue, over one row of all pixels: the same bytes in
// layouts that keep rows together, and a row that tiles of any width cut better than many short ones. Activations become
// [n, c, 1, h * w]. Any other definition is returned as it is, also one with a constant that has a value for each pixel.
Definition withPixelsInARow(Definition definition);

} // namespace nw::compute
