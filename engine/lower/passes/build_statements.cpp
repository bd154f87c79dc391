// A nest becomes statements.
//
//   for i in 0..M                            for i in 0..M
//     for k in 0..K                            acc[i] = 0.0
//       for j in 0..8                  =>      (j.init: a copy of j, when acc depends on it)
//         acc: acc[i, j] += A[i, k] * ...      for k in 0..K
//                                                for j in 0..8
//                                                  acc[i * 8 + j] += A[i * K + k] * ...
//
// Bindings take the place of iteration variables, layouts turn indices into element offsets, predicates become
// conditions. The initial value of a reduction is stored in front of the outermost loop that a reduction variable is
// bound to, by copies of the loops inside of it that spatial variables are bound to, under the conjuncts of the
// predicate that speak of those and of the loops outside. A block without initial value only adds.
// Refused: extents that are still symbolic, buffers that are too large to count.

#include "engine/base/text.h"
#include "engine/lower/passes/all.h"

#include <algorithm>
#include <map>
#include <set>

namespace nw::lower {

namespace {

using schedule::Block;
using schedule::IterVar;
using schedule::Loop;
using schedule::LoopNest;
using schedule::Stmt;

bool bindsTo(const Block& block, const std::string& loop, bool reduction)
{
    return std::any_of(block.iters.begin(), block.iters.end(), [&](const IterVar& iter) {
        return iter.reduction == reduction && usesVar(iter.binding, loop);
    });
}

std::int64_t annotation(const Loop& loop, const char* key)
{
    const auto found = loop.annotations.find(key);
    return found == loop.annotations.end() ? 0 : found->second;
}

Expr combine(compute::Combiner combiner, Expr old, Expr term)
{
    switch (combiner) {
    case compute::Combiner::Sum: return binary(BinaryOp::Add, std::move(old), std::move(term));
    case compute::Combiner::Prod: return binary(BinaryOp::Mul, std::move(old), std::move(term));
    case compute::Combiner::Max: return binary(BinaryOp::Max, std::move(old), std::move(term));
    case compute::Combiner::Min: return binary(BinaryOp::Min, std::move(old), std::move(term));
    case compute::Combiner::None: break;
    }
    throwBug(__FILE__, __LINE__, "no combiner");
}

class Builder {
public:
    explicit Builder(const LoopNest& nest)
        : m_nest(nest)
        , m_ranges(nest.loopRanges())
    {
        for (const LoopNest::Path& path : nest.blocks()) {
            const auto outermost = std::find_if(path.loops.begin(), path.loops.end(), [&](const Loop* loop) {
                return bindsTo(*path.block, loop->name, true);
            });
            if (path.block->init != nullptr && outermost != path.loops.end()) {
                m_initialised.insert(path.block->name);
                m_initsBefore[(*outermost)->name].push_back(
                    {path.block, std::vector<const Loop*>(outermost, path.loops.end()),
                     std::set<std::string>()});
                for (auto loop = path.loops.begin(); loop != outermost; ++loop) {
                    m_initsBefore[(*outermost)->name].back().outside.insert((*loop)->name);
                }
            }
        }
    }

    LBody build()
    {
        LBody body;
        for (const Stmt& root : m_nest.roots) {
            append(body, *root);
        }
        return body;
    }

private:
    struct Init {
        const Block* block = nullptr;
        std::vector<const Loop*> inside; // from the outermost reduction loop inwards
        std::set<std::string> outside;
    };

    void append(LBody& to, const schedule::StmtNode& statement)
    {
        if (const Block* block = statement.block()) {
            appendBlock(to, *block);
            return;
        }
        const Loop& loop = *statement.loop();
        for (const Init& init : m_initsBefore[loop.name]) {
            to.push_back(initOf(init));
        }
        LFor made{loop.name, 0, *schedule::constantExtent(loop), schedule::effectiveKind(m_nest, loop), {}};
        made.grain = annotation(loop, "grain");
        made.unroll = annotation(loop, "unroll_hint");
        made.align = annotation(loop, "align");
        for (const Stmt& child : loop.body) {
            append(made.body, *child);
        }
        to.push_back(makeLStmt(std::move(made)));
    }

    void appendBlock(LBody& to, const Block& block)
    {
        const Substitution bindings = block.bindings();
        LBody stores;
        Expr value = flat(substitute(block.value, bindings));
        const Expr offset = offsetOf(block.buffer, block.indices, bindings);
        if (block.isReduction()) {
            if (block.init != nullptr && !m_initialised.contains(block.name)) {
                const Expr init = flat(substitute(block.init, bindings));
                stores.push_back(makeLStmt(LStore{block.buffer, offset, init, false, block.name}));
            }
            const DType type = m_nest.buffer(block.buffer)->type;
            value = combine(block.combiner, load(block.buffer, type, {offset}), value);
        }
        stores.push_back(makeLStmt(LStore{block.buffer, offset, value, block.isReduction(), block.name, block.streams}));
        guarded(to, block.predicate, std::move(stores));
    }

    static void guarded(LBody& to, const Expr& predicate, LBody stores)
    {
        if (isConst(predicate, 1)) {
            to.insert(to.end(), stores.begin(), stores.end());
        } else {
            to.push_back(makeLStmt(LIf{predicate, std::move(stores), {}}));
        }
    }

    // A comparison that grows no easier with these variables.
    static bool holdsFirst(const Expr& condition, const Substitution& variables)
    {
        const std::optional<Affine> form = atMostZero(condition);
        return form && std::all_of(variables.begin(), variables.end(), [&](const auto& entry) { return form->coefficient(entry.first) >= 0; });
    }

    LStmt initOf(const Init& init)
    {
        const Block& block = *init.block;
        Substitution renamed;
        std::set<std::string> known = init.outside;
        std::vector<LFor> copies;
        for (const Loop* loop : init.inside) {
            if (bindsTo(block, loop->name, false)) {
                const std::string name = freshName(loop->name + ".init");
                m_ranges[name] = Interval::ofExtent(*schedule::constantExtent(*loop));
                renamed[loop->name] = var(name);
                known.insert(loop->name);
                copies.push_back({name, 0, *schedule::constantExtent(*loop), schedule::effectiveKind(m_nest, *loop), {}});
            }
        }
        std::vector<Expr> conditions;
        for (const Expr& part : conjuncts(block.predicate)) {
            const std::vector<std::string> variables = freeVars(part);
            Substitution first;
            for (const std::string& name : variables) {
                if (!known.contains(name)) {
                    first.emplace(name, intImm(0));
                }
            }
            // A guard of the reduction's steps, too: where it holds for any of them, it holds for the first.
            if (first.empty() || holdsFirst(part, first)) {
                conditions.push_back(substitute(first.empty() ? part : simplify(substitute(part, first)), renamed));
            }
        }
        Substitution bindings;
        for (const IterVar& iter : block.iters) {
            if (!iter.reduction) {
                bindings[iter.name] = substitute(iter.binding, renamed);
            }
        }
        LBody body;
        guarded(body, allOf(conditions),
                {makeLStmt(LStore{block.buffer, offsetOf(block.buffer, block.indices, bindings),
                                  flat(substitute(block.init, bindings)), false, block.name})});
        for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy) {
            copy->body = std::move(body);
            body = {makeLStmt(std::move(*copy))};
        }
        return body.front();
    }

    std::string freshName(const std::string& wanted)
    {
        std::string name = m_nest.freshName(wanted);
        for (int copy = 2; !m_made.insert(name).second; ++copy) {
            name = m_nest.freshName(format("{}.{}", wanted, copy));
        }
        return name;
    }

    Expr offsetOf(const std::string& buffer, const std::vector<Expr>& indices, const Substitution& bindings) const
    {
        std::vector<Expr> bound;
        for (const Expr& index : indices) {
            bound.push_back(flat(substitute(index, bindings)));
        }
        const schedule::Buffer* described = m_nest.buffer(buffer);
        return described->layout.offset(bound, described->shape, m_ranges);
    }

    // Loads by element offset.
    Expr flat(const Expr& e) const
    {
        return rewriteExpr(e, [this](const Expr& part) {
            const auto* loaded = part->as<Load>();
            if (loaded == nullptr) {
                return part;
            }
            const schedule::Buffer* described = m_nest.buffer(loaded->buffer);
            return load(loaded->buffer, part->type(),
                        {described->layout.offset(loaded->indices, described->shape, m_ranges)});
        });
    }

    const LoopNest& m_nest;
    Ranges m_ranges;
    std::map<std::string, std::vector<Init>> m_initsBefore;
    std::set<std::string> m_initialised; // blocks whose initial value stands in front of a loop
    std::set<std::string> m_made;
};

Result<LBuffer> bufferOf(const schedule::Buffer& described, const compute::Definition& definition)
{
    const Result<std::vector<std::int64_t>> shape = described.layout.memoryShape(described.shape);
    if (!shape) {
        return shape.error();
    }
    const Result<std::int64_t> count = elementCount(*shape);
    if (!count) {
        return count.error();
    }
    LBuffer buffer;
    buffer.name = described.name;
    buffer.type = described.type;
    buffer.elements = *count;
    buffer.scope = described.scope;
    buffer.port = described.scope == Scope::Port ? described.port : -1;
    if (described.scope == Scope::Port) {
        const compute::PortKind kind = definition.ports[static_cast<std::size_t>(described.port)].kind;
        buffer.isConstant = kind != compute::PortKind::Output;
        buffer.isOutput = kind == compute::PortKind::Output;
    }
    return buffer;
}

Result<Lowered> run(Lowered program, const PassInput& input)
{
    const LoopNest& nest = input.nest;
    for (const Loop* loop : nest.allLoops()) {
        if (!schedule::constantExtent(*loop)) {
            return refused(Refusal{"lower.symbolic_extent",
                                   NW_WORDS("the extent {1} of loop {0} is no number; bind its symbols first"),
                                   {loop->name, toText(loop->extent)},
                                   {loop->name},
                                   {}});
        }
    }
    std::vector<const schedule::Buffer*> order;
    for (const schedule::Buffer& buffer : nest.buffers) {
        order.push_back(&buffer);
    }
    std::stable_sort(order.begin(), order.end(), [](const schedule::Buffer* a, const schedule::Buffer* b) {
        const bool aPort = a->scope == Scope::Port;
        const bool bPort = b->scope == Scope::Port;
        return aPort != bPort ? aPort : aPort && a->port < b->port;
    });
    for (const schedule::Buffer* described : order) {
        Result<LBuffer> buffer = bufferOf(*described, *nest.definition);
        if (!buffer) {
            return buffer.error();
        }
        program.buffers.push_back(*std::move(buffer));
    }
    program.body = Builder(nest).build();
    return program;
}

} // namespace

const Pass buildStatements{"build", "Statements with element offsets, initial values and conditions", &run};

} // namespace nw::lower
