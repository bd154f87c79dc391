#include "app/cli/command.h"

#include "engine/base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace nw::app {
namespace {

std::string scaled(double value, const std::vector<const char*>& units, double step)
{
    std::size_t unit = 0;
    while (unit + 1 < units.size() && std::abs(value) >= step * 0.9995) {
        value /= step;
        ++unit;
    }
    const double size = std::abs(value);
    const int decimals = size >= 99.95 || (unit == 0 && value == std::floor(value)) ? 0 : size >= 9.995 ? 1 : 2;
    return format("{:.{}f}{}", value, decimals, units[unit]);
}

bool looksNumeric(const std::string& cell)
{
    return cell.empty() || std::isdigit(static_cast<unsigned char>(cell[0])) || cell[0] == '-' || cell[0] == '.';
}

// Width in characters of UTF-8 text.
std::size_t widthOf(const std::string& text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

} // namespace

std::string timeText(double nanoseconds)
{
    return scaled(nanoseconds, {" ns", " us", " ms", " s"}, 1000);
}
std::string percentText(double share)
{
    return format("{:.1f} %", share * 100);
}
std::string countText(double value)
{
    return scaled(value, {"", " k", " M", " G", " T"}, 1000);
}
std::string bytesText(std::int64_t bytes)
{
    return scaled(static_cast<double>(bytes), {" B", " KiB", " MiB", " GiB", " TiB"}, 1024);
}

std::string tableText(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows)
{
    std::vector<std::size_t> widths;
    std::vector<bool> numeric(header.size(), true);
    for (const std::string& cell : header) {
        widths.push_back(widthOf(cell));
    }
    for (const std::vector<std::string>& row : rows) {
        for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i) {
            widths[i] = std::max(widths[i], widthOf(row[i]));
            numeric[i] = numeric[i] && looksNumeric(row[i]);
        }
    }
    std::string text;
    const auto addRow = [&](const std::vector<std::string>& row) {
        std::string line;
        for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i) {
            const std::string padding(widths[i] - widthOf(row[i]), ' ');
            line += (i > 0 ? "  " : "") + (numeric[i] ? padding + row[i] : row[i] + padding);
        }
        while (line.ends_with(' ')) {
            line.pop_back();
        }
        text += line + "\n";
    };
    addRow(header);
    for (const std::vector<std::string>& row : rows) {
        addRow(row);
    }
    return text;
}

} // namespace nw::app
