// Canonical text, identity, verification and work of definitions.

#include "engine/base/files.h"
#include "engine/compute/interpret.h"
#include "tests/engine/compute/samples.h"
#include "tests/support/test.h"

#include <QObject>

using namespace nw;
using namespace nw::compute;
using nw::test::GroupMaker;

namespace {

const std::string kConv = R"(definition conv
input X f32 [1, 3, 6, 6]
constant W f32 [4, 3, 3, 3]
constant B f32 [4]
output Y f32 [1, 4, 6, 6]
stage conv f32 [n:1, oc:4, oh:6, ow:6] sum [ic:3, kh:3, kw:3] from 0.0 = )"
                          R"(select(oh + kh >= 1 && oh + kh < 7 && ow + kw >= 1 && ow + kw < 7, )"
                          R"(X[n, ic, oh + kh - 1, ow + kw - 1], 0.0) * W[oc, ic, kh, kw]
stage relu -> Y f32 [n:1, oc:4, oh:6, ow:6] = max(conv[n, oc, oh, ow] + B[oc], 0.0)
)";

std::string withText(std::string text, const std::string& from, const std::string& to)
{
    const std::size_t at = text.find(from);
    return at == std::string::npos ? "not found: " + from : text.replace(at, from.size(), to);
}

} // namespace

class TestDefinition : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void golden()
    {
        const auto samples = test::goldenSamples("model/");
        VERIFY_OK(samples);
        const std::filesystem::path folder = std::filesystem::path(NW_SOURCE_DIR) / "tests/expected/definitions";
        for (const test::Sample& sample : *samples) {
            const std::string text = toText(sample.definition) + "identity " + identity(sample.definition) + "\n";
            const std::filesystem::path path = folder / (sample.name + ".txt");
            if (qEnvironmentVariableIsSet("NW_UPDATE_EXPECTED")) {
                VERIFY_OK(writeFile(path, text));
            }
            const Result<std::string> expected = readFile(path);
            VERIFY_OK(expected);
            QCOMPARE(text, *expected);
        }
    }

    void roundTrips()
    {
        for (const auto& samples : {test::goldenSamples(""), test::smallSamples(4)}) {
            VERIFY_OK(samples);
            for (const test::Sample& sample : *samples) {
                const std::string text = toText(sample.definition);
                const Result<Definition> parsed = parseDefinition(text);
                QVERIFY2(parsed.has_value(), (sample.name + ": " + (parsed ? "" : parsed.error().message)).c_str());
                QCOMPARE(toText(*parsed), text);
            }
        }
    }

    void equalWorkloadsAreEqual()
    {
        const auto one = test::goldenSamples("resnet/layer1/");
        const auto other = test::goldenSamples("vgg/features.7/");
        VERIFY_OK(one);
        VERIFY_OK(other);
        for (std::size_t i = 0; i < one->size(); ++i) {
            QCOMPARE(identity((*one)[i].definition), identity((*other)[i].definition));
            for (std::size_t j = 0; j < i; ++j) {
                QVERIFY(identity((*one)[i].definition) != identity((*one)[j].definition));
            }
        }
    }

    void parsesWrappedLines()
    {
        std::string wrapped = "  " + withText(kConv, "from 0.0 = ", "from 0.0 =\n      ");
        wrapped = withText(wrapped, "] = max(", "] =\n    max(");
        wrapped = withText(wrapped, "&& ow + kw >= 1", "&&\n   ow + kw >= 1");
        const Result<Definition> parsed = parseDefinition(wrapped);
        VERIFY_OK(parsed);
        QCOMPARE(toText(*parsed), kConv);
    }

    void keepsRangesAndScalars()
    {
        const std::string text = "definition gather\ninput X f32 [9] range 0.5 2\ninput I i64 [] range -9 8\n"
                                 "output Y f32 [3]\nstage gather -> Y f32 [d0:3] = X[min(max(I[], 0), 8)]\n";
        const Result<Definition> parsed = parseDefinition(text);
        VERIFY_OK(parsed);
        QCOMPARE(toText(*parsed), text);
        QCOMPARE(parsed->port("I")->range->first, -9.0);
        QCOMPARE(parsed->staticShape("Y")->size(), std::size_t{1});
        QVERIFY(!parsed->staticShape("Z"));
    }

    void keepsSymbols()
    {
        const std::string text = "definition add\ninput A f32 [batch, 4]\noutput C f32 [batch, 4]\n"
                                 "stage add -> C f32 [d0:batch, d1:4] = A[d0, d1] + A[d0, 3 - d1]\n";
        const Result<Definition> parsed = parseDefinition(text);
        VERIFY_OK(parsed);
        QCOMPARE(toText(*parsed), text);
        QVERIFY(!parsed->staticShape("A"));
        QVERIFY(!interpret(*parsed, {}));
    }

    void refusesText_data()
    {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<std::string>("why");
        QTest::addColumn<int>("line");
        QTest::newRow("empty") << std::string() << std::string("a definition starts with the line \"definition KIND\"") << 1;
        QTest::newRow("no definition") << withText(kConv, "definition conv\n", "")
                                       << std::string("a definition starts with one line \"definition KIND\"") << 1;
        QTest::newRow("type") << withText(kConv, "B f32", "B f33") << std::string("\"f33\" is not an element type") << 4;
        QTest::newRow("combiner") << withText(kConv, "sum [ic", "add [ic")
                                  << std::string("expected \"=\" or one of sum, prod, max, min") << 6;
        QTest::newRow("axis") << withText(kConv, "oc:4, oh", "oc, oh") << std::string("expected an axis as NAME:EXTENT") << 6;
        QTest::newRow("buffer") << withText(kConv, "+ B[oc]", "+ C[oc]")
                                << std::string("there is no port or earlier stage \"C\"") << 7;
        QTest::newRow("unsound") << withText(kConv, "ow + kw - 1]", "ow + kw]")
                                 << std::string("the definition is not sound: stage conv may read X outside: index 3 of 6 is "
                                                "ow + kw")
                                 << 0;
    }

    void refusesText()
    {
        QFETCH(std::string, text);
        QFETCH(std::string, why);
        QFETCH(int, line);
        const Result<Definition> parsed = parseDefinition(text);
        QVERIFY(!parsed);
        QVERIFY2(parsed.error().message.find(why) != std::string::npos, parsed.error().message.c_str());
        QCOMPARE(parsed.error().line, line);
    }

    void verifies_data()
    {
        QTest::addColumn<std::string>("from");
        QTest::addColumn<std::string>("to");
        const auto row = [](const char* name, const char* from, const char* to) {
            QTest::newRow(name) << std::string(from) << std::string(to);
        };
        row("name twice", "constant B", "constant W");
        row("no guard", "select(oh + kh >= 1 && oh + kh < 7 &&", "select(oh + kh >= 1 &&");
        row("guard too wide", "oh + kh < 7", "oh + kh < 8");
        row("output shape", "output Y f32 [1, 4, 6, 6]", "output Y f32 [1, 4, 6, 5]");
        row("output unwritten", "stage relu -> Y", "stage relu");
        row("writes an input", "stage relu -> Y", "stage relu -> X");
        row("rank", "B[oc]", "B[oc, 0]");
        row("axis twice", "kh:3, kw:3", "kh:3, kh:3");
    }

    void verifies()
    {
        QFETCH(std::string, from);
        QFETCH(std::string, to);
        VERIFY_OK(parseDefinition(kConv));
        QVERIFY(!parseDefinition(withText(kConv, from, to)));
    }

    void worksOnRealElements()
    {
        const auto samples = test::goldenSamples("");
        VERIFY_OK(samples);
        const Work conv = workOf((*samples)[0].definition);
        // Along one axis of 56, 3 * 56 - 2 taps are real.
        const double points = 64.0 * 56 * 56;
        QCOMPARE(conv.flops, 2.0 * 64 * 64 * 166 * 166 + 2 * points);
        QCOMPARE(conv.nominalFlops, 2.0 * 64 * 9 * points + 2 * points);
        QCOMPARE(conv.inputBytes, std::int64_t{64 * 56 * 56 * 4});
        QCOMPARE(conv.constantBytes, std::int64_t{(64 * 64 * 9 + 64) * 4});
        QCOMPARE(conv.outputBytes, std::int64_t{64 * 56 * 56 * 4});
        const Work matmul = workOf((*samples)[3].definition);
        QCOMPARE(matmul.flops, 2.0 * 512 * 512 * 512);
        QCOMPARE(matmul.nominalFlops, matmul.flops);
        const Work pool = workOf((*samples)[8].definition);
        // 3 wide, stride 2, one padded column at the left only: 3 * 56 - 1 real taps.
        QCOMPARE(pool.flops, 64.0 * 167 * 167);
        QCOMPARE(pool.nominalFlops, 64.0 * 168 * 168);
        const Work chain = workOf((*samples)[9].definition);
        QCOMPARE(chain.flops, 2 * points);
    }

    void exactOnIntegers()
    {
        const auto samples = test::goldenSamples("");
        VERIFY_OK(samples);
        const std::vector<bool> expected{true, true, true, true, true, false, false, false, true, true, false};
        for (std::size_t i = 0; i < samples->size(); ++i) {
            QVERIFY2(isExactOnIntegers((*samples)[i].definition) == expected[i], (*samples)[i].name.c_str());
        }
    }

    void epilogueIsOneStage()
    {
        GroupMaker maker;
        const auto x = maker.input(DType::F32, {1, 8, 4, 4});
        const auto w = maker.constant(DType::F32, {8, 8, 1, 1});
        const auto b = maker.constant(DType::F32, {8});
        const auto r = maker.input(DType::F32, {1, 8, 4, 4});
        const auto y = maker.node("Conv", {x, w, b}, DType::F32, {1, 8, 4, 4});
        const auto sum = maker.node("Add", {y, r}, DType::F32, {1, 8, 4, 4});
        const auto z = maker.node("HardSwish", {sum}, DType::F32, {1, 8, 4, 4});
        const Result<Definition> made = maker.define({z});
        VERIFY_OK(made);
        QCOMPARE(made->stages.size(), std::size_t{2});
        QCOMPARE(made->stages[1].name, std::string("hardswish"));
        QCOMPARE(made->stages[1].spatial[1].name, std::string("oc"));
        QCOMPARE(made->ports[3].name, std::string("add.B"));
    }

    // A value that is used twice is written twice when cheap, and stored when it holds a transcendental.
    void storesCostlyValues()
    {
        for (const bool isCostly : {false, true}) {
            GroupMaker maker;
            const auto x = maker.input(DType::F32, {3, 5});
            const auto inner = maker.node(isCostly ? "Tanh" : "Neg", {x}, DType::F32, {3, 5});
            const auto y = maker.node("Mul", {inner, inner}, DType::F32, {3, 5});
            const Result<Definition> made = maker.define({y});
            VERIFY_OK(made);
            QCOMPARE(made->stages.size(), isCostly ? std::size_t{2} : std::size_t{1});
        }
    }
};

NW_TEST_MAIN(tst_definition, TestDefinition)
#include "tst_definition.moc"
