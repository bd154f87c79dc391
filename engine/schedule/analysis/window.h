#pragma once

#include "engine/schedule/analysis/region.h"
#include "engine/schedule/loop_nest.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace nw::schedule {

// The box of a buffer that one iteration of a loop touches, a dimension each.
struct Window {
    Expr base;               // over loops that are fixed in the iteration; may be negative where reads are guarded
    std::int64_t extent = 1;
    bool whole = false;      // all of the dimension: base 0; also where nothing better is known
};

// A block with the loops around it.
using Place = LoopNest::Path;
// All blocks that touch the buffer.
std::vector<Place> usersOf(const LoopNest& nest, const std::string& buffer);
// Loops around all of these blocks, outermost first.
std::vector<const Loop*> loopsAroundAll(const std::vector<Place>& places);

// Hull of what the blocks, which all stand inside of the loop `at`, read and write of the buffer.
std::vector<Window> windowsOf(const Buffer& buffer, const std::vector<Place>& users, const std::string& at,
                              const Ranges& ranges);
std::int64_t elementsOf(const std::vector<Window>& windows);

// The block with its accesses of `buffer` counted from the windows' bases; they go to the buffer `to`. `inside` are the
// loops around the block that stand inside of the windows' loop.
Block intoWindow(Block block, const std::string& buffer, const std::string& to, const std::vector<Window>& windows,
                 const std::set<std::string>& inside, const Ranges& ranges);

} // namespace nw::schedule
