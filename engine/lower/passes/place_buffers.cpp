// Heap buffers get places in the workspace, one behind the other; stack and register buffers are allocated around the
// statements that use them in the body of their loop.
//
//   for i in 0..M             for i in 0..M
//     acc[0] = 0.0              with acc
//     ...                =>       acc[0] = 0.0
//                                 ...
//
// Refused: a stack buffer above 256 KiB, a workspace that cannot be counted.

#include "engine/base/text.h"
#include "engine/lower/passes/all.h"
#include "engine/lower/statements.h"

#include <algorithm>

namespace nw::lower {

namespace {

constexpr std::int64_t kStackLimit = 256 * 1024;
constexpr std::int64_t kAlignment = 64;
constexpr std::int64_t kWorkspaceLimit = std::int64_t{1} << 46;

LBody allocateAround(const LBody& body, const std::string& buffer)
{
    const auto uses = [&](const LStmt& statement) { return usesBuffer(statement, buffer); };
    const auto first = std::find_if(body.begin(), body.end(), uses);
    if (first == body.end()) {
        return body;
    }
    const auto last = std::find_if(body.rbegin(), body.rend(), uses).base();
    LBody changed(body.begin(), first);
    changed.push_back(makeLStmt(LAlloc{buffer, LBody(first, last)}));
    changed.insert(changed.end(), last, body.end());
    return changed;
}

LBody allocateIn(const LBody& body, const std::string& loop, const std::string& buffer)
{
    LBody changed;
    for (const LStmt& statement : body) {
        const auto* here = std::get_if<LFor>(&statement->kind());
        const bool isIt = here != nullptr && here->variable == loop;
        changed.push_back(withBodies(statement, [&](const LBody& inner) {
            return isIt ? allocateAround(inner, buffer) : allocateIn(inner, loop, buffer);
        }));
    }
    return changed;
}

Result<Lowered> run(Lowered program, const PassInput& input)
{
    std::int64_t end = 0;
    for (LBuffer& buffer : program.buffers) {
        const std::int64_t size = static_cast<std::int64_t>(byteSize(buffer.type));
        if (buffer.elements > kWorkspaceLimit / size) {
            return refused(Refusal{"lower.buffer_too_large", NW_WORDS("buffer {0} has {1} elements, too many for memory"),
                                   {buffer.name, std::to_string(buffer.elements)}, {buffer.name}, {}});
        }
        const std::int64_t bytes = buffer.elements * size;
        if (buffer.scope == Scope::Heap) {
            buffer.offset = end;
            end += (bytes + kAlignment - 1) / kAlignment * kAlignment;
        } else if (buffer.scope == Scope::Stack && bytes > kStackLimit) {
            return refused(Refusal{"lower.stack_too_large",
                                   NW_WORDS("{0} takes {1} bytes of the stack, more than the {2} allowed; keep it in heap, "
                                            "or split the loops it is computed over"),
                                   {buffer.name, std::to_string(bytes), std::to_string(kStackLimit)},
                                   {buffer.name},
                                   {}});
        }
    }
    program.workspaceBytes = end;
    for (const schedule::Buffer& buffer : input.nest.buffers) {
        if (buffer.scope == Scope::Stack || buffer.scope == Scope::Registers) {
            program.body = buffer.atLoop.empty() ? allocateAround(program.body, buffer.name)
                                                 : allocateIn(program.body, buffer.atLoop, buffer.name);
        }
    }
    return program;
}

} // namespace

const Pass placeBuffers{"place buffers", "Places in the workspace, allocations in the body of their loop", &run};

} // namespace nw::lower
