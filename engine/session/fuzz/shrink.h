#pragma once

#include "engine/session/fuzz/case.h"

#include <functional>

namespace nw::session::fuzz {

// A smaller case that still ends the same way: steps left out, their numbers made smaller, layouts made plain, one
// thread. `stillFails` is asked at most `tries` times.
Case shrink(Case failing, const std::function<bool(const Case&)>& stillFails, int tries = 300);

} // namespace nw::session::fuzz
