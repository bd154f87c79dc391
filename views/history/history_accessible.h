#pragma once

namespace nw::views {

// Makes each station of a HistoryStrip an item of a list for assistive technology.
void installHistoryAccessible();

} // namespace nw::views
