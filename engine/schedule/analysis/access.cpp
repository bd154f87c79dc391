#include "engine/schedule/analysis/access.h"

#include <algorithm>
#include <set>

namespace nw::schedule {

std::vector<Access> accessesOf(const Block& block)
{
    const Substitution bindings = block.bindings();
    const auto overLoops = [&](const std::vector<Expr>& indices) {
        std::vector<Expr> result;
        result.reserve(indices.size());
        for (const Expr& index : indices) {
            result.push_back(substitute(index, bindings));
        }
        return result;
    };
    std::vector<Access> result{{&block, block.buffer, overLoops(block.indices), true}};
    walk(block.value, [&](const Expr& e) {
        if (const Load* read = e->as<Load>()) {
            result.push_back({&block, read->buffer, overLoops(read->indices), false});
        }
        return true;
    });
    return result;
}

std::vector<std::string> buffersRead(const Block& block)
{
    std::vector<std::string> names;
    walk(block.value, [&](const Expr& e) {
        const Load* read = e->as<Load>();
        if (read != nullptr && std::find(names.begin(), names.end(), read->buffer) == names.end()) {
            names.push_back(read->buffer);
        }
        return true;
    });
    return names;
}

bool readsBuffer(const Block& block, const std::string& buffer)
{
    const std::vector<std::string> names = buffersRead(block);
    return std::find(names.begin(), names.end(), buffer) != names.end();
}

const Block* otherWriter(const LoopNest& nest, const Block& block)
{
    for (const Block* other : blocksIn(nest.roots)) {
        if (other->id != block.id && other->buffer == block.buffer) {
            return other;
        }
    }
    return nullptr;
}

const Loop* outermostReduction(const LoopNest::Path& block)
{
    const std::vector<std::string> reduction = boundLoops(*block.block, true);
    const auto found = std::find_if(block.loops.begin(), block.loops.end(), [&](const Loop* loop) {
        return std::find(reduction.begin(), reduction.end(), loop->name) != reduction.end();
    });
    return found == block.loops.end() ? nullptr : *found;
}

std::vector<std::vector<Expr>> readsOf(const Block& block, const std::string& buffer)
{
    std::vector<std::vector<Expr>> reads;
    walk(block.value, [&](const Expr& e) {
        const Load* read = e->as<Load>();
        if (read != nullptr && read->buffer == buffer) {
            reads.push_back(read->indices);
        }
        return true;
    });
    return reads;
}

std::vector<const Block*> blocksIn(const std::vector<Stmt>& statements)
{
    std::vector<const Block*> result;
    for (const Stmt& statement : statements) {
        if (const Block* block = statement->block()) {
            result.push_back(block);
        } else {
            const std::vector<const Block*> below = blocksIn(statement->loop()->body);
            result.insert(result.end(), below.begin(), below.end());
        }
    }
    return result;
}

std::vector<std::string> boundLoops(const Block& block, bool reduction)
{
    std::set<std::string> names;
    for (const IterVar& iter : block.iters) {
        if (iter.reduction == reduction) {
            const std::vector<std::string> used = freeVars(iter.binding);
            names.insert(used.begin(), used.end());
        }
    }
    return {names.begin(), names.end()};
}

bool usesAny(const Expr& e, const std::set<std::string>& names)
{
    const std::vector<std::string> used = freeVars(e);
    return std::any_of(used.begin(), used.end(), [&](const std::string& name) { return names.contains(name); });
}

} // namespace nw::schedule
