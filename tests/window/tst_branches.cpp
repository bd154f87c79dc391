// A step in the middle is edited: the older steps stay as a branch that can be opened and left again.
#include "tests/support/test.h"
#include "tests/window/driver.h"

#include "views/history/history_strip.h"

#include <QComboBox>
#include <QPlainTextEdit>
#include <QRegularExpression>

using namespace nw;
using test::Driver;

class TestBranches : public QObject {
    Q_OBJECT

    std::unique_ptr<Driver> m_driver;

    QComboBox* list() { return m_driver->window().findChild<QComboBox*>(QStringLiteral("historyBranch")); }
    void choose(int index)
    {
        list()->setFocus();
        while (list()->currentIndex() != index) {
            QTest::keyClick(list(), list()->currentIndex() > index ? Qt::Key_Up : Qt::Key_Down);
        }
    }

    QStringList lines(const QString& text)
    {
        return m_driver->window().findChild<QPlainTextEdit*>(text)->toPlainText().split(QLatin1Char('\n'));
    }

private Q_SLOTS:
    void init() { m_driver = std::make_unique<Driver>(); }
    void cleanup() { m_driver.reset(); }

    void anOlderBranchIsOpened()
    {
        Driver& d = *m_driver;
        QVERIFY(d.openSample(QStringLiteral("Matrix product")));
        const std::string sample = d.script();
        d.command(QStringLiteral("Start from the plain nest"));
        QTRY_COMPARE(d.script(), std::string());
        for (const char* step : {"split n into no:_ ni:8", "split m into mo:_ mi:8", "unroll ni"}) {
            d.window().controller().applyStep(QString::fromLatin1(step));
        }
        const std::string older = "split n into no:_ ni:8\nsplit m into mo:_ mi:8\nunroll ni\n";
        QTRY_COMPARE(d.script(), older);

        // Back to the first step, another one there.
        d.window().controller().jump(1);
        d.window().controller().applyStep(QStringLiteral("parallel no"));
        QTRY_VERIFY(d.script() != older);
        const std::string newer = d.script();
        QTRY_COMPARE(list()->count(), 3); // the sample, the older and the newer steps
        QVERIFY(list()->isVisible());
        QVERIFY2(list()->currentText().startsWith(QStringLiteral("main-3")), qPrintable(list()->currentText()));
        auto* strip = d.window().findChild<views::HistoryStrip*>();
        QTRY_COMPARE(strip->stubCount(), 2);

        choose(1);
        QTRY_COMPARE(d.script(), older);
        QTRY_COMPARE(d.editing().stations().size(), std::size_t{4});
        QTRY_VERIFY(list()->currentText().startsWith(QStringLiteral("main-2")));
        QTest::keyClick(&d.window(), Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(d.script(), newer);
        QTRY_VERIFY(list()->currentText().startsWith(QStringLiteral("main-3")));
        QTest::keyClick(&d.window(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE(d.script(), older);

        // A step added there goes on in that branch.
        d.window().controller().applyStep(QStringLiteral("unroll mi"));
        QTRY_VERIFY(d.script() != older);
        QTRY_VERIFY2(list()->currentText().startsWith(QStringLiteral("main-2 · 4 steps")), qPrintable(list()->currentText()));
        QCOMPARE(list()->count(), 3);

        // What changed: by the key of the nest, against the step before, then against the other branch.
        d.key(Qt::Key_D);
        QTRY_VERIFY(d.find(QStringLiteral("diffScript")) != nullptr);
        QCOMPARE(lines(QStringLiteral("diffScript")).last(), QStringLiteral("+ unroll mi"));
        QVERIFY(lines(QStringLiteral("diffNest")).filter(QRegularExpression(QStringLiteral("^\\+ .*unrolled mi"))).size() == 1);
        auto* against = d.window().findChild<QComboBox*>(QStringLiteral("diffAgainst"));
        QCOMPARE(against->currentText(), QStringLiteral("previous step"));
        const int branch = against->findText(QStringLiteral("branch main-3"));
        QVERIFY(branch > 0);
        against->setFocus();
        while (against->currentIndex() != branch) {
            QTest::keyClick(against, Qt::Key_Down);
        }
        QTRY_VERIFY(lines(QStringLiteral("diffScript")).contains(QStringLiteral("- parallel no")));
        QVERIFY(lines(QStringLiteral("diffScript")).contains(QStringLiteral("+ unroll mi")));
        // It follows what is shown.
        QTest::keyClick(&d.window(), Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(d.script(), older);
        QTRY_VERIFY(!lines(QStringLiteral("diffScript")).contains(QStringLiteral("+ unroll mi")));
        QTest::keyClick(&d.window(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(d.script() != older);
        d.views().code->show(views::CodeView::Tab::Loops);
        QTest::keyClick(&d.window(), Qt::Key_D, Qt::ControlModifier);
        QCOMPARE(d.views().code->tab(), views::CodeView::Tab::Diff);

        // The sample's own steps, by the stub under the plain nest; then after a new start, by the list.
        QTest::mouseClick(strip->viewport(), Qt::LeftButton, {}, strip->stubRect(0).center());
        QTRY_COMPARE(d.script(), sample);
        const std::string last = d.script();
        d.kill();
        d.start();
        QVERIFY(d.openSample(QStringLiteral("Matrix product")));
        QCOMPARE(d.script(), last);
        QTRY_COMPARE(list()->count(), 3);
        choose(2);
        QTRY_COMPARE(d.script(), newer);
    }
};

NW_TEST_MAIN(tst_branches, TestBranches)
#include "tst_branches.moc"
