#include "engine/code/emit/unit.h"

#include "engine/base/text.h"

namespace nw::code {

llvm::Type* Unit::valueType(DType type)
{
    switch (type) {
    case DType::F32:
        return llvm::Type::getFloatTy(context);
    case DType::F64:
        return llvm::Type::getDoubleTy(context);
    case DType::I64:
        return llvm::Type::getInt64Ty(context);
    case DType::I32:
        return llvm::Type::getInt32Ty(context);
    case DType::Bool:
        return llvm::Type::getInt1Ty(context);
    default:
        refuse(format("Kernel {}: there is no code for elements of type {} yet. Cast to f32, f64, i64, i32 or bool.", symbol,
                      toText(type)));
        return nullptr;
    }
}

llvm::Type* Unit::memoryType(DType type)
{
    return type == DType::Bool ? llvm::Type::getInt8Ty(context) : valueType(type);
}

llvm::Function* Unit::makeFunction(llvm::FunctionType* type, const std::string& name, bool exported)
{
    auto* const function = llvm::Function::Create(
        type, exported ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage, name, module);
    if (exported) {
        function->setVisibility(llvm::GlobalValue::ProtectedVisibility);
    }
    setFunctionAttributes(*function, target);
    return function;
}

llvm::Value* Unit::safeZeros()
{
    constexpr const char* kName = "nw.zeros";
    if (llvm::GlobalVariable* const known = module.getNamedGlobal(kName)) {
        return known;
    }
    auto* const type = llvm::ArrayType::get(llvm::Type::getInt8Ty(context), static_cast<std::uint64_t>(kSafeBytes));
    auto* const zeros = new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::InternalLinkage,
                                                 llvm::Constant::getNullValue(type), kName);
    zeros->setAlignment(llvm::Align(64));
    return zeros;
}

void setFunctionAttributes(llvm::Function& function, const Target& target)
{
    std::vector<std::string> features;
    for (const std::string& feature : target.features) {
        features.push_back("+" + feature);
    }
    if (target.arch == "x86-64") {
        function.addFnAttr("target-cpu", "x86-64");
    }
    if (!features.empty()) {
        function.addFnAttr("target-features", join(features, ","));
    }
    if (!target.tuneCpu.empty()) {
        function.addFnAttr("tune-cpu", target.tuneCpu);
    }
    if (target.vectorBytes >= 64) {
        function.addFnAttr("prefer-vector-width", "512");
    }
    function.addFnAttr("stackrealign"); // or spill slots of vectors are unaligned
    function.addFnAttr(llvm::Attribute::NoUnwind);
}

llvm::FunctionCallee libm(llvm::Module& module, const char* name, unsigned arguments)
{
    llvm::Type* const real = llvm::Type::getDoubleTy(module.getContext());
    const std::vector<llvm::Type*> types(arguments, real);
    llvm::FunctionCallee callee = module.getOrInsertFunction(name, llvm::FunctionType::get(real, types, false));
    if (auto* const function = llvm::dyn_cast<llvm::Function>(callee.getCallee())) {
        function->setDoesNotThrow();
        function->setDoesNotAccessMemory(); // errno is of no interest
        function->addFnAttr(llvm::Attribute::WillReturn);
    }
    return callee;
}

} // namespace nw::code
