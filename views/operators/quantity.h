#pragma once

#include <QString>

namespace nw::views {

// Three significant digits: "231 M", "1.20 G"; "0" for nothing. Steps of 1000.
QString formatFlops(double flops);
// Three significant digits: "1.57 MiB". Steps of 1024.
QString formatBytes(double bytes);
// "14 %", "~14 %" when estimated, "< 0.1 %" for what would read as nothing.
QString formatTimeShare(double share, bool estimated);

} // namespace nw::views
