// A reduction step that adds nothing where a condition fails becomes a step under that condition: padding is skipped
// instead of computed.
//
//   acc[i] += select(h >= 1, X[...], 0.0) * W[...]   =>   if h >= 1
//                                                           acc[i] += X[...] * W[...]
//   acc[i] max= select(h >= 1, X[...], -inf)         =>   if h >= 1
//                                                           acc[i] max= X[...]
//
// A padding element then takes no part in the sum at all: with an infinite weight it would have added a NaN.
// Conditions that read memory stay where they are.

#include "engine/lower/passes/all.h"
#include "engine/lower/statements.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nw::lower {

namespace {

// The value that changes nothing when it is combined.
bool isNeutral(BinaryOp op, const Expr& e)
{
    const auto* real = e->as<FloatImm>();
    const std::optional<std::int64_t> whole = constInt(e);
    constexpr double kInf = std::numeric_limits<double>::infinity();
    switch (op) {
    case BinaryOp::Add: return whole == 0 || (real != nullptr && real->value == 0);
    case BinaryOp::Mul: return whole == 1 || (real != nullptr && real->value == 1);
    case BinaryOp::Max: return real != nullptr && real->value == -kInf;
    case BinaryOp::Min: return real != nullptr && real->value == kInf;
    default: return false;
    }
}

// The term without the selects that make it neutral; their conditions are collected. A factor of a sum's term that is
// zero makes it all zero.
Expr withoutSelects(const Expr& term, BinaryOp op, std::vector<Expr>& conditions)
{
    const auto* choice = term->as<Select>();
    if (choice != nullptr && isNeutral(op, choice->no) && !hasLoad(choice->condition)) {
        const std::vector<Expr> parts = conjuncts(choice->condition);
        conditions.insert(conditions.end(), parts.begin(), parts.end());
        return withoutSelects(choice->yes, op, conditions);
    }
    const auto* product = term->as<Binary>();
    if (op == BinaryOp::Add && product != nullptr && product->op == BinaryOp::Mul) {
        const Expr a = withoutSelects(product->a, op, conditions);
        const Expr b = withoutSelects(product->b, op, conditions);
        return a == product->a && b == product->b ? term : a * b;
    }
    return term;
}

LStmt skipped(const LStmt& statement, const LStore& store)
{
    const auto* step = store.accumulates ? store.value->as<Binary>() : nullptr;
    if (step == nullptr) {
        return statement;
    }
    std::vector<Expr> conditions;
    const Expr term = withoutSelects(step->b, step->op, conditions);
    if (conditions.empty()) {
        return statement;
    }
    LStore made = store;
    made.value = binary(step->op, step->a, term);
    return makeLStmt(LIf{allOf(conditions), {makeLStmt(std::move(made))}, {}});
}

LBody changed(const LBody& body)
{
    LBody made;
    for (const LStmt& statement : body) {
        const auto* store = std::get_if<LStore>(&statement->kind());
        made.push_back(store != nullptr ? skipped(statement, *store) : withBodies(statement, &changed));
    }
    return made;
}

Result<Lowered> run(Lowered program, const PassInput&)
{
    program.body = changed(program.body);
    return program;
}

} // namespace

const Pass skipPadding{"skip padding", "Reduction steps that add nothing are not taken", &run};

} // namespace nw::lower
