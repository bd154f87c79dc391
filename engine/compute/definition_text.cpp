#include "engine/compute/definition_text.h"

#include "engine/base/text.h"

#include <array>
#include <cmath>

namespace nw::compute {
namespace {

constexpr std::array kPortKinds{PortKind::Input, PortKind::Constant, PortKind::Output};
constexpr std::array kCombiners{Combiner::Sum, Combiner::Prod, Combiner::Max, Combiner::Min};

std::string numberText(double value)
{
    if (std::abs(value) < 1e15 && value == std::floor(value)) {
        return std::to_string(static_cast<std::int64_t>(value));
    }
    return shortestDouble(value);
}

std::string axesText(const std::vector<Axis>& axes)
{
    std::vector<std::string> parts;
    for (const Axis& axis : axes) {
        parts.push_back(axis.name + ":" + toText(axis.extent));
    }
    return "[" + join(parts, ", ") + "]";
}

std::string portText(const Port& port)
{
    std::vector<std::string> extents;
    for (const Expr& extent : port.shape) {
        extents.push_back(toText(extent));
    }
    std::string text = format("{} {} {} [{}]", wordOf(port.kind), port.name, toText(port.type), join(extents, ", "));
    if (port.range) {
        text += format(" range {} {}", numberText(port.range->first), numberText(port.range->second));
    }
    return text + "\n";
}

std::string stageText(const Stage& stage)
{
    std::string text = "stage " + stage.name;
    if (stage.buffer != stage.name) {
        text += " -> " + stage.buffer;
    }
    text += format(" {} {}", toText(stage.type), axesText(stage.spatial));
    if (stage.combiner != Combiner::None) {
        text += format(" {} {} from {}", wordOf(stage.combiner), axesText(stage.reduction), toText(stage.init));
    }
    return text + " = " + toText(stage.body) + "\n";
}

} // namespace

std::string_view wordOf(PortKind kind)
{
    switch (kind) {
    case PortKind::Input:
        return "input";
    case PortKind::Constant:
        return "constant";
    case PortKind::Output:
        return "output";
    }
    return "";
}

std::string_view wordOf(Combiner combiner)
{
    switch (combiner) {
    case Combiner::None:
        return "";
    case Combiner::Sum:
        return "sum";
    case Combiner::Prod:
        return "prod";
    case Combiner::Max:
        return "max";
    case Combiner::Min:
        return "min";
    }
    return "";
}

std::optional<PortKind> portKindOf(std::string_view word)
{
    for (const PortKind kind : kPortKinds) {
        if (wordOf(kind) == word) {
            return kind;
        }
    }
    return std::nullopt;
}

std::optional<Combiner> combinerOf(std::string_view word)
{
    for (const Combiner combiner : kCombiners) {
        if (wordOf(combiner) == word) {
            return combiner;
        }
    }
    return std::nullopt;
}

std::string toText(const Definition& definition)
{
    std::string text = "definition " + definition.kind + "\n";
    for (const Port& port : definition.ports) {
        text += portText(port);
    }
    for (const Stage& stage : definition.stages) {
        text += stageText(stage);
    }
    return text;
}

} // namespace nw::compute
