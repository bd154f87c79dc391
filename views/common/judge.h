#pragma once

#include "engine/session/editing.h"

#include <functional>
#include <string>

namespace nw::views {

// Would this step be allowed here, and what would the nest be? Given by whoever puts the window together; well under a
// millisecond.
using Judge = std::function<session::Editing::Judged(const std::string& step)>;

} // namespace nw::views
