#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nw::views {

// The loops that a line of code belongs to, outermost first. `opens`: the line begins the last of them.
struct LineLink {
    std::vector<std::string> loops;
    bool opens = false;

    bool operator==(const LineLink&) const = default;
};
using LineLinks = std::vector<LineLink>; // one a line

// The loop nest and the lowered program, whose bodies stand deeper than the line that opens the loop. A loop that only
// sets starting values ("owi.init") counts as the loop it was made for ("owi").
LineLinks linkIndented(std::string_view text);
// The definition: a stage belongs to the axes it goes over, as far as loops still have their names.
LineLinks linkDefinition(std::string_view text);

// Helpers of the other texts.
std::vector<std::string_view> linesOf(std::string_view text);
std::size_t indentOf(std::string_view line);

// A line that opens a loop: "for ic in 0..64", "unrolled owi in 0..4 (tail)", "oco in 0..4 with conv.reg f32[64]".
struct OpenedLoop {
    std::string name; // empty: the line opens none
    std::string kind; // "for", "parallel", "vector", "unrolled"; empty: not said
    long long extent = 0;
};
OpenedLoop openedLoop(std::string_view line);

} // namespace nw::views
