// Experts' templates: their heads and marks, what they fit, and that they keep the answer.
#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/schedule/templates.h"
#include "tests/engine/schedule/nests.h"
#include "tests/support/template_tasks.h"
#include "tests/support/test.h"

using namespace nw;
using namespace nw::schedule;
using namespace nw::schedule::test;

namespace {

constexpr const char* kBlocked = "(n, c, h, w) -> (n, c / 16, h, w, c % 16)";

constexpr const char* kLast = "(n, c, h, w) -> (n, h, w, c)";

Template templateNamed(const std::string& name)
{
    for (const Template& shipped : allTemplates()) {
        if (shipped.name == name) {
            return shipped;
        }
    }
    throw std::runtime_error("no template " + name);
}

std::string convolution(std::int64_t ic, std::int64_t oc, std::int64_t height, std::int64_t width, std::int64_t window,
                        std::int64_t stride, bool pads, bool epilogue, bool depthwise = false)
{
    const std::int64_t pad = pads ? window / 2 : 0;
    const std::int64_t oh = (height + 2 * pad - window) / stride + 1;
    const std::int64_t ow = (width + 2 * pad - window) / stride + 1;
    const std::string at = format("X[n, {}, oh * {} + kh - {}, ow * {} + kw - {}]", depthwise ? "oc" : "ic", stride, pad, stride, pad);
    const std::string read = pad == 0 ? at
                                      : format("select(oh * {0} + kh >= {1} && oh * {0} + kh < {2} && ow * {0} + kw >= {1} && ow * {0} + kw < {3}, {4}, 0.0)",
                                               stride, pad, height + pad, width + pad, at);
    std::string text = format("definition conv\ninput X f32 [1, {}, {}, {}]\nconstant W f32 [{}, {}, {}, {}]\nconstant B f32 [{}]\n"
                              "output Y f32 [1, {}, {}, {}]\n",
                              depthwise ? oc : ic, height, width, oc, depthwise ? 1 : ic, window, window, oc, oc, oh, ow);
    const std::string axes = format("f32 [n:1, oc:{}, oh:{}, ow:{}]", oc, oh, ow);
    text += format("stage conv{} {} sum [ic:{}, kh:{}, kw:{}] from 0.0 = {} * W[oc, ic, kh, kw]\n", epilogue ? "" : " -> Y", axes,
                   depthwise ? 1 : ic, window, window, read);
    return epilogue ? text + format("stage relu -> Y {} = max(conv[n, oc, oh, ow] + B[oc], 0.0)\n", axes) : text;
}

std::string product(const std::string& kind, std::int64_t m, std::int64_t n, std::int64_t k, bool epilogue)
{
    const bool turned = kind == "gemm";
    std::string text = format("definition {}\ninput A f32 [{}, {}]\nconstant B f32 [{}, {}]\nconstant C f32 [{}]\noutput Y f32 [{}, {}]\n", kind, m, k,
                              turned ? n : k, turned ? k : n, n, m, n);
    text += format("stage {0}{1} f32 [m:{2}, n:{3}] sum [k:{4}] from 0.0 = A[m, k] * {5}\n", kind, epilogue ? "" : " -> Y", m, n, k,
                   turned ? "B[n, k]" : "B[k, n]");
    return epilogue ? text + format("stage bias -> Y f32 [m:{}, n:{}] = {}[m, n] + C[n]\n", m, n, kind) : text;
}

std::string softmax(std::int64_t channels, std::int64_t rows, std::int64_t columns)
{
    return format("definition softmax\ninput X f32 [1, {0}, {1}, {2}]\noutput Y f32 [1, {0}, {1}, {2}]\n"
                  "stage max f32 [n:1, c:{0}, h:{1}] max [r0:{2}] from -inf = X[n, c, h, r0]\n"
                  "stage exp f32 [n:1, c:{0}, h:{1}, w:{2}] = exp(min(X[n, c, h, w] - max[n, c, h], 0.0))\n"
                  "stage sum f32 [n:1, c:{0}, h:{1}] sum [r0:{2}] from 0.0 = exp[n, c, h, r0]\n"
                  "stage invsum f32 [n:1, c:{0}, h:{1}] = 1.0 / sum[n, c, h]\n"
                  "stage softmax -> Y f32 [n:1, c:{0}, h:{1}, w:{2}] = exp[n, c, h, w] * invsum[n, c, h]\n",
                  channels, rows, columns);
}

// Along the channels.
std::string softmaxAcross(std::int64_t channels, std::int64_t rows, std::int64_t columns)
{
    return format("definition softmax\ninput X f32 [1, {0}, {1}, {2}]\noutput Y f32 [1, {0}, {1}, {2}]\n"
                  "stage max f32 [n:1, h:{1}, w:{2}] max [r0:{0}] from -inf = X[n, r0, h, w]\n"
                  "stage exp f32 [n:1, c:{0}, h:{1}, w:{2}] = exp(min(X[n, c, h, w] - max[n, h, w], 0.0))\n"
                  "stage sum f32 [n:1, h:{1}, w:{2}] sum [r0:{0}] from 0.0 = exp[n, r0, h, w]\n"
                  "stage invsum f32 [n:1, h:{1}, w:{2}] = 1.0 / sum[n, h, w]\n"
                  "stage softmax -> Y f32 [n:1, c:{0}, h:{1}, w:{2}] = exp[n, c, h, w] * invsum[n, h, w]\n",
                  channels, rows, columns);
}

std::string planeSum(std::int64_t channels, std::int64_t height, std::int64_t width)
{
    return format("definition reducesum\ninput X f32 [1, {0}, {1}, {2}]\noutput Y f32 [1, {0}, 1, 1]\n"
                  "stage reducesum -> Y f32 [n:1, c:{0}, h:1, w:1] sum [r0:{1}, r1:{2}] from 0.0 = X[n, c, r0, r1]\n",
                  channels, height, width);
}

std::string rmsNormalization(std::int64_t rows, std::int64_t columns)
{
    return format("definition rmsnormalization\ninput X f32 [1, {0}, {1}]\nconstant Scale f32 [{1}]\noutput Y f32 [1, {0}, {1}]\n"
                  "stage sum f32 [d0:1, d1:{0}] sum [r0:{1}] from 0.0 = X[d0, d1, r0] * X[d0, d1, r0]\n"
                  "stage invrms f32 [d0:1, d1:{0}] = 1.0 / sqrt(sum[d0, d1] / {1}.0 + 1e-05)\n"
                  "stage rmsnormalization -> Y f32 [d0:1, d1:{0}, d2:{1}] = X[d0, d1, d2] * invrms[d0, d1] * Scale[d2]\n",
                  rows, columns);
}

std::string normalization(std::int64_t rows, std::int64_t columns)
{
    return format("definition layernormalization\ninput X f32 [1, {0}, {1}]\nconstant Scale f32 [{1}]\nconstant B f32 [{1}]\noutput Y f32 [1, {0}, {1}]\n"
                  "stage sum f32 [d0:1, d1:{0}] sum [r0:{1}] from 0.0 = X[d0, d1, r0]\n"
                  "stage mean f32 [d0:1, d1:{0}] = sum[d0, d1] / {1}.0\n"
                  "stage var f32 [d0:1, d1:{0}] sum [r0:{1}] from 0.0 = (X[d0, d1, r0] - mean[d0, d1]) * (X[d0, d1, r0] - mean[d0, d1])\n"
                  "stage invstd f32 [d0:1, d1:{0}] = 1.0 / sqrt(var[d0, d1] / {1}.0 + 1e-05)\n"
                  "stage layernormalization -> Y f32 [d0:1, d1:{0}, d2:{1}] = (X[d0, d1, d2] - mean[d0, d1]) * invstd[d0, d1] * Scale[d2] + B[d2]\n",
                  rows, columns);
}

Task taskOf(const std::string& definition, const Target& target, const char* layoutOfX = nullptr)
{
    Task task;
    Result<compute::Definition> parsed = compute::parseDefinition(definition);
    ENSURE(parsed.has_value(), parsed ? "" : parsed.error().message + "\n" + definition);
    task.definition = std::make_shared<const compute::Definition>(*std::move(parsed));
    task.layouts.resize(task.definition->ports.size());
    if (layoutOfX != nullptr) {
        task.layouts.front() = *parseLayout(layoutOfX);
        task.layouts.back() = *parseLayout(layoutOfX);
    }
    task.target = target;
    return task;
}

} // namespace

class TestTemplates : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void saysWhatIsWrongWithAHead()
    {
        QCOMPARE(parseTemplate("t", "#: title T\n#: king conv\n").error().message,
                 std::string("t, line 2: king is nothing that a template says of itself"));
        QCOMPARE(parseTemplate("t", "#: title T\nunroll k\n").error().message, std::string("t: a template says its title and its kind"));
        QVERIFY(allTemplates().size() >= 6);
    }

    void fillsItsMarks()
    {
        const Result<Template> made = parseTemplate("t", "#: title T\n#: kind conv\n#: where oc >= 4\n"
                                                         "# <anchor>: <oc> channels, a < b\n"
                                                         "split ow into a b:<fit ow 6>\n"
                                                         "[epilogue] # <epilogue>\n[alone] # alone\n");
        QVERIFY2(made, made ? "" : made.error().message.c_str());
        const auto scriptFor = [&](const std::string& definition) {
            const Task task = taskOf(definition, smallTarget());
            return instantiate(*made, task, *initialNest(task));
        };
        const Result<std::string> with = scriptFor(convolution(3, 8, 6, 12, 3, 1, true, true));
        QVERIFY2(with, with ? "" : with.error().message.c_str());
        QCOMPARE(*with, std::string("# conv: 8 channels, a < b\nsplit ow into a b:6\n# relu\n"));
        QCOMPARE(*scriptFor(convolution(3, 8, 6, 12, 3, 1, true, false)), std::string("# conv: 8 channels, a < b\nsplit ow into a b:6\n# alone\n"));
        QCOMPARE(scriptFor(convolution(3, 3, 6, 12, 3, 1, true, false)).error().message, std::string("t is for tasks with oc >= 4"));
        QCOMPARE(scriptFor(product("matmul", 4, 4, 4, false)).error().message, std::string("t is a template for conv, not for matmul"));
    }

    void looksAtLayouts()
    {
        const Template made = *parseTemplate("t", "#: title T\n#: kind conv\n#: last X\n# fits\n");
        const auto scriptFor = [&](const char* layout) {
            const Task task = taskOf(convolution(16, 16, 6, 12, 3, 1, false, false), wideTarget(), layout);
            return instantiate(made, task, *initialNest(task));
        };
        QCOMPARE(*scriptFor(kLast), std::string("# fits\n"));
        for (const char* const other : {static_cast<const char*>(nullptr), kBlocked, "(n, c, h, w) -> (n, h, c, w)"}) {
            const Result<std::string> script = scriptFor(other);
            QVERIFY(!script);
            QCOMPARE(script.error().message, std::string("t is for another layout of X"));
        }
    }

    void speaksOfOtherStages()
    {
        const Template made = *parseTemplate("t", "#: title T\n#: kind softmax\n# <sideways>; <beside of exp>; <along of epilogue>\n");
        const auto scriptFor = [&](const std::string& definition) {
            const Task task = taskOf(definition, smallTarget());
            return instantiate(made, task, *initialNest(task));
        };
        QCOMPARE(*scriptFor(softmaxAcross(21, 5, 9)), std::string("# h w r0; exp.w; softmax.c\n"));
        QCOMPARE(scriptFor(softmax(1, 3, 100)).error().message,
                 std::string("t is for sums whose terms lie apart, while those of neighbouring sums lie side by side"));
    }

    void fitsTilesToAnAxis_data()
    {
        QTest::addColumn<int>("steps");
        QTest::addColumn<int>("most");
        QTest::addColumn<int>("tile");
        const std::vector<std::array<int, 3>> rows{{56, 14, 14}, {28, 14, 14}, {7, 14, 7}, {56, 6, 4}, {57, 14, 12}, {1, 6, 1}, {13, 6, 5}};
        for (const auto& [steps, most, tile] : rows) {
            QTest::newRow(format("{} by at most {}", steps, most).c_str()) << steps << most << tile;
        }
    }
    void fitsTilesToAnAxis()
    {
        QFETCH(int, steps);
        QFETCH(int, most);
        QFETCH(int, tile);
        const Template made = *parseTemplate("t", format("#: title T\n#: kind conv\n# <fit ow {}>\n", most));
        const Task task = taskOf(convolution(1, 1, 1, steps, 1, 1, false, false), smallTarget());
        QCOMPARE(*instantiate(made, task, *initialNest(task)), format("# {}\n", tile));
    }

    void choosesByTask_data()
    {
        QTest::addColumn<QByteArray>("definition");
        QTest::addColumn<QByteArray>("layout");
        QTest::addColumn<QByteArray>("name");
        const auto row = [](const char* title, const std::string& definition, const char* layout, const char* name) {
            QTest::newRow(title) << QByteArray::fromStdString(definition) << QByteArray(layout) << QByteArray(name);
        };
        row("blocked", convolution(16, 32, 6, 12, 3, 1, false, true), kBlocked, "conv_blocked");
        row("plain", convolution(16, 32, 6, 12, 3, 1, true, true), "plain", "conv_channels");
        row("depthwise", convolution(1, 24, 6, 12, 3, 1, true, true, true), "plain", "depthwise_rows");
        row("few channels", convolution(3, 4, 6, 12, 1, 1, true, true), "plain", "");
        row("product", product("matmul", 8, 64, 16, true), "plain", "matmul_packed");
        row("layer", product("gemm", 4, 64, 16, true), "plain", "gemm_packed");
        row("layer of one row", product("gemm", 1, 64, 16, true), "plain", "gemm_row");
        row("vector", product("matmul", 1, 64, 16, true), "plain", "matvec_packed");
        row("softmax", softmax(1, 3, 100), "plain", "softmax_rows");
        row("softmax of one row", softmax(1, 1, 100), "plain", "softmax_row");
        row("normalization", normalization(4, 100), "plain", "norm_rows");
        row("root mean square", rmsNormalization(4, 100), "plain", "rms_rows");
        row("root mean square of one row", rmsNormalization(1, 100), "plain", "rms_row");
        row("softmax of channels", softmaxAcross(21, 5, 9), "plain", "softmax_across");
        row("channels last", convolution(16, 32, 6, 12, 3, 1, false, true), kLast, "conv_channels_last");
        row("three channels last", convolution(3, 32, 6, 12, 3, 2, true, true), kLast, "conv_channels_last");
        row("depthwise, channels last", convolution(1, 24, 6, 12, 3, 1, true, true, true), kLast, "depthwise_channels_last");
        row("sums over the plane, channels last", planeSum(24, 7, 7), kLast, "reduce_across");
        row("sums over the plane", planeSum(24, 7, 7), "plain", "reduce_rows");
        row("sums over the plane, blocked", planeSum(32, 7, 7), kBlocked, "reduce_blocked");
        row("short rows", softmax(3, 3, 5), "plain", "");
        row("few columns", product("matmul", 8, 3, 16, true), "plain", "");
    }
    void choosesByTask()
    {
        QFETCH(QByteArray, definition);
        QFETCH(QByteArray, layout);
        QFETCH(QByteArray, name);
        const Task task = taskOf(definition.toStdString(), wideTarget(), layout == "plain" ? nullptr : layout.constData());
        const std::optional<TemplateScript> found = templateFor(task, *initialNest(task));
        QCOMPARE(found ? found->from->name : std::string(), name.toStdString());
    }

    // Any shape that a template takes, odd and prime ones too: the same result as without a step.
    void keepsTheAnswer_data()
    {
        QTest::addColumn<QByteArray>("name");
        for (const Template& shipped : allTemplates()) {
            QTest::newRow(shipped.name.c_str()) << QByteArray::fromStdString(shipped.name);
        }
    }
    void keepsTheAnswer()
    {
        QFETCH(QByteArray, name);
        const Template tried = templateNamed(name.toStdString());
        Random random(17);
        std::uint64_t fitted = 0;
        for (int drawn = 0; fitted < draws(9) && drawn < 400; ++drawn) {
            const Target& target = random.below(2) == 0 ? smallTarget() : wideTarget();
            Result<Task> task = drawTask(tried, random, target);
            VERIFY_OK(task);
            task->threads = 2;
            const Result<LoopNest> initial = initialNest(*task);
            VERIFY_OK(initial);
            const Result<std::string> script = instantiate(tried, *task, *initial);
            if (!script) {
                continue;
            }
            ++fitted;
            const Context context{&task->target};
            const Result<Replay> replayed = replay(*initial, *parseScript(*script, allPrimitives(), context), {}, context);
            VERIFY_OK(replayed);
            QCOMPARE(verify(replayed->nest()), std::string());
            const std::string found = differs(*initial, replayed->nest(), random.below(1000), 1e-5);
            QVERIFY2(found.empty(), (found + "\n" + *script + compute::toText(*task->definition)).c_str());
        }
        QVERIFY(fitted > 0);
    }
};

NW_TEST_MAIN(tst_templates, TestTemplates)
#include "tst_templates.moc"
