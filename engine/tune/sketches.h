#pragma once

#include "engine/base/result.h"
#include "engine/schedule/script.h"
#include "engine/schedule/task.h"

#include <set>
#include <string>
#include <vector>

namespace nw::tune {

// A script with knobs that was made from a task alone, without a template: what the tuner starts from where no expert has
// been. Each is replayed with its knobs at their defaults before it is given.
struct Sketch {
    std::string name; // "tiles", "tiles, packed weights", "partial sums" ...: unique among those of a task
    std::string script;
};
// Different structures (multi-level tiling with sums in registers, copies of inputs near the tile, placement of producers and
// epilogues, partial sums, layouts of constants, threads), best guess first; never empty for a task whose nest has a loop.
std::vector<Sketch> sketchesFor(const schedule::Task& task, const schedule::LoopNest& initial);

// A person's schedule as a space: each number that may vary (split factors and tile sizes) becomes a knob around its value,
// whose default is that value; numbers of steps on loops in `fixed` (or of loops made from those) stay. Comments stay.
// Refused where the script does not replay.
Result<std::string> seededFrom(const schedule::Task& task, const schedule::LoopNest& initial, const std::string& script,
                               const std::set<std::string>& fixed);

} // namespace nw::tune
