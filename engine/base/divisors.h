#pragma once

#include <cstdint>
#include <vector>

namespace nw {

// Ascending, 1 and n among them; n >= 1. Takes sqrt(n) divisions.
std::vector<std::int64_t> divisors(std::int64_t n);
// Without 1 and n; empty below 4.
std::vector<std::int64_t> properDivisors(std::int64_t n);

} // namespace nw
