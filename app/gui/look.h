#pragma once

#include "app/gui/settings.h"

namespace nw::app {

// Colours, style and font of the whole application, from the settings and (System) the desktop's own palette.
void applyLook();
bool isDark();

} // namespace nw::app
