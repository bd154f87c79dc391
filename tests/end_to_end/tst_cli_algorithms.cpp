#include "tests/end_to_end/nestw.h"
#include "tests/support/test.h"

#include <QFile>
#include <QJsonArray>

using nw::test::Nestw;
using nw::test::Ran;

// Another algorithm for an operator: asked for, compared, chosen by measurement.
class TestCliAlgorithms : public QObject {
    Q_OBJECT

    Nestw m_nestw;
    QString m_model;

    QStringList command(const char* verb, const QStringList& rest = {}) const
    {
        return QStringList{QLatin1String(verb), m_model} + rest + QStringList{QStringLiteral("--json")};
    }
    QStringList by(const char* algorithm) const { return {QStringLiteral("--algorithm"), QLatin1String(algorithm)}; }

private Q_SLOTS:
    void initTestCase()
    {
        m_model = m_nestw.write(QStringLiteral("conv.onnxtxt"),
                                "<ir_version: 8, opset_import: [\"\" : 13]>\n"
                                "m (float[1,16,12,12] x) => (float[1,16,12,12] y, float[1,16,12,12] z) {\n"
                                "  s = Constant <value = int64[4] {16, 16, 3, 3}> ()\n"
                                "  w = ConstantOfShape <value = float[1] {0.01}> (s)\n"
                                "  c = Conv <pads = [1,1,1,1]> (x, w)\n  y = Relu(c)\n  z = Softmax(x)\n}\n");
    }

    void operatorsChange()
    {
        const Ran ran = m_nestw.run(command("ops", by("winograd4")));
        QVERIFY2(ran.code == 0, qPrintable(ran.out + ran.error));
        double flops = 0;
        double nominal = 0;
        for (const QJsonObject& row : ran.objects()) {
            if (row.value(QStringLiteral("group")).toString() == QStringLiteral("conv.0")) {
                QCOMPARE(row.value(QStringLiteral("operators")).toArray().first().toString(), QStringLiteral("WinogradConv"));
                flops = row.value(QStringLiteral("flops")).toDouble();
                nominal = row.value(QStringLiteral("nominal_flops")).toDouble();
            }
        }
        QCOMPARE(nominal, 2.0 * 9 * 16 * 16 * 12 * 12 + 16 * 12 * 12);
        QVERIFY(flops > 0.25 * nominal && flops < 0.6 * nominal);
    }

    void refusals()
    {
        const Ran word = m_nestw.run(command("ops", by("winograd3")));
        QVERIFY(word.code != 0);
        QVERIFY2(word.out.contains(QStringLiteral("No operator of this model can be computed by")), qPrintable(word.out + word.error));
        const Ran group = m_nestw.run(command("ops", by("conv.0=fourier")));
        QVERIFY(group.code != 0);
        QVERIFY2(group.out.contains(QStringLiteral("is no algorithm for conv.0")), qPrintable(group.out + group.error));
        const Ran other = m_nestw.run(command("bench", QStringList{QStringLiteral("softmax.0")} + by("winograd2")));
        QVERIFY(other.code != 0);
        QVERIFY2(other.out.contains(QStringLiteral("softmax.0 cannot be computed by winograd2")), qPrintable(other.out + other.error));
    }

    void scriptsAreTheAlgorithmsOwn()
    {
        const Ran applied = m_nestw.run(command("apply", {QStringLiteral("conv.0"), QStringLiteral("split ow into owo owi:4")}));
        QVERIFY2(applied.code == 0, qPrintable(applied.out + applied.error));
        const Ran shown = m_nestw.run(command("show", QStringList{QStringLiteral("conv.0")} + by("winograd4")));
        QVERIFY2(shown.code == 0, qPrintable(shown.out + shown.error));
        QVERIFY(!shown.out.contains(QStringLiteral("owi:4")));
        QVERIFY(m_nestw.run(command("show", {QStringLiteral("conv.0")})).out.contains(QStringLiteral("owi:4")));
    }

    void measured()
    {
        const Ran ran = m_nestw.run(command("bench", QStringList{QStringLiteral("conv.0"), QStringLiteral("--protocol"), QStringLiteral("quick"), QStringLiteral("--script"), QStringLiteral("@template")} + by("winograd4")));
        QVERIFY2(ran.code == 0, qPrintable(ran.out + ran.error));
        QCOMPARE(ran.last().value(QStringLiteral("algorithm")).toString(), QStringLiteral("winograd4"));
        QVERIFY(ran.last().value(QStringLiteral("median_ns")).toDouble() > 0);
        const Ran compared = m_nestw.run(command("compare", {QStringLiteral("conv.0"), QStringLiteral("--protocol"), QStringLiteral("quick")}));
        QVERIFY2(compared.code == 0, qPrintable(compared.out + compared.error));
        QVERIFY(compared.last().value(QStringLiteral("together")).toBool());
        const QStringList present = compared.presentFigures();
        for (const char* name : {"default", "winograd2", "winograd4", "bound"}) {
            QVERIFY2(present.contains(QLatin1String(name)), name);
        }
    }

    void chosenByMeasurement()
    {
        const QString file = m_nestw.write(QStringLiteral("choices.txt"), "");
        const Ran ran = m_nestw.run(command("sweep", {QStringLiteral("--algorithms"), QStringLiteral("--protocol"), QStringLiteral("quick"), QStringLiteral("-o"), file}));
        QVERIFY2(ran.code == 0, qPrintable(ran.out + ran.error));
        QString best;
        int trials = 0;
        for (const QJsonObject& row : ran.objects()) {
            trials += row.contains(QStringLiteral("median_ns")) ? 1 : 0;
            best = row.contains(QStringLiteral("best")) ? row.value(QStringLiteral("best")).toString() : best;
        }
        QCOMPARE(trials, 3); // conv.0 three ways; softmax.0 has one
        QFile written(file);
        QVERIFY(written.open(QIODevice::ReadOnly));
        QVERIFY(!best.isEmpty());
        QVERIFY(written.readAll().contains(("algorithm conv.0 " + best + "\n").toUtf8()));
    }
};

NW_TEST_MAIN(tst_cli_algorithms, TestCliAlgorithms)
#include "tst_cli_algorithms.moc"
