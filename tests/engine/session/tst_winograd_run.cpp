// Convolutions by tiles as code: under the correctness contract, with the expert's script and the fallback rule, and as
// part of a whole model, whose weights are transformed when it is built.
#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/plan/algorithms.h"
#include "engine/schedule/templates.h"
#include "engine/session/algorithms.h"
#include "engine/session/workbench.h"
#include "tests/engine/graph/graphs.h"
#include "tests/support/local_device.h"

#include <QTemporaryDir>

#include <fstream>

using namespace nw;

namespace {

struct Shape {
    std::int64_t ic = 16, oc = 16, h = 8, w = 8, pad = 1;
    const char* epilogue = "y = Relu(c)";
    bool blocked = false;

    std::string extents(std::int64_t channels, std::int64_t lost) const
    {
        return format("[1,{},{},{}]", channels, h + 2 * pad - lost, w + 2 * pad - lost);
    }
};

// The graph's text without weights: "w" and "b" are given or made.
std::string netOf(const Shape& s, const std::string& weights)
{
    return format("g (float[1,{},{},{}] x) => (float{} y) {{\n{}c = Conv <pads = [{},{},{},{}]> (x, w, b)\n {}\n}}", s.ic, s.h, s.w,
                  s.extents(s.oc, 2), weights, s.pad, s.pad, s.pad, s.pad, s.epilogue);
}

schedule::Task taskOf(const Shape& s, const std::string& algorithm, const Target& target, int threads)
{
    const auto graph = graphOf(netOf(s, zeros("w", format("{},{},3,3", s.oc, s.ic), 4) + zeros("b", format("{}", s.oc), 1)));
    ENSURE(graph.has_value(), graph ? "" : graph.error().message);
    const std::string layouts = s.blocked ? "layout conv.0 X NCHW16c\nlayout conv.0 Y NCHW16c\n" : "";
    const Result<plan::Choices> choices = plan::parseChoices("algorithm conv.0 " + algorithm + "\n" + layouts);
    const Result<plan::Plan> plan = plan::makePlan(*graph, *choices);
    ENSURE(plan.has_value(), plan ? "" : plan.error().message);
    const plan::Group& group = *plan->find("conv.0");
    const Result<compute::Definition> definition = compute::defineGroup(*plan->graph, group);
    ENSURE(definition.has_value(), definition ? "" : definition.error().message);
    schedule::Task task;
    task.definition = std::make_shared<const compute::Definition>(*definition);
    for (const plan::GroupPort& port : group.ports) {
        task.layouts.push_back(port.layout);
    }
    task.algorithm = algorithm;
    task.target = target;
    task.threads = threads;
    return task;
}

// A model file with random weights.
std::string modelText(const Shape& s)
{
    Random random(4);
    const auto numbers = [&](std::int64_t count) {
        std::vector<std::string> texts;
        for (std::int64_t i = 0; i < count; ++i) {
            texts.push_back(format("{:.4f}", static_cast<double>(random.between(-1000, 1000)) / 1000));
        }
        return join(texts, ", ");
    };
    const std::string weights = format("w = Constant <value = float[{},{},3,3] {{{}}}> ()\nb = Constant <value = float[{}] {{{}}}> ()\n", s.oc, s.ic,
                                       numbers(s.oc * s.ic * 9), s.oc, numbers(s.oc));
    return "<ir_version: 8, opset_import: [\"\" : 17]>\n" + netOf(s, weights);
}

Tensor randomTensor(const std::vector<std::int64_t>& shape)
{
    Random random(8);
    Result<Tensor> made = Tensor::create(DType::F32, shape);
    ENSURE(made.has_value(), "no tensor");
    for (float& value : made->mutableData<float>()) {
        value = static_cast<float>(random.between(-1000, 1000)) / 1000;
    }
    return *std::move(made);
}

} // namespace

class TestWinogradRun : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<measure::LocalDevice> m_device;

    std::filesystem::path folder(const char* name) const { return std::filesystem::path(m_folder.path().toStdString()) / name; }

private Q_SLOTS:
    void initTestCase()
    {
        m_device = std::make_unique<measure::LocalDevice>(nw::test::deviceIn(m_folder));
    }

    void kernels_data()
    {
        QTest::addColumn<QString>("algorithm");
        QTest::addColumn<QString>("target");
        for (const char* algorithm : {"winograd2", "winograd4"}) {
            for (const char* target : {"x86-64-v2", "x86-64-v3", "native"}) {
                QTest::newRow(format("{} {}", algorithm, target).c_str()) << QString(algorithm) << QString(target);
            }
        }
    }

    void kernels()
    {
        QFETCH(QString, algorithm);
        QFETCH(QString, target);
        const Result<Target> made = targetByName(target.toStdString());
        VERIFY_OK(made);
        if (!canRunHere(*made)) {
            QSKIP("this machine has no such vectors");
        }
        const Shape shapes[] = {
            {16, 16, 8, 8, 1, "y = Relu(c)", true},
            {16, 32, 14, 14, 1, "y = Relu(c)", true},
            {20, 19, 9, 13, 1, "y = Relu(c)", false},
            {17, 40, 11, 7, 0, "y = Identity(c)", true},
            {32, 16, 12, 28, 1, "s = Sigmoid(c)\n y = Mul(c, s)", true},
        };
        int byTemplate = 0;
        std::uint64_t number = 0;
        for (const Shape& shape : shapes) {
            if (++number > std::max<std::uint64_t>(draws(5), 2)) {
                break;
            }
            const int threads = number % 2 == 0 ? 2 : 1;
            const schedule::Task task = taskOf(shape, algorithm.toStdString(), *made, threads);
            const auto nest = schedule::initialNest(task);
            VERIFY_OK(nest);
            std::vector<std::string> scripts{schedule::defaultScript(*nest, {&task.target}, task.threads)};
            if (const auto expert = schedule::templateFor(task, *nest)) {
                const auto script = schedule::parseScript(expert->script, schedule::allPrimitives(), {&task.target});
                VERIFY_OK(script);
                const auto plain = schedule::bindKnobs(*script, {}, {&task.target});
                VERIFY_OK(plain);
                scripts.push_back(plain->toText());
                ++byTemplate;
            }
            for (const std::string& script : scripts) {
                const measure::Measurement m = m_device->measure(task, script, "none");
                QVERIFY2(m.outcome == wire::Outcome::Ok, (std::to_string(number) + ": " + m.error.message + "\n" + script).c_str());
                QVERIFY(m.run.verdict.checked && m.run.verdict.correct);
            }
        }
        QVERIFY2(byTemplate + 1 >= static_cast<int>(std::min<std::uint64_t>(number, 5)), "a template for tiles fits none of the usual shapes");
    }

    // The same outputs whatever the algorithm: the weights that the model carries are the transformed ones.
    void wholeModel()
    {
        const Shape shape{16, 16, 14, 10, 1, "y = Relu(c)", false};
        const std::filesystem::path file = folder("model.onnxtxt");
        std::ofstream(file) << modelText(shape);
        const session::Folders folders{folder("data"), folder("cache"), folder("run")};
        std::vector<Tensor> outputs;
        for (const char* algorithm : {"direct", "winograd2", "winograd4"}) {
            session::OpenOptions options;
            options.ephemeral = true;
            options.algorithms = {{"", algorithm}};
            const auto project = session::Project::open(file, options, folders);
            VERIFY_OK(project);
            const auto op = (*project)->find("conv.0");
            VERIFY_OK(op);
            QCOMPARE((*op)->task.algorithm, std::string(algorithm));
            session::ModelRunOptions run;
            run.inputs = {randomTensor({1, shape.ic, shape.h, shape.w})};
            run.expected = outputs;
            run.protocol = "none";
            const auto ran = session::runModel(**project, *m_device, run, {});
            VERIFY_OK(ran);
            QVERIFY2(ran->result.outcome == wire::Outcome::Ok, (algorithm + (": " + ran->result.error.message)).c_str());
            if (outputs.empty()) {
                outputs = ran->result.outputs;
                QCOMPARE(outputs.size(), std::size_t{1});
            }
        }
        session::OpenOptions wrong;
        wrong.ephemeral = true;
        wrong.algorithms = {{"", "winograd3"}};
        const auto refused = session::Project::open(file, wrong, folders);
        QVERIFY(!refused);
        QCOMPARE(refused.error().message, std::string("No operator of this model can be computed by \"winograd3\": `nestw ops` lists what they are."));
    }

    // Every algorithm of a task is measured once, and the choices name the fastest.
    void sweeps()
    {
        const std::filesystem::path file = folder("swept.onnxtxt");
        std::ofstream(file) << modelText({16, 16, 16, 16, 1, "y = Relu(c)", false});
        const session::Folders folders{folder("data"), folder("cache"), folder("run")};
        const auto project = session::Project::open(file, {}, folders);
        VERIFY_OK(project);
        int trials = 0;
        const auto swept = session::sweepAlgorithms(**project, *m_device, "quick", [&](const std::string&, const session::AlgorithmTrial&) { ++trials; }, {});
        VERIFY_OK(swept);
        QCOMPARE(swept->size(), std::size_t{1});
        QCOMPARE(trials, 3);
        const session::AlgorithmSweep& sweep = swept->front();
        double least = 0;
        std::string best;
        for (const session::AlgorithmTrial& trial : sweep.trials) {
            QCOMPARE(trial.measurement.outcome, wire::Outcome::Ok);
            if (least == 0 || trial.measurement.medianNs < least) {
                least = trial.measurement.medianNs;
                best = trial.algorithm;
            }
        }
        QCOMPARE(sweep.best, best);
        const plan::Choices choices = session::withBest((*project)->choices(), *swept);
        QCOMPARE(choices.algorithms.at("conv.0"), best);
        const auto op = (*project)->find("conv.0");
        VERIFY_OK(op);
        const auto tiles = session::operatorBy(**project, **op, "winograd4");
        VERIFY_OK(tiles);
        QVERIFY(tiles->taskId != (*op)->taskId);
        const auto records = (*project)->database()->records(tiles->taskId);
        VERIFY_OK(records);
        QCOMPARE(records->size(), std::size_t{1});
        QCOMPARE(records->front().algorithm, std::string("winograd4"));
    }
};

NW_TEST_MAIN(tst_winograd_run, TestWinogradRun)
#include "tst_winograd_run.moc"
