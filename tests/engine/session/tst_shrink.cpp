// What a failing case is brought down to: its steps, their names and numbers, its definition.

#include "engine/schedule/rewrite_nest.h"
#include "engine/session/fuzz/fuzz.h"
#include "engine/session/fuzz/shrink.h"
#include "engine/session/fuzz/smaller.h"
#include "engine/session/fuzz/steps.h"
#include "tests/support/test.h"

#include <algorithm>

using namespace nw;
using namespace nw::session::fuzz;
using schedule::Applied;
using schedule::Args;
using schedule::Check;
using schedule::Context;
using schedule::LoopNest;
using schedule::Primitive;

namespace {

// A step whose check lies: every loop can do without its last step.
const Primitive kForget{
    "forget",
    "Leaves out the last step of a loop",
    {{"loop", schedule::ParamKind::Loop, ""}},
    [](const LoopNest& nest, const Args& args, const Context&) {
        const LoopNest::Path path = nest.findLoop(args.name(0));
        const bool can = path.loop != nullptr && constantExtent(*path.loop).value_or(0) > 0;
        return can ? Check{} : Check{schedule::Verdict::Illegal, {"forget.no_loop", "no", {}, {}, {}}};
    },
    [](const LoopNest& nest, const Args& args, const Context&) {
        Applied applied{nest, {}};
        schedule::changeLoop(applied.nest, nest.findLoop(args.name(0)).loop->id,
                             [](schedule::Loop& loop) { loop.extent = intImm(*constInt(loop.extent) - 1); });
        return applied;
    },
    [](const LoopNest& nest, const std::string& name, const Context&) {
        return nest.findLoop(name) ? std::vector<Args>{{{name}}} : std::vector<Args>();
    },
};

} // namespace

class TestShrink : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsWhatMatters()
    {
        Random random(1);
        Case big = randomCase(random);
        big.threads = 2;
        big.script = "a 1\nb 2\nc x:64\nd 4\ne 5\nf 6\n";
        int asked = 0;
        const Case small = shrink(big, [&](const Case& one) {
            ++asked;
            return one.script.find("b 2\n") != std::string::npos && one.script.find("c x:") != std::string::npos;
        });
        QCOMPARE(small.script, std::string("b 2\nc x:2\n"));
        QCOMPARE(small.threads, 1);
        QVERIFY(asked <= 400);
    }

    // A later step goes by the names there are without the one that is left out.
    void followsNames()
    {
        Random random(1);
        Case big = randomCase(random);
        big.script = "tile a b into ao bo ai:4 bi:4\nsplit bi into x y:2\nreorder y x ai\nunroll x\n";
        const Case small = shrink(big, [&](const Case& one) {
            const auto has = [&](const char* line) { return one.script.find(line) != std::string::npos; };
            return has("unroll b\n") || (has("tile a b") && (has("unroll bi\n") || (has("split bi") && has("unroll x\n"))));
        });
        QCOMPARE(small.script, std::string("unroll b\n"));
    }

    // Stages, extents and operations go where nobody minds.
    void definitionsShrink()
    {
        const Result<Case> whole = parseCase("target x86-64-v3\nlayout X (a, b) -> (b, a)\ndefinition chain\ninput X f32 [7, 13]\n"
                                             "constant C f32 [13]\noutput Y f32 [7, 13]\nstage add f32 [d0:7, d1:13] =\n"
                                             "    X[d0, d1] + C[d1] * 2.0\nstage neg f32 [d0:7, d1:13] =\n    add[d0, d1] - 1.0\n"
                                             "stage relu -> Y f32 [d0:7, d1:13] =\n    max(neg[d0, d1], 0.0)\nscript\nunroll d0\n");
        VERIFY_OK(whole);
        int asked = 0;
        const Case small = shrink(*whole, [&](const Case& one) {
            ++asked;
            const compute::Stage* add = one.definition->stage("add");
            return compute::verify(*one.definition).empty() && one.layouts.size() == one.definition->ports.size() && add != nullptr
                && *constInt(add->spatial[0].extent) >= 3 && compute::toText(*one.definition).find("C[") != std::string::npos;
        });
        QCOMPARE(toText(small), std::string("target x86-64-v3\nthreads 1\ndefinition chain\nconstant C f32 [1]\noutput Y f32 [3, 1]\n"
                                            "stage add -> Y f32 [d0:3, d1:1] = C[d1]\nscript\n"));
        QVERIFY2(asked < 200, std::to_string(asked).c_str());
    }

    // A script that was drawn for some extents is refused for others or right for them, an axis of one step included.
    void scriptsOnOtherExtents()
    {
        int right = 0;
        int withUnitLoops = 0;
        for (std::uint64_t index = 0; index < draws(60); ++index) {
            Options options;
            options.seed = 77;
            Random random = streamOf(options, index);
            Case one = randomCase(random);
            const Result<schedule::Task> task = one.task();
            VERIFY_OK(task);
            const Result<LoopNest> plain = schedule::initialNest(*task);
            VERIFY_OK(plain);
            Walked walked{*plain, {}};
            walk(walked, random, {6, 30000}, options.primitives, Context{&task->target}, [](const LoopNest&, const DrawnStep&, const Check&) {});
            one.script = walked.script;
            const std::vector<Case> others = withSmallerExtents(one);
            for (std::size_t i = 0; i < others.size(); i += 1 + others.size() / 5) {
                const Result<Judge> rules = Judge::create(others[i].definition);
                VERIFY_OK(rules);
                const Finding finding = judge(others[i], *rules, options.primitives);
                QVERIFY2(!finding.isFailure(), (finding.message + "\n" + toText(others[i])).c_str());
                right += finding.fault == Fault::None ? 1 : 0;
                const Result<LoopNest> there = schedule::initialNest(*others[i].task());
                const Result<schedule::Script> script = schedule::parseScript(others[i].script, options.primitives, Context{&task->target});
                const Result<schedule::Replay> replayed = schedule::replay(*there, *script, {}, Context{&task->target});
                withUnitLoops += replayed && replayed->initial.allLoops().size() > there->allLoops().size() ? 1 : 0;
            }
        }
        qInfo("%d right, %d with loops of one step", right, withUnitLoops);
        QVERIFY(kSanitized || (right > 20 && withUnitLoops > 3));
    }

    // Down to one stage of one step, one operand and the step that lied.
    void aLyingCheckShrinksToTheLeast()
    {
        std::vector<const Primitive*> all(schedule::allPrimitives().begin(), schedule::allPrimitives().end());
        all.insert(all.end(), 4, &kForget); // drawn more often than others
        Options options;
        options.seed = 11;
        options.count = 30;
        options.primitives = all;
        const Result<ScheduleReport> report = fuzzSchedules(options, nullptr, {}, {});
        VERIFY_OK(report);
        QVERIFY(report->failures.size() >= 3);
        for (const Failure& failure : report->failures) {
            QCOMPARE(failure.fault, Fault::Wrong);
            const std::string text = toText(failure);
            QVERIFY2(failure.input->script.starts_with("forget "), text.c_str());
            QVERIFY2(std::count(failure.input->script.begin(), failure.input->script.end(), '\n') == 1, text.c_str());
            const compute::Definition& definition = *failure.input->definition;
            QVERIFY2(definition.stages.size() == 1, text.c_str());
            QVERIFY2(definition.ports.size() <= 2, text.c_str());
            const compute::Stage& stage = definition.stages.front();
            for (const std::vector<compute::Axis>* axes : {&stage.spatial, &stage.reduction}) {
                for (const compute::Axis& axis : *axes) {
                    QVERIFY2(*constInt(axis.extent) <= 2, text.c_str());
                }
            }
            // As kept, it fails once more.
            const Result<Case> again = parseCase(text);
            VERIFY_OK(again);
            const Result<Judge> rules = Judge::create(again->definition);
            VERIFY_OK(rules);
            QCOMPARE(judge(*again, *rules, options.primitives).fault, Fault::Wrong);
        }
    }
};

NW_TEST_MAIN(tst_shrink, TestShrink)
#include "tst_shrink.moc"
