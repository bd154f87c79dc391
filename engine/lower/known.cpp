#include "engine/lower/known.h"

#include "engine/base/int_math.h"
#include "engine/base/simplifier.h"

#include <algorithm>

namespace nw::lower {

namespace {

Interval boundsOfForm(const Linear& form, const Ranges& ranges) { return boundsOf(toExpr(form), ranges); }

bool atLeastZero(const Linear& form, const Ranges& ranges) { return boundsOfForm(form, ranges).low >= 0; }

// form >= 0 because fact >= 0: form is a positive multiple of fact and something that is at least zero. The multiples
// worth trying make a term of the form vanish.
bool follows(const Linear& form, const Linear& fact, const Ranges& ranges)
{
    std::vector<std::int64_t> tried;
    for (const Linear::Term& term : fact.terms) {
        const std::int64_t factor = form.coefficientOf(term.atom) / term.coefficient;
        if (factor < 1 || std::find(tried.begin(), tried.end(), factor) != tried.end()) {
            continue;
        }
        tried.push_back(factor);
        const std::optional<Linear> rest = addScaled(form, fact, -factor);
        if (rest && atLeastZero(*rest, ranges)) {
            return true;
        }
    }
    return false;
}

// form >= 0 bounds each variable by the most that the other terms can reach.
bool narrowAtLeastZero(Ranges& ranges, const Linear& form)
{
    constexpr std::int64_t kFarthest = std::int64_t{1} << 60;
    bool learnt = false;
    for (const Linear::Term& term : form.terms) {
        const auto* name = term.atom->as<Var>();
        const auto range = name == nullptr ? ranges.end() : ranges.find(name->name);
        if (range == ranges.end()) {
            continue;
        }
        const std::optional<Linear> others = addScaled(form, Linear::ofAtom(term.atom), -term.coefficient);
        const Interval rest = others ? boundsOfForm(*others, ranges) : Interval{};
        if (rest.high > kFarthest || rest.high < -kFarthest) {
            continue;
        }
        Interval to = range->second;
        if (term.coefficient > 0) {
            to.low = std::max(to.low, ceilDivide(-rest.high, term.coefficient));
        } else {
            to.high = std::min(to.high, floorDivide(rest.high, -term.coefficient));
        }
        learnt = learnt || !(to == range->second);
        range->second = to;
        if (isEmpty(to)) {
            return false;
        }
    }
    return learnt;
}

} // namespace

void Known::assume(const Expr& condition, bool holds)
{
    const std::vector<Expr> parts = conjuncts(condition);
    if (!holds && parts.size() > 1) {
        return; // one of them fails; which one is not known
    }
    for (const Expr& part : parts) {
        const std::optional<Constraint> stated = constraintOf(part);
        const std::optional<Constraint> c = stated && !holds ? opposite(*stated) : stated;
        if (!c || c->kind == Constraint::Kind::NotZero) {
            m_stated.emplace_back(part, holds);
            m_stated.emplace_back(simplified(part), holds);
            continue;
        }
        std::vector<Linear> forms{c->form};
        const std::optional<Linear> turned = scaled(c->form, -1);
        if (c->kind == Constraint::Kind::Zero && turned) {
            forms.push_back(*turned);
        }
        for (const Linear& form : forms) {
            if (form.terms.size() > 1) {
                m_facts.push_back(form);
            }
            // Twice: what one variable's range says may narrow another's.
            for (int round = 0; round < 2 && narrowAtLeastZero(m_ranges, form); ++round) {}
        }
    }
    m_impossible = m_impossible
        || std::any_of(m_ranges.begin(), m_ranges.end(), [](const auto& row) { return isEmpty(row.second); });
}

std::optional<bool> Known::decide(const Expr& conjunct) const
{
    if (m_impossible) {
        return false;
    }
    if (const std::optional<std::int64_t> value = constInt(simplified(conjunct))) {
        return *value != 0;
    }
    for (const auto& [condition, holds] : m_stated) {
        if (equal(condition, conjunct)) {
            return holds;
        }
    }
    const std::optional<Constraint> c = constraintOf(conjunct);
    if (!c || c->kind != Constraint::Kind::AtLeastZero) {
        return {};
    }
    const Constraint fails = opposite(*c);
    for (const Linear& fact : m_facts) {
        if (follows(c->form, fact, m_ranges)) {
            return true;
        }
        if (follows(fails.form, fact, m_ranges)) {
            return false;
        }
    }
    return {};
}

Expr Known::remaining(const Expr& condition) const
{
    std::vector<Expr> left;
    for (const Expr& part : conjuncts(simplified(condition))) {
        const std::optional<bool> known = decide(part);
        if (known == false) {
            return boolImm(false);
        }
        if (!known) {
            left.push_back(part);
        }
    }
    return allOf(left);
}

Substitution Known::points() const
{
    Substitution values;
    for (const auto& [name, range] : m_ranges) {
        if (range.isPoint()) {
            values.emplace(name, intImm(range.low));
        }
    }
    return values;
}

} // namespace nw::lower
