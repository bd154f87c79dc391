// From the start page to a confirmed schedule, by keys; a refused step and what unlocks it.
#include "tests/support/test.h"
#include "tests/window/driver.h"

using namespace nw;
using test::Driver;

class TestByKeys : public QObject {
    Q_OBJECT

    std::unique_ptr<Driver> m_driver;

private Q_SLOTS:
    void init() { m_driver = std::make_unique<Driver>(); }
    void cleanup() { m_driver.reset(); }

    void schedulesAMatmul()
    {
        Driver& d = *m_driver;
        QVERIFY(d.openSample(QStringLiteral("Matrix product")));
        d.command(QStringLiteral("Start from the plain nest"));
        QTRY_COMPARE(d.script(), std::string());
        // The default is measured by itself; its figure is what the hand-made one is compared with.
        QTRY_VERIFY_WITH_TIMEOUT(d.views().comparison->csv().contains(QStringLiteral("default")), 1000);

        d.selectRow(QStringLiteral("n"));
        d.primitive(Qt::Key_S);
        QTRY_COMPARE(d.script(), std::string("split n into no:_ ni:8\n"));
        d.selectRow(QStringLiteral("m"));
        d.primitive(Qt::Key_S);
        QTRY_COMPARE(d.script(), std::string("split n into no:_ ni:8\nsplit m into mo:_ mi:8\n"));
        d.selectRow(QStringLiteral("mi"));
        d.key(Qt::Key_Down, Qt::ShiftModifier);
        QTRY_COMPARE(d.editing().stations().back().text, std::string("reorder no mi"));
        d.selectRow(QStringLiteral("k"));
        d.key(Qt::Key_Up, Qt::ShiftModifier);
        d.selectRow(QStringLiteral("k"));
        d.key(Qt::Key_Up, Qt::ShiftModifier);
        QTRY_COMPARE(d.editing().stations().back().text, std::string("reorder k mi"));
        d.selectRow(QStringLiteral("no"));
        d.primitive(Qt::Key_W);
        QTRY_COMPARE(d.editing().stations().back().text, std::string("cache_write matmul at no in registers"));
        d.selectRow(QStringLiteral("ni"));
        d.primitive(Qt::Key_V);
        d.selectRow(QStringLiteral("mi"));
        d.primitive(Qt::Key_U);
        d.selectRow(QStringLiteral("mo"));
        d.primitive(Qt::Key_P);
        QTRY_COMPARE(d.editing().stations().back().text, std::string("parallel mo"));
        const std::string script = d.script();

        const auto last = [&d]() -> const session::Station& { return d.editing().stations().back(); };
        QTRY_VERIFY_WITH_TIMEOUT(last().confirmed.has_value(), 90000);
        QVERIFY2(last().confirmed->ok(), last().confirmed->message.c_str());
        const auto ns = [&d](const QString& name) {
            for (const QString& line : d.views().comparison->csv().split(QLatin1Char('\n'))) {
                if (line.startsWith(name)) {
                    return line.section(QLatin1Char(','), 1, 1).toDouble();
                }
            }
            return 0.0;
        };
        QTRY_VERIFY_WITH_TIMEOUT(ns(QStringLiteral("default")) > 0, 90000);
        QVERIFY2(ns(QStringLiteral("hand")) > 0 && ns(QStringLiteral("hand")) < ns(QStringLiteral("default")),
                 qPrintable(d.views().comparison->csv()));

        d.kill();
        d.start();
        QVERIFY(d.openSample(QStringLiteral("Matrix product")));
        QCOMPARE(d.script(), script);
        QVERIFY(d.editing().stations().back().confirmed); // with what was measured
    }

    void undoAndRedo()
    {
        Driver& d = *m_driver;
        QVERIFY(d.openSample(QStringLiteral("Matrix product")));
        const std::string sample = d.script();
        d.command(QStringLiteral("Start from the plain nest"));
        QTRY_COMPARE(d.script(), std::string());
        d.selectRow(QStringLiteral("n"));
        d.primitive(Qt::Key_S);
        QTRY_COMPARE(d.script(), std::string("split n into no:_ ni:8\n"));
        QTest::keyClick(&d.window(), Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(d.script(), std::string());
        QTest::keyClick(&d.window(), Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(d.script(), sample);
        QTest::keyClick(&d.window(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QTest::keyClick(&d.window(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE(d.script(), std::string("split n into no:_ ni:8\n"));
        d.kill(); // what was undone and redone is what is kept
        d.start();
        QVERIFY(d.openSample(QStringLiteral("Matrix product")));
        QCOMPARE(d.script(), std::string("split n into no:_ ni:8\n"));
    }

    // A refused step shows its reason; its unlock is a click; then it is legal.
    void aRefusedStepUnlocks()
    {
        Driver& d = *m_driver;
        QVERIFY(d.openSample(QStringLiteral("Matrix product")));
        d.command(QStringLiteral("Start from the plain nest"));
        QTRY_COMPARE(d.script(), std::string());
        d.selectRow(QStringLiteral("m"));
        d.primitive(Qt::Key_S);
        QTRY_COMPARE(d.script(), std::string("split m into mo:_ mi:8\n"));
        d.selectRow(QStringLiteral("mi"));
        const auto check = [&d](const std::string& step) { return d.editing().judge(step).check; };
        QVERIFY(check("vectorize mi").verdict == schedule::Verdict::Illegal);
        const auto link = [&d]() -> QWidget* {
            QWidget* row = d.find(QStringLiteral("primitive_vectorize"));
            return row == nullptr ? nullptr : row->findChild<QWidget*>(QStringLiteral("unlock0"));
        };
        QTRY_VERIFY(link() != nullptr && link()->isVisible());
        QTest::mouseClick(link(), Qt::LeftButton);
        QTRY_VERIFY(d.editing().stations().size() == 3);
        QVERIFY2(check("vectorize mi").verdict != schedule::Verdict::Illegal, d.script().c_str());
    }
};

NW_TEST_MAIN(tst_by_keys, TestByKeys)
#include "tst_by_keys.moc"
