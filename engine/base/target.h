#pragma once

#include "engine/base/dtype.h"
#include "engine/base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nw {

// What code is made for, as data. `code` maps it to LLVM; nothing else knows LLVM's names.
struct Target {
    std::string name;                  // "x86-64-v3", or "native" resolved to features
    std::string arch = "x86-64";       // instruction set family
    std::vector<std::string> features; // LLVM spelling, sorted: "avx2", "fma", "avx512f", ...
    std::string tuneCpu;               // scheduling model only, e.g. "znver3"; may be empty
    int vectorBytes = 16;              // width of one vector register
    int vectorRegisters = 16;
    bool hasFma = false;
    bool hasMaskedMemory = false; // AVX2 and up; below that masks become branches
    std::int64_t l1Bytes = 48 * 1024; // per core; fallbacks of MEASURING.md where the machine says nothing
    std::int64_t l2Bytes = 1024 * 1024;
    std::int64_t l3Bytes = 16 * 1024 * 1024;
    int cores = 1;

    int lanes(DType type) const { return vectorBytes / static_cast<int>(byteSize(type)); }
    std::string toText() const; // "x86-64-v3 +avx2 +fma ..." identity of records
};

// This machine: features from cpuid and xgetbv, caches from sysconf / cpuid / fallback, cores from the affinity mask.
Target nativeTarget();
// "native", "x86-64-v2", "x86-64-v3", "x86-64-v4" (lower case). Caches and cores are taken from this machine.
Result<Target> targetByName(const std::string& name);
// Refused-style message naming the first missing feature when `target`'s code cannot run here.
Status canRunHere(const Target& target);

} // namespace nw
