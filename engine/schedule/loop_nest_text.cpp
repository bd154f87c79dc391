#include "engine/base/text.h"
#include "engine/schedule/loop_nest.h"

#include <cmath>

namespace nw::schedule {

namespace {

std::string_view kindWord(LoopKind kind)
{
    switch (kind) {
    case LoopKind::Serial: return "";
    case LoopKind::Parallel: return "parallel ";
    case LoopKind::Vector: return "vector ";
    case LoopKind::Unrolled: return "unrolled ";
    }
    return "";
}

std::string_view scopeWord(Scope scope)
{
    switch (scope) {
    case Scope::Port: return "port";
    case Scope::Heap: return "heap";
    case Scope::Stack: return "stack";
    case Scope::Registers: return "registers";
    }
    return "";
}

// True for the value that leaves the other operand alone: it needs no mention.
bool isNeutral(compute::Combiner combiner, const Expr& init)
{
    const FloatImm* real = init->as<FloatImm>();
    const IntImm* whole = init->as<IntImm>();
    const double value = real != nullptr ? real->value : whole != nullptr ? static_cast<double>(whole->value) : NAN;
    switch (combiner) {
    case compute::Combiner::None: return true;
    case compute::Combiner::Sum: return value == 0.0;
    case compute::Combiner::Prod: return value == 1.0;
    case compute::Combiner::Max: return value == -INFINITY;
    case compute::Combiner::Min: return value == INFINITY;
    }
    return false;
}

// "T f32[4, 8] in heap as (a, b) -> (b, a)". The order of a register tile is the compiler's affair.
std::string bufferText(const Buffer& buffer)
{
    const std::string place = buffer.scope == Scope::Port ? "" : format(" in {}", scopeWord(buffer.scope));
    const std::string text = format("{} {}[{}]{}", buffer.name, toText(buffer.type), fmt::join(buffer.shape, ", "), place);
    return buffer.layout.isPlain() || buffer.scope == Scope::Registers ? text : text + " as " + buffer.layout.toText();
}

std::string loopText(const LoopNest& nest, const Loop& loop)
{
    std::string text = format("{}{} in 0..{}", kindWord(effectiveKind(nest, loop)), loop.name, toText(loop.extent));
    if (loop.hasTail) {
        text += " (tail)";
    }
    for (const auto& [key, value] : loop.annotations) {
        text += format(" ({} {})", key, value);
    }
    for (const Buffer& buffer : nest.buffers) {
        if (buffer.atLoop == loop.name) {
            text += " with " + bufferText(buffer);
        }
    }
    for (const Prefetch& prefetch : loop.prefetches) {
        text += format(" prefetching {} of {} {} ahead", prefetch.buffer, prefetch.block, prefetch.ahead);
    }
    return text;
}

// A block as its loops run it: iteration variables replaced by what binds them.
std::string blockText(const Block& block, const Ranges& ranges)
{
    const Substitution bindings = block.bindings();
    const auto shown = [&](const Expr& e) { return toText(simplify(substitute(e, bindings), ranges)); };
    std::vector<std::string> indices;
    for (const Expr& index : block.indices) {
        indices.push_back(shown(index));
    }
    std::string text = format("{}: {}[{}] {} {}", block.name, block.buffer, join(indices, ", "),
                              assignmentText(block.combiner), shown(block.value));
    if (block.continues()) {
        text += " (continued)";
    } else if (block.isReduction() && !isNeutral(block.combiner, block.init)) {
        text += " from " + toText(block.init);
    }
    if (!isConst(block.predicate, 1)) {
        text += " if " + toText(block.predicate);
    }
    text += block.streams ? " (streamed)" : "";
    return text;
}

void print(const LoopNest& nest, const Ranges& ranges, const std::vector<Stmt>& statements, int depth, std::string& out)
{
    for (const Stmt& statement : statements) {
        out.append(static_cast<std::size_t>(depth) * 2, ' ');
        if (const Loop* loop = statement->loop()) {
            out += loopText(nest, *loop) + "\n";
            print(nest, ranges, loop->body, depth + 1, out);
        } else {
            out += blockText(*statement->block(), ranges) + "\n";
        }
    }
}

} // namespace

std::string_view assignmentText(compute::Combiner combiner)
{
    switch (combiner) {
    case compute::Combiner::None: return "=";
    case compute::Combiner::Sum: return "+=";
    case compute::Combiner::Prod: return "*=";
    case compute::Combiner::Max: return "max=";
    case compute::Combiner::Min: return "min=";
    }
    return "=";
}

std::string toText(const LoopNest& nest)
{
    std::string out;
    for (const Buffer& buffer : nest.buffers) {
        // What the task settles is not the nest's.
        const bool settled = buffer.scope == Scope::Port
            && nest.definition->ports.at(static_cast<std::size_t>(buffer.port)).kind != compute::PortKind::Constant;
        if (buffer.atLoop.empty() && !settled && buffer.scope != Scope::Registers && !buffer.layout.isPlain()) {
            out += bufferText(buffer) + "\n";
        }
    }
    print(nest, nest.loopRanges(), nest.roots, 0, out);
    return out;
}

} // namespace nw::schedule
