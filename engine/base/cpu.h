#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nw {

// What the processor under this process says of itself; Target is made from it.

// "x86-64", "aarch64" or "other".
std::string machineArch();
// Usable instruction set features in LLVM's spelling, sorted: those the processor has and, for vector registers, the
// system saves. Empty on anything but x86-64.
std::vector<std::string> cpuFeatures();
// LLVM's name of the processor's scheduling model, or empty when unknown.
std::string cpuTuneName();

struct Machine {
    std::int64_t l1Bytes = 48 * 1024; // data cache of one core
    std::int64_t l2Bytes = 1024 * 1024;
    std::int64_t l3Bytes = 16 * 1024 * 1024;
    int cores = 1; // that this process may use
};
Machine thisMachine();

} // namespace nw
