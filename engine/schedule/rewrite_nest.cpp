#include "engine/schedule/rewrite_nest.h"

#include "engine/schedule/analysis/access.h"

#include <algorithm>

namespace nw::schedule {

namespace {

// Replaces the one statement that `wanted` accepts. False when it is not beneath; then nothing was copied.
bool replaceIn(std::vector<Stmt>& statements, const std::function<bool(const StmtNode&)>& wanted, const Replacement& by)
{
    for (std::size_t i = 0; i < statements.size(); ++i) {
        if (wanted(*statements[i])) {
            const std::vector<Stmt> replacement = by(*statements[i]);
            const auto place = statements.begin() + static_cast<std::ptrdiff_t>(i);
            statements.insert(statements.erase(place), replacement.begin(), replacement.end());
            return true;
        }
        if (const Loop* loop = statements[i]->loop()) {
            std::vector<Stmt> body = loop->body;
            if (replaceIn(body, wanted, by)) {
                Loop changed = *loop;
                changed.body = std::move(body);
                statements[i] = makeStmt(std::move(changed));
                return true;
            }
        }
    }
    return false;
}

bool removeFrom(std::vector<Stmt>& statements, const std::string& name, std::vector<const Loop*>& gone)
{
    for (std::size_t i = 0; i < statements.size(); ++i) {
        const auto place = statements.begin() + static_cast<std::ptrdiff_t>(i);
        if (const Block* block = statements[i]->block()) {
            if (block->name == name) {
                statements.erase(place);
                return true;
            }
            continue;
        }
        const Loop* loop = statements[i]->loop();
        std::vector<Stmt> body = loop->body;
        if (removeFrom(body, name, gone)) {
            if (body.empty()) {
                gone.insert(gone.begin(), loop);
                statements.erase(place);
            } else {
                Loop changed = *loop;
                changed.body = std::move(body);
                statements[i] = makeStmt(std::move(changed));
            }
            return true;
        }
    }
    return false;
}

bool refollowIn(std::vector<Stmt>& statements, const std::string& leader, const std::vector<Loop>& parts)
{
    bool any = false;
    for (Stmt& statement : statements) {
        const Loop* loop = statement->loop();
        if (loop == nullptr) {
            continue;
        }
        std::vector<Stmt> body = loop->body;
        const bool below = refollowIn(body, leader, parts);
        if (!below && loop->follows != leader) {
            continue;
        }
        Loop changed = *loop;
        changed.body = std::move(body);
        if (changed.follows == leader) {
            const auto same = std::find_if(parts.rbegin(), parts.rend(),
                                           [&](const Loop& part) { return equal(part.extent, changed.extent); });
            changed.follows = same == parts.rend() ? "" : same->name;
        }
        statement = makeStmt(std::move(changed));
        any = true;
    }
    return any;
}

} // namespace

void replaceLoop(LoopNest& nest, LoopId id, const Replacement& by)
{
    const bool done = replaceIn(
        nest.roots, [&](const StmtNode& node) { return node.loop() != nullptr && node.loop()->id == id; }, by);
    ENSURE(done, "there is no loop with id " + std::to_string(id));
}

void replaceBlock(LoopNest& nest, BlockId id, const Replacement& by)
{
    const bool done = replaceIn(
        nest.roots, [&](const StmtNode& node) { return node.block() != nullptr && node.block()->id == id; }, by);
    ENSURE(done, "there is no block with id " + std::to_string(id));
}

void changeLoop(LoopNest& nest, LoopId id, const std::function<void(Loop&)>& change)
{
    replaceLoop(nest, id, [&](const StmtNode& node) {
        Loop changed = *node.loop();
        change(changed);
        return std::vector<Stmt>{makeStmt(std::move(changed))};
    });
}

std::vector<Stmt> mapBlocks(const std::vector<Stmt>& statements, const BlockChange& change)
{
    std::vector<Stmt> result;
    result.reserve(statements.size());
    for (const Stmt& statement : statements) {
        if (const Block* block = statement->block()) {
            std::optional<Block> changed = change(*block);
            result.push_back(changed ? makeStmt(*std::move(changed)) : statement);
            continue;
        }
        const Loop* loop = statement->loop();
        std::vector<Stmt> body = mapBlocks(loop->body, change);
        if (body == loop->body) {
            result.push_back(statement);
        } else {
            Loop changed = *loop;
            changed.body = std::move(body);
            result.push_back(makeStmt(std::move(changed)));
        }
    }
    return result;
}

std::vector<Stmt> substituteLoops(const std::vector<Stmt>& statements, const Substitution& loops, const Expr& guard,
                                  const Ranges& ranges)
{
    const auto uses = [&](const Expr& e) {
        return std::any_of(loops.begin(), loops.end(), [&](const auto& entry) { return usesVar(e, entry.first); });
    };
    return mapBlocks(statements, [&](const Block& block) -> std::optional<Block> {
        Block changed = block;
        bool any = false;
        for (IterVar& iter : changed.iters) {
            if (uses(iter.binding)) {
                iter.binding = simplify(substitute(iter.binding, loops), ranges);
                any = true;
            }
        }
        if (uses(changed.predicate)) {
            changed.predicate = simplify(substitute(changed.predicate, loops), ranges);
            any = true;
        }
        if (!isConst(guard, 1)) {
            std::vector<Expr> all = conjuncts(changed.predicate);
            all.push_back(guard);
            changed.predicate = allOf(all);
            any = true;
        }
        return any ? std::optional<Block>(std::move(changed)) : std::nullopt;
    });
}

std::vector<const Loop*> removeBlock(LoopNest& nest, const std::string& name)
{
    std::vector<const Loop*> gone;
    const bool done = removeFrom(nest.roots, name, gone);
    ENSURE(done, "there is no block " + name);
    return gone;
}

void insertBeside(LoopNest& nest, const std::string& at, const std::set<std::string>& blocks, const std::vector<Stmt>& added,
                  bool behind)
{
    const LoopNest::Path path = nest.findLoop(at);
    ENSURE(path, "there is no loop " + at);
    changeLoop(nest, path.loop->id, [&](Loop& loop) {
        const auto holds = [&](const Stmt& statement) {
            const std::vector<const Block*> below = blocksIn({statement});
            return std::any_of(below.begin(), below.end(), [&](const Block* block) { return blocks.contains(block->name); });
        };
        auto place = std::find_if(loop.body.begin(), loop.body.end(), holds);
        ENSURE(place != loop.body.end(), "loop " + at + " holds none of the blocks");
        if (behind) {
            place = std::find_if(loop.body.rbegin(), loop.body.rend(), holds).base();
        }
        loop.body.insert(place, added.begin(), added.end());
    });
}

void refollow(LoopNest& nest, const std::string& leader, const std::vector<Loop>& parts)
{
    refollowIn(nest.roots, leader, parts);
}

void moveBuffers(LoopNest& nest, const std::string& from, const std::string& to)
{
    for (Buffer& buffer : nest.buffers) {
        if (buffer.atLoop == from) {
            buffer.atLoop = to;
        }
    }
}

Buffer* findBuffer(LoopNest& nest, const std::string& name)
{
    for (Buffer& buffer : nest.buffers) {
        if (buffer.name == name) {
            return &buffer;
        }
    }
    return nullptr;
}

void eraseBuffer(LoopNest& nest, const std::string& name)
{
    std::erase_if(nest.buffers, [&](const Buffer& buffer) { return buffer.name == name; });
}

void forwardByAxis(Forward& forward, const Block& before, const Block& after, const std::vector<Loop>& made,
                   const std::vector<const Loop*>& gone)
{
    for (const Loop* loop : gone) {
        std::vector<LoopId>& to = forward.loops[loop->id];
        for (const IterVar& iter : before.iters) {
            const IterVar* now = usesVar(iter.binding, loop->name) ? after.iter(iter.name) : nullptr;
            for (const Loop& candidate : made) {
                if (now != nullptr && usesVar(now->binding, candidate.name)
                    && std::find(to.begin(), to.end(), candidate.id) == to.end()) {
                    to.push_back(candidate.id);
                }
            }
        }
    }
}

std::vector<const Loop*> chainFrom(const Loop& top)
{
    std::vector<const Loop*> chain{&top};
    while (chain.back()->body.size() == 1 && chain.back()->body.front()->loop() != nullptr) {
        chain.push_back(chain.back()->body.front()->loop());
    }
    return chain;
}

std::vector<Stmt> wrap(const std::vector<Loop>& loops, std::vector<Stmt> body)
{
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
        Loop around = *loop;
        around.body = std::move(body);
        body = {makeStmt(std::move(around))};
    }
    return body;
}

std::set<std::string> namesOf(const std::vector<const Loop*>& loops)
{
    std::set<std::string> names;
    for (const Loop* loop : loops) {
        names.insert(loop->name);
    }
    return names;
}

std::set<std::string> loopsInside(const std::vector<const Loop*>& loops, const std::string& at)
{
    std::set<std::string> names;
    bool inside = false;
    for (const Loop* loop : loops) {
        if (inside) {
            names.insert(loop->name);
        }
        inside = inside || loop->name == at;
    }
    return names;
}

bool contains(const LoopNest::Path& path, const std::string& loop)
{
    return std::any_of(path.loops.begin(), path.loops.end(), [&](const Loop* around) { return around->name == loop; });
}

} // namespace nw::schedule
