#include "engine/compute/count_points.h"

#include "engine/base/ensure.h"
#include "engine/base/int_math.h"
#include "engine/base/simplify.h"

#include <algorithm>
#include <map>
#include <set>

namespace nw::compute {
namespace {

struct Line {
    std::vector<std::int64_t> coefficients; // one an axis of the part
    std::int64_t constant = 0;              // coefficients * axes + constant >= 0
};

// Axes that some facts tie together.
struct Part {
    std::set<std::string> names;
    Facts facts;
};

std::vector<Part> partsOf(const Facts& facts)
{
    std::vector<Part> parts;
    for (const Expr& fact : facts) {
        const std::vector<std::string> names = freeVars(fact);
        Part merged{{names.begin(), names.end()}, {fact}};
        for (std::size_t i = parts.size(); i-- > 0;) {
            const bool touches = std::any_of(names.begin(), names.end(),
                                             [&](const std::string& name) { return parts[i].names.count(name) != 0; });
            if (touches) {
                merged.names.insert(parts[i].names.begin(), parts[i].names.end());
                merged.facts.insert(merged.facts.end(), parts[i].facts.begin(), parts[i].facts.end());
                parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
            }
        }
        parts.push_back(std::move(merged));
    }
    return parts;
}

// How many values of the last axis satisfy every line, the others being at `at`.
std::int64_t countInner(const std::vector<Line>& lines, const std::vector<std::int64_t>& at, std::int64_t extent)
{
    std::int64_t low = 0;
    std::int64_t high = extent - 1;
    for (const Line& line : lines) {
        std::int64_t rest = line.constant;
        for (std::size_t i = 0; i < at.size(); ++i) {
            rest += line.coefficients[i] * at[i];
        }
        const std::int64_t slope = line.coefficients.back();
        if (slope > 0) {
            low = std::max(low, ceilDivide(-rest, slope));
        } else if (slope < 0) {
            high = std::min(high, floorDivide(rest, -slope));
        } else if (rest < 0) {
            return 0;
        }
    }
    return std::max<std::int64_t>(high - low + 1, 0);
}

double countPart(const Part& part, const std::map<std::string, std::int64_t>& extents)
{
    std::vector<std::string> names(part.names.begin(), part.names.end());
    std::stable_sort(names.begin(), names.end(), [&](const auto& a, const auto& b) { return extents.at(a) < extents.at(b); });
    std::vector<Line> lines;
    for (const Expr& fact : part.facts) {
        const std::optional<Affine> affine = affineOf(fact);
        if (!affine) {
            continue; // counted as always true
        }
        Line line{{}, affine->constant};
        for (const std::string& name : names) {
            line.coefficients.push_back(affine->coefficient(name));
        }
        lines.push_back(std::move(line));
    }
    if (names.empty()) {
        return std::all_of(lines.begin(), lines.end(), [](const Line& line) { return line.constant >= 0; }) ? 1 : 0;
    }
    std::vector<std::int64_t> at(names.size() - 1);
    double count = 0;
    while (true) {
        count += static_cast<double>(countInner(lines, at, extents.at(names.back())));
        std::size_t axis = at.size();
        while (axis > 0 && ++at[axis - 1] == extents.at(names[axis - 1])) {
            at[--axis] = 0;
        }
        if (axis == 0) {
            return count;
        }
    }
}

} // namespace

double countPoints(const std::vector<Axis>& axes, const Facts& facts)
{
    std::map<std::string, std::int64_t> extents;
    double count = 1;
    for (const Axis& axis : axes) {
        const std::optional<std::int64_t> extent = constInt(axis.extent);
        ENSURE(extent.has_value(), "counting needs the extent of axis " + axis.name);
        extents[axis.name] = *extent;
        count = *extent == 0 ? 0 : count;
    }
    if (count == 0) {
        return 0;
    }
    for (const Part& part : partsOf(facts)) {
        count *= countPart(part, extents);
        for (const std::string& name : part.names) {
            extents.at(name) = 1;
        }
    }
    for (const auto& [name, extent] : extents) {
        count *= static_cast<double>(extent);
    }
    return count;
}

} // namespace nw::compute
