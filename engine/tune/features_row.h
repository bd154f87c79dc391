#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace nw::tune {

// The numbers of one nest and, only when they are asked for, their names: one function says both, so they stay parallel.
class FeatureRow {
public:
    explicit FeatureRow(bool namesToo)
        : m_namesToo(namesToo)
    {}

    // What the next names begin with: "loop2".
    void section(std::string_view name, int number = -1)
    {
        if (m_namesToo) {
            m_section = std::string(name) + (number < 0 ? "" : std::to_string(number)) + ".";
        }
    }
    void add(std::string_view name, double value)
    {
        constexpr double kMost = 1e30;
        values.push_back(std::isnan(value) ? 0.0F : static_cast<float>(std::clamp(value, -kMost, kMost)));
        if (m_namesToo) {
            names.push_back(m_section + std::string(name));
        }
    }
    // A quantity that spans many sizes.
    void addLarge(std::string_view name, double value) { add(name, std::log2(1 + std::max(0.0, value))); }
    void addFlag(std::string_view name, bool value) { add(name, value ? 1 : 0); }

    std::vector<float> values;
    std::vector<std::string> names;

private:
    bool m_namesToo;
    std::string m_section;
};

// 0 where there is nothing to divide by.
inline double shareOf(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

} // namespace nw::tune
