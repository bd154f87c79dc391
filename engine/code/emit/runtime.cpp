// void nw_parallel(task, context, n, threads), weak, so that the embedding program may bring its own:
//   t = min(n, threads); on one thread, or in a child made by fork: task(context, 0, n)
//   otherwise GOMP_parallel runs worker on t threads; thread i of t takes [n * i / t, n * (i + 1) / t)
// OpenMP's threads do not survive a fork, so a child would wait for them for ever.

#include "engine/code/emit/entry.h"

namespace nw::code {
namespace {

struct Runtime {
    Unit& unit;
    llvm::IRBuilder<> builder;
    llvm::Type* pointer;
    llvm::Type* int32;
    llvm::Type* int64;
    llvm::StructType* job; // task, context, n
    llvm::FunctionType* taskType;

    explicit Runtime(Unit& u)
        : unit(u)
        , builder(u.context)
        , pointer(builder.getPtrTy())
        , int32(builder.getInt32Ty())
        , int64(builder.getInt64Ty())
        , job(llvm::StructType::get(u.context, {pointer, pointer, int64}))
        , taskType(llvm::FunctionType::get(builder.getVoidTy(), {pointer, int64, int64}, false))
    {}

    llvm::Value* call(const char* name, llvm::Type* result, const std::vector<llvm::Value*>& arguments)
    {
        std::vector<llvm::Type*> types;
        for (const llvm::Value* argument : arguments) {
            types.push_back(argument->getType());
        }
        return builder.CreateCall(unit.module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false)), arguments);
    }

    llvm::Value* field(llvm::Value* from, unsigned index)
    {
        return builder.CreateLoad(job->getElementType(index), builder.CreateStructGEP(job, from, index));
    }
};

llvm::Function* emitWorker(Runtime& r)
{
    llvm::Function* const worker
        = r.unit.makeFunction(llvm::FunctionType::get(r.builder.getVoidTy(), {r.pointer}, false), "nw_parallel.worker", false);
    r.builder.SetInsertPoint(llvm::BasicBlock::Create(r.unit.context, "entry", worker));
    llvm::Value* const job = worker->getArg(0);
    llvm::Value* const n = r.field(job, 2);
    llvm::Value* const thread = r.builder.CreateSExt(r.call("omp_get_thread_num", r.int32, {}), r.int64);
    llvm::Value* const threads = r.builder.CreateSExt(r.call("omp_get_num_threads", r.int32, {}), r.int64);
    llvm::Value* const next = r.builder.CreateAdd(thread, r.builder.getInt64(1));
    llvm::Value* const begin = r.builder.CreateSDiv(r.builder.CreateMul(n, thread), threads);
    llvm::Value* const end = r.builder.CreateSDiv(r.builder.CreateMul(n, next), threads);
    auto* const work = llvm::BasicBlock::Create(r.unit.context, "work", worker);
    auto* const done = llvm::BasicBlock::Create(r.unit.context, "done", worker);
    r.builder.CreateCondBr(r.builder.CreateICmpSLT(begin, end), work, done);
    r.builder.SetInsertPoint(work);
    r.builder.CreateCall(r.taskType, r.field(job, 0), {r.field(job, 1), begin, end});
    r.builder.CreateBr(done);
    r.builder.SetInsertPoint(done);
    r.builder.CreateRetVoid();
    return worker;
}

// The process that loaded the object; a constructor fills it in.
llvm::GlobalVariable* emitProcessId(Runtime& r)
{
    auto* const id = new llvm::GlobalVariable(r.unit.module, r.int32, false, llvm::GlobalValue::InternalLinkage,
                                              r.builder.getInt32(0), "nw_parallel.process");
    auto* const type = llvm::FunctionType::get(r.builder.getVoidTy(), {}, false);
    llvm::Function* const load = r.unit.makeFunction(type, "nw_parallel.load", false);
    r.builder.SetInsertPoint(llvm::BasicBlock::Create(r.unit.context, "entry", load));
    r.builder.CreateStore(r.call("getpid", r.int32, {}), id);
    r.builder.CreateRetVoid();
    auto* const entryType = llvm::StructType::get(r.unit.context, {r.int32, r.pointer, r.pointer});
    llvm::Constant* const entry = llvm::ConstantStruct::get(
        entryType, {r.builder.getInt32(65535), load, llvm::ConstantPointerNull::get(r.builder.getPtrTy())});
    auto* const listType = llvm::ArrayType::get(entryType, 1);
    new llvm::GlobalVariable(r.unit.module, listType, false, llvm::GlobalValue::AppendingLinkage,
                             llvm::ConstantArray::get(listType, {entry}), "llvm.global_ctors");
    return id;
}

} // namespace

void emitParallelRuntime(Unit& unit)
{
    Runtime r(unit);
    llvm::Function* const worker = emitWorker(r);
    llvm::GlobalVariable* const process = emitProcessId(r);
    auto* const type = llvm::FunctionType::get(r.builder.getVoidTy(), {r.pointer, r.pointer, r.int64, r.int64}, false);
    llvm::Function* const parallel = unit.makeFunction(type, "nw_parallel", true);
    parallel->setLinkage(llvm::GlobalValue::WeakAnyLinkage);
    parallel->setVisibility(llvm::GlobalValue::DefaultVisibility);
    r.builder.SetInsertPoint(llvm::BasicBlock::Create(unit.context, "entry", parallel));
    llvm::Value* const n = parallel->getArg(2);
    llvm::Value* const threads = r.builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, n, parallel->getArg(3));
    llvm::AllocaInst* const job = r.builder.CreateAlloca(r.job);
    auto* const serial = llvm::BasicBlock::Create(unit.context, "serial", parallel);
    auto* const several = llvm::BasicBlock::Create(unit.context, "several", parallel);
    llvm::Value* const here = r.call("getpid", r.int32, {});
    llvm::Value* const isChild = r.builder.CreateICmpNE(here, r.builder.CreateLoad(r.int32, process));
    llvm::Value* const isSingle = r.builder.CreateICmpSLE(threads, r.builder.getInt64(1));
    r.builder.CreateCondBr(r.builder.CreateOr(isChild, isSingle), serial, several);

    r.builder.SetInsertPoint(serial);
    r.builder.CreateCall(r.taskType, parallel->getArg(0), {parallel->getArg(1), r.builder.getInt64(0), n});
    r.builder.CreateRetVoid();

    r.builder.SetInsertPoint(several);
    for (unsigned index = 0; index < 3; ++index) {
        r.builder.CreateStore(parallel->getArg(index), r.builder.CreateStructGEP(r.job, job, index));
    }
    r.call("GOMP_parallel", r.builder.getVoidTy(),
           {worker, job, r.builder.CreateTrunc(threads, r.int32), r.builder.getInt32(0)});
    r.builder.CreateRetVoid();
}

} // namespace nw::code
