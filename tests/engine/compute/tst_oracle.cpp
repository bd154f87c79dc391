// The oracle's bounds: plain float programs stay inside them, planted faults do not.

#include "engine/compute/interpret.h"
#include "tests/engine/compute/naive.h"
#include "tests/engine/compute/samples.h"
#include "tests/support/test.h"

#include <QElapsedTimer>
#include <QObject>

#include <cmath>

using namespace nw;
using namespace nw::compute;

namespace {

const test::Sample& find(const std::vector<test::Sample>& samples, const std::string& name)
{
    for (const test::Sample& sample : samples) {
        if (sample.name == name) {
            return sample;
        }
    }
    throwBug(__FILE__, __LINE__, "no sample " + name);
}

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    const std::size_t at = text.find(from);
    ENSURE(at != std::string::npos, "no \"" + from + "\" in " + text);
    return text.replace(at, from.size(), to);
}

} // namespace

class TestOracle : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void floatsStayInside()
    {
        for (const std::int64_t size : {2, 5, 6}) {
            const auto samples = test::smallSamples(size);
            VERIFY_OK(samples);
            for (const test::Sample& sample : *samples) {
                for (const DataKind kind : {DataKind::Uniform, DataKind::SmallIntegers}) {
                    const auto data = makeTestData(sample.definition, kind, 7);
                    VERIFY_OK(data);
                    const auto expected = interpret(sample.definition, *data);
                    VERIFY_OK(expected);
                    const std::vector<Tensor> got = test::evaluateNaively(sample.definition, *data);
                    const auto outside = firstOutside((*expected)[0], got[0]);
                    QVERIFY2(!outside, sample.name.c_str());
                    for (std::size_t i = 0; i < (*expected)[0].values.size(); ++i) {
                        const double bound = (*expected)[0].bounds[i];
                        const double size_ = std::abs((*expected)[0].values[i]);
                        QVERIFY2(bound <= 1e-4 * (size_ + 1), sample.name.c_str()); // and says something
                        QVERIFY2(kind == DataKind::Uniform || !isExactOnIntegers(sample.definition) || bound == 0,
                                 sample.name.c_str());
                    }
                }
            }
        }
    }

    void threadsAgree()
    {
        const auto samples = test::smallSamples(12);
        VERIFY_OK(samples);
        for (const test::Sample& sample : *samples) {
            const auto data = makeTestData(sample.definition, DataKind::Uniform, 3);
            VERIFY_OK(data);
            const auto one = interpret(sample.definition, *data, 1);
            const auto three = interpret(sample.definition, *data, 3);
            VERIFY_OK(one);
            VERIFY_OK(three);
            QCOMPARE((*one)[0].values, (*three)[0].values);
            QCOMPARE((*one)[0].bounds, (*three)[0].bounds);
        }
    }

    void dataIsSeeded()
    {
        const auto samples = test::smallSamples(4);
        VERIFY_OK(samples);
        const Definition& conv = find(*samples, "conv_bias_relu").definition;
        const auto one = makeTestData(conv, DataKind::Uniform, 1);
        const auto again = makeTestData(conv, DataKind::Uniform, 1);
        const auto other = makeTestData(conv, DataKind::Uniform, 2);
        VERIFY_OK(one);
        VERIFY_OK(again);
        VERIFY_OK(other);
        QVERIFY(std::equal((*one)[0].bytes().begin(), (*one)[0].bytes().end(), (*again)[0].bytes().begin()));
        QVERIFY(!std::equal((*one)[0].bytes().begin(), (*one)[0].bytes().end(), (*other)[0].bytes().begin()));
        for (const float value : (*one)[0].data<float>()) {
            QVERIFY(value >= -1 && value < 1);
        }
    }

    void plantedFaults_data()
    {
        QTest::addColumn<std::string>("from");
        QTest::addColumn<std::string>("to");
        const auto row = [](const char* name, const char* from, const char* to) {
            QTest::newRow(name) << std::string(from) << std::string(to);
        };
        row("permuted weight", "W[oc, ic, kh, kw]", "W[(oc + 1) % 5, ic, kh, kw]");
        row("dropped tail", "sum [ic:5,", "sum [ic:4,");
        row("initial value", "from 0.0", "from 1.0");
        row("H and W swapped", "X[n, ic, oh + kh - 1, ow + kw - 1]", "X[n, ic, ow + kw - 1, oh + kh - 1]");
        row("epilogue twice", "max(conv[n, oc, oh, ow] + B[oc], 0.0)", "max(max(conv[n, oc, oh, ow] + B[oc], 0.0) + B[oc], 0.0)");
        row("no bias", "conv[n, oc, oh, ow] + B[oc]", "conv[n, oc, oh, ow]");
        row("padding shifted", "ow + kw - 1], 0.0)", "ow + kw - 1], 1.0)");
    }

    // The fault as a definition that a faulty kernel would compute, run as a float program on the same data.
    void plantedFaults()
    {
        QFETCH(std::string, from);
        QFETCH(std::string, to);
        const auto samples = test::smallSamples(4);
        VERIFY_OK(samples);
        const Definition& conv = find(*samples, "conv_bias_relu").definition;
        const Result<Definition> faulty = parseDefinition(replaced(toText(conv), from, to));
        VERIFY_OK(faulty);
        for (const DataKind kind : {DataKind::SmallIntegers, DataKind::Uniform}) {
            const auto data = makeTestData(conv, kind, 11);
            VERIFY_OK(data);
            const auto expected = interpret(conv, *data);
            VERIFY_OK(expected);
            QVERIFY(!firstOutside((*expected)[0], test::evaluateNaively(conv, *data)[0]));
            QVERIFY(firstOutside((*expected)[0], test::evaluateNaively(*faulty, *data)[0]));
        }
    }

    // A condition within its error widens the bound there and nowhere else.
    void openConditions()
    {
        const std::string text = "definition test\ninput X f32 [4]\ninput Z f32 [4]\noutput Y f32 [4]\n"
                                 "stage shifted f32 [d0:4] = X[d0] * 0.1 - Z[d0]\n"
                                 "stage step -> Y f32 [d0:4] = select(shifted[d0] < 0.0, 5.0, 7.0)\n";
        const Result<Definition> definition = parseDefinition(text);
        VERIFY_OK(definition);
        const Tensor x = Tensor::of<float>(DType::F32, {4}, {1, 2, 3, 4});
        const Tensor z = Tensor::of<float>(DType::F32, {4}, {0.1F, 0.1F, 0.5F, 0.4F});
        const auto results = interpret(*definition, {x, z});
        VERIFY_OK(results);
        QCOMPARE((*results)[0].bounds, (std::vector<double>{2, 0, 0, 2}));
        QCOMPARE((*results)[0].values[1], 7.0);
        QCOMPARE((*results)[0].values[2], 5.0);
    }

    // Overflow is part of the answer: exp(100) * exp(-100) is infinite in f32, exp(100) * exp(-200) no number.
    void case_25()
    {
        const std::string text = "definition test\ninput A f32 [3]\ninput B f32 [3]\noutput Y f32 [3]\n"
                                 "stage exp f32 [d0:3] = exp(A[d0])\n"
                                 "stage mul -> Y f32 [d0:3] = exp[d0] * B[d0]\n";
        const Result<Definition> definition = parseDefinition(text);
        VERIFY_OK(definition);
        const auto results = interpret(*definition, {Tensor::of<float>(DType::F32, {3}, {100, 100, 1}),
                                                     Tensor::of<float>(DType::F32, {3}, {1e-30F, 0, 2})});
        VERIFY_OK(results);
        QVERIFY(std::isinf((*results)[0].values[0]) && (*results)[0].bounds[0] == 0);
        QVERIFY(std::isnan((*results)[0].values[1]) && (*results)[0].bounds[1] == 0);
        QVERIFY((*results)[0].bounds[2] < 1e-5);
    }

    // Prints what the oracle costs on real sizes; asserts nothing about time.
    void speed()
    {
        const auto samples = test::goldenSamples("");
        VERIFY_OK(samples);
        for (const DataKind kind : {DataKind::SmallIntegers, DataKind::Uniform}) {
            const Definition& conv = find(*samples, "conv_bias_relu").definition;
            const auto data = makeTestData(conv, kind, 1);
            VERIFY_OK(data);
            QElapsedTimer timer;
            timer.start();
            const auto results = interpret(conv, *data, 2);
            VERIFY_OK(results);
            qInfo("conv 64x56x56, %s: %lld ms", kind == DataKind::Uniform ? "uniform" : "integers",
                  static_cast<long long>(timer.elapsed()));
        }
    }
};

NW_TEST_MAIN(tst_oracle, TestOracle)
#include "tst_oracle.moc"
