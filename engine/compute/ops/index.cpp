#include "engine/compute/ops/index.h"

#include <cctype>
#include <limits>

namespace nw::compute {

Expr scaled(const Expr& e, std::int64_t factor)
{
    return factor == 1 ? e : e * factor;
}

Expr shifted(const Expr& e, std::int64_t distance)
{
    if (distance == 0) {
        return e;
    }
    return distance > 0 ? e + distance : e - (-distance);
}

Expr divided(const Expr& e, std::int64_t divisor)
{
    return divisor == 1 ? e : floorDiv(e, intImm(divisor));
}

Expr added(const Expr& a, const Expr& b)
{
    if (isConst(a, 0)) {
        return b;
    }
    return isConst(b, 0) ? a : a + b;
}

std::vector<Expr> varsOf(const std::vector<Axis>& axes)
{
    std::vector<Expr> vars;
    for (const Axis& axis : axes) {
        vars.push_back(var(axis.name));
    }
    return vars;
}

std::vector<Axis> axesByRank(const std::vector<Expr>& shape)
{
    static constexpr const char* kImage[] = {"n", "c", "h", "w"};
    std::vector<Axis> axes;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        axes.push_back({shape.size() == 4 ? kImage[i] : "d" + std::to_string(i), shape[i]});
    }
    return axes;
}

std::vector<Axis> reductionAxes(const std::vector<Expr>& extents)
{
    std::vector<Axis> axes;
    for (std::size_t i = 0; i < extents.size(); ++i) {
        axes.push_back({"r" + std::to_string(i), extents[i]});
    }
    return axes;
}

bool sameShape(const std::vector<Expr>& a, const std::vector<Expr>& b)
{
    bool same = a.size() == b.size();
    for (std::size_t i = 0; same && i < a.size(); ++i) {
        same = equal(a[i], b[i]);
    }
    return same;
}

std::vector<Expr> broadcastIndices(const std::vector<Expr>& shape, const std::vector<Expr>& full,
                                   const std::vector<Expr>& at)
{
    std::vector<Expr> indices;
    const std::size_t missing = full.size() - shape.size();
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const bool stays = isConst(shape[i], 1) && !isConst(full[missing + i], 1);
        indices.push_back(stays ? intImm(0) : at[missing + i]);
    }
    return indices;
}

Expr flatIndex(const std::vector<Expr>& indices, const std::vector<Expr>& shape)
{
    Expr flat = intImm(0);
    for (std::size_t i = 0; i < indices.size(); ++i) {
        if (isConst(shape[i], 1)) {
            continue; // the index is 0
        }
        flat = isConst(flat, 0) ? indices[i] : added(flat * shape[i], indices[i]);
    }
    return flat;
}

std::vector<Expr> unflattened(const Expr& flat, const std::vector<Expr>& shape)
{
    std::vector<Expr> indices(shape.size());
    Expr below = intImm(1);
    std::size_t outermost = 0; // the first axis that is longer than one needs no modulo
    while (outermost + 1 < shape.size() && isConst(shape[outermost], 1)) {
        ++outermost;
    }
    for (std::size_t i = shape.size(); i-- > 0;) {
        if (isConst(shape[i], 1)) {
            indices[i] = intImm(0);
            continue;
        }
        const Expr above = isConst(below, 1) ? flat : floorDiv(flat, below);
        indices[i] = i == outermost ? above : floorMod(above, shape[i]);
        below = below * shape[i];
    }
    return indices;
}

Expr lowest(DType type)
{
    if (isFloat(type)) {
        return floatImm(-std::numeric_limits<double>::infinity(), type);
    }
    return type == DType::Bool ? boolImm(false)
        : type == DType::I32   ? intImm(std::numeric_limits<std::int32_t>::min(), type)
                               : intImm(std::numeric_limits<std::int64_t>::min(), type);
}

Expr highest(DType type)
{
    if (isFloat(type)) {
        return floatImm(std::numeric_limits<double>::infinity(), type);
    }
    return type == DType::Bool ? boolImm(true)
        : type == DType::I32   ? intImm(std::numeric_limits<std::int32_t>::max(), type)
                               : intImm(std::numeric_limits<std::int64_t>::max(), type);
}

Expr countAs(DType type, const Expr& count)
{
    const std::optional<std::int64_t> value = constInt(count);
    return value ? literal(type, static_cast<double>(*value)) : castTo(type, count);
}

std::string lowerCase(std::string_view text)
{
    std::string lower(text);
    for (char& c : lower) {
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return lower;
}

} // namespace nw::compute
