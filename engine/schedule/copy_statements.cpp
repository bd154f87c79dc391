#include "engine/schedule/copy_statements.h"

#include "engine/schedule/analysis/access.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>

namespace nw::schedule {

namespace {

class Copier {
public:
    explicit Copier(LoopNest& nest)
        : m_nest(nest)
    {}

    StatementCopy run(const std::vector<Stmt>& statements, const std::string& inside, const std::string& insideCopy)
    {
        if (!inside.empty()) {
            m_loops[inside] = insideCopy;
        }
        nameLoops(statements);
        for (const Block* block : blocksIn(statements)) {
            m_blocks[block->name] = fresh(block->name);
        }
        copyBuffers();
        for (const auto& [from, to] : m_loops) {
            m_renamed.emplace(from, var(to));
        }
        m_renamed.erase(inside);
        StatementCopy copy;
        copy.statements = copied(statements, copy.forward);
        return copy;
    }

private:
    std::string fresh(const std::string& wanted)
    {
        std::string name = m_nest.freshName(wanted);
        for (int copy = 2; !m_given.insert(name).second; ++copy) {
            name = m_nest.freshName(wanted + "." + std::to_string(copy));
        }
        return name;
    }

    void nameLoops(const std::vector<Stmt>& statements)
    {
        for (const Stmt& statement : statements) {
            if (const Loop* loop = statement->loop()) {
                m_loops[loop->name] = fresh(loop->name);
                nameLoops(loop->body);
            }
        }
    }

    void copyBuffers()
    {
        const std::vector<Buffer> before = m_nest.buffers;
        for (const Buffer& buffer : before) {
            const auto home = m_loops.find(buffer.atLoop);
            if (home != m_loops.end()) {
                Buffer copy = buffer;
                copy.name = fresh(buffer.name);
                copy.atLoop = home->second;
                m_buffers[buffer.name] = copy.name;
                m_nest.buffers.push_back(std::move(copy));
            }
        }
    }

    std::string bufferOf(const std::string& name) const
    {
        const auto found = m_buffers.find(name);
        return found == m_buffers.end() ? name : found->second;
    }

    std::vector<Stmt> copied(const std::vector<Stmt>& statements, Forward& forward)
    {
        std::vector<Stmt> result;
        for (const Stmt& statement : statements) {
            if (const Block* block = statement->block()) {
                Block copy = copied(*block);
                forward.blocks[block->id] = {block->id, copy.id};
                result.push_back(makeStmt(std::move(copy)));
                continue;
            }
            Loop copy = *statement->loop();
            forward.loops[copy.id] = {copy.id, m_nest.nextId};
            copy.id = m_nest.nextId++;
            copy.name = m_loops.at(copy.name);
            const auto leader = m_loops.find(copy.follows);
            copy.follows = leader == m_loops.end() ? copy.follows : leader->second;
            for (Prefetch& prefetch : copy.prefetches) {
                const auto block = m_blocks.find(prefetch.block);
                prefetch.block = block == m_blocks.end() ? prefetch.block : block->second;
                prefetch.buffer = bufferOf(prefetch.buffer);
            }
            copy.body = copied(statement->loop()->body, forward);
            result.push_back(makeStmt(std::move(copy)));
        }
        return result;
    }

    Block copied(const Block& block)
    {
        Block copy = block;
        copy.id = m_nest.nextId++;
        copy.name = m_blocks.at(block.name);
        for (IterVar& iter : copy.iters) {
            iter.binding = substitute(iter.binding, m_renamed);
        }
        copy.predicate = substitute(copy.predicate, m_renamed);
        copy.buffer = bufferOf(copy.buffer);
        const auto renamed = [&](const Expr& e) {
            const Load* read = e->as<Load>();
            return read != nullptr ? load(bufferOf(read->buffer), e->type(), read->indices) : e;
        };
        copy.value = rewriteExpr(copy.value, renamed);
        copy.init = copy.init == nullptr ? nullptr : rewriteExpr(copy.init, renamed);
        return copy;
    }

    LoopNest& m_nest;
    std::set<std::string> m_given;
    std::map<std::string, std::string> m_loops, m_blocks, m_buffers;
    Substitution m_renamed;
};

// The part of its axis that an iteration variable takes, where the block runs at all.
Interval walked(const IterVar& iter, const Ranges& ranges)
{
    const Interval met = boundsOf(iter.binding, ranges);
    const std::optional<std::int64_t> extent = constInt(iter.extent);
    return {std::max<std::int64_t>(met.low, 0), extent ? std::min(met.high, *extent - 1) : met.high};
}

bool guards(const std::vector<Stmt>& statements, const std::string& loop)
{
    const std::vector<const Block*> blocks = blocksIn(statements);
    return std::any_of(blocks.begin(), blocks.end(), [&](const Block* block) { return usesVar(block->predicate, loop); });
}

} // namespace

StatementCopy copyStatements(LoopNest& nest, const std::vector<Stmt>& statements, const std::string& inside,
                             const std::string& insideCopy)
{
    return Copier(nest).run(statements, inside, insideCopy);
}

StatementCopy copyStatements(LoopNest& nest, const std::vector<Stmt>& statements)
{
    return Copier(nest).run(statements, {}, {});
}

bool testsSteps(const Block& block, const std::string& loop)
{
    bool found = usesVar(block.predicate, loop);
    const Substitution bindings = block.bindings();
    walk(block.value, [&](const Expr& e) {
        const Select* choice = e->as<Select>();
        found = found || (choice != nullptr && usesVar(substitute(choice->condition, bindings), loop));
        return !found;
    });
    return found;
}

std::vector<Stmt> withoutSpentTails(const std::vector<Stmt>& statements)
{
    std::vector<Stmt> result;
    for (const Stmt& statement : statements) {
        if (statement->loop() == nullptr) {
            result.push_back(statement);
            continue;
        }
        Loop loop = *statement->loop();
        loop.hasTail = loop.hasTail && guards(loop.body, loop.name);
        loop.body = withoutSpentTails(loop.body);
        result.push_back(makeStmt(std::move(loop)));
    }
    return result;
}

std::vector<Stmt> tightened(const std::vector<Stmt>& statements, const Ranges& ranges)
{
    return withoutSpentTails(mapBlocks(statements, [&](const Block& block) -> std::optional<Block> {
        Block changed = block;
        changed.predicate = simplify(block.predicate, ranges);
        Ranges axes;
        for (const IterVar& iter : block.iters) {
            axes[iter.name] = walked(iter, ranges);
        }
        changed.value = simplify(block.value, axes);
        return changed;
    }));
}

} // namespace nw::schedule
