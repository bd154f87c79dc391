// A serial loop whose body is one condition on its variable becomes a loop for each side.
//
//   for k in 0..13                 for k in 0..12
//     if k < 12                      full
//       full               =>      tail with k = 12
//     else
//       tail
//
// Parallel loops are only shortened, where the other side does nothing. Short innermost loops stay: their sides would
// end up in one block of code, where the work of neighbouring steps is merged and spills.

#include "engine/base/simplifier.h"
#include "engine/lower/passes/all.h"
#include "engine/lower/simplify_body.h"
#include "engine/lower/statements.h"

#include <algorithm>

namespace nw::lower {

namespace {

constexpr std::int64_t kShortPiece = 4;

// `variable < at` (below true) or `variable >= at`.
struct Threshold {
    std::int64_t at = 0;
    bool below = true;
};
std::optional<Threshold> thresholdOf(const Expr& condition, const std::string& variable)
{
    const std::optional<Constraint> c = constraintOf(condition);
    if (!c || c->kind != Constraint::Kind::AtLeastZero || c->form.terms.size() != 1) {
        return {};
    }
    const Linear::Term& term = c->form.terms.front();
    const auto* name = term.atom->as<Var>();
    if (name == nullptr || name->name != variable) {
        return {};
    }
    // coefficient * v + constant >= 0
    const std::int64_t size = term.coefficient < 0 ? -term.coefficient : term.coefficient;
    const std::int64_t toCover = term.coefficient > 0 ? -c->form.constant : c->form.constant;
    std::int64_t quotient = toCover / size;
    const bool exact = toCover % size == 0;
    if (term.coefficient > 0) { // v >= ceil(-constant / coefficient)
        quotient += !exact && toCover > 0 ? 1 : 0;
        return Threshold{quotient, false};
    }
    quotient -= !exact && toCover < 0 ? 1 : 0; // v <= floor(constant / size)
    return Threshold{quotient + 1, true};
}

LBody peeled(const LBody& body);

// The loop in pieces, when its body is one condition on its variable alone.
std::optional<LBody> pieces(const LFor& loop)
{
    const auto* node = loop.body.size() == 1 ? std::get_if<LIf>(&loop.body.front()->kind()) : nullptr;
    const std::optional<Threshold> threshold
        = node != nullptr && isRuntime(loop.kind) ? thresholdOf(node->condition, loop.variable) : std::nullopt;
    if (!threshold) {
        return {};
    }
    const std::int64_t at = std::clamp(threshold->at, loop.begin, loop.end);
    const LBody& first = threshold->below ? node->then : node->otherwise;
    const LBody& second = threshold->below ? node->otherwise : node->then;
    const bool bothWork = !first.empty() && !second.empty() && at > loop.begin && at < loop.end;
    if (bothWork) {
        const std::int64_t longer = std::max(at - loop.begin, loop.end - at);
        if (loop.kind == LoopKind::Parallel || (!containsRuntimeLoop(loop.body) && longer < kShortPiece)) {
            return {};
        }
    }
    LBody made;
    if (!first.empty() && at > loop.begin) {
        LFor part = loop;
        part.end = at;
        part.body = first;
        made.push_back(makeLStmt(std::move(part)));
    }
    if (!second.empty() && at < loop.end) {
        LFor part = loop;
        part.begin = at;
        part.body = second;
        made.push_back(makeLStmt(std::move(part)));
    }
    return made;
}

void peelInto(LBody& to, const LStmt& statement)
{
    if (const auto* loop = std::get_if<LFor>(&statement->kind())) {
        if (const std::optional<LBody> parts = pieces(*loop)) {
            for (const LStmt& part : *parts) {
                peelInto(to, part);
            }
            return;
        }
    }
    to.push_back(withBodies(statement, &peeled));
}

LBody peeled(const LBody& body)
{
    LBody made;
    for (const LStmt& statement : body) {
        peelInto(made, statement);
    }
    return made;
}

Result<Lowered> run(Lowered program, const PassInput&)
{
    program.body = peeled(program.body);
    return program;
}

} // namespace

const Pass peelLoops{"peel loops", "A condition on the loop's own variable becomes two loops", &run};

} // namespace nw::lower
