#include "engine/schedule/analysis/pieces.h"

#include "engine/base/overloaded.h"

#include <algorithm>

namespace nw::schedule {

namespace {

// Larger numbers than these are left to "do not know" instead of risking an overflow.
constexpr std::int64_t kLargest = std::int64_t{1} << 60;

bool fits(std::int64_t a, std::int64_t b)
{
    std::int64_t product = 0;
    return !__builtin_mul_overflow(a, b, &product) && product < kLargest && product > -kLargest;
}

std::optional<PieceSum> added(PieceSum a, const PieceSum& b, std::int64_t sign)
{
    a.constant += sign * b.constant;
    for (const Piece& piece : b.pieces) {
        const auto same
            = std::find_if(a.pieces.begin(), a.pieces.end(), [&](const Piece& p) { return p.sameDigit(piece); });
        if (same == a.pieces.end()) {
            a.pieces.push_back(piece);
            a.pieces.back().coefficient *= sign;
        } else {
            same->coefficient += sign * piece.coefficient;
        }
    }
    std::erase_if(a.pieces, [](const Piece& p) { return p.coefficient == 0; });
    return a;
}

std::optional<PieceSum> scaled(PieceSum a, std::int64_t by)
{
    if (!fits(a.constant, by)) {
        return std::nullopt;
    }
    a.constant *= by;
    for (Piece& piece : a.pieces) {
        if (!fits(piece.coefficient, by) || !fits(piece.coefficient * by, piece.extent)) {
            return std::nullopt;
        }
        piece.coefficient *= by;
    }
    if (by == 0) {
        a.pieces.clear();
    }
    return a;
}

bool isTop(const Piece& piece)
{
    return piece.divisor * piece.extent >= piece.total;
}

// The digit (p / by), where p is a piece with coefficient 1.
std::optional<Piece> dividedPiece(Piece piece, std::int64_t by)
{
    if (!isTop(piece) && piece.extent % by != 0) {
        return std::nullopt;
    }
    piece.value = floorDiv(piece.value, intImm(by));
    piece.divisor *= by;
    piece.extent = (piece.extent + by - 1) / by;
    return piece;
}

// The digit (p % by).
std::optional<Piece> modPiece(Piece piece, std::int64_t by)
{
    if (by >= piece.extent) {
        return piece;
    }
    if (!isTop(piece) && piece.extent % by != 0) {
        return std::nullopt;
    }
    piece.value = floorMod(piece.value, intImm(by));
    piece.extent = by;
    return piece;
}

// A sum that never takes a value twice, as a number of its own.
std::optional<Piece> asSource(const PieceSum& sum)
{
    const Interval range = sum.range();
    if (range.low < 0 || range.high >= kLargest || sum.constant != 0) {
        return std::nullopt;
    }
    for (const Piece& piece : sum.pieces) {
        if (piece.coefficient < 0) {
            return std::nullopt;
        }
    }
    if (knownFrom(sum.pieces, 1).size() != sum.pieces.size()) {
        return std::nullopt;
    }
    Piece source;
    std::vector<Piece> sorted = sum.pieces;
    std::sort(sorted.begin(), sorted.end(),
              [](const Piece& a, const Piece& b) { return a.coefficient > b.coefficient; });
    PieceSum ordered;
    ordered.pieces = sorted;
    source.value = ordered.toExpr();
    source.source = toText(source.value);
    source.total = source.extent = range.high + 1;
    for (const Piece& piece : sum.pieces) {
        source.variables.insert(piece.variables.begin(), piece.variables.end());
        source.distinct = source.distinct && piece.distinct;
    }
    return source;
}

struct DivMod {
    PieceSum quotient, remainder;
};
PieceSum only(const Piece& piece)
{
    PieceSum sum;
    if (piece.extent > 1) {
        sum.pieces.push_back(piece);
    }
    return sum;
}

// sum = quotient * by + remainder with 0 <= remainder < by.
std::optional<DivMod> divideSum(const PieceSum& sum, std::int64_t by)
{
    DivMod parts;
    for (const Piece& piece : sum.pieces) {
        if (piece.coefficient % by == 0) {
            parts.quotient.pieces.push_back(piece);
            parts.quotient.pieces.back().coefficient /= by;
        } else {
            parts.remainder.pieces.push_back(piece);
        }
    }
    std::int64_t rest = sum.constant % by;
    rest += rest < 0 ? by : 0;
    parts.quotient.constant = (sum.constant - rest) / by;
    parts.remainder.constant = rest;
    const Interval range = parts.remainder.range();
    if (range.low >= 0 && range.high < by) {
        return parts;
    }
    if (rest != 0) {
        return std::nullopt;
    }
    // What is left is (g * a + b) / by with b < g and g a divisor of by: a / (by / g), and g * (a % (by / g)) + b.
    std::vector<Piece> left = std::move(parts.remainder.pieces);
    parts.remainder.pieces.clear();
    for (const Piece& candidate : left) {
        const std::int64_t unit = candidate.coefficient;
        if (unit <= 0 || by % unit != 0) {
            continue;
        }
        PieceSum high, low;
        for (const Piece& piece : left) {
            PieceSum& side = piece.coefficient % unit == 0 ? high : low;
            side.pieces.push_back(piece);
        }
        const Interval lowRange = low.range();
        if (lowRange.low < 0 || lowRange.high >= unit) {
            continue;
        }
        for (Piece& piece : high.pieces) {
            piece.coefficient /= unit;
        }
        const bool single = high.pieces.size() == 1 && high.pieces.front().coefficient == 1;
        const std::optional<Piece> source = single ? std::optional(high.pieces.front()) : asSource(high);
        if (!source) {
            continue;
        }
        const std::optional<Piece> quotient = dividedPiece(*source, by / unit);
        const std::optional<Piece> remainder = modPiece(*source, by / unit);
        if (!quotient || !remainder) {
            continue;
        }
        const std::optional<PieceSum> raised = scaled(only(*remainder), unit);
        if (!raised) {
            continue;
        }
        parts.quotient = *added(parts.quotient, only(*quotient), 1);
        parts.remainder = *added(low, *raised, 1);
        return parts;
    }
    return std::nullopt;
}

std::optional<PieceSum> ofVariable(const std::string& name, const Ranges& ranges)
{
    const auto found = ranges.find(name);
    if (found == ranges.end() || found->second.low != 0 || found->second.high >= kLargest) {
        return std::nullopt;
    }
    Piece piece;
    piece.value = var(name);
    piece.source = name;
    piece.total = piece.extent = std::max<std::int64_t>(found->second.high + 1, 1);
    piece.variables = {name};
    return only(piece);
}

// The smaller or larger of two sums as a number that is known by its bounds alone.
std::optional<PieceSum> ofChoice(const Expr& e, const Ranges& ranges)
{
    const Interval bounds = boundsOf(e, ranges);
    if (bounds.low < 0 || bounds.high >= kLargest) {
        return std::nullopt;
    }
    Piece piece;
    piece.value = e;
    piece.source = toText(e);
    piece.total = piece.extent = bounds.high + 1;
    for (const std::string& name : freeVars(e)) {
        piece.variables.insert(name);
    }
    piece.distinct = false;
    return only(piece);
}

std::optional<PieceSum> ofBinary(const Binary& node, const Ranges& ranges)
{
    const std::optional<PieceSum> a = piecesOf(node.a, ranges);
    if (!a) {
        return std::nullopt;
    }
    if (node.op == BinaryOp::Min || node.op == BinaryOp::Max) {
        return piecesOf(node.b, ranges) ? ofChoice(binary(node.op, node.a, node.b), ranges) : std::nullopt;
    }
    if (node.op == BinaryOp::Add || node.op == BinaryOp::Sub) {
        const std::optional<PieceSum> b = piecesOf(node.b, ranges);
        return b ? added(*a, *b, node.op == BinaryOp::Add ? 1 : -1) : std::nullopt;
    }
    if (node.op == BinaryOp::Mul) {
        if (const auto factor = constInt(node.b)) {
            return scaled(*a, *factor);
        }
        const std::optional<PieceSum> b = piecesOf(node.b, ranges);
        return b && a->pieces.empty() ? scaled(*b, a->constant) : std::nullopt;
    }
    const std::optional<std::int64_t> by = constInt(node.b);
    if ((node.op != BinaryOp::FloorDiv && node.op != BinaryOp::FloorMod) || !by || *by <= 0) {
        return std::nullopt;
    }
    const std::optional<DivMod> parts = divideSum(*a, *by);
    if (!parts) {
        return std::nullopt;
    }
    return node.op == BinaryOp::FloorDiv ? parts->quotient : parts->remainder;
}

} // namespace

Interval PieceSum::range() const
{
    Interval result{constant, constant};
    for (const Piece& piece : pieces) {
        const std::int64_t reach = piece.coefficient * (piece.extent - 1);
        (reach < 0 ? result.low : result.high) += reach;
    }
    return result;
}

Expr PieceSum::toExpr() const
{
    Expr sum;
    for (const Piece& piece : pieces) {
        const Expr term = piece.coefficient == 1 ? piece.value : piece.value * piece.coefficient;
        sum = sum == nullptr ? term : sum + term;
    }
    if (sum == nullptr) {
        return intImm(constant);
    }
    return constant == 0 ? sum : constant < 0 ? sum - (-constant) : sum + constant;
}

std::optional<PieceSum> piecesOf(const Expr& e, const Ranges& ranges)
{
    if (e->type() != DType::I64) {
        return std::nullopt;
    }
    using Sum = std::optional<PieceSum>;
    return std::visit(overloaded{
                          [](const IntImm& literal) -> Sum { return PieceSum{literal.value, {}}; },
                          [&](const Var& variable) -> Sum { return ofVariable(variable.name, ranges); },
                          [&](const Binary& node) -> Sum { return ofBinary(node, ranges); },
                          [&](const Unary& node) -> Sum {
                              const Sum inner = node.op == UnaryOp::Neg ? piecesOf(node.a, ranges) : std::nullopt;
                              return inner ? scaled(*inner, -1) : std::nullopt;
                          },
                          [](const FloatImm&) -> Sum { return std::nullopt; },
                          [](const Select&) -> Sum { return std::nullopt; },
                          [](const CastTo&) -> Sum { return std::nullopt; },
                          [](const Load&) -> Sum { return std::nullopt; },
                      },
                      e->kind());
}

std::optional<Apart> apart(const PieceSum& sum, const std::set<std::string>& moving)
{
    Apart parts;
    for (const Piece& piece : sum.pieces) {
        const auto moves = [&](const std::string& name) { return moving.contains(name); };
        const bool some = std::any_of(piece.variables.begin(), piece.variables.end(), moves);
        if (some && !std::all_of(piece.variables.begin(), piece.variables.end(), moves)) {
            return std::nullopt;
        }
        (some ? parts.moved : parts.still).pieces.push_back(piece);
    }
    return parts;
}

std::vector<Piece> knownFrom(const std::vector<Piece>& pieces, std::int64_t window)
{
    std::vector<Piece> ascending = pieces;
    const auto size = [](const Piece& piece) { return piece.coefficient < 0 ? -piece.coefficient : piece.coefficient; };
    std::stable_sort(ascending.begin(), ascending.end(),
                     [&](const Piece& a, const Piece& b) { return size(a) < size(b); });
    std::vector<Piece> known;
    for (const Piece& piece : ascending) {
        if (piece.extent <= 1) {
            continue;
        }
        if (size(piece) < window) {
            known.clear(); // unknown itself, it blurs every smaller one
        } else {
            known.push_back(piece);
        }
        window += size(piece) * (piece.extent - 1);
    }
    return known;
}

PieceSum boundedBy(PieceSum sum, const std::vector<Expr>& guards)
{
    for (const Expr& guard : guards) {
        const std::optional<Affine> form = atMostZero(guard);
        if (!form || form->terms.size() < 2 || form->constant > 0) {
            continue;
        }
        std::vector<Piece> bounded;
        std::int64_t factor = 0, largest = 0;
        for (const auto& [name, coefficient] : form->terms) {
            const auto piece = std::find_if(sum.pieces.begin(), sum.pieces.end(), [&](const Piece& p) {
                return p.source == name && p.divisor == 1 && p.extent == p.total;
            });
            const bool isThere = piece != sum.pieces.end() && coefficient > 0 && piece->coefficient % coefficient == 0
                && (factor == 0 || piece->coefficient / coefficient == factor);
            if (!isThere) {
                break;
            }
            factor = piece->coefficient / coefficient;
            bounded.push_back(*piece);
            bounded.back().coefficient = coefficient;
            largest += coefficient * (piece->extent - 1);
        }
        if (bounded.size() != form->terms.size() || largest <= -form->constant) {
            continue;
        }
        const auto isOne = [&](const Piece& p) {
            return std::any_of(bounded.begin(), bounded.end(), [&](const Piece& other) { return other.sameDigit(p); });
        };
        std::erase_if(sum.pieces, isOne);
        Piece together;
        together.value = PieceSum{0, bounded}.toExpr();
        together.source = toText(together.value);
        together.total = together.extent = 1 - form->constant;
        together.coefficient = factor;
        together.distinct = knownFrom(bounded, 1).size() == bounded.size();
        for (const Piece& piece : bounded) {
            together.variables.insert(piece.variables.begin(), piece.variables.end());
            together.distinct = together.distinct && piece.distinct;
        }
        sum.pieces.push_back(std::move(together));
    }
    return sum;
}

} // namespace nw::schedule
