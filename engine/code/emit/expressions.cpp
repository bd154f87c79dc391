#include "engine/base/overloaded.h"
#include "engine/base/text.h"
#include "engine/code/emit/function_emitter.h"
#include "engine/code/emit/integers.h"
#include "engine/code/emit/math.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nw::code {

namespace {

// In 32 bits where that holds every lane: vector units have no wider product, and would go lane by lane.
llvm::Value* divideLanes(llvm::IRBuilder<>& builder, llvm::Value* a, std::int64_t divisor, bool wantsQuotient, const Interval& range)
{
    using Narrow = std::numeric_limits<std::int32_t>;
    llvm::Type* const wide = a->getType();
    const bool fits = wide->isVectorTy() && range.low >= Narrow::min() && range.high <= Narrow::max() && divisor <= Narrow::max();
    if (fits) {
        a = builder.CreateTrunc(a, wide->getWithNewBitWidth(32));
    }
    llvm::Value* const part = floorByLiteral(builder, a, divisor, wantsQuotient, range.low >= 0);
    return fits ? builder.CreateSExt(part, wide) : part;
}

// What a float expression's form alone says of its largest value.
double atMost(const Expr& e)
{
    if (const auto* const literal = e->as<FloatImm>()) {
        return literal->value;
    }
    if (const auto* const node = e->as<Binary>(); node != nullptr && node->op == BinaryOp::Min) {
        return std::min(atMost(node->a), atMost(node->b));
    }
    const auto* const negated = e->as<Unary>();
    const auto* const magnitude = negated != nullptr && negated->op == UnaryOp::Neg ? negated->a->as<Unary>() : nullptr;
    return magnitude != nullptr && magnitude->op == UnaryOp::Abs ? 0 : std::numeric_limits<double>::infinity();
}

} // namespace

llvm::Value* FunctionEmitter::poison(DType type)
{
    llvm::Type* const element = m_unit.valueType(type);
    return llvm::PoisonValue::get(element == nullptr ? m_builder.getFloatTy() : element);
}

llvm::Value* FunctionEmitter::splat(llvm::Value* value)
{
    return value->getType()->isVectorTy() ? value : m_builder.CreateVectorSplat(static_cast<unsigned>(m_lanes), value);
}

void FunctionEmitter::sameShape(llvm::Value*& a, llvm::Value*& b)
{
    if (a->getType()->isVectorTy() || b->getType()->isVectorTy()) {
        a = splat(a);
        b = splat(b);
    }
}

llvm::Value* FunctionEmitter::emit(const Expr& e)
{
    const DType type = e->type();
    if (m_unit.error || m_unit.valueType(type) == nullptr) {
        return poison(type);
    }
    return std::visit(
        overloaded{
            [&](const IntImm& node) -> llvm::Value* {
                return llvm::ConstantInt::getSigned(m_unit.valueType(type), type == DType::Bool ? -(node.value & 1) : node.value);
            },
            [&](const FloatImm& node) -> llvm::Value* { return llvm::ConstantFP::get(m_unit.valueType(type), node.value); },
            [&](const Var&) -> llvm::Value* { return materialize(*linear(e)); },
            [&](const Unary& node) { return emitUnary(node, type); },
            [&](const Binary& node) { return emitBinary(node, type); },
            [&](const Select& node) { return emitSelect(node, type); },
            [&](const CastTo& node) { return emitCast(emit(node.a), node.a->type(), type); },
            [&](const Load& node) { return emitLoad(node); },
        },
        e->kind());
}

llvm::Value* FunctionEmitter::emitLoad(const Load& node)
{
    const BufferRef* const from = buffer(node.buffer);
    if (from == nullptr || node.indices.size() != 1) {
        m_unit.refuse(format("A load of \"{}\" does not carry exactly one element offset.", node.buffer));
        return poison(DType::F32);
    }
    return loadFrom(*from, place(*from, node.indices.front()));
}

llvm::Value* FunctionEmitter::emitUnary(const Unary& node, DType type)
{
    llvm::Value* const a = emit(node.a);
    if (!isFloat(node.a->type())) {
        return integerUnary(m_builder, node.op, a, type);
    }
    MathEmitter math(m_builder, m_unit.module, m_unit.target);
    return node.op == UnaryOp::Exp ? math.exponential(a, atMost(node.a)) : math.unary(node.op, a);
}

llvm::Value* FunctionEmitter::emitBinary(const Binary& node, DType type)
{
    const DType operands = node.a->type();
    switch (node.op) {
    case BinaryOp::Lt:
    case BinaryOp::Le:
    case BinaryOp::Gt:
    case BinaryOp::Ge:
    case BinaryOp::Eq:
    case BinaryOp::Ne:
        return emitComparison(node.op, node.a, node.b);
    default:
        break;
    }
    if (operands == DType::I64 && !(hasLoad(node.a) || hasLoad(node.b))
        && (node.op == BinaryOp::FloorDiv || node.op == BinaryOp::FloorMod) && constInt(node.b).value_or(0) > 0) {
        if (const auto a = linear(node.a)) {
            const std::int64_t divisor = *constInt(node.b);
            const auto parts = divide(*a, divisor, m_ranges, m_lanes);
            const bool wantsQuotient = node.op == BinaryOp::FloorDiv;
            if (parts) {
                return materialize(wantsQuotient ? parts->quotient : parts->remainder);
            }
            return divideLanes(m_builder, materialize(*a), divisor, wantsQuotient, rangeOf(*a, m_ranges, m_lanes));
        }
    }
    llvm::Value* a = emit(node.a);
    llvm::Value* b = emit(node.b);
    sameShape(a, b);
    return isFloat(operands) ? MathEmitter(m_builder, m_unit.module, m_unit.target).binary(node.op, a, b)
                             : integerBinary(m_builder, node.op, a, b, type);
}

// Only the chosen side is evaluated. A condition that all lanes share turns a load of the other side into one of a zero
// that is always there, so that a padding guard costs no branch; long sides get a branch.
llvm::Value* FunctionEmitter::emitSelect(const Select& node, DType type)
{
    llvm::Value* condition = emit(node.condition);
    if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition)) {
        return emit(known->isOne() ? node.yes : node.no);
    }
    if (condition->getType()->isVectorTy()) {
        const Mask outer = m_mask;
        const auto side = [&](const Expr& e, llvm::Value* on) {
            if (hasLoad(e)) {
                m_mask.lanes = outer.lanes == nullptr ? on : m_builder.CreateAnd(outer.lanes, on);
                m_mask.maybeEmpty = true;
            }
            llvm::Value* const value = emit(e);
            m_mask = outer;
            return value;
        };
        llvm::Value* const yes = side(node.yes, condition);
        llvm::Value* const no = side(node.no, m_builder.CreateNot(condition));
        return m_builder.CreateSelect(condition, splat(yes), splat(no));
    }
    const auto weight = [](const Expr& e) {
        int nodes = 0;
        walk(e, [&](const Expr& part) {
            nodes += part->as<Unary>() != nullptr ? 16 : part->as<Load>() != nullptr ? 2 : part->as<Binary>() != nullptr ? 1 : 0;
            return true;
        });
        return nodes;
    };
    if (weight(node.yes) + weight(node.no) > 24) {
        return emitBranches(node, condition, type);
    }
    llvm::Value* yes = emitGuarded(node.yes, condition);
    llvm::Value* no = emitGuarded(node.no, m_builder.CreateNot(condition));
    sameShape(yes, no);
    const auto* const literal = node.no->as<FloatImm>();
    const auto* const loaded = node.yes->as<Load>();
    if (loaded != nullptr && literal != nullptr && literal->value == 0.0 && !std::signbit(literal->value)
        && m_lanes * 8 <= Unit::kSafeBytes && !m_buffers[loaded->buffer].inRegisters()) {
        return yes; // the load that did not happen gave zero already
    }
    return m_builder.CreateSelect(condition, yes, no);
}

llvm::Value* FunctionEmitter::emitGuarded(const Expr& side, llvm::Value* condition)
{
    const Mask outer = m_mask;
    if (hasLoad(side)) {
        m_mask.guard = outer.guard == nullptr ? condition : m_builder.CreateAnd(outer.guard, condition);
    }
    llvm::Value* const value = emit(side);
    m_mask = outer;
    return value;
}

llvm::Value* FunctionEmitter::emitBranches(const Select& node, llvm::Value* condition, DType type)
{
    if (m_mask.guard != nullptr) { // nested in a guarded side
        condition = m_builder.CreateSelect(m_mask.guard, condition, m_builder.getFalse());
    }
    auto* const yesBlock = llvm::BasicBlock::Create(m_unit.context, "yes", &m_function);
    auto* const noBlock = llvm::BasicBlock::Create(m_unit.context, "no", &m_function);
    auto* const join = llvm::BasicBlock::Create(m_unit.context, "join", &m_function);
    m_builder.CreateCondBr(condition, yesBlock, noBlock);
    const auto side = [&](llvm::BasicBlock* block, const Expr& e) {
        m_builder.SetInsertPoint(block);
        llvm::Value* value = emit(e);
        if (m_lanes > 0) {
            value = splat(value);
        }
        llvm::BasicBlock* const last = m_builder.GetInsertBlock();
        m_builder.CreateBr(join);
        return std::make_pair(value, last);
    };
    const auto yes = side(yesBlock, node.yes);
    const auto no = side(noBlock, node.no);
    m_builder.SetInsertPoint(join);
    llvm::Type* const wanted = m_lanes > 0 ? yes.first->getType() : m_unit.valueType(type);
    llvm::PHINode* const phi = m_builder.CreatePHI(wanted, 2);
    phi->addIncoming(yes.first, yes.second);
    phi->addIncoming(no.first, no.second);
    return phi;
}

llvm::Value* FunctionEmitter::emitCast(llvm::Value* value, DType from, DType to)
{
    llvm::Type* target = m_unit.valueType(to);
    if (target == nullptr || from == to) {
        return value;
    }
    if (auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType())) {
        target = llvm::FixedVectorType::get(target, vector->getNumElements());
    }
    llvm::Value* const zero = llvm::Constant::getNullValue(value->getType());
    if (to == DType::Bool) {
        return isFloat(from) ? m_builder.CreateFCmpUNE(value, zero) : m_builder.CreateICmpNE(value, zero);
    }
    if (isFloat(from)) {
        return isFloat(to) ? m_builder.CreateFPCast(value, target)
                           : m_builder.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {target, value->getType()}, {value});
    }
    if (isFloat(to)) {
        return from == DType::Bool ? m_builder.CreateUIToFP(value, target) : m_builder.CreateSIToFP(value, target);
    }
    return from == DType::Bool ? m_builder.CreateZExt(value, target) : m_builder.CreateSExtOrTrunc(value, target);
}

} // namespace nw::code
