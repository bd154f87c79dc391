#include "engine/lower/known.h"

#include "engine/base/simplifier.h"

#include <algorithm>

namespace nw::lower {

namespace {

bool atLeastZero(const Linear& form, const Ranges& ranges) { return Simplifier(ranges).bounds(form).low >= 0; }

} // namespace

void Known::assume(const Expr& condition, bool holds)
{
    const std::vector<Expr> parts = conjuncts(condition);
    if (!holds && parts.size() > 1) {
        return; // one of them fails; which one is not known
    }
    for (const Expr& part : parts) {
        const std::optional<Constraint> stated = constraintOf(part);
        if (stated) {
            const Constraint c = holds ? *stated : opposite(*stated);
            if (c.kind == Constraint::Kind::AtLeastZero && c.form.terms.size() > 1) {
                m_facts.push_back(c.form);
            }
        }
        // Twice: what one variable's range says may narrow another's.
        for (int round = 0; round < 2 && narrow(m_ranges, part, holds); ++round) {}
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
    const std::optional<Constraint> c = constraintOf(conjunct);
    if (!c || c->kind != Constraint::Kind::AtLeastZero) {
        return {};
    }
    const Constraint not_c = opposite(*c);
    for (const Linear& fact : m_facts) {
        const std::optional<Linear> more = addScaled(c->form, fact, -1);
        if (more && atLeastZero(*more, m_ranges)) {
            return true;
        }
        const std::optional<Linear> less = addScaled(not_c.form, fact, -1);
        if (less && atLeastZero(*less, m_ranges)) {
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
