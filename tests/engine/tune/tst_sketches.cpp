// Sketches made from definitions alone, and a person's schedule as a space: they replay, their spaces are large and mostly
// legal, and any point of them keeps the answer.
#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/lower/lowered.h"
#include "engine/session/fuzz/definitions.h"
#include "engine/tune/sketches.h"
#include "engine/tune/sketches/draft.h"
#include "tests/engine/schedule/nests.h"
#include "tests/support/template_tasks.h"
#include "tests/support/test.h"

using namespace nw;
using namespace nw::schedule;
using namespace nw::schedule::test;
using nw::tune::Sketch;

namespace {

constexpr double kAllowed = 1e-5; // of sums in another order

Task taskOf(const std::string& text, const Target& target, const std::vector<std::string>& layouts = {})
{
    Task task;
    Result<compute::Definition> parsed = compute::parseDefinition(text);
    ENSURE(parsed.has_value(), parsed ? "" : parsed.error().message + "\n" + text);
    task.definition = std::make_shared<const compute::Definition>(*std::move(parsed));
    task.layouts.resize(task.definition->ports.size());
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        task.layouts[i] = layouts[i].empty() ? Layout() : *parseLayout(layouts[i]);
    }
    task.target = target;
    return task;
}

std::string product(std::int64_t size)
{
    return format("definition matmul\ninput A f32 [{0}, {0}]\nconstant B f32 [{0}, {0}]\noutput Y f32 [{0}, {0}]\n"
                  "stage matmul -> Y f32 [m:{0}, n:{0}] sum [k:{0}] from 0.0 = A[m, k] * B[k, n]\n", size);
}

std::string convolution(std::int64_t in, std::int64_t out, std::int64_t size, std::int64_t window)
{
    const std::string at = window == 1 ? "X[n, ic, oh, ow]"
                                       : format("select(oh + kh >= 1 && oh + kh < {0} && ow + kw >= 1 && ow + kw < {0}, X[n, ic, oh + kh - 1, ow + kw - 1], 0.0)", size + 1);
    return format("definition conv\ninput X f32 [1, {0}, {2}, {2}]\nconstant W f32 [{1}, {0}, {3}, {3}]\noutput Y f32 [1, {1}, {2}, {2}]\n"
                  "stage conv -> Y f32 [n:1, oc:{1}, oh:{2}, ow:{2}] sum [ic:{0}, kh:{3}, kw:{3}] from 0.0 = {4} * W[oc, ic, kh, kw]\n",
                  in, out, size, window, at);
}

std::string depthwise(std::int64_t channels, std::int64_t size)
{
    return format("definition conv\ninput X f32 [1, {0}, {1}, {1}]\nconstant W f32 [{0}, 1, 3, 3]\noutput Y f32 [1, {0}, {1}, {1}]\n"
                  "stage conv -> Y f32 [n:1, oc:{0}, oh:{1}, ow:{1}] sum [ic:1, kh:3, kw:3] from 0.0 = "
                  "select(oh + kh >= 1 && oh + kh < {2} && ow + kw >= 1 && ow + kw < {2}, X[n, oc, oh + kh - 1, ow + kw - 1], 0.0) * W[oc, ic, kh, kw]\n",
                  channels, size, size + 1);
}

std::string softmax(std::int64_t channels, std::int64_t rows)
{
    return format("definition softmax\ninput X f32 [1, {0}, {1}, {1}]\noutput Y f32 [1, {0}, {1}, {1}]\n"
                  "stage max f32 [n:1, c:{0}, h:{1}] max [r0:{1}] from -inf = X[n, c, h, r0]\n"
                  "stage exp f32 [n:1, c:{0}, h:{1}, w:{1}] = exp(min(X[n, c, h, w] - max[n, c, h], 0.0))\n"
                  "stage sum f32 [n:1, c:{0}, h:{1}] sum [r0:{1}] from 0.0 = exp[n, c, h, r0]\n"
                  "stage softmax -> Y f32 [n:1, c:{0}, h:{1}, w:{1}] = exp[n, c, h, w] / sum[n, c, h]\n", channels, rows);
}

const char* const kBlocks = "(n, c, h, w) -> (n, c / 16, h, w, c % 16)";

// 32 bytes a vector, 16 registers.
const Target& middleTarget()
{
    static const Target target = [] {
        Target made = smallTarget();
        made.vectorBytes = 32;
        return made;
    }();
    return target;
}

std::vector<Task> realTasks()
{
    std::vector<Task> tasks{taskOf(product(512), middleTarget()), taskOf(convolution(128, 128, 28, 3), middleTarget()),
                            taskOf(convolution(512, 128, 28, 1), middleTarget()), taskOf(depthwise(144, 56), middleTarget()), taskOf(softmax(12, 128), middleTarget())};
    for (const std::string& text : {convolution(128, 128, 28, 3), convolution(512, 128, 28, 1), depthwise(144, 56)}) {
        tasks.push_back(taskOf(text, middleTarget(), {kBlocks, "", kBlocks}));
    }
    tasks.push_back(taskOf(softmax(12, 128), middleTarget(), {kBlocks, kBlocks}));
    return tasks;
}

struct Drawn {
    int replayed = 0;
    int all = 0;
    std::string refusal; // the last one
};
Drawn drawPoints(const Task& task, const LoopNest& initial, const Script& script, Random& random, int count)
{
    Drawn drawn;
    const Context context{&task.target};
    ReplayCache cache(initial, context);
    for (; drawn.all < count; ++drawn.all) {
        const std::optional<KnobValues> values = tune::sketches::drawValues(script, context, random);
        ENSURE(values.has_value(), "no point of the space fits its constraints");
        const Result<Replay> replayed = cache.replay(script, *values);
        drawn.replayed += replayed ? 1 : 0;
        drawn.refusal = replayed ? drawn.refusal : replayed.error().message;
    }
    return drawn;
}

} // namespace

class TestSketches : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void areSeveralWithLargeSpaces()
    {
        for (const int threads : {1, 2}) {
            for (Task& task : realTasks()) {
                task.threads = threads;
                const LoopNest initial = *initialNest(task);
                const std::vector<Sketch> sketches = tune::sketchesFor(task, initial);
                const std::string text = compute::toText(*task.definition);
                QVERIFY2(sketches.size() >= 3, text.c_str());
                std::set<std::string> names;
                std::uint64_t most = 0;
                Random random(5);
                for (const Sketch& sketch : sketches) {
                    QVERIFY2(names.insert(sketch.name).second, sketch.name.c_str());
                    const Context context{&task.target};
                    const Result<Script> script = parseScript(sketch.script, allPrimitives(), context);
                    VERIFY_OK(script);
                    most = std::max(most, countChoices(*script).count);
                    const Result<Replay> replayed = replay(initial, *script, {}, context);
                    QVERIFY2(replayed, replayed ? "" : (replayed.error().message + "\n" + sketch.script).c_str());
                    const Result<lower::Lowered> lowered = lower::lower(replayed->nest(), task.target);
                    QVERIFY2(lowered, lowered ? "" : (lowered.error().message + "\n" + sketch.script).c_str());
                    const int count = static_cast<int>(draws(60));
                    const Drawn drawn = drawPoints(task, initial, *script, random, count);
                    QVERIFY2(drawn.replayed * 10 >= count * 6, format("{} of {}: {}\n{}{}", drawn.replayed, count, drawn.refusal, sketch.script, text).c_str());
                }
                QVERIFY2(most >= 1000, format("{}\n{}", most, text).c_str());
            }
        }
    }

    // The best guess comes first, so it must be a tile whose sums stay in registers.
    void guessWell()
    {
        const Task task = taskOf(product(512), middleTarget());
        const Sketch first = tune::sketchesFor(task, *initialNest(task)).front();
        QCOMPARE(first.name, std::string("tiles of n by m"));
        for (const char* part : {"cache_write matmul at n.m in registers", "vectorize n.i", "unroll m.r", "require rows * wide + wide + 1 <= registers(f32)",
                                 "set_layout B as (a0, a1) -> (a1 / (?wide*lanes(f32)), a0, a1 % (?wide*lanes(f32)))"}) {
            QVERIFY2(first.script.find(part) != std::string::npos, (std::string(part) + "\n" + first.script).c_str());
        }
        const Task rows = taskOf(softmax(12, 128), middleTarget());
        QCOMPARE(tune::sketchesFor(rows, *initialNest(rows)).front().name, std::string("partial results"));
    }

    // A chain with a sum in it is made tile by tile of its result: every stage stands in a loop over these.
    void putsStagesNear()
    {
        const std::string name = "stages near the result's tiles";
        const auto winograd = std::find_if(allTemplates().begin(), allTemplates().end(), [](const Template& each) { return each.name == "winograd"; });
        std::vector<Task> tasks{*usualTask(*winograd, middleTarget()),
                                taskOf("definition two\ninput A f32 [96, 40]\nconstant B f32 [40, 128]\nconstant C f32 [128, 64]\ninput D f32 [96, 64]\n"
                                       "output Y f32 [96, 64]\n"
                                       "stage first f32 [m:96, n:128] sum [k:40] from 0.0 = A[m, k] * B[k, n]\n"
                                       "stage bent f32 [m:96, n:128] = tanh(first[m, n])\n"
                                       "stage second f32 [m:96, n:64] sum [k:128] from 0.0 = bent[m, k] * C[k, n]\n"
                                       "stage end -> Y f32 [m:96, n:64] = tanh(second[m, n]) + D[m, n]\n", middleTarget())};
        Random random(5);
        for (Task& task : tasks) {
            for (const int threads : {1, 2}) {
                task.threads = threads;
                const LoopNest initial = *initialNest(task);
                const std::vector<Sketch> sketches = tune::sketchesFor(task, initial);
                const auto found = std::find_if(sketches.begin(), sketches.end(), [&](const Sketch& each) { return each.name == name; });
                QVERIFY2(found != sketches.end(), compute::toText(*task.definition).c_str());
                const Context context{&task.target};
                const Result<Script> script = parseScript(found->script, allPrimitives(), context);
                VERIFY_OK(script);
                const Result<Replay> replayed = replay(initial, *script, {}, context);
                VERIFY_OK(replayed);
                const std::string outermost = replayed->nest().findBlock(task.definition->stages.back().name).loops.front()->name;
                for (const compute::Stage& stage : task.definition->stages) {
                    const LoopNest::Path path = replayed->nest().findBlock(stage.name);
                    QVERIFY2(path && path.loops.front()->name == outermost, (stage.name + "\n" + found->script).c_str());
                }
                if (&task != &tasks.front()) { // too many steps to interpret; smaller ones are below
                    QCOMPARE(differs(initial, replayed->nest(), 3, kAllowed), std::string());
                }
                const Drawn drawn = drawPoints(task, initial, *script, random, 12);
                QVERIFY2(drawn.replayed >= 10, (format("{} of {}: {}\n", drawn.replayed, drawn.all, drawn.refusal) + found->script).c_str());
            }
        }
        for (const Task& task : realTasks()) { // nothing to place
            for (const Sketch& sketch : tune::sketchesFor(task, *initialNest(task))) {
                QVERIFY(sketch.name != name);
            }
        }
    }

    // Operators of every kind, in odd shapes: a point drawn at random still computes what is defined.
    void keepTheAnswer_data()
    {
        QTest::addColumn<QByteArray>("name");
        for (const Template& shipped : allTemplates()) {
            QTest::newRow(shipped.name.c_str()) << QByteArray::fromStdString(shipped.name);
        }
    }
    void keepTheAnswer()
    {
        QFETCH(QByteArray, name);
        const auto shipped = std::find_if(allTemplates().begin(), allTemplates().end(), [&](const Template& each) { return each.name == name.toStdString(); });
        Random random(23);
        m_sketches = m_run = 0;
        for (std::uint64_t drawn = 0; drawn < draws(1); ++drawn) {
            Result<Task> task = drawTask(*shipped, random, random.below(2) == 0 ? smallTarget() : middleTarget());
            VERIFY_OK(task);
            task->threads = static_cast<int>(random.between(1, 2));
            check(*task, random);
        }
        QVERIFY2(m_sketches > 0 && m_run * 10 >= m_sketches * 9, format("{} of {} sketches had a legal point", m_run, m_sketches).c_str());
    }

    void replayOnRandomDefinitions()
    {
        Random random(31);
        m_sketches = m_run = 0;
        for (std::uint64_t drawn = 0; drawn < draws(40); ++drawn) {
            Task task;
            task.definition = std::make_shared<const compute::Definition>(session::fuzz::randomDefinition(random));
            task.layouts = session::fuzz::randomLayouts(*task.definition, random);
            task.target = random.below(2) == 0 ? smallTarget() : middleTarget();
            task.threads = static_cast<int>(random.between(1, 2));
            if (initialNest(task)) {
                check(task, random);
            }
        }
        QVERIFY2(m_sketches > 0 && m_run * 10 >= m_sketches * 9, format("{} of {} sketches had a legal point", m_run, m_sketches).c_str());
    }

    void seedsFromASchedule()
    {
        const Task task = taskOf(product(512), middleTarget());
        const LoopNest initial = *initialNest(task);
        const std::string script = "# mine\nsplit n into no:_ nv:2 ni:lanes(f32) # two vectors\n\nsplit m into mo:128 mi:4\n"
                                   "reorder no mo k mi nv ni\ncache_write matmul at mo in registers\nvectorize ni\nunroll nv\nunroll mi\n";
        const Result<std::string> seeded = tune::seededFrom(task, initial, script, {});
        VERIFY_OK(seeded);
        QCOMPARE(*seeded, std::string("# mine\nknob nv = {1, 2, 3, 4, 8} default 2\nsplit n into no:_ nv:?nv ni:lanes(f32) # two vectors\n\n"
                                      "knob mi = {1, 2, 3, 4, 5, 8, 16} default 4\nsplit m into mo:_ mi:?mi\n"
                                      "reorder no mo k mi nv ni\ncache_write matmul at mo in registers\nvectorize ni\nunroll nv\nunroll mi\n"));
        QCOMPARE(atDefaults(task, initial, *seeded), atDefaults(task, initial, script));

        // Loops made from a fixed one are fixed, too, and so is a part that is named itself.
        const std::string again = script + "split k into ko:_ ki:8\nsplit ko into koo:_ koi:4\n";
        const Result<std::string> part = tune::seededFrom(task, initial, again, {"k", "nv"});
        VERIFY_OK(part);
        QVERIFY(part->find("split k into ko:_ ki:8\nsplit ko into koo:_ koi:4\n") != std::string::npos);
        QVERIFY(part->find("nv:2") != std::string::npos);
        QVERIFY(part->find("mi:?mi") != std::string::npos);
        QCOMPARE(atDefaults(task, initial, *part), atDefaults(task, initial, again));
        QCOMPARE(*tune::seededFrom(task, initial, script, {"n", "m"}), script);
        const Result<std::string> refused = tune::seededFrom(task, initial, "split z into a:_ b:2\n", {});
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, Error::Kind::Refused);
    }

    // A sketch without its knobs is a schedule like any other.
    void seedsFromSketches()
    {
        for (const Task& task : realTasks()) {
            const LoopNest initial = *initialNest(task);
            const Context context{&task.target};
            for (const Sketch& sketch : tune::sketchesFor(task, initial)) {
                const std::string plain = bindKnobs(*parseScript(sketch.script, allPrimitives(), context), {}, context)->toText();
                const Result<std::string> seeded = tune::seededFrom(task, initial, plain, {});
                VERIFY_OK(seeded);
                QCOMPARE(atDefaults(task, initial, *seeded), atDefaults(task, initial, plain));
            }
        }
    }

private:
    static std::string atDefaults(const Task& task, const LoopNest& initial, const std::string& text)
    {
        const Context context{&task.target};
        const Result<Script> script = parseScript(text, allPrimitives(), context);
        const Result<Replay> replayed = script ? replay(initial, *script, {}, context) : Result<Replay>(script.error());
        return replayed ? toText(replayed->nest()) : replayed.error().message;
    }

    // Of eight points of each sketch the first that replays is run.
    void check(const Task& task, Random& random)
    {
        const LoopNest initial = *initialNest(task);
        const Context context{&task.target};
        const std::vector<Sketch> sketches = tune::sketchesFor(task, initial);
        QVERIFY2(!sketches.empty() || initial.allLoops().empty(), compute::toText(*task.definition).c_str());
        for (const Sketch& sketch : sketches) {
            ++m_sketches;
            const std::string words = sketch.script + compute::toText(*task.definition);
            const Result<Script> script = parseScript(sketch.script, allPrimitives(), context);
            QVERIFY2(script, script ? "" : (script.error().message + "\n" + words).c_str());
            QVERIFY2(replay(initial, *script, {}, context), words.c_str());
            for (int tries = 0; tries < 8; ++tries) {
                const std::optional<KnobValues> values = tune::sketches::drawValues(*script, context, random);
                QVERIFY2(values, words.c_str());
                const Result<Replay> replayed = replay(initial, *script, *values, context);
                if (!replayed) {
                    continue;
                }
                QCOMPARE(verify(replayed->nest()), std::string());
                const std::string found = differs(initial, replayed->nest(), random.below(1000), kAllowed);
                QVERIFY2(found.empty(), (found + "\n" + bindKnobs(*script, *values, context)->toText() + words).c_str());
                ++m_run;
                break;
            }
        }
    }

    int m_sketches = 0;
    int m_run = 0;
};

NW_TEST_MAIN(tst_sketches, TestSketches)
#include "tst_sketches.moc"
