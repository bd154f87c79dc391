#pragma once

#include "engine/base/result.h"
#include "engine/measure/runner/kernel.h"

#include <memory>
#include <string>

namespace nw::runner {

// oneDNN's operator for a description (measure/library_op.h), ready to run on data of its own: layouts as the library
// likes them (weights reordered beforehand, of a product's two ways the faster; activations arriving blocked), bias and
// ReLU fused. Failed when it is not installed, Refused when it has no such operator.
Result<std::unique_ptr<Subject>> makeOneDnn(const std::string& description);

} // namespace nw::runner
