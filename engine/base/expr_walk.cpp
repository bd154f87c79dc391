#include "engine/base/ensure.h"
#include "engine/base/expr.h"
#include "engine/base/overloaded.h"

#include <algorithm>
#include <bit>
#include <compare>
#include <set>
#include <unordered_map>

namespace nw {
namespace {

bool equalAll(const std::vector<Expr>& a, const std::vector<Expr>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Expr& x, const Expr& y) { return equal(x, y); });
}

// Both nodes are of the same kind.
bool sameContent(const ExprNode& a, const ExprNode& b)
{
    return std::visit(
        overloaded{
            [&](const IntImm& n) { return n.value == b.as<IntImm>()->value; },
            [&](const FloatImm& n) {
                return std::bit_cast<std::uint64_t>(n.value)
                    == std::bit_cast<std::uint64_t>(b.as<FloatImm>()->value);
            },
            [&](const Var& n) { return n.name == b.as<Var>()->name; },
            [&](const Unary& n) {
                const auto* m = b.as<Unary>();
                return n.op == m->op && equal(n.a, m->a);
            },
            [&](const Binary& n) {
                const auto* m = b.as<Binary>();
                return n.op == m->op && equal(n.a, m->a) && equal(n.b, m->b);
            },
            [&](const Select& n) {
                const auto* m = b.as<Select>();
                return equal(n.condition, m->condition) && equal(n.yes, m->yes) && equal(n.no, m->no);
            },
            [&](const CastTo& n) { return equal(n.a, b.as<CastTo>()->a); },
            [&](const Load& n) {
                const auto* m = b.as<Load>();
                return n.buffer == m->buffer && equalAll(n.indices, m->indices);
            },
        },
        a.kind());
}

template <typename T>
int order(const T& a, const T& b)
{
    return a < b ? -1 : (b < a ? 1 : 0);
}

int firstDifference(std::initializer_list<std::pair<const Expr*, const Expr*>> pairs)
{
    for (const auto& [a, b] : pairs) {
        if (const int c = compareExpr(*a, *b); c != 0) {
            return c;
        }
    }
    return 0;
}

int compareLoads(const Load& a, const Load& b)
{
    if (const int c = a.buffer.compare(b.buffer); c != 0) {
        return c;
    }
    for (std::size_t i = 0; i < std::min(a.indices.size(), b.indices.size()); ++i) {
        if (const int c = compareExpr(a.indices[i], b.indices[i]); c != 0) {
            return c;
        }
    }
    return order(a.indices.size(), b.indices.size());
}

int compareContent(const ExprNode& a, const ExprNode& b)
{
    return std::visit(
        overloaded{
            [&](const IntImm& n) { return order(n.value, b.as<IntImm>()->value); },
            [&](const FloatImm& n) {
                return order(std::bit_cast<std::uint64_t>(n.value), std::bit_cast<std::uint64_t>(b.as<FloatImm>()->value));
            },
            [&](const Var& n) { return n.name.compare(b.as<Var>()->name); },
            [&](const Unary& n) {
                const auto* m = b.as<Unary>();
                return n.op != m->op ? order(n.op, m->op) : compareExpr(n.a, m->a);
            },
            [&](const Binary& n) {
                const auto* m = b.as<Binary>();
                return n.op != m->op ? order(n.op, m->op) : firstDifference({{&n.a, &m->a}, {&n.b, &m->b}});
            },
            [&](const Select& n) {
                const auto* m = b.as<Select>();
                return firstDifference({{&n.condition, &m->condition}, {&n.yes, &m->yes}, {&n.no, &m->no}});
            },
            [&](const CastTo& n) { return compareExpr(n.a, b.as<CastTo>()->a); },
            [&](const Load& n) { return compareLoads(n, *b.as<Load>()); },
        },
        a.kind());
}

int rankOf(const ExprNode& e)
{
    return e.as<Var>() != nullptr ? -1 : static_cast<int>(e.kind().index());
}

class Rewriter {
public:
    explicit Rewriter(const std::function<Expr(const Expr&)>& change)
        : m_change(change)
    {}

    Expr apply(const Expr& e)
    {
        // A node with several owners may be met again; without memory a chain of shared nodes costs 2^depth.
        const bool mayRepeat = e.use_count() > 1 && !isLeaf(*e);
        if (mayRepeat) {
            if (const auto found = m_done.find(e.get()); found != m_done.end()) {
                return found->second;
            }
        }
        Expr changed = m_change(withOperands(e));
        ENSURE(changed != nullptr, "rewriteExpr: the change gave no expression");
        if (mayRepeat) {
            m_done.emplace(e.get(), changed);
        }
        return changed;
    }

private:
    static bool isLeaf(const ExprNode& e)
    {
        return e.as<Var>() != nullptr || e.as<IntImm>() != nullptr || e.as<FloatImm>() != nullptr;
    }

    Expr withOperands(const Expr& e)
    {
        return std::visit(
            overloaded{
                [&](const IntImm&) { return e; },
                [&](const FloatImm&) { return e; },
                [&](const Var&) { return e; },
                [&](const Unary& n) {
                    Expr a = apply(n.a);
                    return a == n.a ? e : unary(n.op, std::move(a));
                },
                [&](const Binary& n) {
                    Expr a = apply(n.a);
                    Expr b = apply(n.b);
                    return a == n.a && b == n.b ? e : binary(n.op, std::move(a), std::move(b));
                },
                [&](const Select& n) {
                    Expr condition = apply(n.condition);
                    Expr yes = apply(n.yes);
                    Expr no = apply(n.no);
                    return condition == n.condition && yes == n.yes && no == n.no
                        ? e
                        : select(std::move(condition), std::move(yes), std::move(no));
                },
                [&](const CastTo& n) {
                    Expr a = apply(n.a);
                    return a == n.a ? e : castTo(e->type(), std::move(a));
                },
                [&](const Load& n) {
                    std::vector<Expr> indices;
                    indices.reserve(n.indices.size());
                    for (const Expr& index : n.indices) {
                        indices.push_back(apply(index));
                    }
                    return indices == n.indices ? e : load(n.buffer, e->type(), std::move(indices));
                },
            },
            e->kind());
    }

    const std::function<Expr(const Expr&)>& m_change;
    std::unordered_map<const ExprNode*, Expr> m_done;
};

void collectConjuncts(const Expr& e, std::vector<Expr>& found)
{
    const auto* both = e->as<Binary>();
    if (both != nullptr && both->op == BinaryOp::And) {
        collectConjuncts(both->a, found);
        collectConjuncts(both->b, found);
    } else if (!isConst(e, 1)) {
        found.push_back(e);
    }
}

} // namespace

bool equal(const Expr& a, const Expr& b)
{
    if (a == b) {
        return true;
    }
    return a->hash() == b->hash() && a->type() == b->type() && a->kind().index() == b->kind().index()
        && sameContent(*a, *b);
}

int compareExpr(const Expr& a, const Expr& b)
{
    if (a == b) {
        return 0;
    }
    const auto* x = a->as<Var>();
    const auto* y = b->as<Var>();
    if (x != nullptr && y != nullptr) {
        const int c = x->name.compare(y->name);
        return c != 0 ? c : order(a->type(), b->type());
    }
    if (const int c = order(rankOf(*a), rankOf(*b)); c != 0) {
        return c;
    }
    if (const int c = compareContent(*a, *b); c != 0) {
        return c;
    }
    return order(a->type(), b->type());
}

Expr allOf(const std::vector<Expr>& conditions)
{
    Expr all;
    for (const Expr& condition : conditions) {
        if (isConst(condition, 1)) {
            continue;
        }
        all = all == nullptr ? condition : binary(BinaryOp::And, all, condition);
    }
    return all == nullptr ? boolImm(true) : all;
}

std::vector<Expr> conjuncts(const Expr& condition)
{
    ENSURE(condition->type() == DType::Bool, "conjuncts of an expression that is no bool");
    std::vector<Expr> found;
    collectConjuncts(condition, found);
    return found;
}

void walk(const Expr& e, const std::function<bool(const Expr&)>& visit)
{
    if (!visit(e)) {
        return;
    }
    std::visit(overloaded{
                   [&](const IntImm&) {},
                   [&](const FloatImm&) {},
                   [&](const Var&) {},
                   [&](const Unary& n) { walk(n.a, visit); },
                   [&](const Binary& n) {
                       walk(n.a, visit);
                       walk(n.b, visit);
                   },
                   [&](const Select& n) {
                       walk(n.condition, visit);
                       walk(n.yes, visit);
                       walk(n.no, visit);
                   },
                   [&](const CastTo& n) { walk(n.a, visit); },
                   [&](const Load& n) {
                       for (const Expr& index : n.indices) {
                           walk(index, visit);
                       }
                   },
               },
               e->kind());
}

Expr rewriteExpr(const Expr& e, const std::function<Expr(const Expr&)>& change)
{
    return Rewriter(change).apply(e);
}

Expr substitute(const Expr& e, const Substitution& variables)
{
    if (variables.empty()) {
        return e;
    }
    return rewriteExpr(e, [&variables](const Expr& node) {
        const auto* name = node->as<Var>();
        if (name == nullptr) {
            return node;
        }
        const auto found = variables.find(name->name);
        if (found == variables.end()) {
            return node;
        }
        ENSURE(found->second->type() == node->type(), "substitute: another type for " + name->name);
        return found->second;
    });
}

std::vector<std::string> freeVars(const Expr& e)
{
    std::set<std::string> names;
    walk(e, [&names](const Expr& node) {
        if (const auto* name = node->as<Var>()) {
            names.insert(name->name);
        }
        return true;
    });
    return {names.begin(), names.end()};
}

bool hasLoad(const Expr& e)
{
    bool found = false;
    walk(e, [&](const Expr& part) {
        found = found || part->as<Load>() != nullptr;
        return !found;
    });
    return found;
}

bool usesVar(const Expr& e, const std::string& name)
{
    bool isUsed = false;
    walk(e, [&](const Expr& node) {
        const auto* found = node->as<Var>();
        isUsed = isUsed || (found != nullptr && found->name == name);
        return !isUsed;
    });
    return isUsed;
}

} // namespace nw
