#pragma once

#include "engine/base/simplify.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace llvm {
class Value;
}

namespace nw::code {

// A value of index arithmetic while code is emitted:
//   constant + lane * (lane number) + sum of coefficient * symbol + sum of coefficient * opaque value
// A symbol is an integer that some loop of the function defines; ids grow inwards, so the last term is the innermost.
struct Linear {
    std::int64_t constant = 0;
    std::int64_t lane = 0;
    std::map<int, std::int64_t> terms; // symbol -> coefficient, never 0
    std::vector<std::pair<llvm::Value*, std::int64_t>> opaque; // I64, the same in every lane

    static Linear ofConstant(std::int64_t value) { return {value, 0, {}, {}}; }
    bool isUniform() const { return lane == 0; }
    bool isConstant() const { return lane == 0 && terms.empty() && opaque.empty(); }
};

Linear add(Linear a, const Linear& b, std::int64_t factorOfB = 1);
Linear scale(const Linear& a, std::int64_t factor);

using SymbolRanges = std::map<int, Interval>;
// Every value lies inside; open where something is unknown. `lanes` is the number of lanes.
Interval rangeOf(const Linear& a, const SymbolRanges& ranges, int lanes);

// Floor division and modulo by a positive literal, when they stay linear: the part of `a` that the divisor divides,
// and a rest proved to lie in [0, divisor).
struct Divided {
    Linear quotient, remainder;
};
std::optional<Divided> divide(const Linear& a, std::int64_t divisor, const SymbolRanges& ranges, int lanes);

} // namespace nw::code
