#include "engine/compute/winograd.h"

#include <cmath>

namespace nw::compute {
namespace {

constexpr double kUlp = 0x1p-23; // of f32

std::int64_t extentOf(const std::vector<Axis>& axes, std::string_view name)
{
    for (const Axis& axis : axes) {
        if (axis.name == name) {
            return constInt(axis.extent).value_or(0);
        }
    }
    return 0;
}

} // namespace

std::optional<WinogradShape> winogradOf(const Definition& definition)
{
    const Stage* const sums = definition.kind == "winograd" ? definition.stage(kWinogradSums) : nullptr;
    if (sums == nullptr || definition.stages.empty()) {
        return std::nullopt;
    }
    const std::vector<Axis>& out = definition.stages.back().spatial;
    return WinogradShape{extentOf(sums->spatial, "a") - 2,
                         extentOf(out, "n"),
                         extentOf(sums->reduction, "ic"),
                         extentOf(out, "oc"),
                         extentOf(out, "oh"),
                         extentOf(out, "ow")};
}

double winogradErrorBound(const WinogradShape& shape, double x, double w)
{
    const std::optional<graph::Winograd> from = graph::winograd(shape.tile);
    ENSURE(from.has_value(), "tiles without matrices");
    const auto channels = static_cast<double>(shape.ic);
    const auto terms = static_cast<double>(from->places());
    const double roundings = (4 + std::sqrt(channels)) * kUlp + (4 * terms + 1) * kUlp / 2;
    return graph::winogradError(*from).worst * 9 * channels * x * w * roundings;
}

} // namespace nw::compute
