#include "engine/base/files.h"
#include "engine/code/emit/unit.h"
#include "engine/code/link.h"
#include "engine/code/machine.h"

#include <llvm/Target/TargetMachine.h>

#include <filesystem>
#include <mutex>

namespace nw::code {
namespace {

struct Stub {
    const char* soname;
    std::vector<const char*> functions;
};

const std::vector<Stub>& stubs()
{
    static const std::vector<Stub> list = {
        {"libm.so.6",
         {"acos",  "acosh",  "asin",  "asinh",  "atan",  "atanh",  "ceil",  "cos",  "cosh",  "erf",  "exp",  "floor",  "fma",
          "fmod",  "log",    "pow",   "round",  "sin",   "sinh",   "sqrt",  "tan",  "tanh",  "trunc", "rint", "nearbyint",
          "roundeven", "ceilf", "floorf", "fmaf", "fmodf", "sqrtf", "truncf", "rintf", "nearbyintf", "roundevenf", "fmin",
          "fmax", "fminf", "fmaxf"}},
        {"libgomp.so.1", {"GOMP_parallel", "omp_get_thread_num"}},
        {"libc.so.6", {"getpid", "memcpy", "memmove", "memset"}},
    };
    return list;
}

Result<std::string> makeStub(const Stub& stub, const std::string& temporary)
{
    llvm::LLVMContext context;
    llvm::Module module("stub", context);
    Target target;
    auto machine = makeMachine(target, 0);
    if (!machine) {
        return machine.error();
    }
    module.setTargetTriple((*machine)->getTargetTriple());
    module.setDataLayout((*machine)->createDataLayout());
    llvm::IRBuilder<> builder(context);
    auto* const type = llvm::FunctionType::get(builder.getVoidTy(), false);
    for (const char* name : stub.functions) {
        auto* const function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
        builder.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
        builder.CreateRetVoid();
    }
    const auto object = emitObject(module, **machine, Scheduler::SourceOrder, nullptr);
    if (!object) {
        return object.error();
    }
    if (Status linked = linkShared({*object}, {}, temporary, stub.soname); !linked) {
        return linked.error();
    }
    auto bytes = readFile(temporary);
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    return bytes;
}

} // namespace

Result<std::vector<std::string>> stubLibraries(const std::string& outputPath)
{
    static std::mutex mutex;
    static std::vector<MemoryFile> files; // for the life of the process
    const std::lock_guard<std::mutex> lock(mutex);
    if (files.size() != stubs().size()) {
        files.clear();
        for (const Stub& stub : stubs()) {
            const auto bytes = makeStub(stub, outputPath + ".stub");
            if (!bytes) {
                files.clear();
                return bytes.error();
            }
            files.emplace_back(*bytes);
        }
    }
    std::vector<std::string> paths;
    for (const MemoryFile& file : files) {
        paths.push_back(file.path());
    }
    return paths;
}

} // namespace nw::code
