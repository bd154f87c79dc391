// A condition inside of unrolled and vector loops becomes two versions of the code around them: one where it holds for
// all of their steps and needs no test, and the rest, which keeps it.
//
//   for m in 0..167                     for m in 0..167
//     for k in 0..K                       if m < 166
//       unrolled i in 0..6                  for k, for i: acc[...] += ...
//         if m * 6 + i < 1000       =>    else
//           acc[...] += ...                 for k, for i: if i < 4: acc[...] += ...      (m is 166)
//
// The versions part in the body of the innermost serial or parallel loop that the condition speaks of, around the
// statements that contain it; in a chain of parallel loops, in the innermost. A condition on serial and parallel loops
// alone is decided there too, which hoists it. At most 16 versions of a statement: beyond, conditions stay.

#include "engine/base/simplifier.h"
#include "engine/base/overloaded.h"
#include "engine/lower/passes/all.h"
#include "engine/lower/simplify_body.h"
#include "engine/lower/statements.h"
#include "engine/schedule/analysis/access.h"

#include <algorithm>
#include <set>

namespace nw::lower {

namespace {

constexpr int kVersions = 16;

// Loop variables that a place sees, by what they become in the code.
struct View {
    Known known;
    std::set<std::string> inner; // unrolled and vector: constants in the end
    std::set<std::string> deeper; // serial and parallel loops inside of the place that is being looked at
};

// What must hold of the other variables so that `form` >= 0 holds for every (or, `best`, for at least one) step of the
// inner loops.
std::optional<Linear> overInner(const Linear& form, const View& view, bool best)
{
    Linear outer = Linear::ofConstant(form.constant);
    for (const Linear::Term& term : form.terms) {
        std::optional<Linear> next;
        if (schedule::usesAny(term.atom, view.inner)) {
            const Interval range = boundsOf(term.atom, view.known.ranges());
            const bool low = (term.coefficient > 0) != best;
            if (!isFiniteEnd(low ? range.low : range.high)) {
                return {};
            }
            next = addScaled(outer, Linear::ofConstant(low ? range.low : range.high), term.coefficient);
        } else {
            next = addScaled(outer, Linear::ofAtom(term.atom, term.coefficient), 1);
        }
        if (!next) {
            return {};
        }
        outer = *std::move(next);
    }
    return outer;
}

// The condition on serial and parallel loops that decides the conjunct best, when it is not decided yet.
std::optional<Expr> decider(const Expr& conjunct, const View& view)
{
    if (!schedule::usesAny(conjunct, view.inner)) {
        return view.known.decide(conjunct) ? std::nullopt : std::optional(conjunct);
    }
    const std::optional<Constraint> c = constraintOf(view.known.simplified(conjunct));
    if (!c || c->kind != Constraint::Kind::AtLeastZero) {
        return {};
    }
    for (const bool best : {false, true}) {
        const std::optional<Linear> form = overInner(c->form, view, best);
        if (!form) {
            return {};
        }
        const Expr condition = view.known.simplified(toExpr(Constraint{Constraint::Kind::AtLeastZero, *form}));
        const std::optional<bool> decided = view.known.decide(condition);
        if (!decided) {
            return condition;
        }
        // Held for all steps: nothing to part. Held for none of all: it may still hold for some.
        if (*decided) {
            return {};
        }
    }
    return {};
}

void collectDeciders(const LBody& body, View view, std::vector<Expr>& found);

void collectDeciders(const LStmt& statement, const View& view, std::vector<Expr>& found)
{
    std::visit(overloaded{
                   [&](const LFor& loop) {
                       View inside = view;
                       inside.known.setRange(loop.variable, {loop.begin, loop.end - 1});
                       (isRuntime(loop.kind) ? inside.deeper : inside.inner).insert(loop.variable);
                       collectDeciders(loop.body, std::move(inside), found);
                   },
                   [&](const LIf& node) {
                       for (const Expr& one : conjuncts(node.condition)) {
                           const std::optional<Expr> condition
                               = schedule::usesAny(one, view.deeper) ? std::nullopt : decider(one, view);
                           if (condition) {
                               found.push_back(*condition);
                           }
                       }
                       collectDeciders(node.then, view, found);
                       collectDeciders(node.otherwise, view, found);
                   },
                   [](const LStore&) {},
                   [&](const LAlloc& node) { collectDeciders(node.body, view, found); },
                   [](const LPrefetch&) {},
               },
               statement->kind());
}

void collectDeciders(const LBody& body, View view, std::vector<Expr>& found)
{
    for (const LStmt& statement : body) {
        collectDeciders(statement, view, found);
    }
}

class Splitter {
public:
    // A body in which every serial and parallel variable in sight has a value.
    LBody split(const LBody& body, const View& view, int versions) const
    {
        std::vector<std::vector<Expr>> deciders(body.size());
        for (std::size_t i = 0; i < body.size(); ++i) {
            // The body of an allocation is looked at on its own, so that what needs no version is not copied.
            if (!std::holds_alternative<LAlloc>(body[i]->kind())) {
                collectDeciders(body[i], view, deciders[i]);
            }
        }
        std::vector<Expr> tried;
        for (const std::vector<Expr>& here : deciders) {
            for (const Expr& condition : here) {
                if (std::any_of(tried.begin(), tried.end(), [&](const Expr& one) { return equal(one, condition); })) {
                    continue;
                }
                tried.push_back(condition);
                if (std::optional<LBody> done = splitBy(body, condition, deciders, view, versions)) {
                    return *std::move(done);
                }
            }
        }
        return descended(body, view, versions);
    }

private:
    std::optional<LBody> splitBy(const LBody& body, const Expr& condition, const std::vector<std::vector<Expr>>& deciders,
                                 const View& view, int versions) const
    {
        const auto has = [&](const std::vector<Expr>& found) {
            return std::any_of(found.begin(), found.end(), [&](const Expr& one) { return equal(one, condition); });
        };
        const auto first = std::find_if(deciders.begin(), deciders.end(), has) - deciders.begin();
        const auto last = std::find_if(deciders.rbegin(), deciders.rend(), has).base() - deciders.begin();
        const LBody range(body.begin() + first, body.begin() + last);
        View yes = view;
        yes.known.assume(condition, true);
        View no = view;
        no.known.assume(condition, false);
        LBody then = simplifyBody(range, yes.known);
        LBody otherwise = simplifyBody(range, no.known);
        const bool both = !then.empty() && !otherwise.empty();
        if (both && versions < 2) {
            return {};
        }
        LBody made = split({body.begin(), body.begin() + first}, view, versions);
        then = split(then, yes, both ? versions - versions / 2 : versions);
        otherwise = split(otherwise, no, both ? versions / 2 : versions);
        if (!then.empty()) {
            made.push_back(makeLStmt(LIf{condition, std::move(then), std::move(otherwise)}));
        } else if (!otherwise.empty()) {
            const Expr opposite = simplify(unary(UnaryOp::Not, condition), view.known.ranges());
            made.push_back(makeLStmt(LIf{opposite, std::move(otherwise), {}}));
        }
        const LBody rest = split({body.begin() + last, body.end()}, view, versions);
        made.insert(made.end(), rest.begin(), rest.end());
        return made;
    }

    LBody descended(const LBody& body, const View& view, int versions) const
    {
        LBody made;
        for (const LStmt& statement : body) {
            made.push_back(descended(statement, view, versions));
        }
        return made;
    }

    LStmt descended(const LStmt& statement, const View& view, int versions) const
    {
        return std::visit(overloaded{
                              [&](const LFor& loop) {
                                  View inside = view;
                                  inside.known.setRange(loop.variable, {loop.begin, loop.end - 1});
                                  if (!isRuntime(loop.kind)) {
                                      inside.inner.insert(loop.variable);
                                  }
                                  LFor made = loop;
                                  const bool looks = isRuntime(loop.kind) && !holdsOnlyParallel(loop);
                                  made.body = looks ? split(loop.body, inside, versions)
                                                    : descended(loop.body, inside, versions);
                                  return makeLStmt(std::move(made));
                              },
                              [&](const LIf& node) {
                                  View yes = view;
                                  yes.known.assume(node.condition, true);
                                  View no = view;
                                  no.known.assume(node.condition, false);
                                  return makeLStmt(
                                      LIf{node.condition, split(node.then, yes, versions), split(node.otherwise, no, versions)});
                              },
                              [&](const LStore&) { return statement; },
                              [&](const LAlloc& node) {
                                  return makeLStmt(LAlloc{node.buffer, split(node.body, view, versions)});
                              },
                              [&](const LPrefetch&) { return statement; },
                          },
                          statement->kind());
    }

    // Parallel loops directly in each other are one in the code; they must stay so.
    static bool holdsOnlyParallel(const LFor& loop)
    {
        const auto* inner = loop.body.size() == 1 ? std::get_if<LFor>(&loop.body.front()->kind()) : nullptr;
        return loop.kind == LoopKind::Parallel && inner != nullptr && inner->kind == LoopKind::Parallel;
    }
};

Result<Lowered> run(Lowered program, const PassInput&)
{
    program.body = Splitter().split(program.body, {}, kVersions);
    return program;
}

} // namespace

const Pass splitGuards{"split guards", "Full tiles without tests, tails with them", &run};

} // namespace nw::lower
