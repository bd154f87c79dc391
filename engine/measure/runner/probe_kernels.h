#pragma once

#include <cstddef>
#include <cstdint>

namespace nw::runner {

// The widest fused multiply-add loop that this processor runs; each call does `rounds` rounds.
struct FmaProbe {
    void (*run)(std::int64_t rounds) = nullptr;
    double flopsPerRound = 0;
    const char* name = "";
};
FmaProbe fmaProbe();

// `rounds` times 64 additions: on ten registers that do not wait for each other, and on a single one, each waiting for
// the one before (one a clock on every processor here, so that it shows the clock).
void independentAdds(std::int64_t rounds);
void dependentAdds(std::int64_t rounds);
constexpr double kAddsPerRound = 64;

// Sum of `count` floats (a multiple of 256), read as fast as the processor can.
float readAll(const float* from, std::size_t count);

} // namespace nw::runner
