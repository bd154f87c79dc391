#pragma once

#include "engine/session/fuzz/case.h"

#include <functional>

namespace nw::session::fuzz {

// A smaller case that still ends the same way: steps left out, their numbers made smaller, layouts made plain, one
// thread, a definition of fewer stages, steps and operations. `stillFails` is asked at most `tries` times; what it is asked
// about may have another definition than the case before.
Case shrink(Case failing, const std::function<bool(const Case&)>& stillFails, int tries = 400);

} // namespace nw::session::fuzz
