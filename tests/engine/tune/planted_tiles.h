#pragma once

#include "tests/support/planted_bench.h"

#include <cmath>
#include <string>

// A space of 147,456 points with one best, which a rule knows.
namespace nw::test {

inline std::string matmul(int m, int n = 512, int k = 256)
{
    const std::string ms = std::to_string(m), ns = std::to_string(n), ks = std::to_string(k);
    return "definition matmul\ninput A f32 [" + ms + ", " + ks + "]\nconstant B f32 [" + ks + ", " + ns + "]\noutput Y f32 [" + ms + ", " + ns
        + "]\nstage matmul -> Y f32 [m:" + ms + ", n:" + ns + "] sum [k:" + ks + "] from 0.0 =\n    A[m, k] * B[k, n]\n";
}

inline constexpr const char* kTiles
    = "knob rows = 1..32\nknob wide = 1..12\nknob deep = 4..64 step 4\nknob rowsUnrolled = switch\nknob wideUnrolled = switch\n"
      "knob threads = switch\nsplit m into mo:_ mi:?rows\nsplit n into no:_ nv:?wide ni:16\nsplit k into ko:_ ki:?deep\n"
      "reorder mo no {ko mi ki | ko ki mi | mi ko ki} nv ni\nvectorize ni\nunroll mi when ?rowsUnrolled\n"
      "unroll nv when ?wideUnrolled\nparallel mo when ?threads\n";
// Loops of too few or too many steps for a vector are refused.
inline constexpr const char* kSometimesRefused
    = "knob rows = 1..32\nknob wide = 1..64\nsplit m into mo:_ mi:?rows\nsplit n into no:_ ni:?wide\nreorder mo no k mi ni\nvectorize ni\n";

inline const std::vector<std::pair<std::string, std::string>> kTilesOnly{{"tiles", kTiles}};

inline tune::Settings settingsFor(std::uint64_t seed, const std::string& search = "evolutionary")
{
    tune::Settings settings;
    settings.seed = seed;
    settings.search = search;
    settings.failuresInRow = 1000;
    return settings;
}

inline constexpr double kTilesBestNs = 1e5;
inline double tilesNs(const std::string& script)
{
    if (!has(script, "nv:")) {
        return 40 * kTilesBestNs;
    }
    double ns = kTilesBestNs;
    ns *= 1 + 0.4 * std::abs(std::log2(numberIn(script, "mi") / 6));
    ns *= 1 + 0.4 * std::abs(std::log2(numberIn(script, "nv") / 2));
    ns *= 1 + 0.2 * std::abs(std::log2(numberIn(script, "ki") / 32));
    ns *= has(script, "unroll mi") ? 1 : 1.8;
    ns *= has(script, "unroll nv") ? 1 : 1.3;
    ns *= has(script, "parallel mo") ? 1 : 1.6;
    ns *= has(script, "ko ki mi nv") ? 1 : 2;
    return ns;
}

} // namespace nw::test
