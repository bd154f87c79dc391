#pragma once

#include "engine/base/expr.h"
#include "engine/base/target.h"
#include "engine/schedule/loop_nest.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace nw::lower {

using schedule::LoopKind;
using schedule::Scope;

// A nest made explicit for the code generator: flat buffers with element offsets, initial values as stores of their own,
// guards as conditions, every loop with its final kind.

struct LBuffer {
    std::string name;
    DType type = DType::F32;
    std::int64_t elements = 0;
    Scope scope = Scope::Heap;
    int port = -1;            // Scope::Port: index of the pointer argument
    std::int64_t offset = 0;  // Scope::Heap: bytes into the workspace, 64-byte aligned
    bool isConstant = false;  // port never written
    bool isOutput = false;
};

class LStmtNode;
using LStmt = std::shared_ptr<const LStmtNode>;
using LBody = std::vector<LStmt>;

struct LFor {
    std::string variable;
    std::int64_t begin = 0, end = 0; // constant bounds
    LoopKind kind = LoopKind::Serial;
    LBody body;
    std::int64_t grain = 0;  // parallel: at most steps / grain threads; 0: any number of them
    std::int64_t unroll = 0; // serial: copies of the body for a turn; 0: the code generator chooses
    std::int64_t align = 0;  // bytes to a multiple of which the loop's code is moved; 0: as it comes
};
struct LIf {
    Expr condition; // over loop variables; uniform, or varying along the vector loop (then a mask)
    LBody then, otherwise;
};
// buffer[offset] = value. Loads inside `value` carry one index: the element offset.
struct LStore {
    std::string buffer;
    Expr offset;
    Expr value;
    bool accumulates = false; // value is combine(load of the same element, term): a reduction step
    std::string block;        // where it came from
    bool streams = false;     // past the caches, where the target can
};
// The cache line that holds the element is fetched. The offset may lie outside of the buffer: then nothing happens.
struct LPrefetch {
    std::string buffer;
    Expr offset; // reads no memory
};
// Stack and register buffers live in the body of this statement.
struct LAlloc {
    std::string buffer;
    LBody body;
};

class LStmtNode {
public:
    using Kind = std::variant<LFor, LIf, LStore, LAlloc, LPrefetch>;
    explicit LStmtNode(Kind kind)
        : m_kind(std::move(kind))
    {}
    template <typename T>
    LStmtNode(std::in_place_type_t<T> type, T statement)
        : m_kind(type, std::move(statement))
    {}
    const Kind& kind() const { return m_kind; }

private:
    Kind m_kind;
};
template <typename T>
LStmt makeLStmt(T statement)
{
    return std::make_shared<const LStmtNode>(std::in_place_type<T>, std::move(statement));
}

struct Lowered {
    std::vector<LBuffer> buffers; // ports first, in port order
    LBody body;
    std::int64_t workspaceBytes = 0;
    const LBuffer* buffer(std::string_view name) const;
};

struct StageText {
    std::string pass;
    double microseconds = 0;
    std::string text; // filled when asked for
};

// Runs the pipeline. Refused, with the place, for what a nest cannot be lowered to: a register tile whose indices stay
// variable or that exceeds the register file, a stack buffer over 256 KiB, unrolled code over 65,536 statements.
Result<Lowered> lower(const schedule::LoopNest& nest, const Target& target, std::vector<StageText>* stages = nullptr);
std::string toText(const Lowered& lowered);
std::string verify(const Lowered& lowered);

} // namespace nw::lower
