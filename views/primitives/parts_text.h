#pragma once

#include "engine/schedule/loop_nest.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nw::views {

// The parts of loops as a form has them: extents as written, "_" inferred. Parts are dealt out to the loops in turn: with
// two loops the first and third belong to the first.
struct PartText {
    std::string name, extent;
    bool operator==(const PartText&) const = default;
};
std::vector<PartText> readParts(const std::string& words);
std::string writeParts(const std::vector<PartText>& parts);
std::optional<std::int64_t> plainNumber(const std::string& text);
std::optional<std::int64_t> extentOf(const schedule::LoopNest& nest, const std::string& loop);

// The same parts for other loops, under fresh names.
std::vector<PartText> dealtAnew(const std::vector<PartText>& parts, const std::vector<std::string>& from,
                                const std::vector<std::string>& to, const schedule::LoopNest& nest);

// What the parts make of one loop: 28 = 4 x 7, or the steps of its last round.
struct PartSum {
    std::int64_t extent = 0;
    std::vector<std::int64_t> factors; // outermost first
    std::int64_t tail = 0;             // steps of the last, incomplete round; 0: no tail
    bool covers = true;
};
// Nothing when an extent is not a plain number yet.
std::optional<PartSum> sumOf(const std::vector<PartText>& parts, std::size_t loop, std::size_t loops, std::int64_t extent);

} // namespace nw::views
