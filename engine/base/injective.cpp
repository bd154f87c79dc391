#include "engine/base/injective.h"

#include "engine/base/index_program.h"
#include "engine/base/int_math.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace nw {
namespace {

constexpr std::int64_t kMostPoints = std::int64_t{1} << 20;
constexpr std::int64_t kMostMarks = std::int64_t{1} << 26;
constexpr std::int64_t kMostListed = std::int64_t{1} << 18; // points remembered with their places

// floor(axis / from) % (to / from): the digit between two weights of an axis.
struct Digit {
    std::string axis;
    std::int64_t from = 1;
    std::int64_t to = 0; // 0: no upper end
};

using Known = std::set<std::string>; // axes that other indices tell

bool onlyOf(const Expr& e, const Known& known)
{
    const std::vector<std::string> names = freeVars(e);
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) { return known.contains(name); });
}

using Terms = std::vector<std::pair<Expr, std::int64_t>>; // with coefficients

// Terms of a sum without those that are known; nothing when a part is no product by a literal.
bool collectTerms(const Expr& e, std::int64_t factor, const Known& known, Terms& terms)
{
    if (onlyOf(e, known)) {
        return true;
    }
    if (const auto* negated = e->as<Unary>(); negated != nullptr && negated->op == UnaryOp::Neg) {
        const std::optional<std::int64_t> product = checkedSub(0, factor);
        return product && collectTerms(negated->a, *product, known, terms);
    }
    const auto* n = e->as<Binary>();
    if (n != nullptr && (n->op == BinaryOp::Add || n->op == BinaryOp::Sub)) {
        const std::optional<std::int64_t> second = n->op == BinaryOp::Add ? factor : checkedSub(0, factor);
        return second && collectTerms(n->a, factor, known, terms) && collectTerms(n->b, *second, known, terms);
    }
    if (n != nullptr && n->op == BinaryOp::Mul) {
        const std::optional<std::int64_t> by = constInt(n->b);
        const std::optional<std::int64_t> product = by ? checkedMul(factor, *by) : std::nullopt;
        return product && *product != std::numeric_limits<std::int64_t>::min() && collectTerms(n->a, *product, known, terms);
    }
    terms.emplace_back(e, factor);
    return true;
}

std::optional<Digit> digitOf(const Expr& e, const Known& known);

// What a remainder by `by` tells: known terms of the sum are taken off, a factor that shares nothing with `by` likewise.
std::optional<Digit> digitBeneath(const Expr& sum, std::int64_t by, const Known& known)
{
    Terms terms;
    const bool single = collectTerms(sum, 1, known, terms) && terms.size() == 1;
    return single && std::gcd(terms.front().second, by) == 1 ? digitOf(terms.front().first, known) : std::nullopt;
}

std::optional<Digit> digitOf(const Expr& e, const Known& known)
{
    if (const auto* name = e->as<Var>()) {
        return Digit{name->name, 1, 0};
    }
    const auto* n = e->as<Binary>();
    const std::optional<std::int64_t> by = n != nullptr ? constInt(n->b) : std::nullopt;
    if (!by || *by <= 0) {
        return std::nullopt;
    }
    const std::optional<Digit> inner = n->op == BinaryOp::FloorMod ? digitBeneath(n->a, *by, known)
        : n->op == BinaryOp::FloorDiv                              ? digitOf(n->a, known)
                                                                   : std::nullopt;
    const std::optional<std::int64_t> weight = inner ? checkedMul(inner->from, *by) : std::nullopt;
    if (!weight || (inner->to != 0 && inner->to % *weight != 0)) {
        return std::nullopt;
    }
    return n->op == BinaryOp::FloorDiv ? Digit{inner->axis, *weight, inner->to} : Digit{inner->axis, inner->from, *weight};
}

using Digits = std::map<std::string, std::vector<Digit>>;

// Adds the digits of one memory index when they can be read back from its value: each term weighs more than all of the
// lighter ones together can differ by.
void addDigits(const Expr& e, const Ranges& ranges, const Known& known, Digits& digits)
{
    Terms terms;
    if (!collectTerms(e, 1, known, terms)) {
        return;
    }
    const auto weight = [](const auto& term) { return term.second < 0 ? -term.second : term.second; };
    std::sort(terms.begin(), terms.end(), [&](const auto& a, const auto& b) { return weight(a) < weight(b); });
    std::vector<Digit> found;
    std::int64_t reach = 0; // largest difference of the terms so far
    for (const auto& term : terms) {
        const std::optional<Digit> digit = digitOf(term.first, known);
        const Interval bounds = boundsOf(term.first, ranges);
        if (!digit || weight(term) <= reach || bounds.low <= Interval::kMinusInf || bounds.high >= Interval::kPlusInf) {
            return;
        }
        const std::optional<std::int64_t> width = checkedSub(bounds.high, bounds.low);
        const std::optional<std::int64_t> most = width ? checkedMul(weight(term), *width) : std::nullopt;
        const std::optional<std::int64_t> sum = most ? checkedAdd(reach, *most) : std::nullopt;
        if (!sum) {
            return;
        }
        reach = *sum;
        found.push_back(*digit);
    }
    for (Digit& digit : found) {
        digits[digit.axis].push_back(std::move(digit));
    }
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

// Axes that follow from the memory indices; those that are known help to read others, until there are no more.
bool isMadeOfDigits(const IndexMap& map, const std::vector<std::int64_t>& extents)
{
    Ranges ranges;
    Known known;
    for (std::size_t i = 0; i < extents.size(); ++i) {
        ranges.emplace(map.axes[i], Interval::ofExtent(extents[i]));
        if (extents[i] <= 1) {
            known.insert(map.axes[i]);
        }
    }
    std::vector<Expr> out;
    for (const Expr& e : map.out) {
        out.push_back(simplify(e, ranges));
    }
    for (std::size_t before = extents.size() + 1; before != known.size() && known.size() < extents.size();) {
        before = known.size();
        Digits digits;
        for (const Expr& e : out) {
            addDigits(e, ranges, known, digits); // an index that shows no digits may be unnecessary
        }
        for (std::size_t i = 0; i < extents.size(); ++i) {
            if (coversAxis(digits[map.axes[i]], extents[i])) {
                known.insert(map.axes[i]);
            }
        }
    }
    return known.size() == extents.size();
}

// Where points lie, asked for many.
class Places {
public:
    explicit Places(const IndexMap& map)
    {
        for (const Expr& e : map.out) {
            if (std::optional<IndexProgram> index = IndexProgram::create(e, map.axes)) {
                m_indices.push_back(*std::move(index));
            }
        }
        m_known = m_indices.size() == map.out.size();
    }

    // False where an index is undefined or no index arithmetic.
    bool find(const std::vector<std::int64_t>& point, std::vector<std::int64_t>& place) const
    {
        place.clear();
        for (const IndexProgram& index : m_indices) {
            const std::optional<std::int64_t> value = index.value(point);
            if (!value) {
                return false;
            }
            place.push_back(*value);
        }
        return m_known;
    }

private:
    std::vector<IndexProgram> m_indices;
    bool m_known = false;
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
                        const std::vector<Interval>& memory, std::int64_t places)
{
    const Places known(map);
    std::vector<bool> taken(static_cast<std::size_t>(places), false);
    std::vector<std::int64_t> point(extents.size(), 0);
    std::vector<std::int64_t> indices;
    do {
        if (!known.find(point, indices)) {
            return Injective::Unknown;
        }
        std::int64_t place = 0;
        for (std::size_t i = 0; i < indices.size(); ++i) {
            if (indices[i] < memory[i].low || indices[i] > memory[i].high) {
                return Injective::Unknown;
            }
            place = place * (memory[i].high - memory[i].low + 1) + (indices[i] - memory[i].low);
        }
        if (taken[static_cast<std::size_t>(place)]) {
            return Injective::No;
        }
        taken[static_cast<std::size_t>(place)] = true;
    } while (advance(point, extents));
    return Injective::Yes;
}

// The first point of the box whose place an earlier one has.
std::optional<SamePlace> tryBox(const IndexMap& map, const std::vector<std::int64_t>& box)
{
    const Places known(map);
    std::map<std::vector<std::int64_t>, std::vector<std::int64_t>> points; // by place
    std::vector<std::int64_t> point(box.size(), 0);
    std::vector<std::int64_t> place;
    do {
        if (!known.find(point, place)) {
            return std::nullopt;
        }
        const auto [other, isNew] = points.emplace(place, point);
        if (!isNew) {
            return SamePlace{other->second, point};
        }
    } while (advance(point, box));
    return std::nullopt;
}

} // namespace

Injective isInjective(const IndexMap& map, const std::vector<std::int64_t>& extents,
                      const std::vector<Interval>& memory)
{
    if (std::find(extents.begin(), extents.end(), 0) != extents.end() || isMadeOfDigits(map, extents)) {
        return Injective::Yes;
    }
    std::vector<std::int64_t> shape;
    for (const Interval& index : memory) {
        shape.push_back(index.high - index.low + 1);
    }
    const std::optional<std::int64_t> points = product(extents);
    const std::optional<std::int64_t> places = product(shape);
    if (points && places && *points > *places) {
        return Injective::No;
    }
    if (!points || !places || *points > kMostPoints || *places > kMostMarks) {
        return Injective::Unknown;
    }
    return tryEveryPoint(map, extents, memory, *places);
}

std::optional<SamePlace> samePlace(const IndexMap& map, const std::vector<std::int64_t>& extents)
{
    if (std::find(extents.begin(), extents.end(), 0) != extents.end()) {
        return std::nullopt;
    }
    std::vector<std::vector<std::int64_t>> boxes;
    std::int64_t points = 0;
    for (std::int64_t side = 2; points <= kMostListed / 16 && (boxes.empty() || boxes.back() != extents); side *= 2) {
        std::vector<std::int64_t>& box = boxes.emplace_back(extents);
        std::transform(box.begin(), box.end(), box.begin(), [side](std::int64_t extent) { return std::min(extent, side); });
        points = product(box).value_or(kMostListed);
    }
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        boxes.emplace_back(extents.size(), 1)[axis] = std::min(extents[axis], kMostListed);
    }
    boxes.push_back(extents);
    for (const std::vector<std::int64_t>& box : boxes) {
        const std::optional<std::int64_t> count = product(box);
        if (auto found = count && *count <= kMostListed ? tryBox(map, box) : std::nullopt) {
            return found;
        }
    }
    return std::nullopt;
}

} // namespace nw
