#pragma once

#include <cstdint>
#include <vector>

namespace nw::plan {

inline constexpr std::int64_t kArenaAlignment = 64;

// A buffer that is written by call `begin` and last read by call `end` (both inclusive).
struct Lifetime {
    std::int64_t bytes = 0;
    int begin = 0;
    int end = 0;
};
struct Packing {
    std::vector<std::int64_t> offsets; // parallel to the lifetimes, multiples of kArenaAlignment
    std::int64_t bytes = 0;            // of the whole arena
};

// Places buffers so that two that live during the same call never share a byte: the largest first, each in the
// tightest gap between those already placed that overlap it in time. An empty buffer has offset 0.
Packing packArena(const std::vector<Lifetime>& buffers);

} // namespace nw::plan
