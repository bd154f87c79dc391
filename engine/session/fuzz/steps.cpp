#include "engine/session/fuzz/steps.h"

#include "engine/base/text.h"
#include "engine/schedule/rewrite_nest.h"
#include "engine/session/fuzz/definitions.h"

#include <algorithm>

namespace nw::session::fuzz {

namespace {

using schedule::ArgValue;
using schedule::Args;
using schedule::Loop;
using schedule::LoopNest;
using schedule::Param;
using schedule::ParamKind;
using schedule::Part;

// Arguments of one primitive, each drawn with an eye on those before it.
class ArgSampler {
public:
    ArgSampler(const LoopNest& nest, Random& random)
        : m_nest(nest)
        , m_random(random)
        , m_loops(nest.allLoops())
        , m_blocks(nest.blocks())
    {}

    Args sample(const schedule::Primitive& primitive)
    {
        Args args;
        for (const Param& param : primitive.params) {
            args.values.push_back(param.optional && chance(50) ? ArgValue{} : value(param));
        }
        return args;
    }

private:
    bool chance(int percent) { return m_random.below(100) < static_cast<std::uint64_t>(percent); }
    template <typename T>
    const T& any(const std::vector<T>& list)
    {
        return list[m_random.below(list.size())];
    }

    ArgValue value(const Param& param)
    {
        switch (param.kind) {
        case ParamKind::Loop: return loop();
        case ParamKind::Loops: return chain();
        case ParamKind::Block: return block();
        case ParamKind::Buffer: return buffer();
        case ParamKind::Parts: return parts();
        case ParamKind::NewName: return fresh();
        case ParamKind::ScopeName: return any(std::vector<std::string>{"registers", "stack", "heap"});
        case ParamKind::Choice: return any(param.choices);
        case ParamKind::Map: return map();
        case ParamKind::Number: return m_random.between(0, chance(70) ? 8 : 40);
        }
        return {};
    }

    std::string loop()
    {
        // After a block: a loop around it, or around one that it works with.
        if (!m_block.empty() && chance(80)) {
            const LoopNest::Path path = m_nest.findBlock(m_block);
            if (path && !path.loops.empty() && chance(50)) {
                return any(path.loops)->name;
            }
            const LoopNest::Path& other = any(m_blocks);
            if (!other.loops.empty()) {
                return any(other.loops)->name;
            }
        }
        const Loop& drawn = *any(m_loops);
        m_extent = constantExtent(drawn).value_or(4);
        return drawn.name;
    }

    // Loops nested directly, from any of them inwards; mostly in order or, to be reordered, in another.
    std::vector<std::string> chain()
    {
        std::vector<const Loop*> loops = schedule::chainFrom(*any(m_loops));
        const std::size_t most = 1 + m_random.below(std::max<std::size_t>(loops.size(), 3));
        while (loops.size() > most) {
            loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(chance(50) ? loops.size() - 1 : m_random.below(loops.size())));
        }
        if (chance(10)) {
            loops.push_back(any(m_loops));
        }
        for (std::size_t i = loops.size(); i > 1 && m_shuffled; --i) {
            std::swap(loops[i - 1], loops[m_random.below(i)]);
        }
        m_shuffled = chance(50);
        std::vector<std::string> names;
        m_extents.clear();
        for (const Loop* one : loops) {
            names.push_back(one->name);
            m_extents.push_back(constantExtent(*one).value_or(4));
        }
        return names;
    }

    std::string block()
    {
        m_block = any(m_blocks).block->name;
        return m_block;
    }

    std::string buffer()
    {
        const schedule::Buffer& drawn = any(m_nest.buffers);
        m_rank = drawn.shape.size();
        return drawn.name;
    }

    ArgValue map() { return m_rank == 0 ? IndexMap::identity(chance(50) ? 0 : 1) : randomMap(m_rank + (chance(4) ? 1 : 0), m_random); }

    std::string fresh() { return format("v{}{}", m_nest.nextId, m_names++); }

    std::int64_t factor(std::int64_t extent)
    {
        switch (m_random.below(8)) {
        case 0: return 1;
        case 1: return std::max<std::int64_t>(extent, 1);
        case 2: return extent + m_random.between(1, 3);
        case 3: return m_random.between(0, 40);
        default: return m_random.between(1, std::max<std::int64_t>(extent, 2));
        }
    }

    // Behind one loop two or three parts; behind several two for each, all outer ones first.
    std::vector<Part> parts()
    {
        std::vector<Part> made;
        if (!m_extents.empty()) {
            for (std::size_t i = 0; i < m_extents.size(); ++i) {
                made.push_back({fresh(), std::nullopt});
            }
            for (const std::int64_t extent : m_extents) {
                made.push_back({fresh(), factor(extent)});
            }
            return made;
        }
        const std::size_t count = 2 + m_random.below(5) / 4;
        const std::size_t inferred = m_random.below(count + (chance(20) ? 1 : 0));
        for (std::size_t i = 0; i < count; ++i) {
            made.push_back({fresh(), i == inferred ? std::nullopt : std::optional(factor(m_extent))});
        }
        return made;
    }

    const LoopNest& m_nest;
    Random& m_random;
    std::vector<const Loop*> m_loops;
    std::vector<LoopNest::Path> m_blocks;
    std::string m_block;
    std::int64_t m_extent = 4;
    std::vector<std::int64_t> m_extents; // of the last chain
    std::size_t m_rank = 0;
    int m_names = 0;
    bool m_shuffled = m_random.below(2) == 0;
};

double runsBeneath(const std::vector<schedule::Stmt>& statements)
{
    double runs = 0;
    for (const schedule::Stmt& statement : statements) {
        const Loop* loop = statement->loop();
        runs += loop == nullptr ? 1 : static_cast<double>(constantExtent(*loop).value_or(1)) * runsBeneath(loop->body);
    }
    return runs;
}

// Arguments that the primitive itself would offer for one of the nest's loops, blocks or buffers.
std::optional<Args> proposed(const LoopNest& nest, Random& random, const schedule::Primitive& primitive,
                             const schedule::Context& context)
{
    std::vector<std::string> names;
    for (const Loop* loop : nest.allLoops()) {
        names.push_back(loop->name);
    }
    for (const LoopNest::Path& path : nest.blocks()) {
        names.push_back(path.block->name);
    }
    for (int tries = 0; tries < 4; ++tries) {
        std::vector<Args> offered = primitive.propose(nest, names[random.below(names.size())], context);
        if (!offered.empty()) {
            return std::move(offered[random.below(offered.size())]);
        }
    }
    return std::nullopt;
}

// The line means what the arguments say.
void requireSameMeaning(const DrawnStep& step, const schedule::Script& script)
{
    ENSURE(script.steps.size() == 1 && script.steps.front().primitive == step.primitive, step.text + ": parses to another step");
    ENSURE(script.canonicalText() == step.text + "\n" || script.canonicalText() == step.text,
           step.text + ": its canonical text is " + script.canonicalText());
}

} // namespace

double runsOf(const LoopNest& nest)
{
    return runsBeneath(nest.roots);
}

std::optional<DrawnStep> drawStep(const LoopNest& nest, Random& random, Primitives primitives, const schedule::Context& context)
{
    if (nest.allLoops().empty() || nest.blocks().empty()) {
        return std::nullopt;
    }
    const schedule::Primitive& primitive = *primitives[random.below(primitives.size())];
    std::optional<Args> args;
    if (random.below(2) == 0) {
        args = proposed(nest, random, primitive, context);
    } else {
        args = ArgSampler(nest, random).sample(primitive);
    }
    if (!args) {
        return std::nullopt;
    }
    DrawnStep step{&primitive, *std::move(args), {}};
    step.text = schedule::stepText(primitive, step.args);
    return step;
}

void walk(Walked& walked, Random& random, const StepLimits& limits, Primitives primitives, const schedule::Context& context,
          const OnStep& onStep)
{
    int taken = 0;
    for (int attempt = 0; attempt < limits.length * 5 && taken < limits.length; ++attempt) {
        const std::optional<DrawnStep> step = drawStep(walked.nest, random, primitives, context);
        if (!step) {
            continue;
        }
        const std::string before = walked.script;
        walked.script += step->text + "\n"; // so that what is thrown from here on is this step's
        const schedule::Check check = step->primitive->check(walked.nest, step->args, context);
        onStep(walked.nest, *step, check);
        if (check.verdict == schedule::Verdict::Illegal || check.verdict == schedule::Verdict::Unproven) {
            walked.script = before;
            continue;
        }
        const Result<schedule::Script> script = schedule::parseScript(step->text, primitives, context);
        ENSURE(script.has_value(), step->text + ": " + (script ? "" : script.error().message));
        requireSameMeaning(*step, *script);
        Result<schedule::Replay> replayed = schedule::replay(walked.nest, *script, {}, context);
        ENSURE(replayed.has_value(), step->text + " is legal and refused: " + (replayed ? "" : replayed.error().message));
        if (!schedule::verify(replayed->nest()).empty()) {
            return; // whoever judges the script will say so
        }
        if (runsOf(replayed->nest()) > limits.runs) {
            walked.script = before;
            continue;
        }
        walked.nest = replayed->nest();
        ++taken;
    }
}

} // namespace nw::session::fuzz
