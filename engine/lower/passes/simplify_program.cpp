// Every expression under the ranges and conditions around it; branches that are decided go, loops of one step and
// variables that can have one value only become constants, statements that do nothing go.
//
//   for i in 0..1           if j < 7           =>  if j < 7
//     if j < 7 && i < 3       if j < 8               Y[j] = 0.0
//       Y[i * 8 + j] = 0.0      Y[j] = 0.0

#include "engine/base/overloaded.h"
#include "engine/lower/passes/all.h"
#include "engine/lower/simplify_body.h"

#include <algorithm>

namespace nw::lower {

namespace {

class BodySimplifier {
public:
    LBody run(const LBody& body, const Known& known)
    {
        LBody changed;
        if (known.isImpossible()) {
            return changed;
        }
        for (const LStmt& statement : body) {
            std::visit(overloaded{
                           [&](const LFor& loop) { loopInto(changed, loop, known); },
                           [&](const LIf& node) { conditionInto(changed, node, known); },
                           [&](const LStore& store) { storeInto(changed, store, known); },
                           [&](const LAlloc& node) {
                               LBody inner = run(node.body, known);
                               if (!inner.empty()) {
                                   changed.push_back(makeLStmt(LAlloc{node.buffer, std::move(inner)}));
                               }
                           },
                           [&](const LPrefetch& prefetch) { prefetchInto(changed, prefetch, known); },
                       },
                       statement->kind());
        }
        return changed;
    }

private:
    static void appendAll(LBody& to, LBody more) { to.insert(to.end(), more.begin(), more.end()); }

    void loopInto(LBody& to, const LFor& loop, const Known& known)
    {
        if (loop.end <= loop.begin) {
            return;
        }
        Known inside = known;
        inside.setRange(loop.variable, {loop.begin, loop.end - 1});
        LBody body = run(loop.body, inside);
        if (std::all_of(body.begin(), body.end(), isPrefetch)) { // or empty: nothing to fetch for
            return;
        }
        if (loop.end == loop.begin + 1) {
            appendAll(to, std::move(body)); // its variable was a point and is gone
            return;
        }
        LFor made = loop;
        made.body = std::move(body);
        to.push_back(makeLStmt(std::move(made)));
    }

    void conditionInto(LBody& to, const LIf& node, const Known& known)
    {
        const Expr condition = known.remaining(substitute(node.condition, known.points()));
        if (const std::optional<std::int64_t> value = constInt(condition)) {
            appendAll(to, run(*value != 0 ? node.then : node.otherwise, known));
            return;
        }
        Known yes = known;
        yes.assume(condition, true);
        Known no = known;
        no.assume(condition, false);
        LIf made{condition, run(node.then, yes), run(node.otherwise, no)};
        if (made.then.empty() && made.otherwise.empty()) {
            return;
        }
        if (made.then.empty()) {
            made = {simplify(unary(UnaryOp::Not, made.condition), known.ranges()), std::move(made.otherwise), {}};
        }
        to.push_back(makeLStmt(std::move(made)));
    }

    static bool isPrefetch(const LStmt& statement) { return std::holds_alternative<LPrefetch>(statement->kind()); }

    static void prefetchInto(LBody& to, const LPrefetch& prefetch, const Known& known)
    {
        to.push_back(makeLStmt(LPrefetch{prefetch.buffer, known.simplified(substitute(prefetch.offset, known.points()))}));
    }

    static void storeInto(LBody& to, const LStore& store, const Known& known)
    {
        const Substitution points = known.points();
        LStore made = store;
        made.offset = known.simplified(substitute(store.offset, points));
        made.value = known.simplified(substitute(store.value, points));
        to.push_back(makeLStmt(std::move(made)));
    }
};

Result<Lowered> run(Lowered program, const PassInput&)
{
    program.body = simplifyBody(program.body, {});
    return program;
}

} // namespace

LBody simplifyBody(const LBody& body, const Known& known) { return BodySimplifier().run(body, known); }

const Pass simplifyProgram{"simplify", "Expressions under the ranges and conditions around them", &run};

} // namespace nw::lower
