#include "engine/code/emit/function_emitter.h"

namespace nw::code {
namespace {

using llvm::CmpInst;

CmpInst::Predicate floatPredicate(BinaryOp op)
{
    switch (op) {
    case BinaryOp::Lt:
        return CmpInst::FCMP_OLT;
    case BinaryOp::Le:
        return CmpInst::FCMP_OLE;
    case BinaryOp::Gt:
        return CmpInst::FCMP_OGT;
    case BinaryOp::Ge:
        return CmpInst::FCMP_OGE;
    case BinaryOp::Eq:
        return CmpInst::FCMP_OEQ;
    default:
        return CmpInst::FCMP_UNE;
    }
}

CmpInst::Predicate integerPredicate(BinaryOp op, bool isBool)
{
    switch (op) {
    case BinaryOp::Lt:
        return isBool ? CmpInst::ICMP_ULT : CmpInst::ICMP_SLT;
    case BinaryOp::Le:
        return isBool ? CmpInst::ICMP_ULE : CmpInst::ICMP_SLE;
    case BinaryOp::Gt:
        return isBool ? CmpInst::ICMP_UGT : CmpInst::ICMP_SGT;
    case BinaryOp::Ge:
        return isBool ? CmpInst::ICMP_UGE : CmpInst::ICMP_SGE;
    case BinaryOp::Eq:
        return CmpInst::ICMP_EQ;
    default:
        return CmpInst::ICMP_NE;
    }
}

// a op 0 for every a in the range, if that is decided.
std::optional<bool> decided(BinaryOp op, const Interval& a)
{
    const auto known = [](bool yes, bool no) { return yes ? std::optional<bool>(true) : no ? std::optional<bool>(false) : std::nullopt; };
    switch (op) {
    case BinaryOp::Lt:
        return known(a.high < 0, a.low >= 0);
    case BinaryOp::Le:
        return known(a.high <= 0, a.low > 0);
    case BinaryOp::Gt:
        return known(a.low > 0, a.high <= 0);
    case BinaryOp::Ge:
        return known(a.low >= 0, a.high < 0);
    case BinaryOp::Eq:
        return known(a.low == 0 && a.high == 0, a.low > 0 || a.high < 0);
    default:
        return known(a.low > 0 || a.high < 0, a.low == 0 && a.high == 0);
    }
}

} // namespace

llvm::Value* FunctionEmitter::emitComparison(BinaryOp op, const Expr& left, const Expr& right)
{
    if (left->type() == DType::I64 && !hasLoad(left) && !hasLoad(right)) {
        if (const auto known = compareLinear(op, left, right)) {
            return *known;
        }
    }
    llvm::Value* a = emit(left);
    llvm::Value* b = emit(right);
    sameShape(a, b);
    return isFloat(left->type()) ? m_builder.CreateFCmp(floatPredicate(op), a, b)
                                 : m_builder.CreateICmp(integerPredicate(op, left->type() == DType::Bool), a, b);
}

// Index arithmetic cannot overflow, so a op b is a - b op 0: decided by the ranges of the loops, or one comparison. Along
// the lanes it is done in 32 bits: the part that all lanes share is clamped to where it still orders all lanes the same.
std::optional<llvm::Value*> FunctionEmitter::compareLinear(BinaryOp op, const Expr& left, const Expr& right)
{
    const auto a = linear(left);
    const auto b = linear(right);
    if (!a || !b) {
        return std::nullopt;
    }
    Linear difference = add(*a, *b, -1);
    if (const auto known = decided(op, rangeOf(difference, m_ranges, m_lanes))) {
        return m_builder.getInt1(*known);
    }
    const auto predicate = integerPredicate(op, false);
    if (difference.isUniform()) {
        Linear rest = difference;
        rest.constant = 0;
        return m_builder.CreateICmp(predicate, scalarPart(rest), m_builder.getInt64(static_cast<std::uint64_t>(-difference.constant)));
    }
    constexpr std::int64_t kLimit = std::int64_t{1} << 30;
    const std::int64_t laneStep = difference.lane;
    if (laneStep * m_lanes >= kLimit || laneStep * m_lanes <= -kLimit) {
        return std::nullopt;
    }
    difference.lane = 0;
    llvm::Value* threshold = m_builder.CreateNeg(scalarPart(difference));
    threshold = m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, threshold, m_builder.getInt64(kLimit));
    threshold = m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, threshold, m_builder.getInt64(static_cast<std::uint64_t>(-kLimit)));
    threshold = m_builder.CreateTrunc(threshold, m_builder.getInt32Ty());
    std::vector<llvm::Constant*> steps;
    for (int lane = 0; lane < m_lanes; ++lane) {
        steps.push_back(m_builder.getInt32(static_cast<std::uint32_t>(lane * laneStep)));
    }
    return m_builder.CreateICmp(predicate, llvm::ConstantVector::get(steps), splat(threshold));
}

} // namespace nw::code
