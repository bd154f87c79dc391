// A parallel nest becomes a function
//   NAME(buffers..., variables..., begin, end)
// called directly on one thread, and through nw_parallel(NAME.thunk, context, n, threads) on several; the thunk unpacks
// the context. Parallel loops directly inside each other are collapsed to one.

#include "engine/base/overloaded.h"
#include "engine/base/text.h"
#include "engine/code/emit/function_emitter.h"

#include <algorithm>
#include <set>

namespace nw::code {
namespace {

using lower::LBody;
using lower::LFor;

void namesInExpr(const Expr& e, std::set<std::string>& buffers, std::set<std::string>& variables)
{
    walk(e, [&](const Expr& part) {
        if (const auto* loaded = part->as<Load>()) {
            buffers.insert(loaded->buffer);
        } else if (const auto* variable = part->as<Var>()) {
            variables.insert(variable->name);
        }
        return true;
    });
}

void namesInBody(const LBody& body, std::set<std::string>& buffers, std::set<std::string>& variables)
{
    for (const lower::LStmt& statement : body) {
        std::visit(overloaded{
                       [&](const LFor& loop) { namesInBody(loop.body, buffers, variables); },
                       [&](const lower::LIf& node) {
                           namesInExpr(node.condition, buffers, variables);
                           namesInBody(node.then, buffers, variables);
                           namesInBody(node.otherwise, buffers, variables);
                       },
                       [&](const lower::LStore& store) {
                           buffers.insert(store.buffer);
                           namesInExpr(store.offset, buffers, variables);
                           namesInExpr(store.value, buffers, variables);
                       },
                       [&](const lower::LAlloc& node) { namesInBody(node.body, buffers, variables); },
                       [&](const lower::LPrefetch& prefetch) {
                           buffers.insert(prefetch.buffer);
                           namesInExpr(prefetch.offset, buffers, variables);
                       },
                   },
                   statement->kind());
    }
}

// NAME.thunk(context, begin, end): when there is something to do, loads the arguments from the context and calls the task.
llvm::Function* makeThunk(Unit& unit, llvm::Function& task, llvm::StructType* context)
{
    llvm::IRBuilder<> builder(unit.context);
    auto* const type = llvm::FunctionType::get(builder.getVoidTy(), {builder.getPtrTy(), builder.getInt64Ty(), builder.getInt64Ty()}, false);
    llvm::Function* const thunk = unit.makeFunction(type, task.getName().str() + ".thunk", false);
    auto* const entry = llvm::BasicBlock::Create(unit.context, "entry", thunk);
    auto* const work = llvm::BasicBlock::Create(unit.context, "work", thunk);
    auto* const done = llvm::BasicBlock::Create(unit.context, "done", thunk);
    builder.SetInsertPoint(entry); // an embedding program's nw_parallel may hand out empty ranges
    builder.CreateCondBr(builder.CreateICmpSLT(thunk->getArg(1), thunk->getArg(2)), work, done);
    builder.SetInsertPoint(work);
    std::vector<llvm::Value*> arguments;
    for (unsigned index = 0; index < context->getNumElements(); ++index) {
        llvm::Value* const field = builder.CreateStructGEP(context, thunk->getArg(0), index);
        arguments.push_back(builder.CreateLoad(context->getElementType(index), field));
    }
    arguments.push_back(thunk->getArg(1));
    arguments.push_back(thunk->getArg(2));
    builder.CreateCall(&task, arguments);
    builder.CreateBr(done);
    builder.SetInsertPoint(done);
    builder.CreateRetVoid();
    return thunk;
}

} // namespace

void FunctionEmitter::emitParallel(const LFor& loop)
{
    if (m_threads == nullptr || m_lanes > 0) {
        emitSerial(loop);
        return;
    }
    std::vector<const LFor*> loops{&loop};
    std::int64_t count = loop.end - loop.begin;
    while (loops.back()->body.size() == 1) {
        const auto* const inner = std::get_if<LFor>(&loops.back()->body.front()->kind());
        if (inner == nullptr || inner->kind != lower::LoopKind::Parallel || inner->end <= inner->begin) {
            break;
        }
        loops.push_back(inner);
        count *= inner->end - inner->begin;
    }
    std::set<std::string> bufferNames;
    std::set<std::string> variableNames;
    namesInBody(loop.body, bufferNames, variableNames);

    std::vector<llvm::Value*> arguments;
    std::vector<std::pair<std::string, BufferRef>> buffers;
    for (const std::string& name : bufferNames) {
        if (const auto found = m_buffers.find(name); found != m_buffers.end()) {
            buffers.emplace_back(name, found->second);
            arguments.push_back(found->second.base);
        }
    }
    std::vector<std::pair<std::string, Linear>> variables;
    for (const std::string& name : variableNames) {
        if (const auto found = m_variables.find(name); found != m_variables.end()) {
            variables.emplace_back(name, found->second);
            if (!found->second.isConstant()) {
                arguments.push_back(scalarPart(found->second));
            }
        }
    }
    std::vector<llvm::Type*> types;
    for (const llvm::Value* argument : arguments) {
        types.push_back(argument->getType());
    }
    auto* const context = llvm::StructType::get(m_unit.context, types);
    llvm::Type* const int64 = m_builder.getInt64Ty();
    types.insert(types.end(), {int64, int64});
    llvm::Function* const task = m_unit.makeFunction(llvm::FunctionType::get(m_builder.getVoidTy(), types, false),
                                                     format("{}.task{}", m_unit.symbol, m_unit.taskCount++), false);
    FunctionEmitter inner(m_unit, *task);
    unsigned next = 0;
    std::set<const llvm::Value*> seen;
    for (auto& [name, buffer] : buffers) {
        // The workspace is one argument a buffer: those share their base and stay unmarked.
        const bool isShared = buffer.info->scope == lower::Scope::Heap;
        if (!isShared) {
            task->addParamAttr(next, llvm::Attribute::NoAlias);
        }
        inner.addBuffer(name, {buffer.info, task->getArg(next++), buffer.lanes, false});
    }
    for (const auto& [name, value] : variables) {
        inner.bindVariable(name, value.isConstant() ? value : inner.captured(task->getArg(next++), rangeOf(value, m_ranges, 0)));
    }
    inner.emitTaskLoop(loops, task->getArg(next), task->getArg(next + 1), loops.back()->body);
    inner.finish();

    // So many steps for each thread at least: fewer threads, where there are too few.
    std::int64_t least = 1;
    std::int64_t inside = count;
    for (const LFor* one : loops) {
        inside /= one->end - one->begin;
        least = std::max(least, std::min(one->grain, count) * inside);
    }
    const std::int64_t most = std::max<std::int64_t>(count / least, 1);
    llvm::Value* const threads = least == 1
        ? m_threads
        : m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, m_threads, m_builder.getInt64(static_cast<std::uint64_t>(most)));

    m_unit.callsParallel = true;
    llvm::Value* const n = m_builder.getInt64(static_cast<std::uint64_t>(count));
    llvm::AllocaInst* storage = nullptr;
    {
        const llvm::IRBuilderBase::InsertPointGuard keep(m_builder);
        m_builder.SetInsertPoint(m_entry, m_entry->begin());
        storage = m_builder.CreateAlloca(context);
    }
    branch(
        m_builder.CreateICmpSGT(threads, m_builder.getInt64(1)),
        [&] {
            if (streamsAnything(m_unit.lowered.body)) {
                waitForStreams(); // the tasks may read what was streamed before
            }
            for (unsigned index = 0; index < arguments.size(); ++index) {
                m_builder.CreateStore(arguments[index], m_builder.CreateStructGEP(context, storage, index));
            }
            llvm::Type* const pointer = m_builder.getPtrTy();
            const llvm::FunctionCallee parallel = m_unit.module.getOrInsertFunction(
                "nw_parallel", llvm::FunctionType::get(m_builder.getVoidTy(), {pointer, pointer, int64, int64}, false));
            m_builder.CreateCall(parallel, {makeThunk(m_unit, *task, context), storage, n, threads});
        },
        [&] {
            std::vector<llvm::Value*> direct = arguments;
            direct.push_back(m_builder.getInt64(0));
            direct.push_back(n);
            m_builder.CreateCall(task, direct);
        });
}

void FunctionEmitter::emitTaskLoop(const std::vector<const LFor*>& loops, llvm::Value* begin, llvm::Value* end, const LBody& body)
{
    std::int64_t total = 1;
    for (const LFor* loop : loops) {
        total *= loop->end - loop->begin;
    }
    std::string name;
    for (const LFor* loop : loops) {
        name += (name.empty() ? "" : "_") + loop->variable;
    }
    const int frame = openLoop(loops.size() == 1 ? name : "merged." + name, begin, end, 1);
    for (const LFor* loop : loops) {
        m_frames.back().align = std::max(m_frames.back().align, loop->align);
    }
    llvm::PHINode* const counter = m_frames.back().counter;
    if (loops.size() == 1) {
        Linear variable = Linear::ofConstant(loops.front()->begin);
        variable.terms[addSymbol({counter, frame, nullptr}, {0, total - 1})] = 1;
        bindVariable(loops.front()->variable, variable);
    } else {
        auto* const inside = llvm::BasicBlock::Create(m_unit.context, "point", &m_function);
        llvm::Value* rest = counter;
        std::int64_t below = total;
        std::vector<std::pair<const LFor*, llvm::Value*>> indices;
        for (const LFor* loop : loops) {
            below /= loop->end - loop->begin;
            llvm::Value* const divisor = m_builder.getInt64(static_cast<std::uint64_t>(below));
            indices.emplace_back(loop, below == 1 ? rest : m_builder.CreateUDiv(rest, divisor));
            rest = below == 1 ? rest : m_builder.CreateURem(rest, divisor);
        }
        llvm::BranchInst* const anchor = m_builder.CreateBr(inside);
        m_builder.SetInsertPoint(inside);
        for (const auto& [loop, value] : indices) {
            Linear variable = Linear::ofConstant(loop->begin);
            variable.terms[addSymbol({value, -1, anchor}, {0, loop->end - loop->begin - 1})] = 1;
            bindVariable(loop->variable, variable);
        }
    }
    emitBody(body);
    closeLoop(frame);
}

} // namespace nw::code
