#pragma once

#include "engine/base/linear.h"
#include "engine/base/simplify.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nw::lower {

// What is known at a place of a program: ranges of the loop variables, and forms over several of them that are at least
// zero because of the conditions around.
class Known {
public:
    void setRange(const std::string& variable, Interval range) { m_ranges[variable] = range; }
    // The condition holds (all its conjuncts), or does not.
    void assume(const Expr& condition, bool holds);
    // True, false or not known of one conjunct.
    std::optional<bool> decide(const Expr& conjunct) const;
    // The conjuncts that are not known to hold; literal false when one is known not to.
    Expr remaining(const Expr& condition) const;
    Expr simplified(const Expr& e) const { return simplify(e, m_ranges); }
    const Ranges& ranges() const { return m_ranges; }
    bool isImpossible() const { return m_impossible; }
    // Variables that can have one value only.
    Substitution points() const;

private:
    Ranges m_ranges;
    std::vector<Linear> m_facts;
    std::vector<std::pair<Expr, bool>> m_stated; // conditions of other forms, by how they are written
    bool m_impossible = false;
};

} // namespace nw::lower
