// What a block will read some steps of a loop later is fetched in each step of the loop.
//
//   for k in 0..64                              for k in 0..64
//     vector j in 0..32                           prefetch B[k * 32 + 128]
//       acc[j] += A[k] * B[k * 32 + j]      =>    prefetch B[k * 32 + 144]
//                                                 vector j ...
//   (B of the block, 4 ahead, at k)
//
// The offset is the access's own with the loop's variable some steps further and the loops inside at their first step.
// From there on the lines follow that the loops inside walk without a gap, at most eight for one prefetch. Nothing is
// clamped: an offset may leave the buffer, where a prefetch does nothing. Parallel loops directly in each other are one
// in the code, so the innermost of them takes the prefetches of all.
// Comes when loops are cut for good, so that no condition has to find its way past a prefetch.

#include "engine/lower/passes/all.h"
#include "engine/lower/statements.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/rewrite_nest.h"

#include <algorithm>
#include <map>
#include <set>

namespace nw::lower {

namespace {

using schedule::Loop;
using schedule::LoopNest;
using schedule::Prefetch;

constexpr std::int64_t kLineBytes = 64;
constexpr int kMostLines = 8;

// Elements that a read walks, counted from `offset`.
struct Walk {
    Expr offset;
    std::int64_t low = 0, high = 1; // half open
};

class Placer {
public:
    explicit Placer(const LoopNest& nest)
        : m_nest(nest)
        , m_ranges(nest.loopRanges())
    {
        for (const Loop* loop : nest.allLoops()) {
            if (!loop->prefetches.empty()) {
                m_wanted[loop->name] = loop;
            }
        }
    }

    LBody run(const LBody& body)
    {
        if (m_wanted.empty()) {
            return body;
        }
        LBody made;
        for (const LStmt& statement : body) {
            const auto* loop = std::get_if<LFor>(&statement->kind());
            made.push_back(loop != nullptr ? LStmt(makeLStmt(placedIn(*loop, {})))
                                           : withBodies(statement, [&](const LBody& inner) { return run(inner); }));
        }
        return made;
    }

private:
    // `handedDown`: of parallel loops that hold nothing but this one.
    LFor placedIn(LFor loop, std::vector<const Loop*> handedDown)
    {
        m_inSight.insert(loop.variable);
        if (const auto found = m_wanted.find(loop.variable); found != m_wanted.end()) {
            handedDown.push_back(found->second);
        }
        const auto* inner = loop.body.size() == 1 ? std::get_if<LFor>(&loop.body.front()->kind()) : nullptr;
        if (loop.kind == LoopKind::Parallel && inner != nullptr && inner->kind == LoopKind::Parallel) {
            loop.body = {makeLStmt(placedIn(*inner, std::move(handedDown)))};
        } else {
            LBody body;
            for (const Loop* at : handedDown) {
                for (const Prefetch& prefetch : at->prefetches) {
                    if (loop.kind != LoopKind::Vector && computes(loop.body, prefetch.block)) {
                        append(body, *at, prefetch);
                    }
                }
            }
            const LBody rest = run(loop.body);
            body.insert(body.end(), rest.begin(), rest.end());
            loop.body = std::move(body);
        }
        m_inSight.erase(loop.variable);
        return loop;
    }

    static bool computes(const LBody& body, const std::string& block)
    {
        bool found = false;
        walkBody(body, [&](const LStmt& statement) {
            const auto* store = std::get_if<LStore>(&statement->kind());
            found = found || (store != nullptr && store->block == block);
            return !found;
        });
        return found;
    }

    void append(LBody& to, const Loop& at, const Prefetch& prefetch) const
    {
        const auto size = static_cast<std::int64_t>(byteSize(m_nest.buffer(prefetch.buffer)->type));
        const std::int64_t line = std::max<std::int64_t>(kLineBytes / size, 1);
        int lines = 0;
        for (const Walk& walk : walks(at, prefetch, line)) {
            for (std::int64_t element = walk.low; element < walk.high && lines < kMostLines; element += line, ++lines) {
                to.push_back(makeLStmt(LPrefetch{prefetch.buffer, simplify(walk.offset + element, m_ranges)}));
            }
        }
    }

    // Reads that lie no line apart are one walk.
    std::vector<Walk> walks(const Loop& at, const Prefetch& prefetch, std::int64_t line) const
    {
        const LoopNest::Path path = m_nest.findBlock(prefetch.block);
        std::vector<Walk> all;
        for (const std::vector<Expr>& indices : schedule::readsOf(*path.block, prefetch.buffer)) {
            const Walk walk = walkOf(path, at, prefetch, indices, line);
            const auto near = std::find_if(all.begin(), all.end(), [&](Walk& other) {
                const std::optional<std::int64_t> apart = constInt(simplify(walk.offset - other.offset, m_ranges));
                if (!apart || *apart + walk.low > other.high + line || *apart + walk.high < other.low - line) {
                    return false;
                }
                other.low = std::min(other.low, *apart + walk.low);
                other.high = std::max(other.high, *apart + walk.high);
                return true;
            });
            if (near == all.end()) {
                all.push_back(walk);
            }
        }
        return all;
    }

    Walk walkOf(const LoopNest::Path& path, const Loop& at, const Prefetch& prefetch, const std::vector<Expr>& indices,
                std::int64_t line) const
    {
        // Loops that the offset cannot name there: those inside of the place, and those of one step, which are gone.
        Substitution first{{at.name, var(at.name) + prefetch.ahead}};
        std::vector<const Loop*> inside;
        for (const Loop* loop : path.loops) {
            if (loop->name != at.name && !m_inSight.contains(loop->name)) {
                first.emplace(loop->name, intImm(0));
                inside.push_back(loop);
            }
        }
        const auto offsetWith = [&](const std::string& loop, std::int64_t step) {
            Substitution point = first;
            if (!loop.empty()) {
                point[loop] = intImm(step);
            }
            std::vector<Expr> bound;
            for (const Expr& index : indices) {
                bound.push_back(substitute(substitute(index, path.block->bindings()), point));
            }
            const schedule::Buffer& buffer = *m_nest.buffer(prefetch.buffer);
            return buffer.layout.offset(bound, buffer.shape, m_ranges);
        };
        Walk walk{offsetWith("", 0)};
        struct Stride {
            std::int64_t step, steps;
        };
        std::vector<Stride> strides;
        for (const Loop* loop : inside) {
            const std::int64_t steps = *schedule::constantExtent(*loop);
            const auto apart = [&](std::int64_t step) { return constInt(simplify(offsetWith(loop->name, step) - walk.offset, m_ranges)); };
            const std::optional<std::int64_t> step = steps > 1 ? apart(1) : std::nullopt;
            const std::optional<std::int64_t> last = step ? apart(steps - 1) : std::nullopt;
            if (step && *step > 0 && last == *step * (steps - 1)) {
                strides.push_back({*step, steps});
            }
        }
        std::sort(strides.begin(), strides.end(), [](const Stride& a, const Stride& b) { return a.step < b.step; });
        for (const Stride& stride : strides) {
            if (stride.step <= std::max(walk.high, line)) {
                walk.high += stride.step * (stride.steps - 1);
            }
        }
        return walk;
    }

    const LoopNest& m_nest;
    Ranges m_ranges;
    std::map<std::string, const Loop*> m_wanted;
    std::set<std::string> m_inSight; // loops around the place being looked at
};

Result<Lowered> run(Lowered program, const PassInput& input)
{
    program.body = Placer(input.nest).run(program.body);
    return program;
}

} // namespace

const Pass placePrefetches{"prefetch", "What a block will read some steps later is fetched", &run};

} // namespace nw::lower
