#include "engine/code/emit/entry.h"

#include "engine/base/overloaded.h"
#include "engine/base/text.h"
#include "engine/code/emit/function_emitter.h"
#include "engine/wire/kernel_abi.h"

#include <algorithm>
#include <cstddef>
#include <set>

namespace nw::code {
namespace {

void writtenBuffers(const lower::LBody& body, std::set<std::string>& names)
{
    for (const lower::LStmt& statement : body) {
        std::visit(overloaded{
                       [&](const lower::LFor& loop) { writtenBuffers(loop.body, names); },
                       [&](const lower::LIf& node) {
                           writtenBuffers(node.then, names);
                           writtenBuffers(node.otherwise, names);
                       },
                       [&](const lower::LStore& store) { names.insert(store.buffer); },
                       [&](const lower::LAlloc& node) { writtenBuffers(node.body, names); },
                       [](const lower::LPrefetch&) {},
                   },
                   statement->kind());
    }
}

llvm::Value* loadPointer(llvm::IRBuilder<>& builder, llvm::Value* array, std::int64_t index)
{
    llvm::Value* const slot = builder.CreateConstGEP1_64(builder.getPtrTy(), array, static_cast<std::uint64_t>(index));
    return builder.CreateLoad(builder.getPtrTy(), slot);
}

llvm::Value* loadThreads(llvm::IRBuilder<>& builder, llvm::Value* env)
{
    static_assert(offsetof(nw_env, threads) == 0 && offsetof(nw_env, stamps) == 8);
    return builder.CreateLoad(builder.getInt64Ty(), env);
}

// The body takes its buffers as arguments, because only there can be said that they do not overlap.
llvm::Function* emitKernelBody(Unit& unit, int portCount)
{
    llvm::IRBuilder<> builder(unit.context);
    std::vector<llvm::Type*> types(static_cast<std::size_t>(portCount) + 1, builder.getPtrTy());
    types.push_back(builder.getInt64Ty());
    llvm::Function* const body = unit.makeFunction(llvm::FunctionType::get(builder.getVoidTy(), types, false),
                                                   unit.symbol + ".body", false);
    FunctionEmitter emitter(unit, *body);
    std::set<std::string> written;
    writtenBuffers(unit.lowered.body, written);
    llvm::Argument* const workspace = body->getArg(static_cast<unsigned>(portCount));
    workspace->addAttr(llvm::Attribute::NoAlias);
    llvm::IRBuilder<> atEntry(&body->getEntryBlock(), body->getEntryBlock().begin());
    for (const lower::LBuffer& buffer : unit.lowered.buffers) {
        if (buffer.scope == lower::Scope::Port) {
            llvm::Argument* const argument = body->getArg(static_cast<unsigned>(buffer.port));
            argument->addAttr(llvm::Attribute::NoAlias);
            if (!written.contains(buffer.name)) {
                argument->addAttr(llvm::Attribute::ReadOnly);
            }
            emitter.addBuffer(buffer.name, {&buffer, argument, 0, false});
        } else if (buffer.scope == lower::Scope::Heap) {
            llvm::Value* const base
                = atEntry.CreateConstGEP1_64(atEntry.getInt8Ty(), workspace, static_cast<std::uint64_t>(buffer.offset));
            emitter.addBuffer(buffer.name, {&buffer, base, 0, false});
        }
    }
    emitter.setThreads(body->getArg(static_cast<unsigned>(portCount) + 1));
    emitter.emitBody(unit.lowered.body);
    emitter.finish();
    return body;
}

} // namespace

void emitKernel(Unit& unit)
{
    int portCount = 0;
    for (const lower::LBuffer& buffer : unit.lowered.buffers) {
        if (buffer.scope == lower::Scope::Port) {
            portCount = std::max(portCount, buffer.port + 1);
        }
    }
    llvm::IRBuilder<> builder(unit.context);
    auto* const type = llvm::FunctionType::get(builder.getVoidTy(), {builder.getPtrTy(), builder.getPtrTy()}, false);
    llvm::Function* const kernel = unit.makeFunction(type, unit.symbol, true);
    builder.SetInsertPoint(llvm::BasicBlock::Create(unit.context, "entry", kernel));
    std::vector<llvm::Value*> arguments;
    for (int port = 0; port < portCount; ++port) {
        arguments.push_back(loadPointer(builder, kernel->getArg(0), port));
    }
    arguments.push_back(unit.lowered.workspaceBytes > 0 ? loadPointer(builder, kernel->getArg(0), portCount)
                                                        : llvm::ConstantPointerNull::get(builder.getPtrTy()));
    arguments.push_back(loadThreads(builder, kernel->getArg(1)));
    builder.CreateCall(emitKernelBody(unit, portCount), arguments);
    builder.CreateRetVoid();
}

namespace {

// if (stamps) stamps[index] = cycle counter
void emitStamp(Unit& unit, llvm::IRBuilder<>& builder, llvm::Value* stamps, std::size_t index)
{
    llvm::Function* const function = builder.GetInsertBlock()->getParent();
    auto* const stamp = llvm::BasicBlock::Create(unit.context, "stamp", function);
    auto* const after = llvm::BasicBlock::Create(unit.context, "after", function);
    builder.CreateCondBr(builder.CreateIsNotNull(stamps), stamp, after);
    builder.SetInsertPoint(stamp);
    llvm::Value* const now = builder.CreateIntrinsic(builder.getInt64Ty(), llvm::Intrinsic::readcyclecounter, {});
    builder.CreateStore(now, builder.CreateConstGEP1_64(builder.getInt64Ty(), stamps, index));
    builder.CreateBr(after);
    builder.SetInsertPoint(after);
}

} // namespace

Status emitModelEntry(Unit& unit, const std::vector<wire::ModelCall>& calls, const std::vector<std::string>& symbols,
                      std::int64_t workspaceOffset)
{
    llvm::IRBuilder<> builder(unit.context);
    llvm::Type* const pointer = builder.getPtrTy();
    auto* const type = llvm::FunctionType::get(builder.getVoidTy(), std::vector<llvm::Type*>(5, pointer), false);
    llvm::Function* const entry = unit.makeFunction(type, "nw_model_run", true);
    builder.SetInsertPoint(llvm::BasicBlock::Create(unit.context, "entry", entry));
    std::size_t most = 0;
    for (const wire::ModelCall& call : calls) {
        most = std::max(most, call.arguments.size());
    }
    llvm::Value* const ports = builder.CreateAlloca(llvm::ArrayType::get(pointer, most + 1));
    llvm::Value* const arena = entry->getArg(3);
    llvm::Value* const env = entry->getArg(4);
    llvm::Value* const stamps = loadPointer(builder, env, 1);
    llvm::Value* const workspace
        = builder.CreateConstGEP1_64(builder.getInt8Ty(), arena, static_cast<std::uint64_t>(workspaceOffset));
    auto* const kernelType = llvm::FunctionType::get(builder.getVoidTy(), {pointer, pointer}, false);
    emitStamp(unit, builder, stamps, 0);
    for (std::size_t index = 0; index < calls.size(); ++index) {
        const wire::ModelCall& call = calls[index];
        if (call.kernel < 0 || static_cast<std::size_t>(call.kernel) >= symbols.size()) {
            return failed(format("Call {} of the model names kernel {}, but there are {} kernels.", index, call.kernel, symbols.size()));
        }
        for (std::size_t port = 0; port <= call.arguments.size(); ++port) {
            llvm::Value* value = workspace;
            if (port < call.arguments.size()) {
                const wire::CallArgument& argument = call.arguments[port];
                using Space = wire::CallArgument::Space;
                const unsigned array = argument.space == Space::Input ? 0 : argument.space == Space::Output ? 1 : 2;
                llvm::Value* const base
                    = argument.space == Space::Arena ? arena : loadPointer(builder, entry->getArg(array), argument.index);
                value = builder.CreateConstGEP1_64(builder.getInt8Ty(), base, static_cast<std::uint64_t>(argument.offset));
            }
            builder.CreateStore(value, builder.CreateConstGEP1_64(pointer, ports, port));
        }
        const std::string& symbol = symbols[static_cast<std::size_t>(call.kernel)];
        llvm::FunctionCallee kernel = unit.module.getOrInsertFunction(symbol, kernelType);
        llvm::cast<llvm::Function>(kernel.getCallee())->setVisibility(llvm::GlobalValue::ProtectedVisibility);
        builder.CreateCall(kernel, {ports, env});
        emitStamp(unit, builder, stamps, index + 1);
    }
    builder.CreateRetVoid();
    return Done{};
}

} // namespace nw::code
