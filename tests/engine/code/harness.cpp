#include "tests/engine/code/harness.h"

#include "engine/base/text.h"
#include "engine/wire/kernel_abi.h"
#include "tests/support/test.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

namespace nw::test {
namespace {

using Edge = GuardedBytes::Edge;

template <typename T>
void put(std::byte* at, T value)
{
    std::memcpy(at, &value, sizeof value);
}

template <typename T>
T take(const std::byte* at)
{
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

void write(std::byte* bytes, DType type, const std::vector<Scalar>& elements)
{
    for (const Scalar& element : elements) {
        switch (type) {
        case DType::F32: put(bytes, static_cast<float>(element.real)); break;
        case DType::F64: put(bytes, element.real); break;
        case DType::I32: put(bytes, static_cast<std::int32_t>(element.whole)); break;
        case DType::I64: put(bytes, element.whole); break;
        default: put(bytes, static_cast<std::uint8_t>(element.whole)); break;
        }
        bytes += byteSize(type);
    }
}

void read(const std::byte* bytes, DType type, std::vector<Scalar>& elements)
{
    for (Scalar& element : elements) {
        switch (type) {
        case DType::F32: element = {take<float>(bytes), 0}; break;
        case DType::F64: element = {take<double>(bytes), 0}; break;
        case DType::I32: element = {0, take<std::int32_t>(bytes)}; break;
        case DType::I64: element = {0, take<std::int64_t>(bytes)}; break;
        default: element = {0, take<std::uint8_t>(bytes)}; break;
        }
        bytes += byteSize(type);
    }
}

bool same(const Scalar& a, const Scalar& b)
{
    return a.whole == b.whole && (a.real == b.real || (std::isnan(a.real) && std::isnan(b.real)));
}

} // namespace

std::vector<Target> targetsHere()
{
    std::vector<Target> targets;
    for (const char* name : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
        if (auto target = targetByName(name); target && canRunHere(*target)) {
            targets.push_back(*target);
        }
    }
    if (kSanitized) { // they look at our side of the compiler, which is the same for all
        targets.erase(targets.begin(), targets.end() - 1);
    }
    return targets;
}

GuardedBytes::GuardedBytes(std::size_t bytes, Edge edge)
    : m_size(bytes)
{
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t inside = (bytes + page) / page * page;
    m_mapped = inside + 2 * page;
    void* const map = mmap(nullptr, m_mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ENSURE(map != MAP_FAILED, "no memory for a guarded buffer");
    m_map = static_cast<std::byte*>(map);
    ENSURE(mprotect(m_map + page, inside, PROT_READ | PROT_WRITE) == 0, "mprotect failed");
    std::memset(m_map + page, 0xAB, inside);
    m_data = edge == Edge::Left ? m_map + page : m_map + page + inside - bytes;
}

GuardedBytes::GuardedBytes(GuardedBytes&& other) noexcept
    : m_map(std::exchange(other.m_map, nullptr))
    , m_mapped(other.m_mapped)
    , m_data(other.m_data)
    , m_size(other.m_size)
{}

GuardedBytes::~GuardedBytes()
{
    if (m_map != nullptr) {
        munmap(m_map, m_mapped);
    }
}

Result<Loaded> Loaded::link(const std::vector<const code::CompiledObject*>& objects)
{
    static int serial = 0;
    const std::string path = (std::filesystem::temp_directory_path() / format("nw-code-{}-{}.so", getpid(), serial++)).string();
    if (Status linked = code::linkSharedObject(objects, path); !linked) {
        return linked.error();
    }
    auto loaded = open(path);
    std::filesystem::remove(path);
    return loaded;
}

Result<Loaded> Loaded::open(const std::string& path)
{
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        return failed(dlerror());
    }
    Loaded loaded;
    loaded.m_handle = std::shared_ptr<void>(handle, [](void* h) { dlclose(h); });
    return loaded;
}

void* Loaded::symbol(const char* name) const
{
    return dlsym(m_handle.get(), name);
}

Result<Loaded> compileProgram(const lower::Lowered& lowered, const Target& target, const code::CompileOptions& options)
{
    const auto compiled = code::compileKernel("kernel", lowered, target, options);
    if (!compiled) {
        return compiled.error();
    }
    std::vector<const code::CompiledObject*> objects{&*compiled};
    const auto runtime = code::compileParallelRuntime(target);
    if (!runtime) {
        return runtime.error();
    }
    if (compiled->callsParallel) {
        objects.push_back(&*runtime);
    }
    return Loaded::link(objects);
}

void runProgram(const Loaded& loaded, const lower::Lowered& lowered, Memory& memory, Edge edge, int threads)
{
    std::vector<GuardedBytes> ports;
    std::vector<const lower::LBuffer*> infos;
    for (const lower::LBuffer& buffer : lowered.buffers) {
        if (buffer.scope == lower::Scope::Port) {
            ports.emplace_back(static_cast<std::size_t>(buffer.elements) * byteSize(buffer.type), edge);
            infos.push_back(&buffer);
            write(ports.back().data(), buffer.type, memory[buffer.name]);
        }
    }
    std::vector<void*> pointers;
    for (const GuardedBytes& port : ports) {
        pointers.push_back(port.data());
    }
    const std::size_t workspaceBytes = static_cast<std::size_t>(lowered.workspaceBytes);
    std::unique_ptr<void, decltype(&std::free)> workspace(std::aligned_alloc(64, (workspaceBytes + 64) / 64 * 64), &std::free);
    pointers.push_back(workspace.get());
    const auto kernel = std::bit_cast<nw_kernel>(loaded.symbol("kernel"));
    ENSURE(kernel != nullptr, "the kernel's symbol is not exported");
    const nw_env env{threads, nullptr};
    kernel(pointers.data(), &env);
    for (std::size_t index = 0; index < ports.size(); ++index) {
        read(ports[index].data(), infos[index]->type, memory[infos[index]->name]);
    }
}

std::string firstDifference(const lower::Lowered& lowered, const Memory& expected, const Memory& got)
{
    for (const lower::LBuffer& buffer : lowered.buffers) {
        for (std::int64_t i = 0; buffer.scope == lower::Scope::Port && i < buffer.elements; ++i) {
            const Scalar& a = expected.at(buffer.name)[static_cast<std::size_t>(i)];
            const Scalar& b = got.at(buffer.name)[static_cast<std::size_t>(i)];
            if (!same(a, b)) {
                return format("{}[{}] is {} / {}, expected {} / {}", buffer.name, i, b.real, b.whole, a.real, a.whole);
            }
        }
    }
    return {};
}

std::string differences(const lower::Lowered& lowered, const Memory& inputs, const code::CompileOptions& options)
{
    for (const Target& target : targetsHere()) {
        Memory expected = inputs;
        interpretLowered(lowered, expected, target.hasFma);
        const auto loaded = compileProgram(lowered, target, options);
        if (!loaded) {
            return format("{}: {}", target.name, loaded.error().message);
        }
        for (const Edge edge : {Edge::Left, Edge::Right}) {
            for (const int threads : {1, 2}) {
                Memory got = inputs;
                runProgram(*loaded, lowered, got, edge, threads);
                const std::string words = firstDifference(lowered, expected, got);
                if (!words.empty()) {
                    return format("{}, {} threads: {}", target.name, threads, words);
                }
            }
        }
    }
    return {};
}

lower::LStmt loop(const std::string& variable, std::int64_t extent, lower::LoopKind kind, lower::LBody body)
{
    return lower::makeLStmt(lower::LFor{variable, 0, extent, kind, std::move(body)});
}

lower::LStmt store(const std::string& buffer, Expr offset, Expr value)
{
    return lower::makeLStmt(lower::LStore{buffer, std::move(offset), std::move(value), false, "block"});
}

lower::LStmt accumulate(const std::string& buffer, DType type, Expr offset, Expr term, BinaryOp op)
{
    return lower::makeLStmt(lower::LStore{buffer, offset, binary(op, load(buffer, type, {offset}), std::move(term)), true, "block"});
}

lower::LStmt when(Expr condition, lower::LBody then, lower::LBody otherwise)
{
    return lower::makeLStmt(lower::LIf{std::move(condition), std::move(then), std::move(otherwise)});
}

lower::LStmt with(const std::string& buffer, lower::LBody body)
{
    return lower::makeLStmt(lower::LAlloc{buffer, std::move(body)});
}

Memory randomMemory(const lower::Lowered& lowered, unsigned seed)
{
    std::mt19937 generator(seed);
    Memory memory;
    for (const lower::LBuffer& buffer : lowered.buffers) {
        if (buffer.scope != lower::Scope::Port) {
            continue;
        }
        std::vector<Scalar>& elements = memory[buffer.name];
        for (std::int64_t i = 0; i < buffer.elements; ++i) {
            const int number = static_cast<int>(generator() % 17) - 8;
            elements.push_back(isFloat(buffer.type) ? Scalar{number / 4.0, 0} : Scalar{0, buffer.type == DType::Bool ? number & 1 : number});
        }
    }
    return memory;
}

} // namespace nw::test
