#include "engine/schedule/analysis/dependence.h"

#include "engine/schedule/analysis/pieces.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>
#include <map>

namespace nw::schedule {

namespace {

bool within(const std::set<std::string>& names, const std::set<std::string>& of)
{
    return std::includes(of.begin(), of.end(), names.begin(), names.end());
}

// What the two sides' indices have in common, piece by piece, and how far the rest can set them apart. Loops of one side
// alone may stand in common pieces: there they are unknowns like the others.
struct Equation {
    std::vector<Piece> common;
    std::int64_t apart = 0;
};
Equation equationOf(const PieceSum& first, const PieceSum& second)
{
    Equation equation;
    PieceSum restA, restB;
    restA.constant = first.constant;
    restB.constant = second.constant;
    const auto same = [](const Piece& a, const Piece& b) { return a.sameDigit(b) && a.coefficient == b.coefficient; };
    const auto in = [&](const Piece& piece, const std::vector<Piece>& pieces) {
        return std::any_of(pieces.begin(), pieces.end(), [&](const Piece& other) { return same(piece, other); });
    };
    for (const Piece& piece : first.pieces) {
        (in(piece, second.pieces) ? equation.common : restA.pieces).push_back(piece);
    }
    for (const Piece& piece : second.pieces) {
        if (!in(piece, first.pieces)) {
            restB.pieces.push_back(piece);
        }
    }
    const Interval a = restA.range(), b = restB.range();
    equation.apart = std::max(std::abs(b.low - a.high), std::abs(b.high - a.low));
    return equation;
}

// The indices are never equal while the loops in `fixed` are.
bool alwaysApart(const PieceSum& first, const PieceSum& second, const std::set<std::string>& fixed)
{
    const auto moving = [&](const PieceSum& sum, const PieceSum& other) {
        PieceSum rest;
        rest.constant = sum.constant;
        for (const Piece& piece : sum.pieces) {
            const auto same = [&](const Piece& p) { return p.sameDigit(piece) && p.coefficient == piece.coefficient; };
            if (!within(piece.variables, fixed) || std::none_of(other.pieces.begin(), other.pieces.end(), same)) {
                rest.pieces.push_back(piece);
            }
        }
        return rest.range();
    };
    const Interval a = moving(first, second), b = moving(second, first);
    return a.high < b.low || b.high < a.low;
}

// A source is known once its digits are, from the lowest to the highest without a gap.
bool digitsCover(std::vector<Piece> digits)
{
    std::sort(digits.begin(), digits.end(), [](const Piece& a, const Piece& b) { return a.divisor < b.divisor; });
    std::int64_t known = 1;
    for (const Piece& digit : digits) {
        if (known % digit.divisor != 0) {
            return false;
        }
        known = std::max(known, digit.divisor * digit.extent);
    }
    return known >= digits.front().total;
}

std::int64_t floored(std::int64_t a, std::int64_t by)
{
    return a / by - (a % by < 0 ? 1 : 0);
}

// Loops in whose steps the block runs: guards that hold for low steps only leave the others out. What stores the
// initial value of a reduction runs under the same guards, with the first step of the reduction.
Ranges narrowed(const Block& block, Ranges ranges)
{
    for (const Expr& guard : conjuncts(block.predicate)) {
        const std::optional<Affine> form = atMostZero(guard);
        const auto counts = [&](const auto& term) {
            const auto range = ranges.find(term.first);
            return term.second > 0 && range != ranges.end() && range->second.low == 0;
        };
        if (!form || !std::all_of(form->terms.begin(), form->terms.end(), counts)) {
            continue;
        }
        for (const auto& [name, coefficient] : form->terms) {
            Interval& range = ranges.find(name)->second;
            range.high = std::max<std::int64_t>(std::min(range.high, floored(-form->constant, coefficient)), 0);
        }
    }
    return ranges;
}

bool uses(const Access& access, const std::string& loop)
{
    return std::any_of(access.indices.begin(), access.indices.end(), [&](const Expr& index) { return usesVar(index, loop); });
}

// By how many steps of the loop the second side can be ahead of the first where these two indices are equal; nothing
// when the loop does not move both alike.
std::optional<Interval> aheadBy(const PieceSum& first, const PieceSum& second, const Parts& parts)
{
    const auto split = [&](const PieceSum& sum, const PieceSum& other) {
        std::int64_t coefficient = 0;
        PieceSum rest;
        rest.constant = sum.constant;
        for (const Piece& piece : sum.pieces) {
            const auto same = [&](const Piece& p) { return p.sameDigit(piece) && p.coefficient == piece.coefficient; };
            if (piece.source == parts.loop && piece.extent == piece.total) {
                coefficient = piece.coefficient;
            } else if (!within(piece.variables, parts.around) || std::none_of(other.pieces.begin(), other.pieces.end(), same)) {
                rest.pieces.push_back(piece);
            }
        }
        return std::pair(coefficient, rest.range());
    };
    const auto [coefficient, a] = split(first, second);
    const auto [other, b] = split(second, first);
    if (coefficient == 0 || coefficient != other) {
        return std::nullopt;
    }
    // coefficient * (second's step - first's step) = what else the first index holds - what else the second holds
    const std::int64_t low = a.low - b.high, high = a.high - b.low;
    return coefficient > 0 ? Interval{-floored(-low, coefficient), floored(high, coefficient)}
                           : Interval{-floored(high, -coefficient), floored(-low, -coefficient)};
}

bool startsAhead(const Access& access, const std::string& loop)
{
    const std::vector<std::string> reduction = boundLoops(*access.block, true);
    return access.isWrite && access.block->init != nullptr && std::find(reduction.begin(), reduction.end(), loop) != reduction.end();
}

// Both add to the element, and the loop counts nothing but steps of both sums: in which order does not matter.
bool addsInAnyOrder(const Access& a, const Access& b, const std::string& loop)
{
    const auto counts = [&](const Block& block, bool reduction) {
        const std::vector<std::string> names = boundLoops(block, reduction);
        return std::find(names.begin(), names.end(), loop) != names.end();
    };
    const auto countsSteps = [&](const Access& access) {
        return access.isWrite && access.block->isReduction() && counts(*access.block, true) && !counts(*access.block, false);
    };
    return countsSteps(a) && countsSteps(b) && a.block->combiner == b.block->combiner;
}

// The width of the last digit in an index, "x % 28"; nothing when there is none or the index leaves 0 .. width-1.
std::optional<std::int64_t> digitWidth(const Expr& index, const Ranges& ranges)
{
    std::optional<std::int64_t> width;
    walk(index, [&](const Expr& part) {
        const auto* rest = part->as<Binary>();
        if (!width && rest != nullptr && rest->op == BinaryOp::FloorMod) {
            width = constInt(rest->b);
        }
        return !width;
    });
    const Interval met = width ? boundsOf(index, ranges) : Interval();
    return width && met.low >= 0 && met.high < *width ? width : std::nullopt;
}

std::size_t divisionsIn(const Expr& e)
{
    std::size_t count = 0;
    walk(e, [&](const Expr& part) {
        const auto* division = part->as<Binary>();
        count += division != nullptr && (division->op == BinaryOp::FloorDiv || division->op == BinaryOp::FloorMod) ? 1 : 0;
        return true;
    });
    return count;
}

// Two dimensions that a fused loop walks, x / 28 and x % 28, told as one, x, where that does away with divisions in both.
void joinDigits(std::vector<Expr>& first, std::vector<Expr>& second, const Ranges& ranges)
{
    for (std::size_t d = std::min(first.size(), second.size()); d-- > 1;) {
        const std::optional<std::int64_t> width = digitWidth(first[d], ranges);
        if (!width || digitWidth(second[d], ranges) != width) {
            continue;
        }
        const auto at = static_cast<std::ptrdiff_t>(d);
        const Expr joinedFirst = simplify(first[d - 1] * *width + first[d], ranges);
        const Expr joinedSecond = simplify(second[d - 1] * *width + second[d], ranges);
        const auto isShorter = [d](const Expr& joined, const std::vector<Expr>& indices) {
            return divisionsIn(joined) < divisionsIn(indices[d - 1]) + divisionsIn(indices[d]);
        };
        if (isShorter(joinedFirst, first) && isShorter(joinedSecond, second)) {
            for (auto [indices, joined] : {std::pair(&first, &joinedFirst), std::pair(&second, &joinedSecond)}) {
                (*indices)[d - 1] = *joined;
                indices->erase(indices->begin() + at);
            }
        }
    }
}

} // namespace

Meeting whereTheyMeet(const Access& a, const Access& b, const std::set<std::string>& fixed,
                      const std::set<std::string>& shared, const Ranges& loops)
{
    Meeting meeting;
    const Ranges ofFirst = narrowed(*a.block, loops), ofSecond = narrowed(*b.block, loops);
    Ranges ranges = loops;
    for (auto& [name, range] : ranges) {
        const std::int64_t first = ofFirst.at(name).high, second = ofSecond.at(name).high;
        if (std::max(first, second) == 0 && shared.contains(name)) {
            meeting.same.insert(name); // neither runs in another step than the first
        }
        range.high = !uses(b, name) ? first : !uses(a, name) ? second : std::max(first, second);
    }
    std::vector<Expr> guards = conjuncts(a.block->predicate); // of both
    const std::vector<Expr> others = conjuncts(b.block->predicate);
    std::erase_if(guards, [&](const Expr& guard) {
        return std::none_of(others.begin(), others.end(), [&](const Expr& other) { return equal(guard, other); });
    });
    std::map<std::string, std::vector<Piece>> digits;
    std::vector<Expr> firstIndices = a.indices, secondIndices = b.indices;
    joinDigits(firstIndices, secondIndices, ranges);
    for (std::size_t d = 0; d < firstIndices.size() && d < secondIndices.size(); ++d) {
        std::optional<PieceSum> first = piecesOf(firstIndices[d], ranges);
        std::optional<PieceSum> second = piecesOf(secondIndices[d], ranges);
        if (!first || !second) {
            meeting.gaveUp = true;
            continue;
        }
        first = boundedBy(*std::move(first), guards);
        second = boundedBy(*std::move(second), guards);
        const Equation equation = equationOf(*first, *second);
        if (alwaysApart(*first, *second, fixed)) {
            return {shared, false};
        }
        std::vector<Piece> moving;
        for (const Piece& piece : equation.common) {
            if (!within(piece.variables, fixed)) {
                moving.push_back(piece);
            }
        }
        for (const Piece& piece : knownFrom(moving, equation.apart + 1)) {
            digits[piece.source].push_back(piece);
        }
    }
    for (const auto& [source, known] : digits) {
        if (known.front().distinct && digitsCover(known)) {
            for (const std::string& name : known.front().variables) {
                if (shared.contains(name)) {
                    meeting.same.insert(name);
                }
            }
        }
    }
    return meeting;
}

const Loop* revisits(const LoopNest& nest, const Block& block, const std::vector<const Loop*>& loops,
                     const std::set<std::string>& fixed)
{
    const Access write = accessesOf(block).front();
    const Meeting meeting = whereTheyMeet(write, write, fixed, namesOf(loops), nest.loopRanges());
    for (const Loop* loop : loops) {
        if (!isConst(loop->extent, 1) && !meeting.same.contains(loop->name)) {
            return loop;
        }
    }
    return nullptr;
}

bool handedOn(const LoopNest& nest, const std::string& buffer, const std::string& at)
{
    const LoopNest::Path path = nest.findLoop(at);
    std::vector<Access> accesses;
    for (const Block* block : blocksIn(path.loop->body)) {
        for (Access& access : accessesOf(*block)) {
            if (access.buffer == buffer) {
                accesses.push_back(std::move(access));
            }
        }
    }
    const std::string& home = nest.buffer(buffer)->atLoop;
    std::vector<const Loop*> loops = path.loops;
    loops.push_back(path.loop);
    std::set<std::string> fixed;
    bool shared = home.empty(); // by the steps of the loop at hand: inside of the one that the buffer belongs to
    for (const Loop* loop : loops) {
        for (const Access& write : accesses) {
            for (const Access& other : accesses) {
                if (shared && write.isWrite && other.block != write.block && !isConst(loop->extent, 1)
                    && !whereTheyMeet(write, other, fixed, {loop->name}, nest.loopRanges()).same.contains(loop->name)) {
                    return true;
                }
            }
        }
        fixed.insert(loop->name);
        shared = shared || loop->name == home;
    }
    return false;
}

std::optional<Carried> carriedBy(const LoopNest& nest, const std::vector<const Loop*>& loops, bool withItself)
{
    const LoopNest::Path path = nest.findLoop(loops.front()->id);
    const std::set<std::string> fixed = namesOf(path.loops);
    const Ranges ranges = nest.loopRanges();

    std::vector<Access> accesses;
    for (const Block* block : blocksIn(loops.front()->body)) {
        for (Access& access : accessesOf(*block)) {
            accesses.push_back(std::move(access));
        }
    }
    // Loops over which one instance of the buffer is shared: those inside of the loop it belongs to.
    const auto sharedOver = [&](const std::string& name) {
        const Buffer* buffer = nest.buffer(name);
        std::size_t first = 0;
        const bool byItself = buffer != nullptr && !buffer->atLoop.empty()
            && (buffer->scope != Scope::Heap || (!withItself && !handedOn(nest, name, buffer->atLoop)));
        if (byItself) {
            const auto home = std::find_if(loops.begin(), loops.end(),
                                           [&](const Loop* loop) { return loop->name == buffer->atLoop; });
            if (home != loops.end()) {
                first = static_cast<std::size_t>(home - loops.begin()) + 1;
            } else if (!fixed.contains(buffer->atLoop)) {
                first = loops.size();
            }
        }
        return std::vector<const Loop*>(loops.begin() + static_cast<std::ptrdiff_t>(first), loops.end());
    };
    for (const Access& write : accesses) {
        if (!write.isWrite) {
            continue;
        }
        const std::vector<const Loop*> over = sharedOver(write.buffer);
        std::set<std::string> settled = fixed;
        for (std::size_t i = 0; i + over.size() < loops.size(); ++i) {
            settled.insert(loops[i]->name);
        }
        for (const Access& other : accesses) {
            if (other.buffer != write.buffer || (other.block == write.block && !withItself)) {
                continue;
            }
            const Meeting meeting = whereTheyMeet(write, other, settled, namesOf(over), ranges);
            for (const Loop* loop : over) {
                const bool differs = !isConst(loop->extent, 1) && !meeting.same.contains(loop->name);
                if (differs && (withItself || !addsInAnyOrder(write, other, loop->name))) {
                    return Carried{write.block, other.block, write.buffer, loop->name, meeting.gaveUp};
                }
            }
        }
    }
    return std::nullopt;
}

std::optional<Carried> orderMatters(const Parts& parts, bool exactly)
{
    for (const Access& first : parts.first) {
        for (const Access& second : parts.second) {
            if (first.buffer != second.buffer || (!first.isWrite && !second.isWrite)) {
                continue;
            }
            const auto extent = parts.ranges.find(parts.loop);
            const std::int64_t last = extent == parts.ranges.end() ? Interval::kPlusInf : extent->second.high;
            Interval ahead{-last, last};
            const Meeting meeting = whereTheyMeet(first, second, parts.around, {parts.loop}, parts.ranges);
            if (meeting.same.contains(parts.loop)) {
                ahead = {0, 0};
            }
            bool gaveUp = false;
            for (std::size_t d = 0; d < first.indices.size() && d < second.indices.size(); ++d) {
                const std::optional<PieceSum> a = piecesOf(first.indices[d], parts.ranges);
                const std::optional<PieceSum> b = piecesOf(second.indices[d], parts.ranges);
                gaveUp = gaveUp || !a || !b;
                if (const auto here = a && b ? aheadBy(*a, *b, parts) : std::nullopt) {
                    ahead = {std::max(ahead.low, here->low), std::min(ahead.high, here->high)};
                }
            }
            if (ahead.low > ahead.high) {
                continue; // never at one element
            }
            const bool starts = startsAhead(second, parts.loop);
            if (starts || ahead.low < 0 || (exactly && ahead.high > 0)) {
                return Carried{first.block, second.block, first.buffer, parts.loop, gaveUp && !starts};
            }
        }
    }
    return std::nullopt;
}

} // namespace nw::schedule
