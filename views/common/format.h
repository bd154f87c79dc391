#pragma once

#include <QString>

#include <cstdint>
#include <string>

namespace nw::views {

// Three significant digits and a unit: "1.23 ms", "845 us", "12.0 ns".
QString formatTime(double nanoseconds);
// "4.1 %"
QString formatShare(double share);
// Up to three significant digits: "512 B", "24 KiB", "1.8 MiB".
QString shortBytes(std::int64_t bytes);
QString csvQuoted(QString text); // a cell of a table as text: in quotes, without line ends
QString fromStd(const std::string& text);
std::string toStd(const QString& text);

} // namespace nw::views
