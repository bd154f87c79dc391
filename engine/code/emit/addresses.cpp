// Where an access goes. The offset is split into a constant, the lane number and a sum over loop symbols. For the sum a
// pointer is kept as a phi of the innermost of those loops and bumped by a constant at its end; the constant becomes a
// displacement of the instruction. So the inner loops of a tile compute no addresses, however the offset was written.

#include "engine/base/text.h"
#include "engine/code/emit/function_emitter.h"

namespace nw::code {

FunctionEmitter::FunctionEmitter(Unit& unit, llvm::Function& function)
    : m_unit(unit)
    , m_function(function)
    , m_builder(unit.context)
{
    m_entry = llvm::BasicBlock::Create(unit.context, "entry", &function);
    auto* const start = llvm::BasicBlock::Create(unit.context, "start", &function);
    m_builder.SetInsertPoint(m_entry);
    m_builder.CreateBr(start);
    m_builder.SetInsertPoint(start);
}

int FunctionEmitter::addSymbol(Symbol symbol, Interval range)
{
    const int id = static_cast<int>(m_symbols.size());
    m_symbols.push_back(symbol);
    m_ranges[id] = range;
    return id;
}

Linear FunctionEmitter::captured(llvm::Value* value, Interval range)
{
    Linear result;
    result.terms[addSymbol({value, -1, m_entry->getTerminator()}, range)] = 1;
    return result;
}

const BufferRef* FunctionEmitter::buffer(const std::string& name)
{
    const auto found = m_buffers.find(name);
    if (found == m_buffers.end()) {
        m_unit.refuse(format("Buffer \"{}\" is used where it does not exist.", name));
        return nullptr;
    }
    return &found->second;
}

// Nothing when the value depends on the lane in another way than linearly. What is the same in every lane and not
// linear in the symbols is computed and kept as an opaque term.
std::optional<Linear> FunctionEmitter::linear(const Expr& e)
{
    if (const auto constant = constInt(e)) {
        return Linear::ofConstant(*constant);
    }
    if (const auto* variable = e->as<Var>()) {
        const auto found = m_variables.find(variable->name);
        if (found == m_variables.end()) {
            m_unit.refuse(format("Variable \"{}\" is used outside its loop.", variable->name));
            return Linear{};
        }
        return found->second;
    }
    if (const auto* node = e->as<Binary>(); node != nullptr && e->type() == DType::I64) {
        const bool isSum = node->op == BinaryOp::Add || node->op == BinaryOp::Sub;
        const bool isDivision = node->op == BinaryOp::FloorDiv || node->op == BinaryOp::FloorMod;
        if (isSum || node->op == BinaryOp::Mul || (isDivision && constInt(node->b))) {
            const auto a = linear(node->a);
            const auto b = linear(node->b);
            if (!a || !b) {
                return std::nullopt;
            }
            if (isSum) {
                return add(*a, *b, node->op == BinaryOp::Add ? 1 : -1);
            }
            if (node->op == BinaryOp::Mul && (a->isConstant() || b->isConstant())) {
                return a->isConstant() ? scale(*b, a->constant) : scale(*a, b->constant);
            }
            if (isDivision && b->constant > 0) {
                if (const auto parts = divide(*a, b->constant, m_ranges, m_lanes)) {
                    return node->op == BinaryOp::FloorDiv ? parts->quotient : parts->remainder;
                }
            }
        }
    }
    llvm::Value* const value = emit(e);
    if (value->getType()->isVectorTy()) {
        return std::nullopt;
    }
    Linear result;
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value)) {
        result.constant = constant->getSExtValue();
    } else {
        result.opaque.emplace_back(m_builder.CreateSExt(value, m_builder.getInt64Ty()), 1);
    }
    return result;
}

llvm::Value* FunctionEmitter::scalarPart(const Linear& value)
{
    llvm::Value* sum = nullptr;
    const auto addTerm = [&](llvm::Value* term, std::int64_t coefficient) {
        llvm::Value* const scaled = coefficient == 1 ? term : m_builder.CreateMul(term, m_builder.getInt64(static_cast<std::uint64_t>(coefficient)));
        sum = sum == nullptr ? scaled : m_builder.CreateAdd(sum, scaled);
    };
    for (const auto& [symbol, coefficient] : value.terms) {
        addTerm(m_symbols[static_cast<std::size_t>(symbol)].value, coefficient);
    }
    for (const auto& [opaque, coefficient] : value.opaque) {
        addTerm(opaque, coefficient);
    }
    llvm::Value* const constant = m_builder.getInt64(static_cast<std::uint64_t>(value.constant));
    return sum == nullptr ? constant : value.constant == 0 ? sum : m_builder.CreateAdd(sum, constant);
}

// The value itself; a scalar when all lanes agree.
llvm::Value* FunctionEmitter::materialize(const Linear& value, bool keepUniform)
{
    llvm::Value* const scalar = scalarPart(value);
    if (value.isUniform()) {
        return keepUniform ? scalar : splat(scalar);
    }
    std::vector<llvm::Constant*> steps;
    for (int lane = 0; lane < m_lanes; ++lane) {
        steps.push_back(m_builder.getInt64(static_cast<std::uint64_t>(lane * value.lane)));
    }
    return m_builder.CreateAdd(splat(scalar), llvm::ConstantVector::get(steps));
}

llvm::Value* FunctionEmitter::bytesPast(llvm::Value* pointer, std::int64_t bytes)
{
    return bytes == 0 ? pointer : m_builder.CreateConstGEP1_64(m_builder.getInt8Ty(), pointer, static_cast<std::uint64_t>(bytes));
}

llvm::Value* FunctionEmitter::pointerFor(const BufferRef& buffer, const std::vector<std::pair<int, std::int64_t>>& terms)
{
    if (terms.empty()) {
        return buffer.base;
    }
    const auto key = std::make_pair(buffer.base, terms);
    if (const auto found = m_pointers.find(key); found != m_pointers.end()) {
        return found->second;
    }
    llvm::Value* const outer = pointerFor(buffer, {terms.begin(), terms.end() - 1});
    const auto [id, coefficient] = terms.back();
    const Symbol symbol = m_symbols[static_cast<std::size_t>(id)];
    const std::int64_t bytes = coefficient * static_cast<std::int64_t>(byteSize(buffer.info->type));
    const llvm::IRBuilderBase::InsertPointGuard keep(m_builder);
    const auto shifted = [&](llvm::Value* by) {
        return m_builder.CreateGEP(m_builder.getInt8Ty(), outer,
                                   m_builder.CreateMul(by, m_builder.getInt64(static_cast<std::uint64_t>(bytes))));
    };
    llvm::Value* pointer = nullptr;
    if (symbol.frame < 0) {
        m_builder.SetInsertPoint(symbol.anchor);
        pointer = shifted(symbol.value);
    } else {
        Frame& frame = m_frames[static_cast<std::size_t>(symbol.frame)];
        m_builder.SetInsertPoint(frame.preheader->getTerminator());
        const auto* const begin = llvm::dyn_cast<llvm::ConstantInt>(frame.begin);
        llvm::Value* const first = begin != nullptr ? bytesPast(outer, begin->getSExtValue() * bytes) : shifted(frame.begin);
        m_builder.SetInsertPoint(frame.header, frame.header->begin());
        llvm::PHINode* const phi = m_builder.CreatePHI(m_builder.getPtrTy(), 2);
        phi->addIncoming(first, frame.preheader);
        frame.pointers.emplace_back(phi, bytes * frame.step);
        pointer = phi;
    }
    m_pointers.emplace(key, pointer);
    return pointer;
}

llvm::Value* FunctionEmitter::pointerTo(const BufferRef& buffer, const Linear& offset)
{
    const std::int64_t size = static_cast<std::int64_t>(byteSize(buffer.info->type));
    llvm::Value* pointer = pointerFor(buffer, {offset.terms.begin(), offset.terms.end()});
    for (const auto& [value, coefficient] : offset.opaque) {
        llvm::Value* const bytes = m_builder.CreateMul(value, m_builder.getInt64(static_cast<std::uint64_t>(coefficient * size)));
        pointer = m_builder.CreateGEP(m_builder.getInt8Ty(), pointer, bytes);
    }
    return bytesPast(pointer, offset.constant * size);
}

FunctionEmitter::Place FunctionEmitter::place(const BufferRef& buffer, const Expr& offset)
{
    auto at = linear(offset);
    if (buffer.inRegisters() && (!at || !at->terms.empty() || !at->opaque.empty())) {
        m_unit.refuse(format("Register buffer \"{}\" is indexed by {}, which is not constant once loops are unrolled. "
                             "Unroll the loops that index it, or keep it on the stack.",
                             buffer.info->name, toText(offset)));
        return {buffer.base, 0, nullptr};
    }
    if (at && buffer.inRegisters() && (at->constant < 0 || at->constant >= buffer.info->elements)) {
        at->constant = 0; // stands behind a condition that is false here
    }
    if (at) {
        if (buffer.lanes > 0) { // one element for every lane
            at = scale(*at, buffer.lanes);
            at->lane += m_lanes > 0 ? 1 : 0;
        }
        return {pointerTo(buffer, *at), at->lane, nullptr};
    }
    llvm::Value* indices = emit(offset);
    if (buffer.lanes > 0) {
        Linear laneNumber;
        laneNumber.lane = 1;
        llvm::Value* const lanes = splat(m_builder.getInt64(static_cast<std::uint64_t>(buffer.lanes)));
        indices = m_builder.CreateAdd(m_builder.CreateMul(indices, lanes), materialize(laneNumber));
    }
    return {buffer.base, 0, indices};
}

} // namespace nw::code
