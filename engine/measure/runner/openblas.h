#pragma once

#include "engine/base/result.h"
#include "engine/measure/runner/kernel.h"

#include <memory>
#include <string>

namespace nw::runner {

// OpenBLAS's product of two row-major matrices for a description (measure/library_op.h, "matmul"), ready to run on data of
// its own; a matrix by a vector where there is one row. It offers no packing of a constant operand beforehand, so it packs
// within each run. Failed when it is not installed, Refused for anything but a plain product.
Result<std::unique_ptr<Subject>> makeOpenBlas(const std::string& description, int threads);

} // namespace nw::runner
