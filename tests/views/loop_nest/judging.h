#pragma once

#include "engine/session/editing.h"
#include "tests/engine/schedule/nests.h"
#include "tests/support/faces.h"

#include <functional>
#include <string>

// What the window gives its views, made of the engine's own functions.
namespace nw::views::test {

inline session::Editing::Judged judge(const schedule::LoopNest& nest, const std::string& step,
                                      std::span<const schedule::Primitive* const> primitives = schedule::allPrimitives())
{
    session::Editing::Judged judged;
    const schedule::Context context = schedule::test::smallContext();
    const Result<schedule::Script> script = schedule::parseScript(step, primitives, context);
    if (!script) {
        judged.error = script.error().message;
        return judged;
    }
    const Result<schedule::Replay> done = schedule::replay(nest, *script, {}, context, true);
    if (done) {
        judged.check = done->steps.front().check;
        judged.nest = done->nest();
    } else if (done.error().refusal != nullptr) {
        judged.check = {schedule::Verdict::Illegal, *done.error().refusal};
    } else {
        judged.error = done.error().message;
    }
    return judged;
}

inline std::function<session::Editing::Judged(const std::string&)> judgeOf(const schedule::LoopNest& nest)
{
    return [nest](const std::string& step) { return judge(nest, step); };
}

} // namespace nw::views::test
