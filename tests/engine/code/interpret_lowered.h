#pragma once

#include "engine/lower/lowered.h"

#include <map>
#include <string>
#include <vector>

namespace nw::test {

// One element: floats in `real`, integers and bools in `whole`.
struct Scalar {
    double real = 0;
    std::int64_t whole = 0;
};
using Memory = std::map<std::string, std::vector<Scalar>>;

// Runs a Lowered program statement by statement, every kind of loop in ascending order; the yardstick for compiled code.
// f32 is rounded after each operation, `fused` says whether reduction steps fuse their product. Throws Bug for an access
// outside a buffer.
void interpretLowered(const lower::Lowered& lowered, Memory& memory, bool fused);

} // namespace nw::test
