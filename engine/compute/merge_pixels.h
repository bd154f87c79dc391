#pragma once

#include "engine/compute/definition.h"

namespace nw::compute {

// A convolution whose window is one pixel, with its element-wise epilogue, over one row of all pixels: the same bytes in
// every layout without border, and a row that tiles of any width cut better than many short ones. Activations become
// [n, c, 1, h * w]. Any other definition is returned as it is, also one with a constant that has a value for each pixel.
Definition withPixelsInARow(Definition definition);

} // namespace nw::compute
