// Built with optimisation in every preset (CMakeLists.txt): these loops are rulers.
#include "engine/measure/runner/probe_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace nw::runner {
namespace {

// Twelve independent sums: two units with a latency of four need eight. They are written out, since an array of them
// would live in memory.
#define NW_TWELVE(step) step(a0) step(a1) step(a2) step(a3) step(a4) step(a5) step(a6) step(a7) step(a8) step(a9) step(a10) step(a11)

constexpr int kUnroll = 4;

#if defined(__x86_64__)

#define NW_OPAQUE(value) asm volatile("" : "+v"(value));

__attribute__((target("avx2,fma"))) void fmaAvx2(std::int64_t rounds)
{
    __m256 a0 = _mm256_set1_ps(1.0F), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0, a8 = a0, a9 = a0,
           a10 = a0, a11 = a0;
    __m256 x = _mm256_set1_ps(0.999F), y = _mm256_set1_ps(0.001F);
    NW_OPAQUE(x)
    NW_OPAQUE(y)
    NW_TWELVE(NW_OPAQUE)
#define NW_STEP(a) a = _mm256_fmadd_ps(a, x, y);
    for (std::int64_t i = 0; i < rounds; ++i) {
        NW_TWELVE(NW_STEP) NW_TWELVE(NW_STEP) NW_TWELVE(NW_STEP) NW_TWELVE(NW_STEP)
    }
#undef NW_STEP
    NW_TWELVE(NW_OPAQUE)
}

__attribute__((target("avx512f"))) void fmaAvx512(std::int64_t rounds)
{
    __m512 a0 = _mm512_set1_ps(1.0F), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0, a8 = a0, a9 = a0,
           a10 = a0, a11 = a0;
    __m512 x = _mm512_set1_ps(0.999F), y = _mm512_set1_ps(0.001F);
    NW_OPAQUE(x)
    NW_OPAQUE(y)
    NW_TWELVE(NW_OPAQUE)
#define NW_STEP(a) a = _mm512_fmadd_ps(a, x, y);
    for (std::int64_t i = 0; i < rounds; ++i) {
        NW_TWELVE(NW_STEP) NW_TWELVE(NW_STEP) NW_TWELVE(NW_STEP) NW_TWELVE(NW_STEP)
    }
#undef NW_STEP
    NW_TWELVE(NW_OPAQUE)
}

#else
#define NW_OPAQUE(value) asm volatile("" : "+w"(value));
#endif

// Without a fused instruction to rely on: four lanes, multiply and add.
typedef float Four __attribute__((vector_size(16)));

void multiplyAdd(std::int64_t rounds)
{
    Four a0 = {1, 1, 1, 1}, a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0, a8 = a0, a9 = a0, a10 = a0,
         a11 = a0;
    Four x = {0.999F, 0.999F, 0.999F, 0.999F}, y = {0.001F, 0.001F, 0.001F, 0.001F};
    NW_OPAQUE(x)
    NW_OPAQUE(y)
    NW_TWELVE(NW_OPAQUE)
#define NW_STEP(a) a = a * x + y;
    for (std::int64_t i = 0; i < rounds; ++i) {
        NW_TWELVE(NW_STEP) NW_TWELVE(NW_STEP) NW_TWELVE(NW_STEP) NW_TWELVE(NW_STEP)
    }
#undef NW_STEP
    NW_TWELVE(NW_OPAQUE)
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) float readAvx2(const float* from, std::size_t count)
{
    __m256 a = _mm256_setzero_ps(), b = a, c = a, d = a, e = a, f = a, g = a, h = a;
    for (std::size_t i = 0; i < count; i += 64) {
        a = _mm256_add_ps(a, _mm256_loadu_ps(from + i));
        b = _mm256_add_ps(b, _mm256_loadu_ps(from + i + 8));
        c = _mm256_add_ps(c, _mm256_loadu_ps(from + i + 16));
        d = _mm256_add_ps(d, _mm256_loadu_ps(from + i + 24));
        e = _mm256_add_ps(e, _mm256_loadu_ps(from + i + 32));
        f = _mm256_add_ps(f, _mm256_loadu_ps(from + i + 40));
        g = _mm256_add_ps(g, _mm256_loadu_ps(from + i + 48));
        h = _mm256_add_ps(h, _mm256_loadu_ps(from + i + 56));
    }
    const __m256 sum = _mm256_add_ps(_mm256_add_ps(_mm256_add_ps(a, b), _mm256_add_ps(c, d)),
                                     _mm256_add_ps(_mm256_add_ps(e, f), _mm256_add_ps(g, h)));
    return _mm256_cvtss_f32(sum);
}

__attribute__((target("avx512f"))) float readAvx512(const float* from, std::size_t count)
{
    __m512 a = _mm512_setzero_ps(), b = a, c = a, d = a, e = a, f = a, g = a, h = a;
    for (std::size_t i = 0; i < count; i += 128) {
        a = _mm512_add_ps(a, _mm512_loadu_ps(from + i));
        b = _mm512_add_ps(b, _mm512_loadu_ps(from + i + 16));
        c = _mm512_add_ps(c, _mm512_loadu_ps(from + i + 32));
        d = _mm512_add_ps(d, _mm512_loadu_ps(from + i + 48));
        e = _mm512_add_ps(e, _mm512_loadu_ps(from + i + 64));
        f = _mm512_add_ps(f, _mm512_loadu_ps(from + i + 80));
        g = _mm512_add_ps(g, _mm512_loadu_ps(from + i + 96));
        h = _mm512_add_ps(h, _mm512_loadu_ps(from + i + 112));
    }
    const __m512 sum = _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(a, b), _mm512_add_ps(c, d)),
                                     _mm512_add_ps(_mm512_add_ps(e, f), _mm512_add_ps(g, h)));
    return _mm512_cvtss_f32(sum);
}

#endif

float readBaseline(const float* from, std::size_t count)
{
    Four a = {0, 0, 0, 0}, b = a, c = a, d = a;
    const Four* const fours = reinterpret_cast<const Four*>(from);
    for (std::size_t i = 0; i < count / 4; i += 4) {
        a += fours[i];
        b += fours[i + 1];
        c += fours[i + 2];
        d += fours[i + 3];
    }
    a += b + c + d;
    return a[0];
}

constexpr double flops(int lanes)
{
    return 2.0 * 12 * kUnroll * lanes;
}

} // namespace

float readAll(const float* from, std::size_t count)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        return readAvx512(from, count);
    }
    if (__builtin_cpu_supports("avx2")) {
        return readAvx2(from, count);
    }
#endif
    return readBaseline(from, count);
}

FmaProbe fmaProbe()
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        return {&fmaAvx512, flops(16), "avx512f"};
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return {&fmaAvx2, flops(8), "avx2"};
    }
#endif
    return {&multiplyAdd, flops(4), "baseline"};
}

#if defined(__x86_64__)

// Ten registers in turn.
#define NW_TEN "add $1, %[a]\n add $1, %[b]\n add $1, %[c]\n add $1, %[d]\n add $1, %[e]\n" \
               "add $1, %[f]\n add $1, %[g]\n add $1, %[h]\n add $1, %[i]\n add $1, %[j]\n"

void independentAdds(std::int64_t rounds)
{
    std::int64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0, j = 0;
    for (std::int64_t round = 0; round < rounds; ++round) {
        asm volatile(".rept 6\n" NW_TEN ".endr\n add $1, %[a]\n add $1, %[b]\n add $1, %[c]\n add $1, %[d]\n"
                     : [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [d] "+r"(d), [e] "+r"(e), [f] "+r"(f), [g] "+r"(g),
                       [h] "+r"(h), [i] "+r"(i), [j] "+r"(j)
                     :
                     : "cc");
    }
}

void dependentAdds(std::int64_t rounds)
{
    std::int64_t a = 0;
    for (std::int64_t round = 0; round < rounds; ++round) {
        asm volatile(".rept 64\n add $1, %[a]\n .endr\n" : [a] "+r"(a) : : "cc");
    }
}

#else

void independentAdds(std::int64_t rounds)
{
    std::int64_t a = 0, b = 0, c = 0, d = 0;
    for (std::int64_t round = 0; round < rounds; ++round) {
        for (int k = 0; k < 16; ++k) {
            a += 1, b += 1, c += 1, d += 1;
            asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
        }
    }
}

void dependentAdds(std::int64_t rounds)
{
    std::int64_t a = 0;
    for (std::int64_t round = 0; round < rounds; ++round) {
        for (int k = 0; k < 64; ++k) {
            a += 1;
            asm volatile("" : "+r"(a));
        }
    }
}

#endif

} // namespace nw::runner
