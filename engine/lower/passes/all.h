#pragma once

#include "engine/lower/pass.h"

namespace nw::lower {

// One a file of the same name.
extern const Pass buildStatements, placeBuffers, zeroPadding, skipPadding, hoistGuards, splitGuards, peelLoops,
    placePrefetches, simplifyProgram, checkCode;

} // namespace nw::lower
