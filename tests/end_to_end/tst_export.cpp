#include "engine/model/onnx_file.h"
#include "tests/end_to_end/nestw.h"
#include "tests/support/test.h"

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
