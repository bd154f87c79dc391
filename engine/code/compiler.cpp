#include "engine/base/text.h"
#include "engine/code/emit/entry.h"
#include "engine/code/kernel.h"
#include "engine/code/machine.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Target/TargetMachine.h>

#include <chrono>
#include <functional>

namespace nw::code {
namespace {

double millisecondsSince(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

template <typename T>
std::string printed(const T& value)
{
    std::string text;
    llvm::raw_string_ostream out(text);
    value.print(out, nullptr);
    return text;
}

struct Code {
    std::string object;
    CodeFacts facts;
    Scheduler scheduler = Scheduler::SourceOrder;
};

// Either order of instructions can be the one that spills: when one does in an innermost loop, the other is tried.
Result<Code> bestCode(const llvm::Module& module, llvm::TargetMachine& machine)
{
    std::optional<Code> best;
    for (const Scheduler scheduler : {Scheduler::SourceOrder, Scheduler::Machine}) {
        Code code;
        code.scheduler = scheduler;
        auto object = emitObject(module, machine, scheduler, &code.facts);
        if (!object) {
            return object.error();
        }
        code.object = *std::move(object);
        if (!best || code.facts.spills < best->facts.spills) {
            best = std::move(code);
        }
        if (best->facts.spills == 0) {
            break;
        }
    }
    return *std::move(best);
}

// Emission into a fresh module, optimisation, code.
Result<CompiledObject> compileModule(const std::string& symbol, const lower::Lowered& lowered, const Target& target,
                                     const CompileOptions& options, const std::function<Status(Unit&)>& emit)
{
    auto start = std::chrono::steady_clock::now();
    const auto machine = makeMachine(target, options.level);
    if (!machine) {
        return machine.error();
    }
    llvm::LLVMContext context;
    llvm::Module module(symbol, context);
    module.setTargetTriple((*machine)->getTargetTriple());
    module.setDataLayout((*machine)->createDataLayout());
    module.setPICLevel(llvm::PICLevel::BigPIC);
    Unit unit{context, module, target, lowered, symbol, std::nullopt};
    if (Status emitted = emit(unit); !emitted) {
        return emitted.error();
    }
    if (unit.error) {
        return *unit.error;
    }
    std::string broken;
    llvm::raw_string_ostream out(broken);
    ENSURE(!llvm::verifyModule(module, &out), "the emitted module of " + symbol + " is broken: " + broken);

    CompiledObject made;
    made.symbol = symbol;
    made.callsParallel = unit.callsParallel;
    if (options.optimize) {
        optimize(module, **machine);
    }
    made.optimizeMs = millisecondsSince(start);
    start = std::chrono::steady_clock::now();
    const auto code = bestCode(module, **machine);
    if (!code) {
        return code.error();
    }
    made.codegenMs = millisecondsSince(start);
    made.bytes = code->object;
    const CodeFacts& facts = code->facts;
    made.listing.symbol = symbol;
    made.listing.workspaceBytes = lowered.workspaceBytes;
    made.listing.spills = facts.spills;
    made.listing.totalSpills = facts.totalSpills;
    made.listing.vectorRegisters = facts.vectorRegisters;
    made.listing.fmas = facts.fmas;
    for (const auto& [access, count] : unit.accesses) {
        made.listing.accesses.push_back({std::get<0>(access), std::get<1>(access), std::get<2>(access), count});
    }
    made.listing.codeBytes = codeBytesOf(made.bytes);
    if (options.listings) {
        made.listing.loweredText = lower::toText(lowered);
        made.listing.llvmIr = printed(module);
        const auto assembly = emitAssembly(module, **machine, code->scheduler);
        if (!assembly) {
            return assembly.error();
        }
        made.listing.assembly = *assembly;
    }
    return made;
}

} // namespace

Result<CompiledObject> compileKernel(const std::string& symbol, const lower::Lowered& lowered, const Target& target,
                                     const CompileOptions& options)
{
    return compileModule(symbol, lowered, target, options, [](Unit& unit) -> Status {
        emitKernel(unit);
        return Done{};
    });
}

Result<CompiledObject> compileModelEntry(const std::vector<wire::ModelCall>& calls, const std::vector<std::string>& symbols,
                                         std::int64_t workspaceOffset, const Target& target)
{
    return compileModule("nw_model_run", {}, target, {}, [&](Unit& unit) { return emitModelEntry(unit, calls, symbols, workspaceOffset); });
}

Result<CompiledObject> compileParallelRuntime(const Target& target)
{
    return compileModule("nw_parallel", {}, target, {}, [](Unit& unit) -> Status {
        emitParallelRuntime(unit);
        return Done{};
    });
}

std::string compilerVersion()
{
    return "LLVM " LLVM_VERSION_STRING;
}

} // namespace nw::code
