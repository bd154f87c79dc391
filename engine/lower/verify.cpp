#include "engine/base/overloaded.h"
#include "engine/base/text.h"
#include "engine/lower/lowered.h"

#include <set>

namespace nw::lower {

namespace {

class Verifier {
public:
    explicit Verifier(const Lowered& program)
        : m_program(program)
    {
        std::set<std::string> names;
        for (std::size_t i = 0; i < program.buffers.size(); ++i) {
            const LBuffer& buffer = program.buffers[i];
            if (!names.insert(buffer.name).second) {
                fault(format("buffer {} stands twice", buffer.name));
            }
            if (buffer.scope == Scope::Port && buffer.port != static_cast<int>(i)) {
                fault(format("port {} is not in port order", buffer.name));
            }
            if (buffer.scope == Scope::Heap
                && (buffer.offset % 64 != 0
                    || buffer.offset + buffer.elements * static_cast<std::int64_t>(byteSize(buffer.type))
                        > program.workspaceBytes)) {
                fault(format("buffer {} does not lie in the workspace", buffer.name));
            }
        }
    }

    std::string run()
    {
        body(m_program.body);
        return join(m_faults, "\n");
    }

private:
    void fault(std::string message)
    {
        if (m_faults.size() < 20) {
            m_faults.push_back(std::move(message));
        }
    }

    void body(const LBody& statements)
    {
        for (const LStmt& statement : statements) {
            std::visit(overloaded{
                           [&](const LFor& loop) { checkLoop(loop); },
                           [&](const LIf& node) {
                               if (node.condition->type() != DType::Bool) {
                                   fault("a condition is no truth value: " + nw::toText(node.condition));
                               }
                               checkExpr(node.condition);
                               body(node.then);
                               body(node.otherwise);
                           },
                           [&](const LStore& store) { checkStore(store); },
                           [&](const LAlloc& node) { checkAlloc(node); },
                           [&](const LPrefetch& prefetch) { checkPrefetch(prefetch); },
                       },
                       statement->kind());
        }
    }

    void checkLoop(const LFor& loop)
    {
        if (!m_variables.insert(loop.variable).second) {
            fault(format("loop {} stands inside a loop of its name", loop.variable));
        }
        body(loop.body);
        m_variables.erase(loop.variable);
    }

    void checkAlloc(const LAlloc& node)
    {
        const LBuffer* buffer = m_program.buffer(node.buffer);
        if (buffer == nullptr || (buffer->scope != Scope::Stack && buffer->scope != Scope::Registers)) {
            fault(format("{} cannot be allocated", node.buffer));
        }
        if (!m_allocated.insert(node.buffer).second) {
            fault(format("{} is allocated inside its own allocation", node.buffer));
        }
        body(node.body);
        m_allocated.erase(node.buffer);
    }

    void checkStore(const LStore& store)
    {
        checkAccess(store.buffer, store.offset, store.value->type());
        const LBuffer* buffer = m_program.buffer(store.buffer);
        if (buffer != nullptr && buffer->scope == Scope::Port && !buffer->isOutput) {
            fault(format("{} is written, but is no output", store.buffer));
        }
        checkExpr(store.offset);
        checkExpr(store.value);
    }

    void checkPrefetch(const LPrefetch& prefetch)
    {
        const LBuffer* buffer = m_program.buffer(prefetch.buffer);
        checkAccess(prefetch.buffer, prefetch.offset, buffer == nullptr ? DType::F32 : buffer->type);
        if (buffer != nullptr && buffer->scope == Scope::Registers) {
            fault(format("{} is in registers and is prefetched", prefetch.buffer));
        }
        walk(prefetch.offset, [&](const Expr& part) {
            if (part->as<Load>() != nullptr) {
                fault(format("a prefetch of {} reads memory for its offset", prefetch.buffer));
            }
            return true;
        });
        checkExpr(prefetch.offset);
    }

    void checkAccess(const std::string& name, const Expr& offset, DType type)
    {
        const LBuffer* buffer = m_program.buffer(name);
        if (buffer == nullptr) {
            fault(format("there is no buffer {}", name));
            return;
        }
        if (buffer->type != type) {
            fault(format("{} holds {}, but {} is accessed", name, nw::toText(buffer->type), nw::toText(type)));
        }
        if (offset->type() != DType::I64) {
            fault(format("the offset {} into {} is no i64", nw::toText(offset), name));
        }
        const bool isPrivate = buffer->scope == Scope::Stack || buffer->scope == Scope::Registers;
        if (isPrivate && !m_allocated.contains(name)) {
            fault(format("{} is used outside of its allocation", name));
        }
    }

    void checkExpr(const Expr& e)
    {
        walk(e, [&](const Expr& part) {
            const auto* variable = part->as<Var>();
            if (variable != nullptr && !m_variables.contains(variable->name)) {
                fault(format("{} is used outside of its loop", variable->name));
            }
            if (const auto* loaded = part->as<Load>()) {
                if (loaded->indices.size() != 1) {
                    fault(format("{} is loaded with {} indices", loaded->buffer, loaded->indices.size()));
                } else {
                    checkAccess(loaded->buffer, loaded->indices.front(), part->type());
                }
            }
            return true;
        });
    }

    const Lowered& m_program;
    std::set<std::string> m_variables, m_allocated;
    std::vector<std::string> m_faults;
};

} // namespace

const LBuffer* Lowered::buffer(std::string_view name) const
{
    for (const LBuffer& candidate : buffers) {
        if (candidate.name == name) {
            return &candidate;
        }
    }
    return nullptr;
}

std::string verify(const Lowered& lowered) { return Verifier(lowered).run(); }

} // namespace nw::lower
