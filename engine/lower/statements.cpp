#include "engine/lower/statements.h"

#include "engine/base/overloaded.h"

#include <algorithm>

namespace nw::lower {

void walkBody(const LBody& body, const std::function<bool(const LStmt&)>& visit)
{
    for (const LStmt& statement : body) {
        if (!visit(statement)) {
            continue;
        }
        std::visit(overloaded{
                       [&](const LFor& loop) { walkBody(loop.body, visit); },
                       [&](const LIf& node) {
                           walkBody(node.then, visit);
                           walkBody(node.otherwise, visit);
                       },
                       [](const LStore&) {},
                       [&](const LAlloc& node) { walkBody(node.body, visit); },
                       [](const LPrefetch&) {},
                   },
                   statement->kind());
    }
}

LStmt withBodies(const LStmt& statement, const std::function<LBody(const LBody&)>& change)
{
    return std::visit(overloaded{
                          [&](LFor loop) {
                              loop.body = change(loop.body);
                              return makeLStmt(std::move(loop));
                          },
                          [&](LIf node) {
                              node.then = change(node.then);
                              node.otherwise = change(node.otherwise);
                              return makeLStmt(std::move(node));
                          },
                          [&](const LStore&) { return statement; },
                          [&](LAlloc node) {
                              node.body = change(node.body);
                              return makeLStmt(std::move(node));
                          },
                          [&](const LPrefetch&) { return statement; },
                      },
                      statement->kind());
}

LBody mapExprs(const LBody& body, const std::function<Expr(const Expr&)>& change)
{
    LBody changed;
    changed.reserve(body.size());
    for (const LStmt& statement : body) {
        if (const auto* store = std::get_if<LStore>(&statement->kind())) {
            LStore copy = *store;
            copy.offset = change(copy.offset);
            copy.value = change(copy.value);
            changed.push_back(makeLStmt(std::move(copy)));
            continue;
        }
        if (const auto* prefetch = std::get_if<LPrefetch>(&statement->kind())) {
            changed.push_back(makeLStmt(LPrefetch{prefetch->buffer, change(prefetch->offset)}));
            continue;
        }
        LStmt copy = withBodies(statement, [&](const LBody& inner) { return mapExprs(inner, change); });
        if (const auto* node = std::get_if<LIf>(&copy->kind())) {
            LIf conditioned = *node;
            conditioned.condition = change(conditioned.condition);
            copy = makeLStmt(std::move(conditioned));
        }
        changed.push_back(std::move(copy));
    }
    return changed;
}

bool usesBuffer(const LStmt& statement, const std::string& buffer)
{
    bool found = false;
    walkBody({statement}, [&](const LStmt& inner) {
        if (const auto* store = std::get_if<LStore>(&inner->kind())) {
            found = found || store->buffer == buffer;
            walk(store->value, [&](const Expr& e) {
                const auto* loaded = e->as<Load>();
                found = found || (loaded != nullptr && loaded->buffer == buffer);
                return !found;
            });
        } else if (const auto* prefetch = std::get_if<LPrefetch>(&inner->kind())) {
            found = found || prefetch->buffer == buffer;
        }
        return !found;
    });
    return found;
}

namespace {

// Of the loop's body in the code.
std::int64_t copiesOf(const LFor& loop)
{
    const std::int64_t extent = loop.end - loop.begin;
    if (loop.kind == LoopKind::Unrolled) {
        return extent;
    }
    return loop.kind == LoopKind::Serial && loop.unroll > 1 ? std::min(loop.unroll, extent) : 1;
}

} // namespace

std::int64_t unrolledStores(const LBody& body)
{
    constexpr std::int64_t kMany = std::int64_t{1} << 40;
    std::int64_t total = 0;
    for (const LStmt& statement : body) {
        const std::int64_t here
            = std::visit(overloaded{
                             [](const LFor& loop) {
                                 const std::int64_t copies = copiesOf(loop);
                                 const std::int64_t inner = unrolledStores(loop.body);
                                 return inner > 0 && copies > kMany / inner ? kMany : copies * inner;
                             },
                             [](const LIf& node) { return unrolledStores(node.then) + unrolledStores(node.otherwise); },
                             [](const LStore&) { return std::int64_t{1}; },
                             [](const LAlloc& node) { return unrolledStores(node.body); },
                             [](const LPrefetch&) { return std::int64_t{0}; },
                         },
                         statement->kind());
        total = std::min(kMany, total + here);
    }
    return total;
}

bool isRuntime(LoopKind kind) { return kind == LoopKind::Serial || kind == LoopKind::Parallel; }

bool containsRuntimeLoop(const LBody& body)
{
    bool found = false;
    walkBody(body, [&](const LStmt& statement) {
        const auto* loop = std::get_if<LFor>(&statement->kind());
        found = found || (loop != nullptr && isRuntime(loop->kind));
        return !found;
    });
    return found;
}

} // namespace nw::lower
