#pragma once

#include "engine/base/expr.h"
#include "engine/base/index_map.h"
#include "engine/base/simplify.h"
#include "engine/compute/definition.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace nw::schedule {

// How one group is computed: a tree of loops and blocks. Immutable: a primitive builds a new nest that shares what it
// did not touch. Loop, block and buffer names are unique in a nest; a loop's name is also its variable (type I64).

using LoopId = int;
using BlockId = int;

enum class LoopKind { Serial, Parallel, Vector, Unrolled };
enum class Scope {
    Port,     // an argument of the kernel
    Heap,     // the kernel's workspace, shared by all threads
    Stack,    // private memory of one iteration of the loop it belongs to
    Registers // SSA vectors; every index must be constant once unrolled and vector loops are gone
};

class StmtNode;
using Stmt = std::shared_ptr<const StmtNode>;

// In each step of the loop, what a block will read of a buffer some steps later is fetched into the cache.
struct Prefetch {
    std::string block;
    std::string buffer;
    std::int64_t ahead = 1; // steps of the loop
};

struct Loop {
    LoopId id = 0;
    std::string name;
    Expr extent; // iterates 0 .. extent-1
    LoopKind kind = LoopKind::Serial;
    // A loop made for a block that was moved (write-back, epilogue) takes the kind (vector, unrolled) of this loop while
    // its own is Serial and the two extents are equal: so that `vectorize oci` also vectorises the tile's write-back.
    std::string follows;
    bool hasTail = false; // a split that does not divide made it; the guard stands in the blocks' predicates
    std::map<std::string, std::int64_t> annotations; // hints to code generation, by `annotate`; never change what is computed
    std::vector<Prefetch> prefetches;
    std::vector<Stmt> body;
};

struct IterVar {
    std::string name; // the stage's axis name
    bool reduction = false;
    Expr extent;  // of the axis
    Expr binding; // over loop variables (quasi-affine)
};

// One computation statement with iteration variables of its own (as in TensorIR).
//   combiner None:  buffer[indices] = value
//   otherwise:      buffer[indices] = init      once, before the first reduction step of an element
//                   buffer[indices] = combine(buffer[indices], value)
//   "once": whenever the outermost loop that a reduction variable is bound to starts anew. Without init the block goes on
//   with what other blocks left in the element.
struct Block {
    BlockId id = 0;
    std::string name;  // path name: "conv", copies "conv.wb"
    std::string stage; // the definition's stage it computes
    std::vector<IterVar> iters;
    Expr predicate; // over loop variables: executes only when true (guards of tails); never null, literal true if none
    std::string buffer;
    std::vector<Expr> indices; // over iteration variables
    compute::Combiner combiner = compute::Combiner::None;
    Expr init;  // only with a combiner; null: continues what stands in the buffer
    Expr value; // over iteration variables; loads name buffers
    bool streams = false; // its stores go past the caches (non-temporal)

    const IterVar* iter(std::string_view iterName) const;
    bool isReduction() const { return combiner != compute::Combiner::None; }
    bool continues() const { return isReduction() && init == nullptr; }
    Substitution bindings() const; // iteration variable -> binding
};

class StmtNode {
public:
    explicit StmtNode(Loop loop)
        : m_kind(std::move(loop))
    {}
    explicit StmtNode(Block block)
        : m_kind(std::move(block))
    {}
    const Loop* loop() const { return std::get_if<Loop>(&m_kind); }
    const Block* block() const { return std::get_if<Block>(&m_kind); }

private:
    std::variant<Loop, Block> m_kind;
};
inline Stmt makeStmt(Loop loop) { return std::make_shared<const StmtNode>(std::move(loop)); }
inline Stmt makeStmt(Block block) { return std::make_shared<const StmtNode>(std::move(block)); }

struct Buffer {
    std::string name;
    DType type = DType::F32;
    std::vector<std::int64_t> shape; // logical extents
    Scope scope = Scope::Heap;
    Layout layout; // ports: from the task (activations) or set_layout (constants); internal: set_layout
    int port = -1; // index into Definition::ports when scope is Port
    // Its contents live for one iteration of this loop; empty: for the kernel. Stack and Registers: allocated anew in
    // each; Heap: the same memory serves one iteration after the other.
    std::string atLoop;
};

struct LoopNest {
    std::shared_ptr<const compute::Definition> definition;
    std::vector<Buffer> buffers;
    std::vector<Stmt> roots;
    int nextId = 0;

    const Buffer* buffer(std::string_view name) const;
    // Loops around it outermost first, and the statement itself; empty when not there.
    struct Path {
        std::vector<const Loop*> loops; // enclosing loops, outermost first (for a loop: without itself)
        const Loop* loop = nullptr;
        const Block* block = nullptr;
        explicit operator bool() const { return loop != nullptr || block != nullptr; }
    };
    Path findLoop(std::string_view name) const;
    Path findLoop(LoopId id) const;
    Path findBlock(std::string_view name) const;
    std::vector<Path> blocks() const; // in program order
    std::vector<const Loop*> allLoops() const; // in program order, outer before inner
    Ranges loopRanges() const; // every loop variable: 0 .. extent-1
    bool nameTaken(std::string_view name) const; // by a loop, block or buffer
    std::string freshName(const std::string& wanted) const; // wanted, wanted.2, wanted.3 ...
};

// The kind after `follows`.
LoopKind effectiveKind(const LoopNest& nest, const Loop& loop);
std::optional<std::int64_t> constantExtent(const Loop& loop);

// The plain nest: each stage its own loops in the stage's axis order (spatial, then reduction), serial, stages in
// sequence, internal buffers on the heap. The first stage's loops carry its axis names; a later stage's are
// "<stage>.<axis>". Extent-1 axes get no loop (binding 0) unless the stage would have none at all. `layouts` are
// parallel to the definition's ports. A select that only guards reads which a port's zero border covers is removed.
Result<LoopNest> initialNest(std::shared_ptr<const compute::Definition> definition, const std::vector<Layout>& layouts);

std::string_view assignmentText(compute::Combiner combiner); // "=", "+=", "max=" ...
// What `nestw show` prints, one row a loop or block, two spaces a level:
//   parallel oco in 0..4
//     ow.o in 0..10 (tail)
//       vector oci in 0..16
//         conv: conv.reg[...] += X[...] * W[...]
std::string toText(const LoopNest& nest);
// Every invariant with its message; empty when fine.
std::string verify(const LoopNest& nest);

} // namespace nw::schedule
