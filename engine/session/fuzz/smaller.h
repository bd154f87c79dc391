#pragma once

#include "engine/session/fuzz/case.h"

#include <vector>

namespace nw::session::fuzz {

// The same script, but for the names that loops have then, over definitions that are one stage, some steps of an axis or
// one operation smaller; each is sound. The boldest come first.
std::vector<Case> withFewerStages(const Case& one);
std::vector<Case> withSmallerExtents(const Case& one);
std::vector<Case> withSimplerBodies(const Case& one);

} // namespace nw::session::fuzz
