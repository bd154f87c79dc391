#include "engine/compute/merge_pixels.h"

#include "engine/base/simplify.h"

#include <algorithm>

namespace nw::compute {
namespace {

constexpr std::size_t kHeight = 2, kWidth = 3; // of four axes

struct Pixels {
    std::int64_t height = 0, width = 0;
};

std::optional<Pixels> pixelsOf(const Stage& stage)
{
    if (stage.spatial.size() != 4 || stage.spatial[kHeight].name != "oh" || stage.spatial[kWidth].name != "ow") {
        return std::nullopt;
    }
    const std::optional<std::int64_t> height = constInt(stage.spatial[kHeight].extent), width = constInt(stage.spatial[kWidth].extent);
    return height && width ? std::optional(Pixels{*height, *width}) : std::nullopt;
}

bool hasWindowOfOne(const Stage& stage)
{
    return stage.combiner == Combiner::Sum && std::all_of(stage.reduction.begin(), stage.reduction.end(), [](const Axis& axis) {
        return axis.name == "ic" || isConst(axis.extent, 1);
    });
}

bool hasSize(const std::vector<std::int64_t>& shape, const Pixels& pixels)
{
    return shape.size() == 4 && shape[kHeight] == pixels.height && shape[kWidth] == pixels.width;
}

// Reads the pixel that is written, of a tensor of the same size, or nothing that has pixels.
bool readsItsPixel(const Definition& definition, const Load& read, const Pixels& pixels, const Ranges& ones)
{
    const std::optional<std::vector<std::int64_t>> shape = definition.staticShape(read.buffer);
    const bool isSame = shape && hasSize(*shape, pixels) && equal(simplify(read.indices[kHeight], ones), var("oh"))
        && equal(simplify(read.indices[kWidth], ones), var("ow"));
    return isSame || std::none_of(read.indices.begin(), read.indices.end(), [](const Expr& index) {
        return usesVar(index, "oh") || usesVar(index, "ow");
    });
}

// Whether the body uses the pixel only to say where it reads.
bool fits(const Definition& definition, const Stage& stage, const Pixels& pixels)
{
    const Ranges ones{{"kh", Interval::ofExtent(1)}, {"kw", Interval::ofExtent(1)}};
    bool all = true;
    walk(stage.body, [&](const Expr& part) {
        if (const Load* read = part->as<Load>()) {
            all = all && readsItsPixel(definition, *read, pixels, ones);
            return false;
        }
        const auto* name = part->as<Var>();
        all = all && (name == nullptr || (name->name != "oh" && name->name != "ow"));
        return all;
    });
    return all;
}

} // namespace

bool keepsRowsTogether(const Layout& layout)
{
    const IndexMap& map = layout.map;
    if (!layout.border.empty() || (!map.axes.empty() && map.axes.size() != 4)) {
        return layout.isPlain();
    }
    if (map.axes.empty()) {
        return true;
    }
    const std::string& height = map.axes[kHeight];
    const std::string& width = map.axes[kWidth];
    std::size_t uses = 0, row = map.out.size();
    for (std::size_t i = 0; i < map.out.size(); ++i) {
        uses += usesVar(map.out[i], height) || usesVar(map.out[i], width) ? 1 : 0;
        row = equal(map.out[i], var(height)) ? i : row;
    }
    return uses == 2 && row + 1 < map.out.size() && equal(map.out[row + 1], var(width));
}

Definition withPixelsInARow(Definition definition)
{
    const std::optional<Pixels> pixels = definition.kind == "conv" ? pixelsOf(definition.stages.front()) : std::nullopt;
    if (!pixels || pixels->height < 2 || !hasWindowOfOne(definition.stages.front())) {
        return definition;
    }
    for (const Stage& stage : definition.stages) {
        const std::optional<Pixels> own = pixelsOf(stage);
        const bool isLater = &stage != &definition.stages.front();
        if (!own || own->height != pixels->height || own->width != pixels->width || (isLater && stage.combiner != Combiner::None)
            || !fits(definition, stage, *pixels)) {
            return definition;
        }
    }
    for (const Port& port : definition.ports) {
        const std::optional<std::vector<std::int64_t>> shape = definition.staticShape(port.name);
        if (!shape || (port.kind == PortKind::Constant && hasSize(*shape, *pixels))) {
            return definition;
        }
    }
    const auto intoRow = [&](Expr& height, Expr& width) {
        height = intImm(1);
        width = intImm(pixels->height * pixels->width);
    };
    for (Port& port : definition.ports) {
        if (hasSize(*definition.staticShape(port.name), *pixels)) {
            intoRow(port.shape[kHeight], port.shape[kWidth]);
        }
    }
    for (Stage& stage : definition.stages) {
        intoRow(stage.spatial[kHeight].extent, stage.spatial[kWidth].extent);
    }
    return definition;
}

} // namespace nw::compute
