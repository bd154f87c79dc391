#include "engine/code/machine.h"

#include "engine/base/text.h"
#include "engine/code/code_facts.h"

#include <llvm/CodeGen/CodeGenTargetMachineImpl.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <array>
#include <mutex>

namespace nw::code {
namespace {

void initializeLlvm()
{
    static std::once_flag once;
    std::call_once(once, [] {
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86AsmPrinter();
        LLVMInitializeAArch64TargetInfo();
        LLVMInitializeAArch64Target();
        LLVMInitializeAArch64TargetMC();
        LLVMInitializeAArch64AsmPrinter();
        const std::array<const char*, 2> options = {"nestwright", "-disable-lsr"};
        llvm::cl::ParseCommandLineOptions(static_cast<int>(options.size()), options.data());
    });
}

std::string failedText(const std::string& what)
{
    return "LLVM cannot make code: " + what;
}

Result<std::string> emitFile(llvm::Module& module, llvm::TargetMachine& machine, Scheduler scheduler, llvm::CodeGenFileType type,
                             CodeFacts* facts)
{
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream out(bytes);
    llvm::legacy::PassManager passes;
    auto* const information = new llvm::MachineModuleInfoWrapperPass(&machine);
    // What TargetMachine::addPassesToEmitFile does, with one pass more before the printer.
    llvm::TargetPassConfig* const config = machine.createPassConfig(passes);
    config->setDisableVerify(true);
    if (scheduler == Scheduler::SourceOrder) {
        config->disablePass(&llvm::MachineSchedulerID);
    }
    passes.add(config);
    passes.add(information);
    if (config->addISelPasses()) {
        return failed(failedText("no instruction selection for this target"));
    }
    config->addMachinePasses();
    config->setInitialized();
    if (facts != nullptr) {
        passes.add(makeCodeFactsPass(*facts));
    }
    if (machine.addAsmPrinter(passes, out, nullptr, type, information->getMMI().getContext())) {
        return failed(failedText("no code printer for this target"));
    }
    passes.run(module);
    return std::string(bytes.begin(), bytes.end());
}


} // namespace

Result<std::unique_ptr<llvm::TargetMachine>> makeMachine(const Target& target, int level)
{
    initializeLlvm();
    const llvm::Triple triple(target.arch == "aarch64" ? "aarch64-unknown-linux-gnu" : "x86_64-unknown-linux-gnu");
    std::string why;
    const llvm::Target* const found = llvm::TargetRegistry::lookupTarget(triple, why);
    if (found == nullptr || (target.arch != "x86-64" && target.arch != "aarch64")) {
        return refused(format("There is no code for {} yet. Choose a target of x86-64 or aarch64.", target.arch));
    }
    std::vector<std::string> features;
    for (const std::string& feature : target.features) {
        features.push_back("+" + feature);
    }
    llvm::TargetOptions options;
    options.UseInitArray = true; // what runs when an object is loaded; nothing calls what stands in .ctors
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict; // a product is fused only where emission says so
    const auto codeLevel = llvm::CodeGenOpt::getLevel(level).value_or(llvm::CodeGenOptLevel::Default);
    std::unique_ptr<llvm::TargetMachine> machine(
        found->createTargetMachine(triple, target.arch == "x86-64" ? "x86-64" : "generic", join(features, ","), options,
                                   llvm::Reloc::PIC_, std::nullopt, codeLevel));
    if (machine == nullptr) {
        return failed(failedText("no target machine for " + target.toText()));
    }
    return machine;
}

Result<std::string> emitObject(const llvm::Module& module, llvm::TargetMachine& machine, Scheduler scheduler, CodeFacts* facts)
{
    return emitFile(*llvm::CloneModule(module), machine, scheduler, llvm::CodeGenFileType::ObjectFile, facts);
}

Result<std::string> emitAssembly(const llvm::Module& module, llvm::TargetMachine& machine, Scheduler scheduler)
{
    machine.Options.MCOptions.AsmVerbose = true;
    return emitFile(*llvm::CloneModule(module), machine, scheduler, llvm::CodeGenFileType::AssemblyFile, nullptr);
}

std::int64_t codeBytesOf(const std::string& object)
{
    const llvm::MemoryBufferRef buffer(llvm::StringRef(object.data(), object.size()), "kernel");
    auto file = llvm::object::ObjectFile::createObjectFile(buffer);
    if (!file) {
        llvm::consumeError(file.takeError());
        return 0;
    }
    std::int64_t bytes = 0;
    for (const llvm::object::SectionRef& section : (*file)->sections()) {
        bytes += section.isText() ? static_cast<std::int64_t>(section.getSize()) : 0;
    }
    return bytes;
}

} // namespace nw::code
