#include "tests/support/test.h"
#include "views/start/operator_kinds.h"

using namespace nw::views;

class TestOperatorText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyKindStartsWithSensibleFields()
    {
        for (int i = 0; i < kOperatorKinds; ++i) {
            const auto kind = static_cast<OperatorKind>(i);
            const FieldProblem problem = operatorProblem(kind, initialFields(kind));
            QVERIFY2(!problem, qPrintable(problem.sentence));
            QVERIFY(!kindName(kind).isEmpty());
        }
    }

    void writes_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<std::string>("head");
        QTest::addColumn<std::string>("line");
        const auto row = [](const char* name, OperatorKind kind, const char* head, const char* line) {
            QTest::newRow(name) << static_cast<int>(kind) << std::string(head) << std::string(line);
        };
        row("matmul", OperatorKind::MatMul, "matmul_512x512x512 (float[512,512] A) => (float[512,512] Y)", "  Y = MatMul(A, B)\n}");
        row("dense", OperatorKind::Dense, "dense_1x1024x1000 (float[1,1024] X) => (float[1,1000] Y)", "  Y = Gemm(X, W, B)\n}");
        row("conv", OperatorKind::Conv2d, "conv2d_64x56x56_3x3 (float[1,64,56,56] X) => (float[1,64,56,56] Y)",
            "  sum = Conv <kernel_shape = [3,3], strides = [1,1], pads = [1,1,1,1]> (X, W, B)\n  Y = Relu(sum)\n}");
        row("depthwise", OperatorKind::DepthwiseConv2d, "depthwise_144x56x56_3x3 (float[1,144,56,56] X)", "Conv <group = 144, kernel_shape");
        row("pooling", OperatorKind::Pooling, "=> (float[1,64,56,56] Y)", "  Y = MaxPool <kernel_shape = [3,3], strides = [2,2], pads = [1,1,1,1]> (X)");
        row("softmax", OperatorKind::Softmax, "softmax_128x1000 (float[128,1000] X)", "  Y = Softmax <axis = -1> (X)\n}");
        row("layer norm", OperatorKind::LayerNorm, "layer_norm_128x768 (float[128,768] X)", "LayerNormalization <axis = -1, epsilon = 0.00001> (X, scale, shift)");
        row("chain", OperatorKind::Elementwise, "(float[1024,1024] X, float[1024,1024] T1)", "  s1 = Add(X, T1)\n  Y = Relu(s1)\n}");
    }

    void writes()
    {
        QFETCH(int, kind);
        QFETCH(std::string, head);
        QFETCH(std::string, line);
        const auto which = static_cast<OperatorKind>(kind);
        const std::string text = operatorText(which, initialFields(which));
        QVERIFY2(text.find(head) != std::string::npos, text.c_str());
        QVERIFY2(text.find(line) != std::string::npos, text.c_str());
    }

    void refuses_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("key");
        QTest::addColumn<qint64>("value");
        QTest::addColumn<QString>("at");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* name, OperatorKind kind, const char* key, qint64 value, const char* at, const char* words) {
            QTest::newRow(name) << static_cast<int>(kind) << QString::fromLatin1(key) << value << QString::fromLatin1(at) << QString::fromLatin1(words);
        };
        row("zero", OperatorKind::MatMul, "m", 0, "m", "Rows of A (m): a whole number from 1 to 16777216.");
        row("large kernel", OperatorKind::Conv2d, "kernel", 59, "kernel", "The kernel is larger than the padded picture (58).");
        row("wide padding", OperatorKind::Pooling, "padding", 3, "padding", "The padding must be smaller than the kernel (3).");
        row("many weights", OperatorKind::Dense, "inputs", 1 << 20, "batch", "That is more than 64 million weights.");
        row("no step", OperatorKind::Elementwise, "none", 0, "first", "Choose at least one step.");
    }

    void refuses()
    {
        QFETCH(int, kind);
        QFETCH(QString, key);
        QFETCH(qint64, value);
        QFETCH(QString, at);
        QFETCH(QString, sentence);
        const auto which = static_cast<OperatorKind>(kind);
        OperatorFields fields = initialFields(which);
        if (key == QLatin1String("none")) {
            fields["first"] = fields["second"] = fields["third"] = 0;
        } else {
            fields[key.toStdString()] = value;
        }
        const FieldProblem problem = operatorProblem(which, fields);
        QCOMPARE(problem.sentence, sentence);
        QCOMPARE(problem.key, at);
    }
};

NW_TEST_MAIN(tst_operator_text, TestOperatorText)
#include "tst_operator_text.moc"
