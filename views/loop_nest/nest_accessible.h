#pragma once

namespace nw::views {

// Lets assistive tools read the rows of every LoopNestView. Once is enough.
void installNestAccessible();

} // namespace nw::views
