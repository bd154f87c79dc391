#pragma once

#include "engine/lower/known.h"
#include "engine/lower/lowered.h"

namespace nw::lower {

// Statements under what is known around them; empty when they do nothing.
LBody simplifyBody(const LBody& body, const Known& known);

} // namespace nw::lower
