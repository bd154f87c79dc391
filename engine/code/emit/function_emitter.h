#pragma once

#include "engine/code/emit/linear.h"
#include "engine/code/emit/unit.h"

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace nw::code {

// A buffer as the function sees it.
struct BufferRef {
    const lower::LBuffer* info = nullptr;
    llvm::Value* base = nullptr;
    int lanes = 0;         // > 0: made inside a vector loop, each element once for every lane
    bool local = false;    // an alloca of this function
    bool inRegisters() const { return local && info->scope == lower::Scope::Registers; }
};

// Emits statements into one function (DESIGN.md 5). Loop variables are Linear values: a constant when unrolled, a
// symbol of a loop, the lane number of a vector loop. A value of a vector loop is a scalar when all lanes agree,
// otherwise a vector of m_lanes elements.
class FunctionEmitter {
public:
    FunctionEmitter(Unit& unit, llvm::Function& function);

    void addBuffer(const std::string& name, BufferRef buffer) { m_buffers[name] = buffer; }
    void bindVariable(const std::string& name, Linear value) { m_variables[name] = std::move(value); }
    // An argument of the function that lies in `range`, as a symbol.
    Linear captured(llvm::Value* value, Interval range);
    void setThreads(llvm::Value* threads) { m_threads = threads; }

    void emitBody(const lower::LBody& body);
    // for variable in [begin, end): dynamic bounds; `indices` are the collapsed loops, outermost first.
    void emitTaskLoop(const std::vector<const lower::LFor*>& loops, llvm::Value* begin, llvm::Value* end,
                      const lower::LBody& body);
    void finish(); // returns from the function; what it streamed is in memory by then

private:
    struct Frame { // a loop being emitted
        llvm::BasicBlock* preheader = nullptr;
        llvm::BasicBlock* header = nullptr;
        llvm::Value* begin = nullptr;
        llvm::Value* end = nullptr;
        llvm::PHINode* counter = nullptr;
        std::int64_t step = 1;
        std::int64_t align = 0;                                        // of its code, in bytes; 0: as it comes
        std::vector<std::pair<llvm::PHINode*, std::int64_t>> pointers; // bytes a step
    };
    struct Symbol {
        llvm::Value* value = nullptr;
        int frame = -1;                      // index into m_frames, or:
        llvm::Instruction* anchor = nullptr; // where the value is known
    };
    struct Mask { // which lanes run
        llvm::Value* lanes = nullptr;  // <m_lanes x i1>, or null: all
        bool maybeEmpty = false;       // no lane may be on: uniform loads need `guard`
        llvm::Value* guard = nullptr;  // i1, or null: a load happens only when true
    };
    struct Place { // of an access
        llvm::Value* pointer = nullptr;
        std::int64_t lane = 0;            // elements from lane to lane
        llvm::Value* indices = nullptr;   // vector of element offsets from `pointer`, when not affine
    };

    // addresses.cpp
    int addSymbol(Symbol symbol, Interval range);
    std::optional<Linear> linear(const Expr& e);
    llvm::Value* materialize(const Linear& value, bool keepUniform = true);
    llvm::Value* scalarPart(const Linear& value);
    llvm::Value* pointerTo(const BufferRef& buffer, const Linear& offset);
    llvm::Value* pointerFor(const BufferRef& buffer, const std::vector<std::pair<int, std::int64_t>>& terms);
    llvm::Value* bytesPast(llvm::Value* pointer, std::int64_t bytes);
    Place place(const BufferRef& buffer, const Expr& offset);
    const BufferRef* buffer(const std::string& name);

    // memory.cpp
    void note(const BufferRef& buffer, const Place& place, bool stores);
    llvm::Value* loadFrom(const BufferRef& buffer, const Place& place);
    llvm::Value* loadLanes(llvm::Type* element, const Place& place);
    llvm::Value* loadContiguous(llvm::Type* element, const Place& place);
    llvm::Value* loadStrided(llvm::Type* element, const Place& place);
    void storeTo(const BufferRef& buffer, const Place& place, llvm::Value* value, bool streams);
    void storeLanes(const BufferRef& buffer, const Place& place, llvm::Value* value, bool streams);
    llvm::Value* lanePointers(llvm::Type* element, const Place& place);
    llvm::Value* guardCondition();
    llvm::Value* allLanes();

    // expressions.cpp
    llvm::Value* emit(const Expr& e);
    llvm::Value* emitUnary(const Unary& node, DType type);
    llvm::Value* emitBinary(const Binary& node, DType type);
    llvm::Value* emitSelect(const Select& node, DType type);
    llvm::Value* emitGuarded(const Expr& side, llvm::Value* condition);
    llvm::Value* emitBranches(const Select& node, llvm::Value* condition, DType type);
    llvm::Value* emitCast(llvm::Value* value, DType from, DType to);
    llvm::Value* emitLoad(const Load& node);
    llvm::Value* splat(llvm::Value* value);
    void sameShape(llvm::Value*& a, llvm::Value*& b);
    llvm::Value* poison(DType type);

    // comparisons.cpp
    llvm::Value* emitComparison(BinaryOp op, const Expr& a, const Expr& b);
    std::optional<llvm::Value*> compareLinear(BinaryOp op, const Expr& a, const Expr& b);

    // statements.cpp
    void emitStatement(const lower::LStmt& statement);
    void emitStore(const lower::LStore& store);
    llvm::Value* storedValue(const lower::LStore& store);
    void emitIf(const lower::LIf& statement);
    void emitMasked(const lower::LIf& statement, llvm::Value* mask);
    void underMask(llvm::Value* mask, const lower::LBody& body);
    void branch(llvm::Value* condition, const std::function<void()>& yes, const std::function<void()>& no);
    void emitAlloc(const lower::LAlloc& statement);

    // past_caches.cpp
    void storePast(llvm::Value* value, llvm::Value* pointer, llvm::Align align);
    void waitForStreams(); // until other threads see what was stored past the caches
    void emitPrefetch(const lower::LPrefetch& prefetch);

    // loops.cpp
    void emitLoop(const lower::LFor& loop);
    void emitSerial(const lower::LFor& loop);
    void emitUnrolled(const lower::LFor& loop);
    void emitVector(const lower::LFor& loop);
    void emitLanes(const lower::LFor& loop, Linear first, int lanes);
    // `variable` names the block, so that listings can be led back to the nest.
    int openLoop(const std::string& variable, llvm::Value* begin, llvm::Value* end, std::int64_t step);
    void closeLoop(int frame);
    std::int64_t unrollFactor(const lower::LFor& loop) const;
    int preferredLanes() const;

    // parallel.cpp
    void emitParallel(const lower::LFor& loop);

    Unit& m_unit;
    llvm::Function& m_function;
    llvm::IRBuilder<> m_builder;
    llvm::BasicBlock* m_entry = nullptr; // allocas and what is computed once
    llvm::Value* m_threads = nullptr;    // null inside a task: parallel loops run serially there
    int m_lanes = 0;                     // of the vector loop around; 0: none
    Mask m_mask;
    bool m_streamed = false; // the function has stores past the caches
    std::map<std::string, BufferRef> m_buffers;
    std::map<std::string, Linear> m_variables;
    std::vector<Symbol> m_symbols;
    SymbolRanges m_ranges;
    std::vector<Frame> m_frames;
    std::map<std::pair<llvm::Value*, std::vector<std::pair<int, std::int64_t>>>, llvm::Value*> m_pointers;
    std::unordered_map<const ExprNode*, bool> m_hasLoad;
};

bool streamsAnything(const lower::LBody& body);

} // namespace nw::code
