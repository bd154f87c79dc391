#include "engine/base/overloaded.h"
#include "engine/base/text.h"
#include "engine/lower/lowered.h"

namespace nw::lower {

namespace {

std::string_view scopeText(Scope scope)
{
    switch (scope) {
    case Scope::Port: return "port";
    case Scope::Heap: return "heap";
    case Scope::Stack: return "stack";
    case Scope::Registers: return "registers";
    }
    return "";
}

std::string_view kindText(LoopKind kind)
{
    switch (kind) {
    case LoopKind::Serial: return "for";
    case LoopKind::Parallel: return "parallel";
    case LoopKind::Vector: return "vector";
    case LoopKind::Unrolled: return "unrolled";
    }
    return "";
}

// "acc[i] += term" for a reduction step whose first operand is the element itself.
std::string storeText(const LStore& store)
{
    const std::string target = format("{}[{}]", store.buffer, nw::toText(store.offset));
    const auto* step = store.accumulates ? store.value->as<Binary>() : nullptr;
    if (step != nullptr) {
        const std::string term = nw::toText(step->b);
        switch (step->op) {
        case BinaryOp::Add: return format("{} += {}", target, term);
        case BinaryOp::Mul: return format("{} *= {}", target, term);
        case BinaryOp::Max: return format("{} max= {}", target, term);
        case BinaryOp::Min: return format("{} min= {}", target, term);
        default: break;
        }
    }
    return format("{} = {}", target, nw::toText(store.value));
}

std::string hintText(const LFor& loop)
{
    std::string text;
    text += loop.grain > 0 ? format(" grain {}", loop.grain) : "";
    text += loop.unroll > 0 ? format(" unroll_hint {}", loop.unroll) : "";
    text += loop.align > 0 ? format(" align {}", loop.align) : "";
    return text;
}

void write(std::string& text, const LBody& body, int depth)
{
    const std::string margin(static_cast<std::size_t>(depth) * 2, ' ');
    for (const LStmt& statement : body) {
        std::visit(overloaded{
                       [&](const LFor& loop) {
                           text += format("{}{} {} in {}..{}{}\n", margin, kindText(loop.kind), loop.variable, loop.begin,
                                          loop.end, hintText(loop));
                           write(text, loop.body, depth + 1);
                       },
                       [&](const LIf& node) {
                           text += format("{}if {}\n", margin, nw::toText(node.condition));
                           write(text, node.then, depth + 1);
                           if (!node.otherwise.empty()) {
                               text += margin + "else\n";
                               write(text, node.otherwise, depth + 1);
                           }
                       },
                       [&](const LStore& store) {
                           text += margin + storeText(store) + (store.streams ? " (streamed)\n" : "\n");
                       },
                       [&](const LAlloc& node) {
                           text += format("{}with {}\n", margin, node.buffer);
                           write(text, node.body, depth + 1);
                       },
                       [&](const LPrefetch& node) {
                           text += format("{}prefetch {}[{}]\n", margin, node.buffer, nw::toText(node.offset));
                       },
                   },
                   statement->kind());
    }
}

} // namespace

std::string toText(const Lowered& lowered)
{
    std::string text;
    for (const LBuffer& buffer : lowered.buffers) {
        text += format("{} {} {} [{}]", scopeText(buffer.scope), buffer.name, nw::toText(buffer.type), buffer.elements);
        text += buffer.scope == Scope::Heap ? format(" at {}", buffer.offset) : "";
        text += buffer.isOutput ? " output" : "";
        text += "\n";
    }
    write(text, lowered.body, 0);
    return text;
}

} // namespace nw::lower
