#include "engine/measure/layout_offsets.h"

#include "engine/base/tensor.h"
#include "engine/base/text.h"

#include <algorithm>
#include <optional>

namespace nw::measure {
namespace {

std::vector<std::string> axisNames(std::size_t rank)
{
    std::vector<std::string> names;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        names.push_back("#" + std::to_string(axis));
    }
    return names;
}

std::int64_t valueAt(const IndexProgram& offset, const std::vector<std::int64_t>& point)
{
    const std::optional<std::int64_t> value = offset.value(point);
    ENSURE(value.has_value(), "layout offset: undefined inside of the shape");
    return *value;
}

// The terms of a sum.
void addTerms(const Expr& e, std::vector<Expr>& terms)
{
    const auto* sum = e->as<Binary>();
    if (sum != nullptr && sum->op == BinaryOp::Add) {
        addTerms(sum->a, terms);
        addTerms(sum->b, terms);
    } else {
        terms.push_back(e);
    }
}

// One table an axis whose sum is the offset, when no term mixes axes.
std::optional<std::vector<std::vector<std::int64_t>>> tablesOf(const Expr& offset, const std::vector<std::int64_t>& logical)
{
    std::vector<std::vector<std::int64_t>> tables;
    for (const std::int64_t extent : logical) {
        tables.emplace_back(static_cast<std::size_t>(extent), 0);
    }
    std::vector<Expr> terms;
    addTerms(offset, terms);
    const std::vector<std::string> axes = axisNames(logical.size());
    for (const Expr& term : terms) {
        const std::vector<std::string> names = freeVars(term);
        if (names.size() > 1 || (names.empty() && logical.empty())) {
            return std::nullopt;
        }
        const std::size_t axis = names.empty() ? 0 : static_cast<std::size_t>(std::find(axes.begin(), axes.end(), names[0]) - axes.begin());
        const std::optional<IndexProgram> program = IndexProgram::create(term, axes);
        if (!program) {
            return std::nullopt;
        }
        std::vector<std::int64_t> point(logical.size(), 0);
        for (std::int64_t i = 0; i < logical[axis]; ++i) {
            point[axis] = i;
            tables[axis][static_cast<std::size_t>(i)] += valueAt(*program, point);
        }
    }
    return tables;
}

} // namespace

Result<LayoutOffsets> LayoutOffsets::create(const Layout& layout, const std::vector<std::int64_t>& logical)
{
    const Result<std::vector<std::int64_t>> memory = layout.memoryShape(logical);
    if (!memory) {
        return memory.error();
    }
    const Result<std::int64_t> memoryElements = elementCount(*memory);
    const Result<std::int64_t> logicalElements = elementCount(logical);
    if (!memoryElements) {
        return memoryElements.error();
    }
    if (!logicalElements) {
        return logicalElements.error();
    }
    LayoutOffsets offsets;
    offsets.m_layout = layout;
    offsets.m_logical = logical;
    offsets.m_memoryElements = *memoryElements;
    offsets.m_logicalElements = *logicalElements;
    offsets.m_isIdentity = layout.isPlain();
    std::vector<Expr> point;
    Ranges ranges;
    const std::vector<std::string> axes = axisNames(logical.size());
    for (std::size_t axis = 0; axis < logical.size(); ++axis) {
        point.push_back(var(axes[axis]));
        ranges.emplace(axes[axis], Interval::ofExtent(logical[axis]));
    }
    if (*logicalElements > 0) {
        const Expr offset = layout.offset(point, logical, ranges);
        offsets.m_offset = IndexProgram::create(offset, axes);
        if (!offsets.m_offset) {
            return refused(format("The layout {} is no index arithmetic.", layout.toText()));
        }
        if (auto tables = tablesOf(offset, logical)) {
            offsets.m_tables = *std::move(tables);
        }
    }
    return offsets;
}

void LayoutOffsets::forEachRun(const Visit& visit) const
{
    if (m_logicalElements == 0) {
        return;
    }
    const std::size_t rank = m_logical.size();
    const std::int64_t inner = rank == 0 ? 1 : m_logical.back();
    std::vector<std::int64_t> run(static_cast<std::size_t>(inner));
    std::vector<std::int64_t> point(rank, 0);
    for (std::int64_t first = 0; first < m_logicalElements; first += inner) {
        if (m_tables.empty()) {
            for (std::int64_t i = 0; i < inner; ++i) {
                if (rank > 0) {
                    point[rank - 1] = i;
                }
                run[static_cast<std::size_t>(i)] = valueAt(*m_offset, point);
            }
        } else {
            std::int64_t base = 0;
            for (std::size_t axis = 0; axis + 1 < rank; ++axis) {
                base += m_tables[axis][static_cast<std::size_t>(point[axis])];
            }
            std::transform(m_tables.back().begin(), m_tables.back().end(), run.begin(),
                           [base](std::int64_t offset) { return base + offset; });
        }
        visit(first, run.data(), inner);
        for (std::size_t axis = rank < 2 ? 0 : rank - 1; axis-- > 0;) {
            if (++point[axis] < m_logical[axis]) {
                break;
            }
            point[axis] = 0;
        }
    }
}

std::vector<std::int64_t> LayoutOffsets::all() const
{
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(m_logicalElements));
    forEachRun([&](std::int64_t first, const std::int64_t* run, std::int64_t count) {
        std::copy(run, run + count, offsets.begin() + first);
    });
    return offsets;
}

} // namespace nw::measure
