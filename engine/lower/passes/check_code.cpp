// What code cannot be made from, refused with the step that would help:
//
//   a register buffer indexed by a loop that stays a loop   ->  unroll it
//   register buffers that do not fit the register file      ->  a smaller tile
//   more than 65,536 statements once loops are unrolled     ->  unroll less

#include "engine/base/overloaded.h"
#include "engine/base/text.h"
#include "engine/lower/passes/all.h"
#include "engine/lower/statements.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace nw::lower {

namespace {

constexpr std::int64_t kStatementLimit = 65'536;

class Checker {
public:
    Checker(const Lowered& program, const PassInput& input)
        : m_program(program)
        , m_input(input)
    {}

    std::optional<Error> run()
    {
        if (const std::int64_t count = unrolledStores(m_program.body); count > kStatementLimit) {
            return refused(Refusal{
                "lower.unrolled_too_large",
                NW_WORDS("the unrolled code would have {0} statements, more than {1}; unroll fewer or smaller loops"),
                {std::to_string(count), std::to_string(kStatementLimit)},
                unrolledLoops(),
                {}});
        }
        body(m_program.body);
        return m_error;
    }

private:
    std::vector<std::string> unrolledLoops() const
    {
        std::vector<std::string> names;
        for (const schedule::Loop* loop : m_input.nest.allLoops()) {
            if (schedule::effectiveKind(m_input.nest, *loop) == LoopKind::Unrolled || loop->annotations.contains("unroll_hint")) {
                names.push_back(loop->name);
            }
        }
        return names;
    }

    void body(const LBody& statements)
    {
        for (const LStmt& statement : statements) {
            if (m_error) {
                return;
            }
            std::visit(overloaded{
                           [&](const LFor& loop) {
                               m_loops[loop.variable] = &loop;
                               body(loop.body);
                               m_loops.erase(loop.variable);
                           },
                           [&](const LIf& node) {
                               body(node.then);
                               body(node.otherwise);
                           },
                           [&](const LStore& store) { checkStore(store); },
                           [&](const LAlloc& node) { checkAlloc(node); },
                           [](const LPrefetch&) {},
                       },
                       statement->kind());
        }
    }

    void checkStore(const LStore& store)
    {
        checkAccess(store.buffer, store.offset);
        walk(store.value, [&](const Expr& e) {
            if (const auto* loaded = e->as<Load>()) {
                checkAccess(loaded->buffer, loaded->indices.front());
            }
            return !m_error;
        });
    }

    void checkAccess(const std::string& name, const Expr& offset)
    {
        if (m_program.buffer(name)->scope != Scope::Registers || m_error) {
            return;
        }
        if (hasLoad(offset)) {
            m_error = refused(Refusal{"lower.register_index_read",
                                      NW_WORDS("{0} is kept in registers, but its index is read from memory; keep it on the stack"),
                                      {name},
                                      {name},
                                      {}});
            return;
        }
        const std::optional<Affine> affine = affineOf(offset);
        std::int64_t lanes = 1;
        std::int64_t places = 1;
        Walked walked{{affine ? affine->constant : 0, 0, 0}};
        for (const std::string& variable : freeVars(offset)) {
            const LFor& loop = *m_loops.at(variable);
            if (isRuntime(loop.kind)) {
                complainOfIndex(name, loop.variable);
                return;
            }
            walked.insert({affine ? affine->coefficient(variable) : 0, loop.begin, loop.end});
            if (loop.kind == LoopKind::Vector) {
                const bool contiguous = affine && affine->coefficient(variable) == 1;
                lanes = std::max(lanes, contiguous ? loop.end - loop.begin : 1);
                places *= contiguous ? 1 : loop.end - loop.begin;
            } else {
                places *= loop.end - loop.begin;
            }
        }
        Use& use = m_uses[name];
        use.widest = std::max(use.widest, lanes);
        use.isKnown = use.isKnown && affine;
        use.places.emplace(std::move(walked), places);
    }

    void complainOfIndex(const std::string& buffer, std::string loop)
    {
        if (m_input.nest.findLoop(loop).loop == nullptr) { // the copy of a loop that stores initial values
            loop = loop.substr(0, loop.find(".init"));
        }
        m_error = refused(Refusal{"lower.register_index_not_constant",
                                  NW_WORDS("{0} is kept in registers, but its index changes with loop {1}, which is no "
                                           "unrolled or vector loop"),
                                  {buffer, loop},
                                  {loop, buffer},
                                  {"unroll " + loop, "vectorize " + loop}});
    }

    // A vector that is wider than a register takes several; one that is narrower takes a whole one. Elements that nobody
    // touches take none: the last tile of a loop may have a single column of a wide one.
    std::int64_t registersOf(const LBuffer& buffer)
    {
        const Use& use = m_uses[buffer.name];
        const std::int64_t lanes = std::max<std::int64_t>(m_input.target.lanes(buffer.type), 1);
        const std::int64_t wide = std::max<std::int64_t>(use.widest, 1);
        std::int64_t touched = 0;
        for (const auto& [walked, places] : use.places) {
            touched += places;
        }
        const std::int64_t all = (buffer.elements + wide - 1) / wide;
        return (use.isKnown ? std::min(all, touched) : all) * ((wide + lanes - 1) / lanes);
    }

    void checkAlloc(const LAlloc& node)
    {
        const LBuffer& buffer = *m_program.buffer(node.buffer);
        m_uses.erase(node.buffer);
        const std::int64_t before = std::exchange(m_registers, 0);
        body(node.body);
        if (buffer.scope == Scope::Registers && !m_error) {
            m_registers += registersOf(buffer);
            if (m_registers > m_input.target.vectorRegisters) {
                complainOfSize(buffer.name);
            }
        }
        m_registers = std::max(before, m_registers);
    }

    void complainOfSize(const std::string& buffer)
    {
        m_error = refused(Refusal{
            "lower.tile_too_large",
            NW_WORDS("{0} needs {1} vector registers, but the target has {2}; make the tile smaller or keep it in stack"),
            {buffer, std::to_string(m_registers), std::to_string(m_input.target.vectorRegisters)},
            {buffer},
            {}});
    }

    const Lowered& m_program;
    const PassInput& m_input;
    std::map<std::string, const LFor*> m_loops;
    // What an access walks: its constant, and a coefficient with a range for each loop.
    using Walked = std::multiset<std::array<std::int64_t, 3>>;
    struct Use {
        std::int64_t widest = 0; // lanes of the widest access
        bool isKnown = true;
        std::map<Walked, std::int64_t> places; // vectors or elements of each kind of access
    };
    std::map<std::string, Use> m_uses; // of register buffers
    std::int64_t m_registers = 0; // the most that allocations of the body being looked at need together
    std::optional<Error> m_error;
};

Result<Lowered> run(Lowered program, const PassInput& input)
{
    const std::optional<Error> error = Checker(program, input).run();
    return error ? Result<Lowered>(*error) : Result<Lowered>(std::move(program));
}

} // namespace

const Pass checkCode{"check", "What code cannot be made from is refused", &run};

} // namespace nw::lower
