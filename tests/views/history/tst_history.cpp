#include "tests/support/faces.h"
#include "tests/support/test.h"
#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/history/history_layout.h"
#include "views/history/history_strip.h"
#include "views/history/history_view.h"
#include "views/history/station_text.h"

#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>

using namespace nw;
using namespace nw::views;

namespace {

session::Station station(const std::string& text, double ms = 0, double spread = 0.014, const std::string& protocol = "confirm")
{
    session::Station s;
    s.text = text;
    s.primitive = text.substr(0, text.find(' '));
    if (ms > 0) {
        session::Timing timing;
        timing.protocol = protocol;
        timing.ns = ms * 1e6;
        timing.spread = spread;
        timing.n = 42;
        (protocol == "confirm" ? s.confirmed : s.quick) = timing;
    }
    return s;
}

std::vector<session::Station> conv()
{
    std::vector<session::Station> all = {station("", 21.4), station("split oc into oco oci:16", 20.1, 0.012), station("vectorize oci", 6.9),
        station("parallel oco oh", 3.6, 0.017), station("split ow into owo:_ owi:28", 3.55),
        station("cache_write conv at owo in registers", 0.98, 0.018), station("unroll kw", 0.741, 0.018, "quick")};
    return all;
}

session::Branch branch(const std::string& name, int steps, int leaves, double ms = 0, bool current = false)
{
    session::Branch made;
    made.name = name;
    made.steps = steps;
    made.leaves = leaves;
    made.bestNs = ms * 1e6;
    made.current = current;
    return made;
}

// One of everything that can be wrong, behind the ordinary steps.
std::vector<session::Station> troubled()
{
    std::vector<session::Station> all = conv();
    all[2].confirmed->noisy = true;
    all.push_back(station("reorder oco oh owo ic kh kw owi oci"));
    all.push_back(station("cache_read X at ic in stack"));
    all.back().check.verdict = schedule::Verdict::Unproven;
    all.back().quick = session::Timing{};
    all.back().quick->protocol = "quick";
    all.back().quick->outcome = "wrong-result";
    all.back().quick->message = "4 of 200704 values differ by more than 1e-4";
    all.push_back(station("split zz into a b:3"));
    all.back().reached = false;
    all.back().failure = "there is no loop zz";
    all.push_back(station("unroll kh"));
    all.back().reached = false;
    all.back().failure = "a step before it does not fit";
    return all;
}

} // namespace

class TestHistory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QApplication::setStyle(QStringLiteral("Fusion"));
    }

    void shortText_data()
    {
        QTest::addColumn<QString>("step");
        QTest::addColumn<QString>("words");
        QTest::newRow("split") << QStringLiteral("split oc into oco oci:16") << QStringLiteral("split oc 16");
        QTest::newRow("inferred") << QStringLiteral("split ow into owo:_ owi:28") << QStringLiteral("split ow 28");
        QTest::newRow("choices") << QStringLiteral("split k into ko ki:{4, 8}") << QStringLiteral("split k {4, 8}");
        QTest::newRow("knob") << QStringLiteral("split ow into owo:_ owi:?tile") << QStringLiteral("split ow ?tile");
        QTest::newRow("place") << QStringLiteral("cache_write conv at owo in registers") << QStringLiteral("cache_write conv");
        QTest::newRow("list") << QStringLiteral("parallel oco oh") << QStringLiteral("parallel oco oh");
        QTest::newRow("none") << QString() << QStringLiteral("plain nest");
    }
    void shortText()
    {
        QFETCH(QString, step);
        QFETCH(QString, words);
        QCOMPARE(shortStep(station(step.toStdString())), words);
    }

    void saysWhatChanged()
    {
        const auto all = troubled();
        QCOMPARE(changeWords(all, 0), QString());
        QCOMPARE(changeWords(all, 2), QStringLiteral("2.9x faster"));
        QCOMPARE(changeWords(all, 4), QStringLiteral("no change (±1.7 %)"));
        QCOMPARE(changeWords(all, 8), QString()); // a wrong result has no speed
        QCOMPARE(stationNote(all, 1), QStringLiteral("20.1 ms ±1.2 %"));
        QCOMPARE(stationNote(all, 7), QStringLiteral("not measured"));
        QCOMPARE(stationNote(all, 8), QStringLiteral("wrong result"));
        QCOMPARE(stationNote(all, 9), QStringLiteral("does not fit"));
        QCOMPARE(stationNote(all, 10), QStringLiteral("not reached"));
        QVERIFY(stationToolTip(all, 6).contains(QStringLiteral("0.741 ms ±1.8 %, n 42, quick")) || stationToolTip(all, 6).contains(QStringLiteral("741 us ±1.8 %, n 42, quick")));
        QVERIFY(stationToolTip(all, 9).contains(QStringLiteral("there is no loop zz")));
        QVERIFY(stationToolTip(all, 2).contains(QStringLiteral("noisy")));
    }

    void slowerAndSmallChanges()
    {
        std::vector<session::Station> all = {station("", 2, 0.001), station("unroll a", 6, 0.001), station("unroll b", 5.8, 0.001)};
        QCOMPARE(changeWords(all, 1), QStringLiteral("3.0x slower"));
        QCOMPARE(changeWords(all, 2), QStringLiteral("3.4 % faster"));
    }

    void boundsWordsCoverNothing_data()
    {
        QTest::addColumn<double>("bound");
        QTest::newRow("below") << 0.564;
        QTest::newRow("among the points") << 3.58;
        QTest::newRow("at the top") << 21.4;
        QTest::newRow("far below") << 0.001;
    }
    void boundsWordsCoverNothing()
    {
        QFETCH(double, bound);
        const auto all = conv();
        const HistoryLayout layout = layOut(all, bound * 1e6, QSize(1000, 160), HistorySizes::now());
        const QRectF label = placeBoundLabel(layout, all, bound * 1e6, QSizeF(90, 13), 0, 1000);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const QRectF disc(layout.x[i] - 5, layout.y(all[i].best()->ns) - 5, 10, 10);
            QVERIFY2(!disc.intersects(label), qPrintable(QString::number(i)));
        }
        QVERIFY(label.bottom() <= layout.boxes.front().top());
        QVERIFY(label.top() >= 0);
    }

    void scaleIsLogarithmicWhenTheRangeIsWide()
    {
        QVERIFY(layOut(conv(), 0.5e6, QSize(900, 160), HistorySizes::now()).logarithmic);
        QVERIFY(!layOut({station("", 3), station("unroll a", 2)}, 1e6, QSize(900, 160), HistorySizes::now()).logarithmic);
    }

    void keysMove()
    {
        HistoryView view;
        show(view, troubled(), 3);
        auto* strip = view.findChild<HistoryStrip*>();
        QSignalSpy jumps(&view, &HistoryView::jumpWished);
        QTest::keyClick(strip, Qt::Key_Left);
        QTest::keyClick(strip, Qt::Key_Home);
        view.setStations(troubled(), 0, 0);
        QTest::keyClick(strip, Qt::Key_Left); // already at the first
        QCOMPARE(jumps.size(), 2);
        QCOMPARE(jumps[0][0].toInt(), 2);
        QCOMPARE(jumps[1][0].toInt(), 0);
        // A step that does not fit gets the keyboard, but there is no nest to show.
        QTest::keyClick(strip, Qt::Key_End);
        QCOMPARE(jumps.size(), 2);
        QCOMPARE(strip->focused(), 10);
        QSignalSpy removes(&view, &HistoryView::removeWished);
        QSignalSpy edits(&view, &HistoryView::editWished);
        QSignalSpy measures(&view, &HistoryView::measureWished);
        QTest::keyClick(strip, Qt::Key_Delete);
        QTest::keyClick(strip, Qt::Key_Return);
        QTest::keyClick(strip, Qt::Key_M);
        QCOMPARE(removes.size(), 1);
        QCOMPARE(removes[0][0].toInt(), 10);
        QCOMPARE(edits[0][0].toInt(), 10);
        QCOMPARE(measures.size(), 0);
        // A figure that arrives leaves the keyboard where it is.
        view.setStations(troubled(), 0, 0);
        QCOMPARE(strip->focused(), 10);
        QTest::keyClick(strip, Qt::Key_Home);
        QTest::keyClick(strip, Qt::Key_Delete);
        QTest::keyClick(strip, Qt::Key_M);
        QCOMPARE(removes.size(), 1); // the plain nest is no step
        QCOMPARE(measures[0][0].toInt(), 0);
    }

    void clicksAndDrags()
    {
        HistoryView view;
        show(view, conv(), 0);
        auto* strip = view.findChild<HistoryStrip*>();
        QSignalSpy jumps(&view, &HistoryView::jumpWished);
        QSignalSpy removes(&view, &HistoryView::removeWished);
        QTest::mouseClick(strip->viewport(), Qt::LeftButton, {}, strip->boxOf(2).center());
        QCOMPARE(jumps.size(), 1);
        QCOMPARE(jumps[0][0].toInt(), 2);
        drag(*strip, 3, QPoint(0, -4 * strip->boxOf(3).height()));
        QCOMPARE(removes.size(), 1);
        QCOMPARE(removes[0][0].toInt(), 3);
        drag(*strip, 3, QPoint(30, 2)); // along the strip
        drag(*strip, 0, QPoint(0, -80)); // the plain nest
        QCOMPARE(removes.size(), 1);
        QCOMPARE(jumps.size(), 1);
        // Escape takes a drag back.
        const QPoint from = strip->boxOf(3).center();
        QTest::mousePress(strip->viewport(), Qt::LeftButton, {}, from);
        QTest::mouseMove(strip->viewport(), from + QPoint(0, -100));
        QTest::keyClick(strip, Qt::Key_Escape);
        QTest::mouseRelease(strip->viewport(), Qt::LeftButton, {}, from + QPoint(0, -100));
        QCOMPARE(removes.size(), 1);
    }

    void menuOffersWhatIsPossible()
    {
        HistoryView view;
        show(view, conv(), 2);
        auto* strip = view.findChild<HistoryStrip*>();
        QSignalSpy reverts(&view, &HistoryView::revertWished);
        QContextMenuEvent asked(QContextMenuEvent::Keyboard, QPoint(), QPoint());
        QApplication::sendEvent(strip, &asked);
        auto* menu = view.findChild<QMenu*>(QStringLiteral("historyMenu"));
        QVERIFY(menu != nullptr);
        menu->findChild<QAction*>(QStringLiteral("revert"))->trigger();
        QCOMPARE(reverts.size(), 1);
        QCOMPARE(reverts[0][0].toInt(), 2);
        QVERIFY(menu->findChild<QAction*>(QStringLiteral("remove"))->isEnabled());
        menu->close();
    }

    void branchesShowWhenThereAreSeveral()
    {
        HistoryView view;
        show(view, conv(), 0);
        auto* combo = view.findChild<QComboBox*>(QStringLiteral("historyBranch"));
        view.setBranches({branch("main", 6, 6, 0, true)});
        QVERIFY(!combo->isVisible());
        view.setBranches({branch("main", 6, 6, 0, true), branch("main-2", 0, 0)});
        QVERIFY(!combo->isVisible()); // an empty one is nothing to go back to
        QSignalSpy wished(&view, &HistoryView::branchWished);
        view.setBranches({branch("main", 5, 2, 0.98), branch("tile 14", 1, 1, 0, true)});
        QVERIFY(combo->isVisible());
        QCOMPARE(combo->currentText(), QStringLiteral("tile 14 · 1 step"));
        QCOMPARE(combo->itemText(0), QStringLiteral("main · 5 steps · ") + formatTime(0.98e6));
        QCOMPARE(wished.size(), 0);
        QTest::keyClick(combo, Qt::Key_Up);
        QCOMPARE(wished.size(), 1);
        QCOMPARE(wished[0][0].toString(), QStringLiteral("main"));
        view.setBranches({branch("main", 5, 2)}); // before the first revision no branch is shown
        QCOMPARE(combo->currentIndex(), -1);
        QVERIFY(combo->isVisible());
    }

    // A branch that is not shown has a stub under the last step that it shares with what is shown.
    void branchesLeaveTheStrip()
    {
        HistoryView view;
        show(view, conv(), 6);
        auto* strip = view.findChild<HistoryStrip*>();
        QCOMPARE(strip->stubCount(), 0);
        const int before = strip->boxOf(2).bottom();
        view.setBranches({branch("main", 5, 2, 0.98), branch("main-2", 6, 6, 0, true), branch("main-3", 3, 4), branch("main-4", 7, 4)});
        QCOMPARE(strip->stubCount(), 2);
        QVERIFY(strip->boxOf(2).bottom() < before); // there is room for them
        for (int stub = 0; stub < 2; ++stub) {
            QVERIFY(strip->viewport()->rect().contains(strip->stubRect(stub)));
            QVERIFY(strip->stubRect(stub).height() >= 24);
        }
        QVERIFY(strip->stubRect(0).left() >= strip->boxOf(2).left() && strip->stubRect(0).right() <= strip->boxOf(2).right() + 1);
        QVERIFY(strip->stubRect(1).left() >= strip->boxOf(4).left());
        QSignalSpy wished(&view, &HistoryView::branchWished);
        QSignalSpy jumps(&view, &HistoryView::jumpWished);
        QTest::mouseClick(strip->viewport(), Qt::LeftButton, {}, strip->stubRect(0).center());
        QCOMPARE(wished.size(), 1);
        QCOMPARE(wished[0][0].toString(), QStringLiteral("main"));
        // Two that leave at the same step are told apart by a menu.
        QTest::mouseClick(strip->viewport(), Qt::LeftButton, {}, strip->stubRect(1).center());
        auto* menu = view.findChild<QMenu*>(QStringLiteral("branchMenu"));
        QVERIFY(menu != nullptr);
        menu->findChild<QAction*>(QStringLiteral("branch_main-4"))->trigger();
        menu->close();
        QCOMPARE(wished.size(), 2);
        QCOMPARE(wished[1][0].toString(), QStringLiteral("main-4"));
        QCOMPARE(jumps.size(), 0);
        QVERIFY(strip->spoken(2).endsWith(QStringLiteral("branches from here: main · 5 steps")));
        QVERIFY(strip->spoken(4).endsWith(QStringLiteral("branches from here: 2 branches")));
        // By keys: the menu of the step.
        view.setStations(conv(), 2, 0.5e6);
        QContextMenuEvent asked(QContextMenuEvent::Keyboard, QPoint(), QPoint());
        QApplication::sendEvent(strip, &asked);
        menu = view.findChild<QMenu*>(QStringLiteral("historyMenu"));
        QVERIFY(menu != nullptr && menu->findChild<QAction*>(QStringLiteral("branch_main")) != nullptr);
        menu->findChild<QAction*>(QStringLiteral("branch_main"))->trigger();
        menu->close();
        QCOMPARE(wished.size(), 3);
        view.setBranches({branch("main", 6, 6, 0, true)});
        QCOMPARE(strip->stubCount(), 0);
        QTRY_COMPARE(strip->boxOf(2).bottom(), before);
    }

    void scrollsToTheCursor()
    {
        std::vector<session::Station> many(100, station("unroll kw", 3));
        HistoryView view;
        show(view, many, 0);
        auto* strip = view.findChild<HistoryStrip*>();
        QVERIFY(!strip->viewport()->rect().intersects(strip->boxOf(99)));
        view.setStations(many, 99, 0);
        QVERIFY(strip->viewport()->rect().contains(strip->boxOf(99)));
    }

    void speaksEachStation()
    {
        HistoryView view;
        show(view, troubled(), 1);
        auto* strip = view.findChild<HistoryStrip*>();
        view.setRunning(2, QStringLiteral("measuring..."));
        QAccessibleInterface* const list = QAccessible::queryAccessibleInterface(strip);
        QCOMPARE(list->childCount(), 11);
        QCOMPARE(list->child(1)->text(QAccessible::Name),
                 QStringLiteral("step 1, split oc into oco oci:16, 20.1 ms ±1.2 %, n 42, confirmed, 6.5 % faster, shown now"));
        QVERIFY(list->child(2)->text(QAccessible::Name).endsWith(QStringLiteral("measuring...")));
        QVERIFY(list->child(8)->text(QAccessible::Name).contains(QStringLiteral("wrong result: 4 of 200704")));
        QVERIFY(list->child(1)->state().selected);
        QCOMPARE(list->indexOfChild(list->child(3)), 3);
    }

    void saysWhyItIsEmpty()
    {
        HistoryView view;
        view.resize(500, 160);
        QSignalSpy wished(&view, &HistoryView::actionWished);
        view.clear(QStringLiteral("No operator is open."), QStringLiteral("Open a model"));
        view.show();
        QCOMPARE(view.findChild<QLabel*>(QStringLiteral("emptySentence"))->text(), QStringLiteral("No operator is open."));
        view.findChild<QPushButton*>()->click();
        QCOMPARE(wished.size(), 1);
    }

    void pictures()
    {
        if (!nw::views::test::keepsPictures()) {
            QSKIP("NW_PICTURES names no folder");
        }
        nw::views::test::everyFace([&](const Theme&, double scale, const QString& face) {
            HistoryView view;
            view.setBranches({branch("main", 6, 6, 0.741, true), branch("main-2", 5, 2, 0.98), branch("main-3", 7, 4)});
            view.resize(static_cast<int>(1150 * scale), static_cast<int>(170 * scale));
            view.setStations(conv(), 6, 0.564e6);
            view.show();
            nw::views::test::keepPicture(view, QStringLiteral("history_") + face);
            view.resize(static_cast<int>(1600 * scale), static_cast<int>(190 * scale));
            view.setStations(troubled(), 6, 0.564e6);
            view.setRunning(7, QStringLiteral("measuring..."));
            nw::views::test::keepPicture(view, QStringLiteral("history_troubled_") + face);
        });
    }

private:
    static void show(HistoryView& view, const std::vector<session::Station>& all, int cursor)
    {
        view.resize(900, 200);
        view.setStations(all, cursor, 0.5e6);
        view.show();
    }
    static void drag(HistoryStrip& strip, int index, const QPoint& by)
    {
        const QPoint from = strip.boxOf(index).center();
        QTest::mousePress(strip.viewport(), Qt::LeftButton, {}, from);
        QTest::mouseMove(strip.viewport(), from + by / 2);
        QTest::mouseMove(strip.viewport(), from + by);
        QTest::mouseRelease(strip.viewport(), Qt::LeftButton, {}, from + by);
    }
};

NW_TEST_MAIN(tst_history, TestHistory)
#include "tst_history.moc"
