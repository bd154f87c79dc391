#pragma once

#include "engine/base/target.h"
#include "engine/code/kernel.h"
#include "tests/engine/code/interpret_lowered.h"

#include <memory>
#include <string>
#include <vector>

namespace nw::test {

// "x86-64-v2", "x86-64-v3", "x86-64-v4": those whose code runs here.
std::vector<Target> targetsHere();

// Bytes that end at a page without access, or begin after one. Filled with 0xAB.
class GuardedBytes {
public:
    enum class Edge { Left, Right };
    GuardedBytes(std::size_t bytes, Edge edge);
    GuardedBytes(GuardedBytes&& other) noexcept;
    GuardedBytes(const GuardedBytes&) = delete;
    GuardedBytes& operator=(const GuardedBytes&) = delete;
    ~GuardedBytes();
    std::byte* data() const { return m_data; }
    std::size_t size() const { return m_size; }

private:
    std::byte* m_map = nullptr;
    std::size_t m_mapped = 0;
    std::byte* m_data = nullptr;
    std::size_t m_size = 0;
};

// A shared object that lives as long as this.
class Loaded {
public:
    static Result<Loaded> link(const std::vector<const code::CompiledObject*>& objects);
    static Result<Loaded> open(const std::string& path);
    void* symbol(const char* name) const;

private:
    std::shared_ptr<void> m_handle;
};

// Compiles and links; with the runtime of parallel loops when it needs it.
Result<Loaded> compileProgram(const lower::Lowered& lowered, const Target& target, const code::CompileOptions& options = {});
// Runs with every port flush against a page without access; fills `memory` (port name -> elements) with what the ports
// hold afterwards.
void runProgram(const Loaded& loaded, const lower::Lowered& lowered, Memory& memory, GuardedBytes::Edge edge, int threads);

// In the ports, in words; empty when there is none.
std::string firstDifference(const lower::Lowered& lowered, const Memory& expected, const Memory& got);

// Interpreter against compiled code for each target that runs here, both edges, one and two threads; empty when all agree
// bit for bit (NaN equals NaN), otherwise the first difference in words.
std::string differences(const lower::Lowered& lowered, const Memory& inputs, const code::CompileOptions& options = {});

// Small makers, so that a program reads like one.
lower::LStmt loop(const std::string& variable, std::int64_t extent, lower::LoopKind kind, lower::LBody body);
lower::LStmt store(const std::string& buffer, Expr offset, Expr value);
lower::LStmt accumulate(const std::string& buffer, DType type, Expr offset, Expr term, BinaryOp op = BinaryOp::Add);
lower::LStmt when(Expr condition, lower::LBody then, lower::LBody otherwise = {});
lower::LStmt with(const std::string& buffer, lower::LBody body);
Memory randomMemory(const lower::Lowered& lowered, unsigned seed);

} // namespace nw::test
