// void nw_parallel(task, context, n, threads), weak, so that the embedding program may bring its own:
//   t = min(n, threads); on one thread, or in a child made by fork: task(context, 0, n)
//   otherwise GOMP_parallel runs worker on t threads. Share i of s = min(t, 64) is [n * i / s, n * (i + 1) / s). Thread i
//   takes half of what is left of its share, and again, until nothing is; then it helps with the shares behind it in the
//   same way. So a thread keeps to the same part of the data from one loop to the next, and where the steps do not cost the
//   same, or one processor is slow, the others take over. (Fewer threads than shares, or more, cover all, too.)
// OpenMP's threads do not survive a fork, so a child would wait for them for ever. The same in C++, for measuring:
// engine/measure/runner/team.cpp.

#include "engine/code/emit/entry.h"

namespace nw::code {
namespace {

constexpr std::uint64_t kMostShares = 64;

struct Runtime {
    Unit& unit;
    llvm::IRBuilder<> builder;
    llvm::Type* pointer;
    llvm::Type* int32;
    llvm::Type* int64;
    llvm::StructType* job; // task, context, n, shares, array of Line
    llvm::ArrayType* line; // where a share's rest begins, in a cache line of its own
    llvm::FunctionType* taskType;

    explicit Runtime(Unit& u)
        : unit(u)
        , builder(u.context)
        , pointer(builder.getPtrTy())
        , int32(builder.getInt32Ty())
        , int64(builder.getInt64Ty())
        , job(llvm::StructType::get(u.context, {pointer, pointer, int64, int64, pointer}))
        , line(llvm::ArrayType::get(int64, 8))
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

    llvm::Constant* number(std::uint64_t value) const { return llvm::ConstantInt::get(int64, value); }
    // Where share `index` begins; where it ends is where the next one begins.
    llvm::Value* beginOf(llvm::Value* index, llvm::Value* n, llvm::Value* shares)
    {
        return builder.CreateSDiv(builder.CreateMul(n, index), shares);
    }
    llvm::Value* restOf(llvm::Value* lines, llvm::Value* index) { return builder.CreateInBoundsGEP(line, lines, index); }
};

llvm::Function* emitWorker(Runtime& r)
{
    llvm::IRBuilder<>& b = r.builder;
    llvm::Function* const worker = r.unit.makeFunction(llvm::FunctionType::get(b.getVoidTy(), {r.pointer}, false), "nw_parallel.worker", false);
    const auto block = [&](const char* name) { return llvm::BasicBlock::Create(r.unit.context, name, worker); };
    llvm::BasicBlock* const entry = block("entry");
    llvm::BasicBlock* const share = block("share");
    llvm::BasicBlock* const rest = block("rest");
    llvm::BasicBlock* const take = block("take");
    llvm::BasicBlock* const work = block("work");
    llvm::BasicBlock* const next = block("next");
    llvm::BasicBlock* const done = block("done");

    b.SetInsertPoint(entry);
    llvm::Value* const job = worker->getArg(0);
    llvm::Value* const task = r.field(job, 0);
    llvm::Value* const context = r.field(job, 1);
    llvm::Value* const n = r.field(job, 2);
    llvm::Value* const shares = r.field(job, 3);
    llvm::Value* const lines = r.field(job, 4);
    llvm::Value* const thread = b.CreateSExt(r.call("omp_get_thread_num", r.int32, {}), r.int64);
    b.CreateBr(share);

    b.SetInsertPoint(share); // shares thread, thread + 1, ..., around
    llvm::PHINode* const step = b.CreatePHI(r.int64, 2);
    step->addIncoming(r.number(0), entry);
    llvm::Value* const index = b.CreateSRem(b.CreateAdd(thread, step), shares);
    llvm::Value* const line = r.restOf(lines, index);
    llvm::Value* const end = r.beginOf(b.CreateAdd(index, r.number(1)), n, shares);
    b.CreateBr(rest);

    b.SetInsertPoint(rest);
    llvm::LoadInst* const begin = b.CreateAlignedLoad(r.int64, line, llvm::Align(8));
    begin->setAtomic(llvm::AtomicOrdering::Monotonic);
    llvm::Value* const left = b.CreateSub(end, begin);
    b.CreateCondBr(b.CreateICmpSGT(left, r.number(0)), take, next);

    b.SetInsertPoint(take);
    llvm::Value* const half = b.CreateLShr(b.CreateAdd(left, r.number(1)), r.number(1));
    llvm::Value* const stop = b.CreateAdd(begin, half);
    llvm::Value* const taken = b.CreateExtractValue(b.CreateAtomicCmpXchg(line, begin, stop, llvm::Align(8), llvm::AtomicOrdering::Monotonic,
                                                                          llvm::AtomicOrdering::Monotonic),
                                                    1);
    b.CreateCondBr(taken, work, rest);

    b.SetInsertPoint(work);
    b.CreateCall(r.taskType, task, {context, begin, stop});
    b.CreateBr(rest);

    b.SetInsertPoint(next);
    llvm::Value* const after = b.CreateAdd(step, r.number(1));
    step->addIncoming(after, next);
    b.CreateCondBr(b.CreateICmpSLT(after, shares), share, done);

    b.SetInsertPoint(done);
    b.CreateRetVoid();
    return worker;
}

// Writes the begins of the shares.
void emitBegins(Runtime& r, llvm::Value* lines, llvm::Value* n, llvm::Value* shares)
{
    llvm::IRBuilder<>& b = r.builder;
    llvm::BasicBlock* const before = b.GetInsertBlock();
    auto* const each = llvm::BasicBlock::Create(r.unit.context, "begins", before->getParent());
    auto* const ready = llvm::BasicBlock::Create(r.unit.context, "ready", before->getParent());
    b.CreateBr(each);
    b.SetInsertPoint(each);
    llvm::PHINode* const index = b.CreatePHI(r.int64, 2);
    index->addIncoming(r.number(0), before);
    b.CreateStore(r.beginOf(index, n, shares), r.restOf(lines, index));
    llvm::Value* const after = b.CreateAdd(index, r.number(1));
    index->addIncoming(after, each);
    b.CreateCondBr(b.CreateICmpSLT(after, shares), each, ready);
    b.SetInsertPoint(ready);
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
    llvm::AllocaInst* const lines = r.builder.CreateAlloca(r.line, r.number(kMostShares));
    lines->setAlignment(llvm::Align(64));
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
    llvm::Value* const shares = r.builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, threads, r.number(kMostShares));
    emitBegins(r, lines, n, shares);
    const std::vector<llvm::Value*> fields{parallel->getArg(0), parallel->getArg(1), n, shares, lines};
    for (unsigned index = 0; index < fields.size(); ++index) {
        r.builder.CreateStore(fields[index], r.builder.CreateStructGEP(r.job, job, index));
    }
    r.call("GOMP_parallel", r.builder.getVoidTy(),
           {worker, job, r.builder.CreateTrunc(threads, r.int32), r.builder.getInt32(0)});
    r.builder.CreateRetVoid();
}

} // namespace nw::code
