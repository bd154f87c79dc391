#include "engine/model/onnx_file.h"
#include "tests/end_to_end/nestw.h"
#include "tests/support/test.h"

#include <QFile>
#include <QJsonArray>
#include <QProcess>
#include <QStandardPaths>

#include <cmath>

using nw::test::Nestw;
using nw::test::Ran;

// The exported folder builds with cc alone and prints what `nestw run` computed.
class TestExport : public QObject {
    Q_OBJECT

    Nestw m_nestw;

private Q_SLOTS:
    void sampleCompilesAndPrintsTheSame()
    {
        const QString folder = m_nestw.folder() + QStringLiteral("/out folder");
        const Ran exported = m_nestw.run({QStringLiteral("export"), Nestw::sample("small_cnn"), QStringLiteral("-o"), folder, QStringLiteral("--name"),
                                          QStringLiteral("small net")});
        QVERIFY2(exported.code == 0, qPrintable(exported.error));
        const QString output = m_nestw.folder() + QStringLiteral("/logits.pb");
        const Ran ran = m_nestw.run({QStringLiteral("run"), Nestw::sample("small_cnn"), QStringLiteral("--protocol"), QStringLiteral("none"),
                                     QStringLiteral("--output"), m_nestw.folder() + QStringLiteral("/p.pb"), QStringLiteral("--output"), output});
        QVERIFY2(ran.code == 0, qPrintable(ran.error));

        QProcess compiler;
        compiler.setWorkingDirectory(folder);
        compiler.start(QStringLiteral("cc"), {QStringLiteral("-O2"), QStringLiteral("-Wall"), QStringLiteral("-Wextra"), QStringLiteral("-Werror"),
                                              QStringLiteral("sample.c"), QStringLiteral("small_net.c"), QStringLiteral("-L."), QStringLiteral("-lsmall_net"),
                                              QStringLiteral("-lgomp"), QStringLiteral("-Wl,-rpath,."), QStringLiteral("-o"), QStringLiteral("sample")});
        QVERIFY(compiler.waitForFinished(60000));
        QVERIFY2(compiler.exitCode() == 0, compiler.readAllStandardError().constData());
        QProcess sample;
        sample.setWorkingDirectory(folder);
        sample.start(folder + QStringLiteral("/sample"), {});
        QVERIFY(sample.waitForFinished(60000));
        QVERIFY2(sample.exitStatus() == QProcess::NormalExit && sample.exitCode() == 0, sample.readAllStandardError().constData());
        const QStringList lines = QString::fromLatin1(sample.readAllStandardOutput()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 40); // two outputs of 2 x 10
        const auto logits = nw::model::readTensorFile(output.toStdString());
        VERIFY_OK(logits);
        for (int i = 0; i < 20; ++i) {
            QCOMPARE(static_cast<float>(lines[20 + i].toDouble()), static_cast<float>(logits->asDouble(i)));
        }
    }

    // Refused with a step that is not proved, or marked in all that says what the folder is; never the best.
    void stepsThatAreNotProvedAreMarked()
    {
        const QString model = m_nestw.write(QStringLiteral("parts.onnxtxt"),
                                            "<ir_version: 8, opset_import: [\"\" : 13]>\n"
                                            "m (float[1,2,6,6] A) => (float[1,2,4,4] y) {\n  s = Constant <value = int64[4] {2,2,3,3}> ()\n"
                                            "  w = ConstantOfShape <value = float[1] {0.5}> (s)\n  c = Conv(A, w)\n  y = Relu(c)\n}\n");
        // Which of the two parts of the convolution writes a copied element is not known to the rule.
        const QString script = m_nestw.write(QStringLiteral("parts.sched"), "specialize ow when oh from 1 to 2\ncache_read conv at relu.oc in stack\n");
        const QString folder = m_nestw.folder() + QStringLiteral("/parts");
        const auto run = [&](const char* verb, const QStringList& rest) { return m_nestw.run(QStringList{QLatin1String(verb), model} + rest); };
        const Ran refused = run("replay", {QStringLiteral("conv.0"), script, QStringLiteral("--keep")});
        QVERIFY(refused.code != 0);
        QVERIFY2(refused.error.contains(QStringLiteral("line 2")), qPrintable(refused.error));
        const Ran kept = run("replay", {QStringLiteral("conv.0"), script, QStringLiteral("--keep"), QStringLiteral("--unproven")});
        QVERIFY2(kept.code == 0, qPrintable(kept.error));
        const Ran timed = run("bench", {QStringLiteral("--protocol"), QStringLiteral("confirm")});
        QVERIFY2(timed.code == 0, qPrintable(timed.error));
        QVERIFY2(timed.out.contains(QStringLiteral("NOT PROVED, so never the best: line 2: cache_read conv at relu.oc in stack")), qPrintable(timed.out));
        const Ran compared = run("compare", {QStringLiteral("--protocol"), QStringLiteral("quick"), QStringLiteral("--json")});
        QVERIFY2(compared.out.contains(QStringLiteral("a step of the script is not proved")), qPrintable(compared.out));

        const Ran none = run("export", {QStringLiteral("-o"), folder});
        QCOMPARE(none.code, 1);
        QVERIFY2(none.error.contains(QStringLiteral("conv.0: line 2: cache_read conv at relu.oc in stack")), qPrintable(none.error));
        QVERIFY(!QFile::exists(folder));
        const Ran marked = run("export", {QStringLiteral("-o"), folder, QStringLiteral("--unproven"), QStringLiteral("--json")});
        QVERIFY2(marked.code == 0, qPrintable(marked.error));
        QCOMPARE(marked.last().value(QStringLiteral("unproven")).toArray().size(), 1);
        for (const char* file : {"README.txt", "parts.h"}) {
            QFile text(folder + QLatin1Char('/') + QLatin1String(file));
            QVERIFY(text.open(QIODevice::ReadOnly));
            QVERIFY2(text.readAll().contains("conv.0, line 2: cache_read conv at relu.oc in stack"), file);
        }
        // Without the step nothing is marked.
        QVERIFY(run("undo", {QStringLiteral("conv.0"), QStringLiteral("--to"), QStringLiteral("0")}).code == 0);
        const Ran clean = run("export", {QStringLiteral("-o"), folder, QStringLiteral("--json")});
        QVERIFY2(clean.code == 0, qPrintable(clean.error));
        QCOMPARE(clean.last().value(QStringLiteral("unproven")).toArray().size(), 0);
        QFile text(folder + QStringLiteral("/README.txt"));
        QVERIFY(text.open(QIODevice::ReadOnly) && !text.readAll().contains("NOT PROVED"));
    }

    void missingWeightsAreAReason()
    {
        const QString folder = m_nestw.folder() + QStringLiteral("/out folder");
        QProcess sample;
        sample.setWorkingDirectory(folder);
        sample.start(folder + QStringLiteral("/sample"), {QStringLiteral("not_there.bin")});
        QVERIFY(sample.waitForFinished(60000));
        QCOMPARE(sample.exitCode(), 1);
        QVERIFY(QString::fromLatin1(sample.readAllStandardError()).contains(QStringLiteral("weights file")));
    }
};

NW_TEST_MAIN(tst_export, TestExport)
#include "tst_export.moc"
