#include "tests/end_to_end/nestw.h"
#include "tests/support/test.h"

#include <QDir>
#include <QFileInfo>

using nw::test::Nestw;
using nw::test::Ran;

// Whole models: the samples against kept outputs; the shared reference models where they are.
class TestModels : public QObject {
    Q_OBJECT

    Nestw m_nestw;

    void expectOutputs(const QString& model, const QStringList& inputs, const QString& outputStem, const QStringList& more)
    {
        QStringList arguments{QStringLiteral("run"), model, QStringLiteral("--protocol"), QStringLiteral("none")};
        for (const QString& input : inputs) {
            arguments << QStringLiteral("--input") << input;
        }
        for (int i = 0; QFileInfo::exists(outputStem + QStringLiteral("_output_%1.pb").arg(i)); ++i) {
            arguments << QStringLiteral("--expect") << outputStem + QStringLiteral("_output_%1.pb").arg(i);
        }
        const Ran ran = m_nestw.run(arguments + more, {}, 580000);
        QVERIFY2(ran.code == 0, qPrintable(ran.out + ran.error));
        QVERIFY2(ran.out.contains(QStringLiteral("within tolerance")), qPrintable(ran.out));
    }

private Q_SLOTS:
    void samples_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("threads");
        QTest::addColumn<QString>("target");
        for (const char* name : {"small_cnn", "attention", "resnet18"}) {
            for (const char* threads : {"1", "2"}) {
                QTest::addRow("%s, %s threads", name, threads) << QString::fromLatin1(name) << QString::fromLatin1(threads) << QStringLiteral("native");
            }
        }
        for (const char* name : {"small_cnn", "attention"}) {
            QTest::addRow("%s, x86-64-v2", name) << QString::fromLatin1(name) << QStringLiteral("1") << QStringLiteral("x86-64-v2");
        }
    }

    void samples()
    {
        QFETCH(QString, name);
        QFETCH(QString, threads);
        QFETCH(QString, target);
        expectOutputs(Nestw::sample(name.toLatin1().constData()), {QStringLiteral("arange")},
                      QStringLiteral(NW_SOURCE_DIR "/tests/expected/samples/") + name,
                      {QStringLiteral("--threads"), threads, QStringLiteral("--target"), target});
    }

    void differingOutputIsExitFour()
    {
        const QString expected = QStringLiteral(NW_SOURCE_DIR "/tests/expected/samples/small_cnn_output_1.pb");
        // The logits where the probabilities are: a difference that the exit code must show.
        const Ran ran = m_nestw.run({QStringLiteral("run"), Nestw::sample("small_cnn"), QStringLiteral("--protocol"), QStringLiteral("none"),
                                     QStringLiteral("--expect"), expected});
        QCOMPARE(ran.code, 4);
    }

    void profileNamesEveryOperator()
    {
        const Ran ran = m_nestw.run({QStringLiteral("run"), Nestw::sample("small_cnn"), QStringLiteral("--profile"), QStringLiteral("--json")});
        QVERIFY2(ran.code == 0, qPrintable(ran.out + ran.error));
        double share = 0;
        int rows = 0;
        for (const QJsonObject& row : ran.objects()) {
            if (row.contains(QStringLiteral("share"))) {
                share += row.value(QStringLiteral("share")).toDouble();
                ++rows;
            }
        }
        QVERIFY(rows >= 7);
        QVERIFY2(share > 0.999 && share < 1.001, qPrintable(QString::number(share)));
    }

    void seededReference()
    {
        const QString folder = QStringLiteral(NW_SOURCE_DIR "/../shared/data/onnx-seeded/");
        if (!QFileInfo::exists(folder)) {
            QSKIP("the reference models are not here");
        }
        expectOutputs(folder + QStringLiteral("seeded_squeezenet.onnx"), {QStringLiteral("arange")}, folder + QStringLiteral("seeded_squeezenet"), {});
        expectOutputs(folder + QStringLiteral("seeded_bert4.onnx"),
                      {folder + QStringLiteral("seeded_bert4_input_0.pb"), folder + QStringLiteral("seeded_bert4_input_1.pb")},
                      folder + QStringLiteral("seeded_bert4"), {QStringLiteral("--bind"), QStringLiteral("batch=2")});
    }
};

NW_TEST_MAIN(tst_models, TestModels)
#include "tst_models.moc"
