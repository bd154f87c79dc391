#include "engine/base/overloaded.h"
#include "engine/base/text.h"
#include "engine/code/emit/function_emitter.h"

#include <algorithm>
#include <set>

namespace nw::code {
namespace {

using lower::LBody;
using lower::LFor;
using lower::LoopKind;

// What a body holds, seen from a loop around it.
struct Content {
    bool hasLoop = false;       // one that stays a loop
    bool accumulates = false;   // into a register buffer
    std::int64_t stores = 0;    // vector instructions' worth of them, unrolled loops counted
};

struct Survey {
    const lower::Lowered& lowered;
    int vectorBytes;

    void look(const LBody& body, std::int64_t copies, Content& content) const
    {
        for (const lower::LStmt& statement : body) {
            std::visit(overloaded{
                           [&](const LFor& loop) { lookAtLoop(loop, copies, content); },
                           [&](const lower::LIf& node) {
                               look(node.then, copies, content);
                               look(node.otherwise, copies, content);
                           },
                           [&](const lower::LStore& store) {
                               const lower::LBuffer* const buffer = lowered.buffer(store.buffer);
                               content.stores += copies;
                               content.accumulates |= store.accumulates && buffer != nullptr
                                   && buffer->scope == lower::Scope::Registers;
                           },
                           [&](const lower::LAlloc& node) { look(node.body, copies, content); },
                           [](const lower::LPrefetch&) {},
                       },
                       statement->kind());
        }
    }
    void lookAtLoop(const LFor& loop, std::int64_t copies, Content& content) const
    {
        const std::int64_t extent = std::max<std::int64_t>(loop.end - loop.begin, 0);
        if (loop.kind == LoopKind::Vector) {
            look(loop.body, copies * std::max<std::int64_t>(extent * 4 / vectorBytes, 1), content);
        } else {
            content.hasLoop |= loop.kind != LoopKind::Unrolled && extent > 1;
            look(loop.body, copies * extent, content);
        }
    }
};

// How far the value moves when the variable moves by one; nothing when that is not constant.
std::optional<std::int64_t> stepOf(const Expr& e, const std::string& variable)
{
    if (!usesVar(e, variable)) {
        return 0;
    }
    const auto* const node = e->as<Binary>();
    if (node == nullptr) {
        return e->as<Var>() != nullptr ? std::optional<std::int64_t>(1) : std::nullopt;
    }
    const auto a = stepOf(node->a, variable);
    const auto b = stepOf(node->b, variable);
    if (!a || !b) {
        return std::nullopt;
    }
    switch (node->op) {
    case BinaryOp::Add:
        return *a + *b;
    case BinaryOp::Sub:
        return *a - *b;
    case BinaryOp::Mul:
        if (const auto factor = constInt(node->b)) {
            return *a * *factor;
        }
        if (const auto factor = constInt(node->a)) {
            return *b * *factor;
        }
        return std::nullopt;
    default:
        return std::nullopt;
    }
}

// True when iterations of the loop write the same element, or a reduction step might: then lanes would lose all but one
// of them.
bool lanesCollide(const LBody& body, const std::string& variable, std::set<std::string>& privateBuffers)
{
    return std::any_of(body.begin(), body.end(), [&](const lower::LStmt& statement) {
        return std::visit(overloaded{
                              [&](const LFor& loop) { return lanesCollide(loop.body, variable, privateBuffers); },
                              [&](const lower::LIf& node) {
                                  return lanesCollide(node.then, variable, privateBuffers)
                                      || lanesCollide(node.otherwise, variable, privateBuffers);
                              },
                              [&](const lower::LStore& store) {
                                  const auto step = stepOf(store.offset, variable);
                                  return !privateBuffers.contains(store.buffer) && (step == 0 || (!step && store.accumulates));
                              },
                              [&](const lower::LAlloc& node) {
                                  privateBuffers.insert(node.buffer);
                                  return lanesCollide(node.body, variable, privateBuffers);
                              },
                              [](const lower::LPrefetch&) { return false; },
                          },
                          statement->kind());
    });
}

// Something in the body picks a register by the variable: in pieces of the loop it must be a number.
bool picksRegisters(const LBody& body, const std::string& variable, const lower::Lowered& lowered)
{
    const auto picks = [&](const std::string& name, const Expr& offset) {
        const lower::LBuffer* const buffer = lowered.buffer(name);
        return buffer != nullptr && buffer->scope == lower::Scope::Registers && usesVar(offset, variable);
    };
    return std::any_of(body.begin(), body.end(), [&](const lower::LStmt& statement) {
        return std::visit(overloaded{
                              [&](const LFor& loop) { return picksRegisters(loop.body, variable, lowered); },
                              [&](const lower::LIf& node) {
                                  return picksRegisters(node.then, variable, lowered)
                                      || picksRegisters(node.otherwise, variable, lowered);
                              },
                              [&](const lower::LStore& store) {
                                  bool found = picks(store.buffer, store.offset);
                                  walk(store.value, [&](const Expr& e) {
                                      const auto* const read = e->as<Load>();
                                      found = found || (read != nullptr && picks(read->buffer, read->indices.front()));
                                      return !found;
                                  });
                                  return found;
                              },
                              [&](const lower::LAlloc& node) { return picksRegisters(node.body, variable, lowered); },
                              [](const lower::LPrefetch&) { return false; },
                          },
                          statement->kind());
    });
}

// What the back end reads from a loop's last branch.
llvm::MDNode* alignmentNode(llvm::LLVMContext& context, std::int64_t bytes)
{
    llvm::Metadata* const size
        = llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), static_cast<std::uint64_t>(bytes)));
    llvm::MDNode* const align = llvm::MDNode::get(context, {llvm::MDString::get(context, "llvm.loop.align"), size});
    llvm::MDNode* const node = llvm::MDNode::getDistinct(context, {nullptr, align});
    node->replaceOperandWith(0, node);
    return node;
}

} // namespace

void FunctionEmitter::emitLoop(const LFor& loop)
{
    const auto outer = m_variables.find(loop.variable);
    const std::optional<Linear> hidden = outer == m_variables.end() ? std::nullopt : std::optional<Linear>(outer->second);
    const std::int64_t extent = loop.end - loop.begin;
    if (extent == 1) {
        m_variables[loop.variable] = Linear::ofConstant(loop.begin);
        emitBody(loop.body);
    } else if (extent > 1) {
        switch (loop.kind) {
        case LoopKind::Serial:
            emitSerial(loop);
            break;
        case LoopKind::Parallel:
            emitParallel(loop);
            break;
        case LoopKind::Vector:
            emitVector(loop);
            break;
        case LoopKind::Unrolled:
            emitUnrolled(loop);
            break;
        }
    }
    m_variables.erase(loop.variable);
    if (hidden) {
        m_variables[loop.variable] = *hidden;
    }
}

// for counter = begin; counter != end; counter += step, at least once. The loop's symbol is its counter.
int FunctionEmitter::openLoop(const std::string& variable, llvm::Value* begin, llvm::Value* end, std::int64_t step)
{
    Frame frame;
    frame.preheader = llvm::BasicBlock::Create(m_unit.context, "before", &m_function);
    frame.header = llvm::BasicBlock::Create(m_unit.context, "loop." + variable, &m_function);
    frame.begin = begin;
    frame.end = end;
    frame.step = step;
    m_builder.CreateBr(frame.preheader);
    m_builder.SetInsertPoint(frame.preheader);
    m_builder.CreateBr(frame.header);
    m_builder.SetInsertPoint(frame.header);
    frame.counter = m_builder.CreatePHI(m_builder.getInt64Ty(), 2);
    frame.counter->addIncoming(begin, frame.preheader);
    m_frames.push_back(frame);
    return static_cast<int>(m_frames.size()) - 1;
}

void FunctionEmitter::closeLoop(int index)
{
    const Frame& frame = m_frames[static_cast<std::size_t>(index)];
    // A loop over a border counts from below zero: then -1 + 1 wraps around as an unsigned number.
    const auto* const begin = llvm::dyn_cast<llvm::ConstantInt>(frame.begin);
    const bool staysUnsigned = begin == nullptr || !begin->isNegative();
    llvm::Value* const next = m_builder.CreateAdd(frame.counter, m_builder.getInt64(static_cast<std::uint64_t>(frame.step)), "",
                                                  staysUnsigned, true);
    llvm::BasicBlock* const latch = m_builder.GetInsertBlock();
    for (const auto& [pointer, bytes] : frame.pointers) {
        pointer->addIncoming(bytesPast(pointer, bytes), latch);
    }
    frame.counter->addIncoming(next, latch);
    auto* const after = llvm::BasicBlock::Create(m_unit.context, "after", &m_function);
    llvm::BranchInst* const turn = m_builder.CreateCondBr(m_builder.CreateICmpEQ(next, frame.end), after, frame.header);
    if (frame.align > 0) {
        turn->setMetadata(llvm::LLVMContext::MD_loop, alignmentNode(m_unit.context, frame.align));
    }
    m_builder.SetInsertPoint(after);
}

// Steps that make no whole turn come behind in a loop of their own.
void FunctionEmitter::emitSerial(const LFor& loop)
{
    const std::int64_t factor = unrollFactor(loop);
    if (factor == loop.end - loop.begin) {
        emitUnrolled(loop);
        return;
    }
    const std::int64_t end = loop.end - (loop.end - loop.begin) % factor;
    const int frame = openLoop(loop.variable, m_builder.getInt64(static_cast<std::uint64_t>(loop.begin)),
                               m_builder.getInt64(static_cast<std::uint64_t>(end)), factor);
    m_frames.back().align = loop.align;
    Linear variable;
    variable.terms[addSymbol({m_frames.back().counter, frame, nullptr}, {loop.begin, end - factor})] = 1;
    for (std::int64_t copy = 0; copy < factor; ++copy) {
        variable.constant = copy;
        m_variables[loop.variable] = variable;
        emitBody(loop.body);
    }
    closeLoop(frame);
    if (end < loop.end) {
        LFor rest = loop;
        rest.begin = end;
        rest.unroll = 1;
        emitLoop(rest);
    }
}

// The innermost loop around a register tile's reduction step is unrolled so far that its own counting is paid once for
// many instructions. Short loops stay: unrolled kernel columns would share their broadcasts and spill. What the loop
// says itself goes first.
std::int64_t FunctionEmitter::unrollFactor(const LFor& loop) const
{
    constexpr std::int64_t kShortest = 8;
    constexpr std::int64_t kMostInstructions = 256;
    const std::int64_t extent = loop.end - loop.begin;
    if (loop.unroll > 0) {
        return std::min(loop.unroll, extent);
    }
    Content content;
    Survey{m_unit.lowered, m_unit.target.vectorBytes}.look(loop.body, 1, content);
    if (content.hasLoop || !content.accumulates || extent < kShortest) {
        return 1;
    }
    for (const std::int64_t factor : {8, 4, 2}) {
        if (extent % factor == 0 && content.stores * factor <= kMostInstructions) {
            return factor;
        }
    }
    return 1;
}

void FunctionEmitter::emitUnrolled(const LFor& loop)
{
    for (std::int64_t value = loop.begin; value < loop.end && !m_unit.error; ++value) {
        m_variables[loop.variable] = Linear::ofConstant(value);
        emitBody(loop.body);
    }
}

int FunctionEmitter::preferredLanes() const
{
    return m_unit.target.lanes(DType::F32);
}

// A vector loop inside another runs its iterations one after the other, each in the lanes of the outer one. Long loops
// run in pieces of a few vectors.
void FunctionEmitter::emitVector(const LFor& loop)
{
    std::set<std::string> privateBuffers;
    if (m_lanes > 0 || lanesCollide(loop.body, loop.variable, privateBuffers)) {
        emitSerial(loop);
        return;
    }
    const std::int64_t extent = loop.end - loop.begin;
    const std::int64_t width = preferredLanes();
    Content content;
    Survey{m_unit.lowered, m_unit.target.vectorBytes}.look(loop.body, 1, content);
    if (extent <= width || (extent <= 8 * width && (extent % width == 0 || content.hasLoop))) {
        emitLanes(loop, Linear::ofConstant(loop.begin), static_cast<int>(extent));
        return;
    }
    const std::int64_t piece = extent < 4 * width ? width : 4 * width;
    const std::int64_t whole = extent / piece * piece;
    if (whole == piece || picksRegisters(loop.body, loop.variable, m_unit.lowered)) {
        for (std::int64_t first = loop.begin; first < loop.begin + whole; first += piece) {
            emitLanes(loop, Linear::ofConstant(first), static_cast<int>(piece));
        }
    } else {
        const int frame = openLoop(loop.variable, m_builder.getInt64(static_cast<std::uint64_t>(loop.begin)),
                                   m_builder.getInt64(static_cast<std::uint64_t>(loop.begin + whole)), piece);
        Linear first;
        first.terms[addSymbol({m_frames.back().counter, frame, nullptr}, {loop.begin, loop.begin + whole - piece})] = 1;
        emitLanes(loop, first, static_cast<int>(piece));
        closeLoop(frame);
    }
    if (whole < extent) {
        LFor rest = loop;
        rest.begin = loop.begin + whole;
        emitLoop(rest);
    }
}

void FunctionEmitter::emitLanes(const LFor& loop, Linear first, int lanes)
{
    first.lane = 1;
    m_variables[loop.variable] = first;
    m_lanes = lanes;
    emitBody(loop.body);
    m_lanes = 0;
}

} // namespace nw::code
