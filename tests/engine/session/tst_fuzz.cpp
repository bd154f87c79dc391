// The fuzzer: its runs find nothing, what is planted is found and shrunk, and every case that once failed holds.

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/schedule/rewrite_nest.h"
#include "engine/session/fuzz/definitions.h"
#include "engine/session/fuzz/fuzz.h"
#include "engine/session/fuzz/steps.h"
#include "tests/support/test.h"

#include <filesystem>
#include <random>
#include <set>

using namespace nw;
using namespace nw::session::fuzz;
using schedule::Applied;
using schedule::Args;
using schedule::Check;
using schedule::Context;
using schedule::LoopNest;
using schedule::Primitive;

namespace {

// The same in every run when NW_FUZZ_SEED is set, otherwise another; printed.
std::uint64_t freshSeed()
{
    const std::uint64_t seed = qEnvironmentVariableIsSet("NW_FUZZ_SEED") ? qEnvironmentVariableIntValue("NW_FUZZ_SEED") : std::random_device()();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    return seed;
}

std::string words(const std::vector<Failure>& failures)
{
    std::string text;
    for (const Failure& failure : failures) {
        text += toText(failure) + "\n";
    }
    return text;
}

const Primitive& original(const std::string& name)
{
    for (const Primitive* primitive : schedule::allPrimitives()) {
        if (primitive->name == name) {
            return *primitive;
        }
    }
    throwBug(__FILE__, __LINE__, "no primitive " + name);
}

// All primitives with one of them changed.
class Planted {
public:
    Planted(const std::string& name, const std::function<void(Primitive&)>& change)
        : m_changed(original(name))
    {
        change(m_changed);
        for (const Primitive* primitive : schedule::allPrimitives()) {
            m_list.push_back(primitive->name == name ? &m_changed : primitive);
        }
    }
    Options options(std::uint64_t count) const
    {
        Options options;
        options.seed = 5;
        options.count = count;
        options.primitives = m_list;
        return options;
    }

private:
    Primitive m_changed;
    std::vector<const Primitive*> m_list;
};

Applied withoutGuards(const LoopNest& nest, const Args& args, const Context& context)
{
    Applied applied = original("split").rewrite(nest, args, context);
    applied.nest.roots = schedule::mapBlocks(applied.nest.roots, [](const schedule::Block& block) {
        schedule::Block open = block;
        open.predicate = boolImm(true);
        return std::optional(open);
    });
    return applied;
}

Applied throwing(const LoopNest&, const Args&, const Context&)
{
    throwBug(__FILE__, __LINE__, "planted");
}

Check alwaysLegal(const LoopNest& nest, const Args& args, const Context& context)
{
    Check check = original("parallel").check(nest, args, context);
    const std::set<std::string> needed = {"parallel.no_loop", "parallel.not_nested"};
    return needed.contains(check.why.rule) ? check : Check{};
}

Check throwsWithoutLoop(const LoopNest& nest, const Args& args, const Context& context)
{
    ENSURE(nest.findLoop(args.name(0)), "planted");
    return original("split").check(nest, args, context);
}

Check neverLegal(const LoopNest& nest, const Args& args, const Context& context)
{
    Check check = original("unroll").check(nest, args, context);
    return check.verdict == schedule::Verdict::Legal ? Check{schedule::Verdict::Illegal, {"unroll.planted", "no", {}, {}, {}}} : check;
}

} // namespace

class TestFuzz : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Every family, type, combiner and kind of extent comes up, and each definition is sound.
    void definitionsAreVaried()
    {
        std::set<std::string> kinds;
        std::set<DType> types;
        std::set<compute::Combiner> combiners;
        std::set<std::size_t> stages;
        std::set<std::int64_t> extents;
        for (std::uint64_t i = 0; i < 600; ++i) {
            Random random = streamOf({}, i);
            const compute::Definition definition = randomDefinition(random);
            QCOMPARE(compute::verify(definition), std::string());
            const Result<compute::Definition> again = compute::parseDefinition(compute::toText(definition));
            VERIFY_OK(again);
            QCOMPARE(compute::toText(*again), compute::toText(definition));
            kinds.insert(definition.kind);
            stages.insert(definition.stages.size());
            for (const compute::Stage& stage : definition.stages) {
                types.insert(stage.type);
                combiners.insert(stage.combiner);
                for (const compute::Axis& axis : stage.spatial) {
                    extents.insert(*constInt(axis.extent));
                }
            }
        }
        QVERIFY(kinds.size() >= 9);
        QVERIFY(stages.size() >= 4);
        QCOMPARE(types.size(), std::size_t{4});
        QCOMPARE(combiners.size(), std::size_t{5});
        for (const std::int64_t extent : {0, 1, 2, 7, 13, 31}) {
            QVERIFY2(extents.contains(extent), std::to_string(extent).c_str());
        }
    }

    void aCaseIsDrawnFromSeedAndIndexAlone()
    {
        const auto text = [](std::uint64_t seed, std::uint64_t index) {
            Options options;
            options.seed = seed;
            Random random = streamOf(options, index);
            return toText(randomCase(random));
        };
        QCOMPARE(text(3, 4), text(3, 4));
        QVERIFY(text(3, 4) != text(3, 5));
        QVERIFY(text(3, 4) != text(4, 4));
        for (std::uint64_t index = 0; index < 50; ++index) {
            const std::string kept = text(9, index) + "split a into b c:2\n";
            const Result<Case> parsed = parseCase("# a note\n" + kept);
            VERIFY_OK(parsed);
            QCOMPARE(toText(*parsed), kept);
        }
    }

    void schedules()
    {
        Options options;
        options.seed = freshSeed();
        options.count = draws(60);
        const Result<ScheduleReport> report = fuzzSchedules(options, nullptr, {}, {});
        VERIFY_OK(report);
        QVERIFY2(report->failures.empty(), words(report->failures).c_str());
        std::uint64_t applied = 0;
        for (const auto& [name, counts] : report->primitives) {
            applied += counts.applied;
        }
        QVERIFY2(kSanitized || applied > 60, std::to_string(applied).c_str());
        QVERIFY(report->limited < options.count / 2);
    }

    void scripts()
    {
        Options options;
        options.seed = freshSeed();
        options.count = draws(1000);
        const Result<ScriptReport> report = fuzzScripts(options, {}, {});
        VERIFY_OK(report);
        QVERIFY2(report->failures.empty(), words(report->failures).c_str());
        QVERIFY(report->parsed > draws(1000) / 10);
        QVERIFY(kSanitized || report->replayed > 10);
    }

    void aMissingGuardIsFoundAndShrunk()
    {
        const Planted planted("split", [](Primitive& split) { split.rewrite = &withoutGuards; });
        const Result<ScheduleReport> report = fuzzSchedules(planted.options(40), nullptr, {}, {});
        VERIFY_OK(report);
        const auto first = std::find_if(report->failures.begin(), report->failures.end(),
                                        [](const Failure& failure) { return failure.fault == Fault::Wrong; });
        QVERIFY(first != report->failures.end());
        QVERIFY(first->input.has_value());
        // "tile" splits as well, but with the original.
        const std::string& script = first->input->script;
        QVERIFY2(script.rfind("split ") != std::string::npos && script.find('\n', script.rfind("split ")) + 1 == script.size(), script.c_str());
        QVERIFY2(std::count(script.begin(), script.end(), '\n') <= 2, script.c_str());
        QCOMPARE(first->input->threads, 1);
    }

    void aBrokenPromiseIsFoundAndShrunk()
    {
        const Planted planted("unroll", [](Primitive& unroll) { unroll.rewrite = &throwing; });
        const Result<ScheduleReport> report = fuzzSchedules(planted.options(20), nullptr, {}, {});
        VERIFY_OK(report);
        QVERIFY(!report->failures.empty());
        const Failure& first = report->failures.front();
        QCOMPARE(first.fault, Fault::Bug);
        QVERIFY2(first.message.find("planted") != std::string::npos, first.message.c_str());
        QVERIFY2(first.input->script.starts_with("unroll "), first.input->script.c_str());
        QCOMPARE(std::count(first.input->script.begin(), first.input->script.end(), '\n'), 1);
    }

    void aRaceIsFound()
    {
        const Planted planted("parallel", [](Primitive& parallel) { parallel.check = &alwaysLegal; });
        const Result<ScheduleReport> report = fuzzSchedules(planted.options(40), nullptr, {}, {});
        VERIFY_OK(report);
        const bool named = std::any_of(report->failures.begin(), report->failures.end(), [](const Failure& failure) {
            return failure.fault == Fault::Wrong && failure.message.find("run at once meet") != std::string::npos;
        });
        QVERIFY2(named, words(report->failures).c_str());
    }

    void needlessRefusalsAreTold()
    {
        const Planted planted("unroll", [](Primitive& unroll) { unroll.check = &neverLegal; });
        const Result<RefusalReport> report = fuzzRefusals(planted.options(60), {}, {});
        VERIFY_OK(report);
        QVERIFY2(report->failures.empty(), words(report->failures).c_str());
        const RefusalCounts& needless = report->rules.at("unroll.planted");
        QVERIFY(needless.met > 5);
        QCOMPARE(needless.wrong, std::uint64_t{0});
        QVERIFY(needless.needless > 0 && needless.needless + needless.impossible == needless.judged());
        QVERIFY(needless.example.find("unroll ") != std::string::npos);
        const RefusalCounts& needed = report->rules.at("parallel.reduction");
        QVERIFY(needed.met > 0);
        QVERIFY2(needed.wrong * 2 > needed.met, needed.example.c_str());
        for (const auto& [rule, counts] : report->rules) {
            QCOMPARE(counts.impossible + counts.wrong + counts.needless, counts.judged());
        }
        std::uint64_t byRule = 0, byPrimitive = 0;
        for (const auto& [rule, counts] : report->rules) {
            byRule += counts.met;
        }
        for (const auto& [primitive, counts] : report->illegal) {
            byPrimitive += counts.met;
        }
        QCOMPARE(byPrimitive, byRule);
        const RefusalCounts& agreed = report->rules.at("set_layout.activation");
        QVERIFY(agreed.met > 0 && agreed.agreed == agreed.met);
        QCOMPARE(agreed.judged(), std::uint64_t{0});
    }

    void spoiledTextThatThrowsIsFoundAndShrunk()
    {
        // Only a spoiled name makes a split of a loop that is not there.
        const Planted planted("split", [](Primitive& split) { split.check = &throwsWithoutLoop; });
        const Result<ScriptReport> report = fuzzScripts(planted.options(6000), {}, {});
        VERIFY_OK(report);
        QVERIFY(!report->failures.empty());
        const Failure& first = report->failures.front();
        QVERIFY2(first.message.find("planted") != std::string::npos, first.message.c_str());
        QVERIFY2(first.text.starts_with("split") && first.text.size() < 30, first.text.c_str());
    }

    // A limit of the code, told with its rule before the builder meets it.
    void aRegisterPickedByMemoryIsALimit()
    {
        const Result<Case> one = parseCase("target x86-64-v3\ndefinition gather\ninput X f32 [4, 9]\ninput I i64 [5]\n"
                                           "output Y f32 [5, 9]\n"
                                           "stage gather -> Y f32 [d0:5, d1:9] =\n    X[I[d0] % 4, d1]\n"
                                           "script\nunroll d0\nreorder d1 d0\ncache_read X at d0 in registers\nunroll X.c.d0\n");
        VERIFY_OK(one);
        const Result<Judge> rules = Judge::create(one->definition);
        VERIFY_OK(rules);
        const Finding finding = judge(*one, *rules, schedule::allPrimitives());
        QCOMPARE(finding.message, std::string("lowering: X.reg is kept in registers, but its index is read from memory; keep it on the stack"));
        QCOMPARE(finding.fault, Fault::Limit);
    }

    void keptCases_data()
    {
        QTest::addColumn<std::string>("file");
        QTest::newRow("none other than these") << std::string();
        for (const auto& entry : std::filesystem::directory_iterator(NW_SOURCE_DIR "/tests/expected/fuzz")) {
            QTest::newRow(entry.path().stem().c_str()) << entry.path().string();
        }
    }

    // Each failed once.
    void keptCases()
    {
        QFETCH(std::string, file);
        if (file.empty()) {
            return;
        }
        const Result<std::string> text = readFile(file);
        VERIFY_OK(text);
        const Result<Case> one = parseCase(*text);
        VERIFY_OK(one);
        const Result<Judge> rules = Judge::create(one->definition);
        VERIFY_OK(rules);
        const Finding read = judge(*one, *rules, schedule::allPrimitives());
        QCOMPARE(read.message, std::string());
        if (WorkerCheck::canRun(*one)) {
            QTemporaryDir folder;
            WorkerCheck worker({NW_BUILDER, NW_RUNNER}, folder.filePath("fuzz").toStdString());
            QCOMPARE(worker.check(*one, {}).message, std::string());
        }
    }
};

NW_TEST_MAIN(tst_fuzz, TestFuzz)
#include "tst_fuzz.moc"
