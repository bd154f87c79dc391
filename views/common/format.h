#pragma once

#include <QString>

#include <string>

namespace nw::views {

// Three significant digits and a unit: "1.23 ms", "845 us", "12.0 ns".
QString formatTime(double nanoseconds);
// "4.1 %"
QString formatShare(double share);
QString fromStd(const std::string& text);
std::string toStd(const QString& text);

} // namespace nw::views
