#include "engine/schedule/loop_nest.h"

#include <functional>

namespace nw::schedule {

namespace {

// Visits every statement with the loops around it, outer before inner, in program order. A true return stops.
bool visit(const std::vector<Stmt>& statements, std::vector<const Loop*>& around,
           const std::function<bool(const StmtNode&, const std::vector<const Loop*>&)>& found)
{
    for (const Stmt& statement : statements) {
        if (found(*statement, around)) {
            return true;
        }
        if (const Loop* loop = statement->loop()) {
            around.push_back(loop);
            if (visit(loop->body, around, found)) {
                return true;
            }
            around.pop_back();
        }
    }
    return false;
}

template <typename Wanted>
LoopNest::Path findLoopWhere(const std::vector<Stmt>& roots, const Wanted& wanted)
{
    LoopNest::Path path;
    std::vector<const Loop*> around;
    visit(roots, around, [&](const StmtNode& node, const std::vector<const Loop*>& loops) {
        if (node.loop() == nullptr || !wanted(*node.loop())) {
            return false;
        }
        path.loops = loops;
        path.loop = node.loop();
        return true;
    });
    return path;
}

} // namespace

const IterVar* Block::iter(std::string_view iterName) const
{
    for (const IterVar& candidate : iters) {
        if (candidate.name == iterName) {
            return &candidate;
        }
    }
    return nullptr;
}

Substitution Block::bindings() const
{
    Substitution result;
    for (const IterVar& candidate : iters) {
        result.emplace(candidate.name, candidate.binding);
    }
    return result;
}

const Buffer* LoopNest::buffer(std::string_view name) const
{
    for (const Buffer& candidate : buffers) {
        if (candidate.name == name) {
            return &candidate;
        }
    }
    return nullptr;
}

LoopNest::Path LoopNest::findLoop(std::string_view name) const
{
    return findLoopWhere(roots, [&](const Loop& loop) { return loop.name == name; });
}

LoopNest::Path LoopNest::findLoop(LoopId id) const
{
    return findLoopWhere(roots, [&](const Loop& loop) { return loop.id == id; });
}

LoopNest::Path LoopNest::findBlock(std::string_view name) const
{
    Path path;
    std::vector<const Loop*> around;
    visit(roots, around, [&](const StmtNode& node, const std::vector<const Loop*>& loops) {
        if (node.block() == nullptr || node.block()->name != name) {
            return false;
        }
        path.loops = loops;
        path.block = node.block();
        return true;
    });
    return path;
}

std::vector<LoopNest::Path> LoopNest::blocks() const
{
    std::vector<Path> result;
    std::vector<const Loop*> around;
    visit(roots, around, [&](const StmtNode& node, const std::vector<const Loop*>& loops) {
        if (node.block() != nullptr) {
            Path& path = result.emplace_back();
            path.loops = loops;
            path.block = node.block();
        }
        return false;
    });
    return result;
}

std::vector<const Loop*> LoopNest::allLoops() const
{
    std::vector<const Loop*> result;
    std::vector<const Loop*> around;
    visit(roots, around, [&](const StmtNode& node, const std::vector<const Loop*>&) {
        if (node.loop() != nullptr) {
            result.push_back(node.loop());
        }
        return false;
    });
    return result;
}

Ranges LoopNest::loopRanges() const
{
    Ranges ranges;
    for (const Loop* loop : allLoops()) {
        const std::optional<std::int64_t> extent = constantExtent(*loop);
        ranges[loop->name] = extent ? Interval::ofExtent(*extent) : Interval{0, Interval::kPlusInf};
    }
    return ranges;
}

bool LoopNest::nameTaken(std::string_view name) const
{
    if (buffer(name) != nullptr) {
        return true;
    }
    std::vector<const Loop*> around;
    return visit(roots, around, [&](const StmtNode& node, const std::vector<const Loop*>&) {
        return node.loop() != nullptr ? node.loop()->name == name : node.block()->name == name;
    });
}

std::string LoopNest::freshName(const std::string& wanted) const
{
    if (!nameTaken(wanted)) {
        return wanted;
    }
    for (int copy = 2;; ++copy) {
        std::string candidate = wanted + "." + std::to_string(copy);
        if (!nameTaken(candidate)) {
            return candidate;
        }
    }
}

LoopKind effectiveKind(const LoopNest& nest, const Loop& loop)
{
    if (loop.kind != LoopKind::Serial || loop.follows.empty()) {
        return loop.kind;
    }
    const LoopNest::Path leader = nest.findLoop(loop.follows);
    if (!leader || !equal(leader.loop->extent, loop.extent)) {
        return LoopKind::Serial;
    }
    const LoopKind kind = leader.loop->kind;
    return kind == LoopKind::Vector || kind == LoopKind::Unrolled ? kind : LoopKind::Serial;
}

std::optional<std::int64_t> constantExtent(const Loop& loop)
{
    return constInt(loop.extent);
}

} // namespace nw::schedule
