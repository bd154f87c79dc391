#include "tests/end_to_end/nestw.h"
#include "tests/support/test.h"

#include <QDir>
#include <QFile>

using nw::test::Nestw;
using nw::test::Ran;

// Bad input of every kind: a message with the place, the documented exit code, nothing half-open.
class TestCliInput : public QObject {
    Q_OBJECT

    Nestw m_nestw;

    void expectFailure(const QStringList& arguments, int code, const QString& words)
    {
        const Ran ran = m_nestw.run(arguments);
        QVERIFY2(!ran.crashed, qPrintable(arguments.join(QLatin1Char(' '))));
        QVERIFY2(ran.code == code, qPrintable(QStringLiteral("exit %1: %2").arg(ran.code).arg(ran.error)));
        QVERIFY2(ran.error.contains(words, Qt::CaseInsensitive), qPrintable(ran.error));
    }

private Q_SLOTS:
    void usage()
    {
        QCOMPARE(m_nestw.run({}).code, 2);
        QCOMPARE(m_nestw.run({QStringLiteral("nonsense")}).code, 2);
        QCOMPARE(m_nestw.run({QStringLiteral("info")}).code, 2);
        QCOMPARE(m_nestw.run({QStringLiteral("--help")}).code, 0);
    }

    void files_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("zeros") << QByteArray(4096, '\0');
        QByteArray noise;
        quint32 state = 12345;
        for (int i = 0; i < 10000; ++i) {
            state = state * 1664525U + 1013904223U;
            noise.append(static_cast<char>(state >> 24));
        }
        QTest::newRow("random bytes") << noise;
        QTest::newRow("text that is no model") << QByteArray("Dear Sir or Madam,\nplease find attached\n");
        QTest::newRow("truncated text model") << QByteArray("<ir_version: 8, opset_import: [\"\" : 13]>\nm (float[1] x) => (float[1] y) {\n y = Re");
    }

    void files()
    {
        QFETCH(QByteArray, bytes);
        const QString path = m_nestw.write(QStringLiteral("bad.onnx"), bytes);
        const Ran ran = m_nestw.run({QStringLiteral("info"), path});
        QVERIFY(!ran.crashed);
        QCOMPARE(ran.code, 1);
        QVERIFY2(ran.error.startsWith(QStringLiteral("nestw: ")) && ran.error.size() > 30, qPrintable(ran.error));
    }

    void missingFile() { expectFailure({QStringLiteral("info"), QStringLiteral("/no/such/model.onnx")}, 1, QStringLiteral("no file")); }

    void oneGigabyteOfNothing()
    {
        const QString path = m_nestw.write(QStringLiteral("huge.onnx"), QByteArray());
        QVERIFY(QFile::resize(path, qint64(1) << 30));
        const Ran ran = m_nestw.run({QStringLiteral("info"), path}, {}, 60000);
        QVERIFY(!ran.crashed);
        QCOMPARE(ran.code, 1);
        QFile::remove(path);
    }

    void unknownOperatorNamesNodeAndReason()
    {
        const QString path = m_nestw.write(QStringLiteral("op.onnxtxt"),
                                           "<ir_version: 8, opset_import: [\"\" : 13]>\nm (float[2] x) => (float[2] y) {\n y = Frobnicate(x)\n}\n");
        expectFailure({QStringLiteral("info"), path}, 1, QStringLiteral("Frobnicate"));
    }

    void unsupportedOpset()
    {
        const QString path = m_nestw.write(QStringLiteral("opset.onnxtxt"),
                                           "<ir_version: 8, opset_import: [\"\" : 999]>\nm (float[2] x) => (float[2] y) {\n y = Relu(x)\n}\n");
        expectFailure({QStringLiteral("info"), path}, 1, QStringLiteral("999"));
    }

    void cycle()
    {
        const QString path = m_nestw.write(QStringLiteral("cycle.onnxtxt"),
                                           "<ir_version: 8, opset_import: [\"\" : 13]>\nm (float[2] x) => (float[2] a) {\n a = Add(x, b)\n b = Relu(a)\n}\n");
        expectFailure({QStringLiteral("info"), path}, 1, QStringLiteral("cycl"));
    }

    void scriptTypoHasLineAndColumn()
    {
        const QString script = m_nestw.write(QStringLiteral("typo.sched"), "split oc into a b:4\nvectorise b\n");
        const Ran ran = m_nestw.run({QStringLiteral("replay"), Nestw::sample("conv3x3"), QStringLiteral("conv.0"), script});
        QVERIFY(!ran.crashed);
        QVERIFY(ran.code == 1 || ran.code == 3);
        QVERIFY2(ran.error.contains(QStringLiteral("line 2")) && ran.error.contains(QStringLiteral("vectorize")), qPrintable(ran.error));
    }

    void unknownLoopIsIllegal()
    {
        const Ran ran = m_nestw.run({QStringLiteral("apply"), Nestw::sample("conv3x3"), QStringLiteral("conv.0"),
                                     QStringLiteral("vectorize nowhere"), QStringLiteral("--dry-run")});
        QCOMPARE(ran.code, 3);
        QVERIFY2(ran.error.contains(QStringLiteral("nowhere")), qPrintable(ran.error));
    }

    void illegalStepNamesItsUnlock()
    {
        const Ran ran = m_nestw.run({QStringLiteral("apply"), Nestw::sample("conv3x3"), QStringLiteral("conv.0"),
                                     QStringLiteral("vectorize ic"), QStringLiteral("--dry-run"), QStringLiteral("--json")});
        QCOMPARE(ran.code, 3);
        QVERIFY(!ran.last().value(QStringLiteral("ok")).toBool(true));
        QVERIFY(!ran.last().value(QStringLiteral("rule")).toString().isEmpty());
    }

    void unknownOperatorOfTheModelSuggests()
    {
        expectFailure({QStringLiteral("show"), Nestw::sample("conv3x3"), QStringLiteral("convv.0")}, 1, QStringLiteral("conv.0"));
    }

    void negativeBindIsRefused()
    {
        expectFailure({QStringLiteral("ops"), Nestw::sample("small_cnn"), QStringLiteral("--bind"), QStringLiteral("batch=-1")}, 1,
                      QStringLiteral("batch"));
    }

    void unboundDimensionIsNamed()
    {
        expectFailure({QStringLiteral("ops"), Nestw::sample("small_cnn/model.onnxtxt")}, 1, QStringLiteral("batch"));
    }

    void targetThatCannotRun()
    {
        const Ran ran = m_nestw.run({QStringLiteral("bench"), Nestw::sample("conv3x3"), QStringLiteral("--target"), QStringLiteral("pdp-11")});
        QCOMPARE(ran.code, 1);
        QVERIFY2(ran.error.contains(QStringLiteral("pdp-11")), qPrintable(ran.error));
    }
};

NW_TEST_MAIN(tst_cli_input, TestCliInput)
#include "tst_cli_input.moc"
