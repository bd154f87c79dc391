#include "engine/tune/features_form.h"

#include <algorithm>

namespace nw::tune {

IndexForm IndexForm::of(const Expr& e, std::span<const std::string> variables)
{
    IndexForm form;
    if (!form.add(e, 1, variables)) {
        form = IndexForm();
        form.m_isSum = false;
        form.m_program = IndexProgram::create(e, variables);
    }
    return form;
}

bool IndexForm::add(const Expr& e, std::uint64_t factor, std::span<const std::string> variables)
{
    if (const auto* number = e->as<IntImm>()) {
        m_constant += factor * static_cast<std::uint64_t>(number->value);
        return true;
    }
    if (const auto* variable = e->as<Var>()) {
        const auto found = std::find(variables.begin(), variables.end(), variable->name);
        if (found == variables.end()) {
            return false;
        }
        m_terms.emplace_back(static_cast<std::size_t>(found - variables.begin()), factor);
        return true;
    }
    const auto* calculation = e->as<Binary>();
    if (calculation == nullptr) {
        return false;
    }
    const auto& [op, a, b] = *calculation;
    if (op == BinaryOp::Add) {
        return add(a, factor, variables) && add(b, factor, variables);
    }
    if (op == BinaryOp::Sub) {
        return add(a, factor, variables) && add(b, std::uint64_t{0} - factor, variables);
    }
    if (op != BinaryOp::Mul) {
        return false;
    }
    if (const std::optional<std::int64_t> times = constInt(b)) {
        return add(a, factor * static_cast<std::uint64_t>(*times), variables);
    }
    if (const std::optional<std::int64_t> times = constInt(a)) {
        return add(b, factor * static_cast<std::uint64_t>(*times), variables);
    }
    return false;
}

} // namespace nw::tune
