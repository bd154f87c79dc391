#include "engine/compute/ops/window.h"

namespace nw::compute {
namespace {

// o * stride + k * dilation of one axis.
Expr reach(const Window& window, std::size_t i)
{
    const Expr start = scaled(var(window.out[i].name), window.strides[i]);
    return added(start, scaled(var(window.taps[i].name), window.dilations[i]));
}

// Largest value of reach, when the extents are known.
std::optional<std::int64_t> furthest(const Window& window, std::size_t i)
{
    const std::optional<std::int64_t> out = constInt(window.out[i].extent);
    const std::optional<std::int64_t> taps = constInt(window.taps[i].extent);
    if (!out || !taps) {
        return std::nullopt;
    }
    return (*out - 1) * window.strides[i] + (*taps - 1) * window.dilations[i];
}

// ceil(e / divisor) of an expression, clamped below at 0.
Expr tapsUpTo(const Expr& distance, std::int64_t dilation)
{
    return divided(shifted(distance, dilation - 1), dilation);
}

} // namespace

std::vector<Expr> Window::places() const
{
    std::vector<Expr> result;
    for (std::size_t i = 0; i < rank(); ++i) {
        result.push_back(shifted(reach(*this, i), -before[i]));
    }
    return result;
}

std::vector<Expr> Window::guards() const
{
    std::vector<Expr> result;
    for (std::size_t i = 0; i < rank(); ++i) {
        if (before[i] > 0) {
            result.push_back(binary(BinaryOp::Ge, reach(*this, i), intImm(before[i])));
        }
        const std::optional<std::int64_t> last = furthest(*this, i);
        const std::optional<std::int64_t> extent = constInt(in[i]);
        if (!last || !extent || *last - before[i] >= *extent) {
            result.push_back(lessThan(reach(*this, i), shifted(in[i], before[i])));
        }
    }
    return result;
}

Expr Window::guarded(const Expr& read, const Expr& otherwise) const
{
    const std::vector<Expr> conditions = guards();
    return conditions.empty() ? read : select(allOf(conditions), read, otherwise);
}

Expr Window::tapCount(bool countPads) const
{
    Expr count = intImm(1);
    for (std::size_t i = 0; i < rank(); ++i) {
        const Expr start = scaled(var(out[i].name), strides[i]);
        const std::int64_t end = countPads ? before[i] + after[i] : before[i];
        const std::optional<std::int64_t> last = furthest(*this, i);
        const std::optional<std::int64_t> extent = constInt(in[i]);
        Expr high = taps[i].extent;
        if (!last || !extent || *last >= *extent + end) {
            high = binary(BinaryOp::Min, high, tapsUpTo(shifted(in[i], end) - start, dilations[i]));
        }
        if (before[i] > 0 && !countPads) {
            const Expr low = tapsUpTo(intImm(before[i]) - start, dilations[i]);
            high = high - binary(BinaryOp::Max, low, intImm(0));
        }
        count = isConst(count, 1) ? high : count * high;
    }
    return count;
}

Result<Window> makeWindow(const OpContext& context, const std::vector<std::int64_t>& kernel)
{
    static constexpr const char* kAxes[] = {"d", "h", "w"};
    const std::size_t rank = kernel.size();
    const std::vector<Expr>& shape = context.inputShape(0);
    if (rank < 1 || rank > 3 || shape.size() != rank + 2) {
        return context.refusal("only windows over one, two or three spatial axes have a kernel");
    }
    const graph::Attributes& attributes = context.attributes();
    const std::vector<std::int64_t> pads =
        attributes.integers("pads", std::vector<std::int64_t>(2 * rank, 0));
    Window window;
    window.strides = attributes.integers("strides", std::vector<std::int64_t>(rank, 1));
    window.dilations = attributes.integers("dilations", std::vector<std::int64_t>(rank, 1));
    if (pads.size() != 2 * rank || window.strides.size() != rank || window.dilations.size() != rank) {
        return context.refusal("pads, strides and dilations do not fit the number of spatial axes");
    }
    for (std::size_t i = 0; i < rank; ++i) {
        const std::string axis = kAxes[3 - rank + i];
        window.out.push_back({"o" + axis, context.outputShape(0)[i + 2]});
        window.taps.push_back({"k" + axis, intImm(kernel[i])});
        window.in.push_back(shape[i + 2]);
        window.before.push_back(pads[i]);
        window.after.push_back(pads[rank + i]);
    }
    return window;
}

} // namespace nw::compute
