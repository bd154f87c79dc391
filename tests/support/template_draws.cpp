#include "tests/support/template_draws.h"

#include "engine/base/text.h"
#include "tests/support/template_tasks.h"

namespace nw::schedule::test {

Result<std::string> scriptFor(const Template& from, const Task& task)
{
    const Result<LoopNest> initial = initialNest(task);
    if (!initial) {
        return initial.error();
    }
    const Result<std::string> text = instantiate(from, task, *initial);
    if (!text) {
        return text.error();
    }
    const Context context{&task.target};
    const Result<Script> script = parseScript(*text, allPrimitives(), context);
    if (!script) {
        return script.error();
    }
    const Result<Script> bound = bindKnobs(*script, {}, context);
    return bound ? Result<std::string>(bound->toText()) : bound.error();
}

Result<TemplateDraws::Drawn> TemplateDraws::next(const Target& target)
{
    std::string lastRefusal = "none was drawn";
    while (m_drawn++ < m_most) {
        const int threads = m_random.below(4) == 0 ? 2 : 1;
        Result<Task> task = drawTask(m_from, m_random, target);
        if (!task) {
            return task.error();
        }
        task->threads = threads;
        const Result<std::string> script = scriptFor(m_from, *task);
        if (script) {
            return Drawn{*std::move(task), *script};
        }
        lastRefusal = script.error().message;
    }
    return failed(format("{} takes too few of the shapes that are drawn for it; the last that did not fit: {}", m_from.name, lastRefusal));
}

} // namespace nw::schedule::test
