#include "engine/base/overloaded.h"
#include "engine/base/text.h"
#include "engine/code/emit/function_emitter.h"

namespace nw::code {
namespace {

int statementCount(const lower::LBody& body)
{
    int count = 0;
    for (const lower::LStmt& statement : body) {
        count += std::visit(overloaded{
                                [](const lower::LFor& loop) {
                                    const bool isCopied = loop.kind == lower::LoopKind::Unrolled;
                                    return statementCount(loop.body) * static_cast<int>(isCopied ? loop.end - loop.begin : 1);
                                },
                                [](const lower::LIf& node) { return statementCount(node.then) + statementCount(node.otherwise); },
                                [](const lower::LStore&) { return 1; },
                                [](const lower::LAlloc& node) { return statementCount(node.body); },
                                [](const lower::LPrefetch&) { return 0; },
                            },
                            statement->kind());
    }
    return count;
}

} // namespace

void FunctionEmitter::emitBody(const lower::LBody& body)
{
    for (const lower::LStmt& statement : body) {
        if (m_unit.error) {
            return;
        }
        emitStatement(statement);
    }
}

void FunctionEmitter::emitStatement(const lower::LStmt& statement)
{
    std::visit(overloaded{
                   [&](const lower::LFor& loop) { emitLoop(loop); },
                   [&](const lower::LIf& node) { emitIf(node); },
                   [&](const lower::LStore& store) { emitStore(store); },
                   [&](const lower::LAlloc& node) { emitAlloc(node); },
                   [&](const lower::LPrefetch& prefetch) { emitPrefetch(prefetch); },
               },
               statement->kind());
}

void FunctionEmitter::finish()
{
    if (m_streamed) {
        waitForStreams();
    }
    m_builder.CreateRetVoid();
}

void FunctionEmitter::emitStore(const lower::LStore& store)
{
    const BufferRef* const to = buffer(store.buffer);
    if (to == nullptr) {
        return;
    }
    llvm::Value* const value = storedValue(store);
    if (!m_unit.error) {
        storeTo(*to, place(*to, store.offset), value, store.streams);
    }
}

// A reduction step that adds a product becomes a fused multiply-add.
llvm::Value* FunctionEmitter::storedValue(const lower::LStore& store)
{
    const auto* const sum = store.value->as<Binary>();
    if (!store.accumulates || !m_unit.target.hasFma || !isFloat(store.value->type()) || sum == nullptr
        || sum->op != BinaryOp::Add) {
        return emit(store.value);
    }
    const auto isOld = [&](const Expr& e) {
        const auto* const loaded = e->as<Load>();
        return loaded != nullptr && loaded->buffer == store.buffer && loaded->indices.size() == 1
            && equal(loaded->indices.front(), store.offset);
    };
    const bool oldFirst = isOld(sum->a);
    const auto* const product = (oldFirst ? sum->b : sum->a)->as<Binary>();
    if (!(oldFirst || isOld(sum->b)) || product == nullptr || product->op != BinaryOp::Mul) {
        return emit(store.value);
    }
    llvm::Value* a = emit(product->a);
    llvm::Value* b = emit(product->b);
    llvm::Value* old = emit(oldFirst ? sum->a : sum->b);
    sameShape(a, b);
    sameShape(a, old);
    sameShape(b, old);
    return m_builder.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, old});
}

void FunctionEmitter::branch(llvm::Value* condition, const std::function<void()>& yes, const std::function<void()>& no)
{
    auto* const yesBlock = llvm::BasicBlock::Create(m_unit.context, "then", &m_function);
    auto* const noBlock = llvm::BasicBlock::Create(m_unit.context, "else", &m_function);
    auto* const join = llvm::BasicBlock::Create(m_unit.context, "endif", &m_function);
    m_builder.CreateCondBr(condition, yesBlock, noBlock);
    m_builder.SetInsertPoint(yesBlock);
    yes();
    m_builder.CreateBr(join);
    m_builder.SetInsertPoint(noBlock);
    no();
    m_builder.CreateBr(join);
    m_builder.SetInsertPoint(join);
}

void FunctionEmitter::emitIf(const lower::LIf& statement)
{
    llvm::Value* const condition = emit(statement.condition);
    if (m_unit.error) {
        return;
    }
    if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition)) {
        emitBody(known->isOne() ? statement.then : statement.otherwise);
        return;
    }
    if (condition->getType()->isVectorTy()) {
        emitMasked(statement, condition);
        return;
    }
    branch(condition, [&] { emitBody(statement.then); }, [&] { emitBody(statement.otherwise); });
}

// Lanes disagree. The common case, all lanes on, runs without a mask unless that would double much code; a side with no
// lane on is skipped, so that loads which all lanes share need no guard inside.
void FunctionEmitter::emitMasked(const lower::LIf& statement, llvm::Value* mask)
{
    constexpr int kManyStatements = 512;
    const Mask outer = m_mask;
    llvm::Value* const yes = outer.lanes == nullptr ? mask : m_builder.CreateAnd(outer.lanes, mask);
    const auto masked = [&] {
        underMask(yes, statement.then);
        if (!statement.otherwise.empty()) {
            llvm::Value* const inverse = m_builder.CreateNot(mask);
            underMask(outer.lanes == nullptr ? inverse : m_builder.CreateAnd(outer.lanes, inverse), statement.otherwise);
        }
    };
    if (outer.lanes != nullptr || statementCount(statement.then) > kManyStatements) {
        masked();
        return;
    }
    branch(m_builder.CreateAndReduce(yes), [&] { emitBody(statement.then); }, masked);
}

void FunctionEmitter::underMask(llvm::Value* mask, const lower::LBody& body)
{
    const Mask outer = m_mask;
    branch(
        m_builder.CreateOrReduce(mask),
        [&] {
            m_mask.lanes = mask;
            m_mask.maybeEmpty = false;
            emitBody(body);
            m_mask = outer;
        },
        [] {});
}

// Allocas stand in the entry block; the marker says that each execution starts with fresh contents.
void FunctionEmitter::emitAlloc(const lower::LAlloc& statement)
{
    const lower::LBuffer* const info = m_unit.lowered.buffer(statement.buffer);
    llvm::Type* const element = info == nullptr ? nullptr : m_unit.memoryType(info->type);
    if (element == nullptr) {
        m_unit.refuse(format("Buffer \"{}\" is not declared.", statement.buffer));
        return;
    }
    BufferRef made;
    made.info = info;
    made.lanes = m_lanes;
    made.local = true;
    std::int64_t elements = info->elements * std::max(m_lanes, 1);
    if (info->scope == lower::Scope::Registers) {
        elements += 2 * m_unit.target.vectorBytes; // room for the lanes of a vector that are off
    }
    llvm::AllocaInst* storage = nullptr;
    {
        const llvm::IRBuilderBase::InsertPointGuard keep(m_builder);
        m_builder.SetInsertPoint(m_entry, m_entry->begin());
        storage = m_builder.CreateAlloca(llvm::ArrayType::get(element, static_cast<std::uint64_t>(elements)), nullptr, info->name);
        storage->setAlignment(llvm::Align(64));
    }
    made.base = storage;
    m_builder.CreateLifetimeStart(storage);
    const auto outer = m_buffers.find(statement.buffer);
    const std::optional<BufferRef> hidden = outer == m_buffers.end() ? std::nullopt : std::optional<BufferRef>(outer->second);
    m_buffers[statement.buffer] = made;
    emitBody(statement.body);
    m_builder.CreateLifetimeEnd(storage);
    if (hidden) {
        m_buffers[statement.buffer] = *hidden;
    } else {
        m_buffers.erase(statement.buffer);
    }
}

} // namespace nw::code
