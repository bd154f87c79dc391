#pragma once

#include "app/cli/command.h"

namespace nw::app {

// The keys of DESIGN.md 9, the same everywhere.
Json measurementJson(const measure::Measurement& measurement);
// "1.13 ms ± 0.4 %  91.2 % of peak  ..."
std::string measurementText(const measure::Measurement& measurement);

} // namespace nw::app
