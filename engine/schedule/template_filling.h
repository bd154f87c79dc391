#pragma once

#include "engine/schedule/templates.h"

namespace nw::schedule {

// The template's text with its marks and prefixes answered for a task, and every step tried: see templates.h.
Result<std::string> fillTemplate(const Template& from, const Task& task, const LoopNest& initial);

} // namespace nw::schedule
