// Conditions move out of the loops that they do not depend on.
//
//   for k in 0..K                    if m * 6 + i < 100
//     for j in 0..16 vector    =>      for k in 0..K
//       if m * 6 + i < 100               for j in 0..16 vector
//         Y[...] = ...                     Y[...] = ...
//
// Only where the condition is over everything in the loop. Statements of one body under the same condition share it.

#include "engine/lower/passes/all.h"
#include "engine/lower/statements.h"

#include <algorithm>

namespace nw::lower {

namespace {

using Conditions = std::vector<Expr>;

bool holds(const Conditions& conditions, const Expr& wanted)
{
    return std::any_of(conditions.begin(), conditions.end(), [&](const Expr& one) { return equal(one, wanted); });
}

// The conditions over all of a body; it is returned without them.
struct Split {
    Conditions outside;
    LBody body;
};

const LIf* plainIf(const LStmt& statement)
{
    const auto* node = std::get_if<LIf>(&statement->kind());
    return node != nullptr && node->otherwise.empty() ? node : nullptr;
}

// Takes out of every statement the conjuncts that all of them have and that `may` allows.
Split factored(const LBody& body, const std::function<bool(const Expr&)>& may)
{
    Split split;
    if (body.empty() || !std::all_of(body.begin(), body.end(), [](const LStmt& s) { return plainIf(s) != nullptr; })) {
        return {{}, body};
    }
    for (const Expr& one : conjuncts(plainIf(body.front())->condition)) {
        const bool everywhere = std::all_of(body.begin(), body.end(), [&](const LStmt& statement) {
            return holds(conjuncts(plainIf(statement)->condition), one);
        });
        if (everywhere && may(one)) {
            split.outside.push_back(one);
        }
    }
    for (const LStmt& statement : body) {
        const LIf& node = *plainIf(statement);
        Conditions left = conjuncts(node.condition);
        std::erase_if(left, [&](const Expr& one) { return holds(split.outside, one); });
        if (left.empty()) {
            split.body.insert(split.body.end(), node.then.begin(), node.then.end());
        } else {
            split.body.push_back(makeLStmt(LIf{allOf(left), node.then, {}}));
        }
    }
    return split;
}

LBody hoisted(const LBody& body);

LStmt hoistedStatement(const LStmt& statement)
{
    const LStmt made = withBodies(statement, &hoisted);
    if (const auto* loop = std::get_if<LFor>(&made->kind())) {
        Split split = factored(loop->body, [&](const Expr& one) { return !usesVar(one, loop->variable); });
        if (!split.outside.empty()) {
            LFor inner = *loop;
            inner.body = std::move(split.body);
            return makeLStmt(LIf{allOf(split.outside), {makeLStmt(std::move(inner))}, {}});
        }
    } else if (const auto* alloc = std::get_if<LAlloc>(&made->kind())) {
        Split split = factored(alloc->body, [](const Expr&) { return true; });
        if (!split.outside.empty()) {
            return makeLStmt(LIf{allOf(split.outside), {makeLStmt(LAlloc{alloc->buffer, std::move(split.body)})}, {}});
        }
    } else if (const LIf* node = plainIf(made)) {
        Split split = factored(node->then, [](const Expr&) { return true; });
        if (!split.outside.empty()) {
            Conditions all = conjuncts(node->condition);
            all.insert(all.end(), split.outside.begin(), split.outside.end());
            return makeLStmt(LIf{allOf(all), std::move(split.body), {}});
        }
    }
    return made;
}

LBody hoisted(const LBody& body)
{
    LBody made;
    for (const LStmt& statement : body) {
        made.push_back(hoistedStatement(statement));
    }
    return made;
}

Result<Lowered> run(Lowered program, const PassInput&)
{
    program.body = hoisted(program.body);
    return program;
}

} // namespace

const Pass hoistGuards{"hoist guards", "Conditions move out of loops that they do not depend on", &run};

} // namespace nw::lower
