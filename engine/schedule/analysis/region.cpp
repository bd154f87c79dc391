#include "engine/schedule/analysis/region.h"

#include "engine/schedule/analysis/pieces.h"

#include <algorithm>

namespace nw::schedule {

std::optional<Span> spanOf(const Expr& index, const std::set<std::string>& inside, const Ranges& ranges)
{
    const std::optional<PieceSum> sum = piecesOf(index, ranges);
    std::optional<Apart> parts = sum ? apart(*sum, inside) : std::nullopt;
    if (!parts) {
        return std::nullopt;
    }
    PieceSum& base = parts->still;
    PieceSum& local = parts->moved;
    const std::int64_t lowest = local.range().low;
    base.constant = sum->constant + lowest;
    local.constant = -lowest;
    return Span{simplify(base.toExpr(), ranges), simplify(local.toExpr(), ranges), local.range().high + 1};
}

bool isDense(const Expr& local, std::int64_t extent, const Ranges& ranges)
{
    const std::optional<PieceSum> sum = piecesOf(local, ranges);
    if (!sum || knownFrom(sum->pieces, 1).size() != sum->pieces.size()) {
        return false;
    }
    std::int64_t values = 1;
    bool distinct = true;
    for (const Piece& piece : sum->pieces) {
        values = values <= extent ? values * piece.extent : values;
        distinct = distinct && piece.distinct;
    }
    return distinct && values == extent;
}

std::optional<std::map<std::string, Span>> spansOf(const Block& block, const std::set<std::string>& inside,
                                                   const Ranges& ranges)
{
    std::map<std::string, Span> spans;
    for (const IterVar& iter : block.iters) {
        std::optional<Span> span = spanOf(iter.binding, inside, ranges);
        if (!span) {
            return std::nullopt;
        }
        spans.emplace(iter.name, *std::move(span));
    }
    return spans;
}

std::string partOf(Block& block, const std::string& axis, const Span& span)
{
    const auto fits = [&](const IterVar& iter) { return iter.name.starts_with(axis + ".in") && equal(iter.binding, span.local); };
    const auto known = std::find_if(block.iters.begin(), block.iters.end(), fits);
    if (known != block.iters.end()) {
        return known->name;
    }
    IterVar part{axis + ".in", block.iter(axis)->reduction, intImm(span.extent), span.local};
    for (int copy = 2; block.iter(part.name) != nullptr; ++copy) {
        part.name = axis + ".in." + std::to_string(copy);
    }
    block.iters.push_back(std::move(part));
    return block.iters.back().name;
}

Expr localised(const Expr& e, Block& block, const std::map<std::string, Span>& spans)
{
    Substitution replaced;
    for (const std::string& name : freeVars(e)) {
        const Span& span = spans.at(name);
        if (isConst(span.base, 0)) {
            continue;
        }
        if (span.extent == 1) {
            replaced.emplace(name, intImm(0));
            continue;
        }
        replaced.emplace(name, var(partOf(block, name, span)));
    }
    return simplify(substitute(e, replaced));
}

bool isPart(const IterVar& iter)
{
    const std::size_t dot = iter.name.find('.');
    return dot != std::string::npos && (iter.name.compare(dot, 3, ".in") == 0 || iter.name.compare(dot, 3, ".at") == 0);
}

std::vector<const Loop*> insideLoops(const std::vector<const Loop*>& path, const std::string& at,
                                     const std::set<std::string>& used)
{
    std::vector<const Loop*> result;
    bool inside = false;
    for (const Loop* loop : path) {
        if (inside && used.contains(loop->name)) {
            result.push_back(loop);
        }
        inside = inside || loop->name == at;
    }
    return result;
}

std::set<std::string> varsOf(const std::vector<Expr>& expressions)
{
    std::set<std::string> names;
    for (const Expr& e : expressions) {
        const std::vector<std::string> used = freeVars(e);
        names.insert(used.begin(), used.end());
    }
    return names;
}

} // namespace nw::schedule
