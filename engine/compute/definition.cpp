#include "engine/compute/definition.h"

#include "engine/base/hash.h"

#include <algorithm>

namespace nw::compute {

const Port* Definition::port(std::string_view name) const
{
    const auto found = std::find_if(ports.begin(), ports.end(), [&](const Port& p) { return p.name == name; });
    return found == ports.end() ? nullptr : &*found;
}

const Stage* Definition::stage(std::string_view name) const
{
    const auto found = std::find_if(stages.begin(), stages.end(), [&](const Stage& s) { return s.name == name; });
    return found == stages.end() ? nullptr : &*found;
}

const Stage* Definition::writerOf(std::string_view buffer) const
{
    const auto found =
        std::find_if(stages.begin(), stages.end(), [&](const Stage& s) { return s.buffer == buffer; });
    return found == stages.end() ? nullptr : &*found;
}

std::optional<std::vector<std::int64_t>> Definition::staticShape(std::string_view buffer) const
{
    std::vector<Expr> extents;
    if (const Port* const found = port(buffer)) {
        extents = found->shape;
    } else if (const Stage* const writer = writerOf(buffer)) {
        for (const Axis& axis : writer->spatial) {
            extents.push_back(axis.extent);
        }
    } else {
        return std::nullopt;
    }
    std::vector<std::int64_t> shape;
    for (const Expr& extent : extents) {
        const std::optional<std::int64_t> value = constInt(extent);
        if (!value) {
            return std::nullopt;
        }
        shape.push_back(*value);
    }
    return shape;
}

std::string identity(const Definition& definition)
{
    return contentHash(toText(definition));
}

} // namespace nw::compute
