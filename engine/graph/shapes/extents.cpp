#include "engine/graph/shapes/extents.h"

#include "engine/base/simplify.h"
#include "engine/base/text.h"

#include <algorithm>

namespace nw::graph {
namespace {

// coefficient * product of factors that are no literals.
struct Monomial {
    std::int64_t coefficient = 1;
    std::vector<Expr> factors;
};

bool multiply(Monomial& into, const Expr& e)
{
    if (const auto value = constInt(e)) {
        return !__builtin_mul_overflow(into.coefficient, *value, &into.coefficient) &&
               into.coefficient <= (std::int64_t{1} << 62);
    }
    if (const auto* product = e->as<Binary>(); product != nullptr && product->op == BinaryOp::Mul) {
        return multiply(into, product->a) && multiply(into, product->b);
    }
    into.factors.push_back(e);
    return true;
}

std::optional<Monomial> monomialOf(std::span<const Expr> extents)
{
    Monomial out;
    if (std::any_of(extents.begin(), extents.end(), [](const Expr& e) { return isConst(e, 0); })) {
        out.coefficient = 0;
        return out;
    }
    for (const Expr& extent : extents) {
        if (!multiply(out, extent)) {
            return std::nullopt;
        }
    }
    return out;
}

Expr exprOf(Monomial monomial)
{
    std::sort(monomial.factors.begin(), monomial.factors.end(),
        [](const Expr& a, const Expr& b) { return toText(a) < toText(b); });
    if (monomial.factors.empty() || monomial.coefficient == 0) {
        return intImm(monomial.coefficient);
    }
    Expr out = monomial.factors.front();
    for (std::size_t i = 1; i < monomial.factors.size(); ++i) {
        out = out * monomial.factors[i];
    }
    return simplifyExtent(monomial.coefficient == 1 ? out : out * monomial.coefficient);
}

Ranges rangesOf(const Expr& e)
{
    Ranges ranges;
    for (const std::string& name : freeVars(e)) {
        ranges[name] = {1, Interval::kPlusInf};
    }
    return ranges;
}

} // namespace

Extents extentsOf(const std::vector<std::int64_t>& values)
{
    Extents out;
    for (const std::int64_t value : values) {
        out.push_back(intImm(value));
    }
    return out;
}

std::optional<std::vector<std::int64_t>> literalsOf(std::span<const Expr> extents)
{
    std::vector<std::int64_t> out;
    for (const Expr& extent : extents) {
        const auto value = constInt(extent);
        if (!value) {
            return std::nullopt;
        }
        out.push_back(*value);
    }
    return out;
}

Expr simplifyExtent(const Expr& extent)
{
    if (constInt(extent) || extent->as<Var>() != nullptr) {
        return extent;
    }
    return simplify(extent, rangesOf(extent));
}

bool sameExtent(const Expr& a, const Expr& b)
{
    if (a == b || equal(a, b)) {
        return true;
    }
    if (constInt(a) && constInt(b)) {
        return false;
    }
    return isConst(simplifyExtent(a - b), 0);
}

std::string shapeText(std::span<const Expr> extents)
{
    std::vector<std::string> parts;
    for (const Expr& extent : extents) {
        parts.push_back(toText(extent));
    }
    return "[" + join(parts, ", ") + "]";
}

std::string symbolsText(std::span<const Expr> extents)
{
    std::vector<std::string> names;
    for (const Expr& extent : extents) {
        for (std::string& name : freeVars(extent)) {
            if (std::find(names.begin(), names.end(), name) == names.end()) {
                names.push_back(std::move(name));
            }
        }
    }
    return join(names, ", ");
}

std::optional<Expr> productOf(std::span<const Expr> extents)
{
    const auto product = monomialOf(extents);
    return product ? std::optional(exprOf(*product)) : std::nullopt;
}

std::optional<Expr> quotientOf(std::span<const Expr> total, std::span<const Expr> by)
{
    std::optional<Monomial> left = monomialOf(total);
    const std::optional<Monomial> right = monomialOf(by);
    if (!left || !right || right->coefficient == 0 || left->coefficient % right->coefficient != 0) {
        return std::nullopt;
    }
    left->coefficient /= right->coefficient;
    for (const Expr& factor : right->factors) {
        const auto same = [&](const Expr& other) { return sameExtent(factor, other); };
        const auto found = std::find_if(left->factors.begin(), left->factors.end(), same);
        if (found == left->factors.end()) {
            return std::nullopt;
        }
        left->factors.erase(found);
    }
    return exprOf(*left);
}

Result<Extents> broadcastExtents(const Extents& a, const Extents& b)
{
    const std::size_t rank = std::max(a.size(), b.size());
    Extents out(rank);
    for (std::size_t i = 1; i <= rank; ++i) {
        const Expr one = intImm(1);
        const Expr& x = i <= a.size() ? a[a.size() - i] : one;
        const Expr& y = i <= b.size() ? b[b.size() - i] : one;
        Expr& result = out[rank - i];
        if (isConst(x, 1) || sameExtent(x, y)) {
            result = y;
        } else if (isConst(y, 1)) {
            result = x;
        } else if (constInt(x) && constInt(y)) {
            return failed(format("shapes {} and {} do not broadcast", shapeText(a), shapeText(b)));
        } else if (constInt(x) || constInt(y)) {
            // An extent against a symbol: the symbol can only be 1 or that extent.
            result = constInt(x) ? x : y;
        } else {
            return failed(format("whether shapes {} and {} broadcast cannot be told; bind {}", shapeText(a), shapeText(b),
                symbolsText(Extents{x, y})));
        }
    }
    return out;
}

Status checkBroadcastTo(const Extents& from, const Extents& to)
{
    const Result<Extents> both = broadcastExtents(from, to);
    if (!both) {
        return both.error();
    }
    if (both->size() != to.size() || !std::equal(to.begin(), to.end(), both->begin(), sameExtent)) {
        return failed(format("shape {} does not broadcast to {}", shapeText(from), shapeText(to)));
    }
    return Done{};
}

Status checkSame(const Expr& a, const Expr& b, std::string_view what)
{
    if (sameExtent(a, b)) {
        return Done{};
    }
    if (constInt(a) && constInt(b)) {
        return failed(format("{} differ: {} and {}", what, toText(a), toText(b)));
    }
    return failed(format("{} must be equal, and {} and {} cannot be shown to be; bind {}", what, toText(a), toText(b),
        symbolsText(Extents{a, b})));
}

Result<std::int64_t> axisOf(std::int64_t axis, std::size_t rank)
{
    const auto n = static_cast<std::int64_t>(rank);
    if (axis < -n || axis >= n) {
        return failed(format("axis {} is outside the rank {} of its input", axis, n));
    }
    return axis < 0 ? axis + n : axis;
}

} // namespace nw::graph
