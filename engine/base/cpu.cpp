#include "engine/base/cpu.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <sched.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace nw {

#if defined(__x86_64__)

namespace {

struct Registers {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
};

Registers cpuid(unsigned leaf, unsigned subleaf = 0)
{
    Registers r;
    if (__get_cpuid_count(leaf, subleaf, &r.a, &r.b, &r.c, &r.d) == 0) {
        return {};
    }
    return r;
}

// Register state that the system saves on a switch (XCR0).
unsigned savedState()
{
    unsigned low = 0;
    unsigned high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

enum class Needs { Nothing, Avx, Avx512 };

struct FeatureBit {
    std::string_view name;
    unsigned Registers::*reg;
    int leaf; // place in the list of leaves read
    int bit;
    Needs needs;
};

constexpr std::array<FeatureBit, 29> kBits = {{
    {"sse3", &Registers::c, 0, 0, Needs::Nothing},
    {"pclmul", &Registers::c, 0, 1, Needs::Nothing},
    {"ssse3", &Registers::c, 0, 9, Needs::Nothing},
    {"fma", &Registers::c, 0, 12, Needs::Avx},
    {"cx16", &Registers::c, 0, 13, Needs::Nothing},
    {"sse4.1", &Registers::c, 0, 19, Needs::Nothing},
    {"sse4.2", &Registers::c, 0, 20, Needs::Nothing},
    {"movbe", &Registers::c, 0, 22, Needs::Nothing},
    {"popcnt", &Registers::c, 0, 23, Needs::Nothing},
    {"aes", &Registers::c, 0, 25, Needs::Nothing},
    {"xsave", &Registers::c, 0, 27, Needs::Nothing}, // OSXSAVE: enabled by the system too
    {"avx", &Registers::c, 0, 28, Needs::Avx},
    {"f16c", &Registers::c, 0, 29, Needs::Avx},
    {"bmi", &Registers::b, 1, 3, Needs::Nothing},
    {"avx2", &Registers::b, 1, 5, Needs::Avx},
    {"bmi2", &Registers::b, 1, 8, Needs::Nothing},
    {"avx512f", &Registers::b, 1, 16, Needs::Avx512},
    {"avx512dq", &Registers::b, 1, 17, Needs::Avx512},
    {"avx512ifma", &Registers::b, 1, 21, Needs::Avx512},
    {"avx512cd", &Registers::b, 1, 28, Needs::Avx512},
    {"avx512bw", &Registers::b, 1, 30, Needs::Avx512},
    {"avx512vl", &Registers::b, 1, 31, Needs::Avx512},
    {"avx512vbmi", &Registers::c, 1, 1, Needs::Avx512},
    {"avx512vnni", &Registers::c, 1, 11, Needs::Avx512},
    {"avxvnni", &Registers::a, 2, 4, Needs::Avx},
    {"avx512bf16", &Registers::a, 2, 5, Needs::Avx512},
    {"sahf", &Registers::c, 3, 0, Needs::Nothing},
    {"lzcnt", &Registers::c, 3, 5, Needs::Nothing},
    {"prfchw", &Registers::c, 3, 8, Needs::Nothing},
}};

std::string amdName(unsigned family, unsigned model)
{
    switch (family) {
    case 0x17: return model < 0x30 ? "znver1" : "znver2";
    case 0x19: return model < 0x10 || (model >= 0x20 && model <= 0x5f) ? "znver3" : "znver4";
    case 0x1a: return "znver5";
    default: return {};
    }
}

std::string intelName(unsigned family, unsigned model, unsigned stepping)
{
    if (family != 6) {
        return {};
    }
    switch (model) {
    case 0x55: return stepping < 5 ? "skylake-avx512" : stepping < 10 ? "cascadelake" : "cooperlake";
    case 0x6a:
    case 0x6c: return "icelake-server";
    case 0x8f: return "sapphirerapids";
    case 0xcf: return "emeraldrapids";
    default: return {};
    }
}

} // namespace

std::string machineArch()
{
    return "x86-64";
}

std::vector<std::string> cpuFeatures()
{
    const Registers basic = cpuid(1);
    const std::array<Registers, 4> leaves = {basic, cpuid(7), cpuid(7, 1), cpuid(0x80000001U)};
    constexpr unsigned kOsXsave = 1U << 27;
    const unsigned saved = (basic.c & kOsXsave) != 0 ? savedState() : 0;
    const bool savesAvx = (saved & 0x06U) == 0x06U;
    const bool savesAvx512 = (saved & 0xe6U) == 0xe6U;
    std::vector<std::string> features;
    for (const FeatureBit& row : kBits) {
        const bool isThere = ((leaves.at(static_cast<std::size_t>(row.leaf)).*row.reg >> row.bit) & 1U) != 0;
        const bool isSaved
            = row.needs == Needs::Nothing || (row.needs == Needs::Avx ? savesAvx : savesAvx512);
        if (isThere && isSaved) {
            features.emplace_back(row.name);
        }
    }
    std::sort(features.begin(), features.end());
    return features;
}

std::string cpuTuneName()
{
    const Registers vendor = cpuid(0);
    const Registers basic = cpuid(1);
    const unsigned stepping = basic.a & 0xfU;
    unsigned model = (basic.a >> 4) & 0xfU;
    unsigned family = (basic.a >> 8) & 0xfU;
    if (family == 6 || family == 15) {
        model += ((basic.a >> 16) & 0xfU) << 4;
    }
    if (family == 15) {
        family += (basic.a >> 20) & 0xffU;
    }
    if (vendor.b == signature_AMD_ebx) {
        return amdName(family, model);
    }
    if (vendor.b == signature_INTEL_ebx) {
        return intelName(family, model, stepping);
    }
    return {};
}

#else

std::string machineArch()
{
#if defined(__aarch64__)
    return "aarch64";
#else
    return "other";
#endif
}

std::vector<std::string> cpuFeatures()
{
    return {};
}

std::string cpuTuneName()
{
    return {};
}

#endif

namespace {

#if defined(__x86_64__)
// Data or unified cache of a level from the leaf that lists caches (Intel's 4, AMD's 0x8000001d), or 0.
std::int64_t listedCache(unsigned level)
{
    for (const unsigned leaf : {4U, 0x8000001dU}) {
        for (unsigned i = 0; i < 8; ++i) {
            const Registers r = cpuid(leaf, i);
            const unsigned type = r.a & 0x1fU;
            if (type == 0) {
                break;
            }
            if (type != 2 && ((r.a >> 5) & 7U) == level) {
                const std::int64_t ways = ((r.b >> 22) & 0x3ffU) + 1;
                const std::int64_t partitions = ((r.b >> 12) & 0x3ffU) + 1;
                const std::int64_t line = (r.b & 0xfffU) + 1;
                return ways * partitions * line * (std::int64_t{r.c} + 1);
            }
        }
    }
    return 0;
}
#else
std::int64_t listedCache(unsigned)
{
    return 0;
}
#endif

std::int64_t cacheBytes(int systemName, unsigned level, std::int64_t fallback)
{
    const long told = sysconf(systemName);
    if (told > 0) {
        return told;
    }
    const std::int64_t listed = listedCache(level);
    return listed > 0 ? listed : fallback;
}

int usableCores()
{
    // The mask grows with the machine: try larger ones until the kernel accepts.
    for (std::size_t count = 1024; count <= (std::size_t{1} << 20); count *= 2) {
        cpu_set_t* set = CPU_ALLOC(count);
        const std::size_t size = CPU_ALLOC_SIZE(count);
        const bool isRead = set != nullptr && sched_getaffinity(0, size, set) == 0;
        const int cores = isRead ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (isRead) {
            return std::max(cores, 1);
        }
    }
    return 1;
}

} // namespace

Machine thisMachine()
{
    const Machine fallback;
    Machine machine;
    machine.l1Bytes = cacheBytes(_SC_LEVEL1_DCACHE_SIZE, 1, fallback.l1Bytes);
    machine.l2Bytes = cacheBytes(_SC_LEVEL2_CACHE_SIZE, 2, fallback.l2Bytes);
    machine.l3Bytes = cacheBytes(_SC_LEVEL3_CACHE_SIZE, 3, fallback.l3Bytes);
    machine.cores = usableCores();
    return machine;
}

} // namespace nw
