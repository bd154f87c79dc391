#pragma once

#include "engine/tune/sketches/draft.h"
#include "engine/tune/sketches/view.h"

#include <set>
#include <string>
#include <vector>

namespace nw::tune::sketches {

// Indices into the view's loops: those inside of `home`, where the block was placed; all of them when that is empty.
std::vector<std::size_t> ownLoops(const BlockView& view, const std::string& home);
// A stage that was placed at `home`: vectors along an axis of whole vectors, the steps of choices inside of all others and
// unrolled. What it writes is laid along the vectors, but for buffers in `laid`.
void scheduleStage(Draft& draft, const std::string& block, const std::string& home, const std::set<std::string>& laid);
// Loops inside of `home` whose steps decide which side of a choice is taken: unrolled, nothing is left of the choice.
void unrollChoices(Draft& draft, const std::string& block, const std::string& home);

} // namespace nw::tune::sketches
