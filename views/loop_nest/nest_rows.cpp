#include "views/loop_nest/nest_rows.h"

#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"

#include <algorithm>
#include <map>
#include <set>

namespace nw::views {

using namespace nw::schedule;

namespace {

bool uses(const Loop& loop, bool reduction)
{
    const std::vector<const Block*> blocks = blocksIn(loop.body);
    return std::any_of(blocks.begin(), blocks.end(), [&](const Block* block) {
        return std::any_of(block->iters.begin(), block->iters.end(), [&](const IterVar& iter) {
            return iter.reduction == reduction && usesVar(iter.binding, loop.name);
        });
    });
}

NestRow::Kind kindOf(const LoopNest& nest, const Loop& loop)
{
    switch (effectiveKind(nest, loop)) {
    case LoopKind::Parallel: return NestRow::Kind::Parallel;
    case LoopKind::Vector: return NestRow::Kind::Vector;
    case LoopKind::Unrolled: return NestRow::Kind::Unrolled;
    case LoopKind::Serial: break;
    }
    return uses(loop, true) && !uses(loop, false) ? NestRow::Kind::Reduction : NestRow::Kind::Serial;
}

std::string lanesOf(const LoopNest& nest, const Loop& loop)
{
    const std::vector<const Block*> blocks = blocksIn(loop.body);
    const Buffer* written = blocks.empty() ? nullptr : nest.buffer(blocks.front()->buffer);
    return written == nullptr ? std::string() : format("{}x{}", toText(written->type), toText(loop.extent));
}

// The buffers that are read, between them the operation when the value is nothing but one: a picture of the statement,
// not its text.
void readStatement(NestRow& row, const Block& block)
{
    const std::vector<std::string> read = buffersRead(block);
    const auto* top = block.value->as<Binary>();
    std::string between = ", ";
    if (top != nullptr && read.size() == 2) {
        switch (top->op) {
        case BinaryOp::Mul: between = " * "; break;
        case BinaryOp::Add: between = " + "; break;
        case BinaryOp::Sub: between = " - "; break;
        case BinaryOp::Div: between = " / "; break;
        default: break;
        }
    }
    row.statement = format("{} {} ", block.buffer, schedule::assignmentText(block.combiner));
    row.operands.push_back({block.buffer, 0, true});
    for (const std::string& buffer : read) {
        row.statement += row.operands.size() > 1 ? between : "";
        row.operands.push_back({buffer, row.statement.size(), false});
        row.statement += buffer;
    }
    row.statement += read.empty() ? toText(block.value) : "";
}

NestAccess patternOf(const Buffer& buffer, const Access& access, const std::string& loop, const Ranges& ranges)
{
    NestAccess found{buffer.name, NestAccess::Pattern::Gather, 0};
    const Expr offset = buffer.layout.offset(access.indices, buffer.shape, ranges);
    bool loads = false;
    walk(offset, [&](const Expr& e) {
        loads = loads || e->as<Load>() != nullptr;
        return !loads;
    });
    if (loads) {
        return found;
    }
    std::optional<std::int64_t> step;
    if (const std::optional<Affine> affine = affineOf(offset)) {
        step = affine->coefficient(loop);
    } else {
        step = constInt(simplify(substitute(offset, {{loop, var(loop) + 1}}) - offset, ranges));
    }
    if (step) {
        found.stride = *step;
        found.pattern = *step == 0 ? NestAccess::Pattern::Broadcast
            : *step == 1           ? NestAccess::Pattern::Contiguous
                                   : NestAccess::Pattern::Strided;
    }
    return found;
}

std::vector<NestAccess> accessesIn(const LoopNest& nest, const Loop& loop, const Ranges& ranges)
{
    std::vector<NestAccess> found;
    for (const Stmt& statement : loop.body) {
        if (statement->block() == nullptr) {
            continue;
        }
        for (const Access& access : accessesOf(*statement->block())) {
            const Buffer* buffer = nest.buffer(access.buffer);
            if (buffer == nullptr || buffer->scope == Scope::Registers) {
                continue;
            }
            const NestAccess pattern = patternOf(*buffer, access, loop.name, ranges);
            if (std::find(found.begin(), found.end(), pattern) == found.end()) {
                found.push_back(pattern);
            }
        }
    }
    return found;
}

class Reader {
public:
    explicit Reader(const LoopNest& nest)
        : m_nest(nest)
        , m_ranges(nest.loopRanges())
    {
        read(nest.roots, 0, -1);
    }
    std::vector<NestRow> take() { return std::move(m_rows); }

private:
    void read(const std::vector<Stmt>& statements, int depth, int parent)
    {
        for (const Stmt& statement : statements) {
            NestRow& row = m_rows.emplace_back();
            row.depth = depth;
            row.parent = parent;
            if (const Loop* loop = statement->loop()) {
                fill(row, *loop);
                read(loop->body, depth + 1, static_cast<int>(m_rows.size()) - 1);
            } else {
                const Block& block = *statement->block();
                row.kind = NestRow::Kind::Block;
                row.name = block.name;
                readStatement(row, block);
                row.guarded = !isConst(block.predicate, 1);
                row.streams = block.streams;
            }
        }
    }

    void fill(NestRow& row, const Loop& loop)
    {
        row.kind = kindOf(m_nest, loop);
        row.name = loop.name;
        row.extent = toText(loop.extent);
        row.hasTail = loop.hasTail;
        for (const auto& [key, value] : loop.annotations) {
            row.hints.push_back({key, value, {}, {}});
        }
        for (const schedule::Prefetch& prefetch : loop.prefetches) {
            row.hints.push_back({"prefetch", prefetch.ahead, prefetch.buffer, prefetch.block});
        }
        row.lanes = row.kind == NestRow::Kind::Vector ? lanesOf(m_nest, loop) : std::string();
        row.accesses = accessesIn(m_nest, loop, m_ranges);
        for (const Buffer& buffer : m_nest.buffers) {
            if (buffer.atLoop == loop.name) {
                std::int64_t bytes = static_cast<std::int64_t>(byteSize(buffer.type));
                const Result<std::vector<std::int64_t>> memory = buffer.layout.memoryShape(buffer.shape);
                for (const std::int64_t extent : memory ? *memory : buffer.shape) {
                    bytes *= extent;
                }
                row.buffers.push_back({buffer.name, buffer.scope, bytes});
            }
        }
    }

    const LoopNest& m_nest;
    Ranges m_ranges;
    std::vector<NestRow> m_rows;
};

// Names that stand in both lists in the same order: the longest such selection.
std::set<std::string> keptInOrder(const std::vector<NestRow>& before, const std::vector<NestRow>& now)
{
    const std::size_t rows = before.size(), columns = now.size();
    std::vector<std::vector<int>> length(rows + 1, std::vector<int>(columns + 1, 0));
    for (std::size_t i = rows; i-- > 0;) {
        for (std::size_t j = columns; j-- > 0;) {
            length[i][j] = before[i].name == now[j].name ? length[i + 1][j + 1] + 1
                                                         : std::max(length[i + 1][j], length[i][j + 1]);
        }
    }
    std::set<std::string> kept;
    for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
        if (before[i].name == now[j].name) {
            kept.insert(before[i].name);
            ++i;
            ++j;
        } else {
            length[i + 1][j] >= length[i][j + 1] ? ++i : ++j;
        }
    }
    return kept;
}

// The nearest loop around it that stayed where it was.
std::string anchorOf(const std::vector<NestRow>& rows, const NestRow& row, const std::set<std::string>& kept)
{
    for (int parent = row.parent; parent >= 0; parent = rows[static_cast<std::size_t>(parent)].parent) {
        const std::string& name = rows[static_cast<std::size_t>(parent)].name;
        if (kept.contains(name)) {
            return name;
        }
    }
    return {};
}

// Names of the loops around a row.
std::set<std::string> around(const std::vector<NestRow>& rows, const NestRow& row)
{
    std::set<std::string> names;
    for (int parent = row.parent; parent >= 0; parent = rows[static_cast<std::size_t>(parent)].parent) {
        names.insert(rows[static_cast<std::size_t>(parent)].name);
    }
    return names;
}

// Loops that were around another and are inside of it now, and those others.
std::set<std::string> turnedAround(const std::vector<NestRow>& before, const std::vector<NestRow>& now)
{
    std::map<std::string, std::set<std::string>> outer;
    for (const NestRow& row : before) {
        if (row.isLoop()) {
            outer.emplace(row.name, around(before, row));
        }
    }
    std::set<std::string> turned;
    for (const NestRow& row : now) {
        if (!row.isLoop()) {
            continue;
        }
        for (const std::string& name : around(now, row)) {
            const auto was = outer.find(name);
            if (was != outer.end() && was->second.contains(row.name)) {
                turned.insert({name, row.name});
            }
        }
    }
    return turned;
}

void markChanges(std::vector<NestRow>& now, const std::vector<NestRow>& before)
{
    const std::set<std::string> turned = turnedAround(before, now);
    const std::set<std::string> kept = keptInOrder(before, now);
    for (NestRow& row : now) {
        const int at = rowOf(before, row.name);
        if (at < 0 || !kept.contains(row.name) || turned.contains(row.name)) {
            row.changed = true;
            continue;
        }
        const NestRow& old = before[static_cast<std::size_t>(at)];
        row.changed = old.kind != row.kind || old.extent != row.extent || old.hasTail != row.hasTail
            || old.buffers != row.buffers || old.statement != row.statement || old.hints != row.hints || old.streams != row.streams
            || anchorOf(before, old, kept) != anchorOf(now, row, kept);
    }
}

} // namespace

std::vector<NestRow> nestRows(const LoopNest& nest, const LoopNest* before)
{
    std::vector<NestRow> rows = Reader(nest).take();
    if (before != nullptr) {
        markChanges(rows, Reader(*before).take());
    }
    return rows;
}

int rowOf(const std::vector<NestRow>& rows, const std::string& name)
{
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].name == name) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

} // namespace nw::views
