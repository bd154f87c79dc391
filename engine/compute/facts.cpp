#include "engine/compute/facts.h"

namespace nw::compute {

bool addFacts(const Expr& condition, bool truth, Facts& facts)
{
    if (const auto* const negation = condition->as<Unary>(); negation != nullptr && negation->op == UnaryOp::Not) {
        return addFacts(negation->a, !truth, facts);
    }
    const auto* const binary = condition->as<Binary>();
    if (binary == nullptr) {
        return isConst(condition, truth ? 1 : 0);
    }
    const BinaryOp op = binary->op;
    if (op == (truth ? BinaryOp::And : BinaryOp::Or)) {
        const bool first = addFacts(binary->a, truth, facts);
        return addFacts(binary->b, truth, facts) && first;
    }
    if (binary->a->type() != DType::I64) {
        return false;
    }
    const Expr forward = binary->b - binary->a;
    const Expr backward = binary->a - binary->b;
    if (op == (truth ? BinaryOp::Lt : BinaryOp::Ge)) {
        facts.push_back(forward - 1);
    } else if (op == (truth ? BinaryOp::Le : BinaryOp::Gt)) {
        facts.push_back(forward);
    } else if (op == (truth ? BinaryOp::Gt : BinaryOp::Le)) {
        facts.push_back(backward - 1);
    } else if (op == (truth ? BinaryOp::Ge : BinaryOp::Lt)) {
        facts.push_back(backward);
    } else if (op == (truth ? BinaryOp::Eq : BinaryOp::Ne)) {
        facts.push_back(forward);
        facts.push_back(backward);
    } else {
        return false;
    }
    return true;
}

} // namespace nw::compute
