// Convolutions of single pixels over one row of all pixels: the same numbers, and which definitions stay as they are.
#include "engine/compute/interpret.h"
#include "engine/compute/merge_pixels.h"
#include "tests/engine/compute/group_maker.h"
#include "tests/support/test.h"

#include <QObject>

using namespace nw;
using namespace nw::compute;

namespace {

// A convolution with a bias and, behind it, max(conv + more, 0); `more` is an expression.
std::string text(const std::string& window, const std::string& read, const std::string& more, const std::string& extra)
{
    return "definition conv\ninput X f32 [1, 3, 4, 5]\nconstant W f32 [2, 3" + window + "]\nconstant B f32 [2]\n" + extra +
           "output Y f32 [1, 2, 4, 5]\nstage conv f32 [n:1, oc:2, oh:4, ow:5] sum [ic:3, kh:" + window.substr(2, 1) + ", kw:" + window.substr(5, 1) +
           "] from 0.0 = " + read + " * W[oc, ic, kh, kw]\nstage relu -> Y f32 [n:1, oc:2, oh:4, ow:5] = max(conv[n, oc, oh, ow] + " + more + ", 0.0)\n";
}

constexpr const char* kPixel = "X[n, ic, oh, ow]";

} // namespace

class TestMergePixels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsNumbers()
    {
        for (const auto& [more, extra] : {std::pair("B[oc]", ""), std::pair("B[oc] + A[n, oc, oh, ow]", "input A f32 [1, 2, 4, 5]\n"),
                                          std::pair("B[oc] * S[n, oc, 0, 0]", "input S f32 [1, 2, 1, 1]\n")}) {
            const Result<Definition> before = parseDefinition(text(", 1, 1", kPixel, more, extra));
            VERIFY_OK(before);
            const Definition after = withPixelsInARow(*before);
            QCOMPARE(verify(after), std::string());
            QCOMPARE(toText(after).find("oh:4"), std::string::npos);
            QVERIFY(toText(after).find("ow:20") != std::string::npos);
            std::vector<Tensor> tensors, reshaped;
            for (std::size_t i = 0; i + 1 < before->ports.size(); ++i) {
                const auto shape = before->staticShape(before->ports[i].name);
                Result<Tensor> made = Tensor::create(DType::F32, *shape);
                VERIFY_OK(made);
                for (std::int64_t j = 0; j < made->count(); ++j) {
                    made->mutableData<float>()[j] = static_cast<float>((j * 7 + static_cast<std::int64_t>(i) * 3) % 11 - 5);
                }
                tensors.push_back(*made);
                reshaped.push_back(nw::test::asPort(after, i, *made));
            }
            const auto expected = interpret(*before, tensors);
            const auto got = interpret(after, reshaped);
            VERIFY_OK(expected);
            VERIFY_OK(got);
            QCOMPARE(got->front().values, expected->front().values);
            QVERIFY(toText(withPixelsInARow(after)) == toText(after));
        }
    }

    void rowsOfLayouts()
    {
        for (const auto& [text, keeps] : {std::pair("plain", true), std::pair("(n, c, h, w) -> (n, h, w, c)", true),
                                          std::pair("(n, c, h, w) -> (n, c / 16, h, w, c % 16)", true), std::pair("(n, c, h, w) -> (n, c, w, h)", false),
                                          std::pair("(n, c, h, w) -> (n, h, c, w)", false), std::pair("(n, c, h, w) -> (n, c, h / 4, w, h % 4)", false),
                                          std::pair("(n, c, h, w) -> (n, c, h, w / 2, w % 2)", false), std::pair("plain border 0 0 1 1", false),
                                          std::pair("(n, c) -> (c, n)", false)}) {
            const Result<Layout> layout = parseLayout(text);
            VERIFY_OK(layout);
            QVERIFY2(keepsRowsTogether(*layout) == keeps, text);
        }
    }

    void leavesOthers_data()
    {
        QTest::addColumn<std::string>("definition");
        QTest::newRow("a window") << text(", 3, 1", "select(oh + kh >= 1 && oh + kh < 5, X[n, ic, oh + kh - 1, ow], 0.0)", "B[oc]", "");
        QTest::newRow("turned") << text(", 1, 1", "X[n, ic, 3 - oh, ow]", "B[oc]", "");
        QTest::newRow("another pixel") << text(", 1, 1", kPixel, "A[n, oc, 3 - oh, ow]", "input A f32 [1, 2, 4, 5]\n");
        QTest::newRow("a value a row") << text(", 1, 1", kPixel, "A[oh]", "input A f32 [4]\n");
        QTest::newRow("a constant a pixel") << text(", 1, 1", kPixel, "A[n, oc, oh, ow]", "constant A f32 [1, 2, 4, 5]\n");
        QTest::newRow("the place itself") << text(", 1, 1", kPixel, "select(oh >= 2, 1.0, 0.0)", "");
    }

    void leavesOthers()
    {
        QFETCH(std::string, definition);
        const Result<Definition> before = parseDefinition(definition);
        VERIFY_OK(before);
        QCOMPARE(toText(withPixelsInARow(*before)), toText(*before));
    }
};

NW_TEST_MAIN(tst_merge_pixels, TestMergePixels)
#include "tst_merge_pixels.moc"
