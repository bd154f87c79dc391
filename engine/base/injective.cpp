#include "engine/base/injective.h"

#include "engine/base/int_math.h"
#include "engine/base/overloaded.h"

#include <algorithm>
#include <map>

namespace nw {
namespace {

constexpr std::int64_t kMostPoints = std::int64_t{1} << 24;
constexpr std::int64_t kMostMarks = std::int64_t{1} << 30;

// floor(axis / from) % (to / from): the digit between two weights of an axis.
struct Digit {
    std::string axis;
    std::int64_t from = 1;
    std::int64_t to = 0; // 0: no upper end
};

std::optional<Digit> digitOf(const Expr& e)
{
    if (const auto* name = e->as<Var>()) {
        return Digit{name->name, 1, 0};
    }
    const auto* n = e->as<Binary>();
    const std::optional<std::int64_t> by = n != nullptr ? constInt(n->b) : std::nullopt;
    const std::optional<Digit> inner = by && *by > 0 ? digitOf(n->a) : std::nullopt;
    if (!inner) {
        return std::nullopt;
    }
    const std::optional<std::int64_t> weight = checkedMul(inner->from, *by);
    if (!weight) {
        return std::nullopt;
    }
    if (n->op == BinaryOp::FloorDiv) {
        const bool divides = inner->to == 0 || inner->to % *weight == 0;
        return divides ? std::optional(Digit{inner->axis, *weight, inner->to}) : std::nullopt;
    }
    if (n->op == BinaryOp::FloorMod) {
        const bool divides = inner->to == 0 || inner->to % *weight == 0;
        return divides ? std::optional(Digit{inner->axis, inner->from, *weight}) : std::nullopt;
    }
    return std::nullopt;
}

// Terms of a sum as (expression, coefficient); nothing when a part is no product by a literal.
bool collectTerms(const Expr& e, std::int64_t factor, std::vector<std::pair<Expr, std::int64_t>>& terms)
{
    if (constInt(e)) {
        return true;
    }
    const auto* n = e->as<Binary>();
    if (n != nullptr && n->op == BinaryOp::Add) {
        return collectTerms(n->a, factor, terms) && collectTerms(n->b, factor, terms);
    }
    if (n != nullptr && n->op == BinaryOp::Mul) {
        const std::optional<std::int64_t> by = constInt(n->b);
        const std::optional<std::int64_t> product = by ? checkedMul(factor, *by) : std::nullopt;
        return product && collectTerms(n->a, *product, terms);
    }
    terms.emplace_back(e, factor);
    return true;
}

// Adds the digits of one memory index when they can be read back from its value.
bool addDigits(const Expr& e, const Ranges& ranges, std::map<std::string, std::vector<Digit>>& digits)
{
    std::vector<std::pair<Expr, std::int64_t>> terms;
    if (!collectTerms(e, 1, terms)) {
        return false;
    }
    std::sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    std::vector<Digit> found;
    std::int64_t reach = 0; // largest value of the terms so far
    for (const auto& [term, coefficient] : terms) {
        const std::optional<Digit> digit = digitOf(term);
        const Interval bounds = boundsOf(term, ranges);
        if (!digit || coefficient <= reach || bounds.low < 0) {
            return false;
        }
        const std::optional<std::int64_t> most = checkedMul(coefficient, bounds.high);
        const std::optional<std::int64_t> sum = most ? checkedAdd(reach, *most) : std::nullopt;
        if (!sum) {
            return false;
        }
        reach = *sum;
        found.push_back(*digit);
    }
    for (Digit& digit : found) {
        digits[digit.axis].push_back(std::move(digit));
    }
    return true;
}

bool coversAxis(std::vector<Digit> digits, std::int64_t extent)
{
    std::sort(digits.begin(), digits.end(), [](const Digit& a, const Digit& b) { return a.from < b.from; });
    std::int64_t known = 1; // the axis is known modulo this
    for (const Digit& digit : digits) {
        if (digit.from > known || known % digit.from != 0) {
            return false;
        }
        if (digit.to == 0) {
            return true;
        }
        if (digit.to > known) {
            if (digit.to % known != 0) {
                return false;
            }
            known = digit.to;
        }
    }
    return known >= extent;
}

bool isMadeOfDigits(const IndexMap& map, const std::vector<std::int64_t>& extents)
{
    Ranges ranges;
    for (std::size_t i = 0; i < extents.size(); ++i) {
        ranges.emplace(map.axes[i], Interval::ofExtent(extents[i]));
    }
    std::map<std::string, std::vector<Digit>> digits;
    for (const Expr& e : map.out) {
        addDigits(simplify(e, ranges), ranges, digits); // an index that shows no digits may be unnecessary
    }
    for (std::size_t i = 0; i < extents.size(); ++i) {
        if (extents[i] > 1 && !coversAxis(digits[map.axes[i]], extents[i])) {
            return false;
        }
    }
    return true;
}

// Value at a point; nothing where it is undefined or no index arithmetic.
class Evaluator {
public:
    explicit Evaluator(const std::vector<std::string>& axes)
    {
        for (std::size_t i = 0; i < axes.size(); ++i) {
            m_places.emplace(axes[i], i);
        }
    }

    std::optional<std::int64_t> value(const Expr& e, const std::vector<std::int64_t>& point) const
    {
        using Value = std::optional<std::int64_t>;
        return std::visit(overloaded{
                              [](const IntImm& n) { return Value(n.value); },
                              [](const FloatImm&) { return Value(); },
                              [&](const Var& n) { return Value(point[m_places.at(n.name)]); },
                              [&](const Unary& n) { return folded(value(n.a, point), [&](Expr a) { return unary(n.op, std::move(a)); }, n.a->type()); },
                              [&](const Binary& n) { return ofBinary(n, point); },
                              [&](const Select& n) {
                                  const Value condition = value(n.condition, point);
                                  return condition ? value(*condition != 0 ? n.yes : n.no, point) : Value();
                              },
                              [&](const CastTo& n) { return isInteger(e->type()) ? value(n.a, point) : Value(); },
                              [](const Load&) { return Value(); },
                          },
                          e->kind());
    }

private:
    template <typename Make>
    static std::optional<std::int64_t> folded(std::optional<std::int64_t> a, const Make& makeExpr, DType type)
    {
        return a ? constInt(simplify(makeExpr(intImm(*a, type)))) : std::nullopt;
    }

    std::optional<std::int64_t> ofBinary(const Binary& n, const std::vector<std::int64_t>& point) const
    {
        const std::optional<std::int64_t> a = value(n.a, point);
        const std::optional<std::int64_t> b = value(n.b, point);
        if (!a || !b) {
            return std::nullopt;
        }
        switch (n.op) { // the common ones without making nodes
        case BinaryOp::Add: return checkedAdd(*a, *b);
        case BinaryOp::Sub: return checkedSub(*a, *b);
        case BinaryOp::Mul: return checkedMul(*a, *b);
        case BinaryOp::FloorDiv: return canDivide(*a, *b) ? std::optional(floorDivide(*a, *b)) : std::nullopt;
        case BinaryOp::FloorMod: return canDivide(*a, *b) ? std::optional(floorModulo(*a, *b)) : std::nullopt;
        default: return constInt(binary(n.op, intImm(*a, n.a->type()), intImm(*b, n.b->type())));
        }
    }

    std::map<std::string, std::size_t> m_places;
};

// Moves to the next point in row-major order; false after the last.
bool advance(std::vector<std::int64_t>& point, const std::vector<std::int64_t>& extents)
{
    for (std::size_t i = point.size(); i-- > 0;) {
        if (++point[i] < extents[i]) {
            return true;
        }
        point[i] = 0;
    }
    return false;
}

std::optional<std::int64_t> product(const std::vector<std::int64_t>& extents)
{
    std::int64_t count = 1;
    for (const std::int64_t extent : extents) {
        const std::optional<std::int64_t> next = checkedMul(count, extent);
        if (!next) {
            return std::nullopt;
        }
        count = *next;
    }
    return count;
}

Injective tryEveryPoint(const IndexMap& map, const std::vector<std::int64_t>& extents,
                        const std::vector<std::int64_t>& memory, std::int64_t places)
{
    const Evaluator evaluator(map.axes);
    std::vector<bool> taken(static_cast<std::size_t>(places), false);
    std::vector<std::int64_t> point(extents.size(), 0);
    do {
        std::int64_t place = 0;
        for (std::size_t i = 0; i < map.out.size(); ++i) {
            const std::optional<std::int64_t> index = evaluator.value(map.out[i], point);
            if (!index || *index < 0 || *index >= memory[i]) {
                return Injective::Unknown;
            }
            place = place * memory[i] + *index;
        }
        if (taken[static_cast<std::size_t>(place)]) {
            return Injective::No;
        }
        taken[static_cast<std::size_t>(place)] = true;
    } while (advance(point, extents));
    return Injective::Yes;
}

} // namespace

Injective isInjective(const IndexMap& map, const std::vector<std::int64_t>& extents,
                      const std::vector<std::int64_t>& memory)
{
    if (std::find(extents.begin(), extents.end(), 0) != extents.end() || isMadeOfDigits(map, extents)) {
        return Injective::Yes;
    }
    const std::optional<std::int64_t> points = product(extents);
    const std::optional<std::int64_t> places = product(memory);
    if (points && places && *points > *places) {
        return Injective::No;
    }
    if (!points || !places || *points > kMostPoints || *places > kMostMarks) {
        return Injective::Unknown;
    }
    return tryEveryPoint(map, extents, memory, *places);
}

} // namespace nw
