#include "tests/support/test.h"
#include "tests/views/loop_nest/judging.h"
#include "views/primitives/primitive_form.h"
#include "views/primitives/primitive_row.h"
#include "views/primitives/primitives_view.h"

#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>

using namespace nw;
using namespace nw::views;
using namespace nw::views::test;
using schedule::Verdict;
using schedule::test::after;
using schedule::test::definitionText;
using schedule::test::nestOf;
using schedule::test::smallContext;

namespace {

struct Shown {
    Shown(schedule::LoopNest made, const QString& place)
        : nest(std::move(made))
    {
        view.resize(330, 620);
        view.setJudge(judgeOf(nest));
        show({place});
        view.show();
        QVERIFY2(QTest::qWaitForWindowExposed(&view), "no window");
        view.activateWindow();
    }
    void show(const QStringList& selection)
    {
        view.setPlace(selection, nest,
                      schedule::offers(nest, selection.first().toStdString(), schedule::allPrimitives(), smallContext()));
    }
    QString text(const char* primitive) const { return view.row(QLatin1String(primitive))->findChild<QLabel*>(QStringLiteral("primitiveText"))->text(); }
    Verdict verdict(const char* primitive) const { return view.row(QLatin1String(primitive))->entry().check.verdict; }

    schedule::LoopNest nest;
    PrimitivesView view;
    QSignalSpy steps{&view, &PrimitivesView::stepWished};
    QSignalSpy previews{&view, &PrimitivesView::previewWished};
    QSignalSpy places{&view, &PrimitivesView::placesHovered};
    QSignalSpy messages{&view, &PrimitivesView::message};
};

schedule::LoopNest matmul()
{
    return nestOf(definitionText("matmul"));
}

void enter(QWidget* widget)
{
    QEnterEvent event(QPointF(2, 2), QPointF(2, 2), widget->mapToGlobal(QPointF(2, 2)));
    QApplication::sendEvent(widget, &event);
}

} // namespace

class TestPrimitivesView : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { wearTheme(Theme::light(), 1); }

    void everyPrimitiveHasARow()
    {
        Shown shown(matmul(), QStringLiteral("n"));
        QCOMPARE(shown.view.entries().size(), schedule::allPrimitives().size());
        QVERIFY(shown.verdict("split") == Verdict::Legal);
        QCOMPARE(shown.text("split"), QStringLiteral("n into no:_ ni:4 (or 10, 5, 2)"));
        QVERIFY(shown.verdict("vectorize") == Verdict::Illegal);
        QCOMPARE(shown.text("vectorize"), QStringLiteral("vectorize: n has k inside; only an innermost loop can be a vector loop"));
        QCOMPARE(shown.view.findChild<QLabel*>(QStringLiteral("primitivesPlace"))->text(), QStringLiteral("for loop n (20)"));
        // Nothing proposed is no refusal.
        QVERIFY(!shown.view.row(QStringLiteral("compute_at"))->entry().offered);
        QVERIFY(shown.text("compute_at").contains(QStringLiteral("select a block")));
    }

    void theBestVerdictStands()
    {
        const schedule::Primitive* any = schedule::allPrimitives().front();
        const std::vector<schedule::Offer> offers{
            {any, "split a into x:_ y:2", {Verdict::Illegal, {"r", "words {0}", {"a"}, {}, {}}}},
            {any, "split a into x:_ y:3", {Verdict::Unproven, {"r", "unknown", {}, {}, {}}}},
            {any, "split a into x:_ y:4", {Verdict::Pointless, {"r", "no use", {}, {}, {}}}},
            {any, "split a into x:_ y:5", {}},
            {any, "split a into x:_ y:6", {}},
        };
        const auto best = [&](std::size_t count) {
            return primitiveEntries(std::vector{any}, std::vector<schedule::Offer>(offers.begin(), offers.begin() + static_cast<std::ptrdiff_t>(count))).front();
        };
        QVERIFY(best(1).check.verdict == Verdict::Illegal);
        QVERIFY(best(2).check.verdict == Verdict::Unproven);
        QVERIFY(best(3).check.verdict == Verdict::Pointless);
        QCOMPARE(best(5).lines.front(), std::string("split a into x:_ y:5"));
        QCOMPARE(effectText(best(5)), QStringLiteral("a into x:_ y:5 (or 6)"));
    }

    void quickApply()
    {
        Shown shown(matmul(), QStringLiteral("n"));
        PrimitiveRow* row = shown.view.row(QStringLiteral("split"));
        QTest::mouseClick(row->findChild<QPushButton*>(QStringLiteral("quickApply")), Qt::LeftButton);
        QCOMPARE(shown.steps.last().first().toString(), QStringLiteral("split n into no:_ ni:4"));
        row = shown.view.row(QStringLiteral("unroll"));
        row->setFocus();
        QTest::keyClick(row, Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(shown.steps.last().first().toString(), QStringLiteral("unroll n"));
        // A refused one says why.
        row = shown.view.row(QStringLiteral("vectorize"));
        QVERIFY(!row->findChild<QPushButton*>(QStringLiteral("quickApply"))->isVisible());
        QTest::keyClick(row, Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(shown.steps.count(), 2);
        QCOMPARE(shown.messages.last().at(1).toBool(), true);
    }

    void arrowsWalkTheRows()
    {
        Shown shown(matmul(), QStringLiteral("n"));
        PrimitiveRow* split = shown.view.row(QStringLiteral("split"));
        split->setFocus();
        QTest::keyClick(split, Qt::Key_Down);
        QVERIFY(shown.view.row(QStringLiteral("fuse"))->hasFocus());
        QTest::keyClick(shown.view.row(QStringLiteral("fuse")), Qt::Key_Up);
        QVERIFY(split->hasFocus());
        QTest::keyClick(split, Qt::Key_End);
        const std::string last = shown.view.entries().back().primitive->name;
        QVERIFY(shown.view.row(QString::fromStdString(last))->hasFocus());
    }

    void theFormOpensAndApplies()
    {
        Shown shown(matmul(), QStringLiteral("n"));
        QTest::mouseClick(shown.view.row(QStringLiteral("split")), Qt::LeftButton);
        QVERIFY(shown.view.form()->isVisible());
        QCOMPARE(shown.view.form()->line(), QStringLiteral("split n into no:_ ni:4"));
        QCOMPARE(shown.previews.last().first().toString(), QStringLiteral("split n into no:_ ni:4"));
        QTest::mouseClick(shown.view.findChild<QPushButton*>(QStringLiteral("chip_10")), Qt::LeftButton);
        QTest::mouseClick(shown.view.findChild<QPushButton*>(QStringLiteral("formApply")), Qt::LeftButton);
        QCOMPARE(shown.steps.last().first().toString(), QStringLiteral("split n into no:_ ni:10"));
        QVERIFY(!shown.view.form()->isVisible());
        QCOMPARE(shown.previews.last().first().toString(), QString());

        QSignalSpy knobs(&shown.view, &PrimitivesView::knobWished);
        shown.view.openForm(QStringLiteral("split"));
        QTest::mouseClick(shown.view.findChild<QPushButton*>(QStringLiteral("formKnob")), Qt::LeftButton);
        QCOMPARE(knobs.last().first().toString(), QStringLiteral("split n into no:_ ni:{4, 5, 2, 10}"));
    }

    void keysOfPrimitivesThatAreNotThere()
    {
        Shown shown(matmul(), QStringLiteral("n"));
        shown.view.openForm(QStringLiteral("cast_spell"));
        QVERIFY(!shown.view.form()->isVisible());
        QCOMPARE(shown.messages.last().at(0).toString(), QStringLiteral("There is no primitive cast_spell."));
    }

    void unlocksCanBeTriedAndTaken()
    {
        // n counts vector lanes only once the reduction stands around it.
        Shown shown(matmul(), QStringLiteral("n"));
        PrimitiveRow* row = nullptr;
        for (const PrimitiveEntry& entry : shown.view.entries()) {
            if (!entry.check.why.unlocks.empty() && entry.check.verdict == Verdict::Illegal) {
                row = shown.view.row(QString::fromStdString(entry.primitive->name));
                break;
            }
        }
        QVERIFY(row != nullptr);
        const QString line = QString::fromStdString(row->entry().check.why.unlocks.front());
        auto* link = row->findChild<LinkLabel*>(QStringLiteral("unlock0"));
        QVERIFY(link != nullptr && link->height() >= 24);
        QCOMPARE(link->text(), QStringLiteral("unlock: ") + line);
        enter(link);
        QCOMPARE(shown.previews.last().first().toString(), line);
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(link, &leave);
        QCOMPARE(shown.previews.last().first().toString(), QString());
        QTest::mouseClick(link, Qt::LeftButton);
        QCOMPARE(shown.steps.last().first().toString(), line);
        QVERIFY(!shown.view.form()->isVisible());
        link->setFocus();
        QTest::keyClick(link, Qt::Key_Return);
        QCOMPARE(shown.steps.count(), 2);
    }

    void reasonsPointAtPlaces()
    {
        Shown shown(matmul(), QStringLiteral("k"));
        PrimitiveRow* row = shown.view.row(QStringLiteral("vectorize"));
        enter(row);
        QCOMPARE(shown.places.last().first().toStringList().join(QLatin1Char(' ')), QStringLiteral("k matmul"));
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(row, &leave);
        QVERIFY(shown.places.last().first().toStringList().isEmpty());
    }

    void reasonsAreNeverCutOff()
    {
        Shown shown(matmul(), QStringLiteral("k"));
        for (const PrimitiveEntry& entry : shown.view.entries()) {
            PrimitiveRow* row = shown.view.row(QString::fromStdString(entry.primitive->name));
            auto* text = row->findChild<QLabel*>(QStringLiteral("primitiveText"));
            QTRY_VERIFY2(text->height() >= text->heightForWidth(text->width()), entry.primitive->name.c_str());
            QVERIFY(row->width() <= shown.view.findChild<QScrollArea*>()->viewport()->width());
        }
    }

    void clearSaysWhy()
    {
        Shown shown(matmul(), QStringLiteral("k"));
        shown.view.openForm(QStringLiteral("unroll"));
        shown.view.clear(QStringLiteral("Nothing is selected."));
        QVERIFY(!shown.view.form()->isVisible());
        QCOMPARE(shown.view.findChild<QLabel*>(QStringLiteral("primitivesSentence"))->text(), QStringLiteral("Nothing is selected."));
        QVERIFY(shown.view.row(QStringLiteral("split")) == nullptr);
    }

    void aRegisteredPrimitiveIsListed()
    {
        static const schedule::Primitive nothing{
            "nothing", "Does nothing", {{"loop", schedule::ParamKind::Loop, ""}},
            [](const schedule::LoopNest&, const schedule::Args&, const schedule::Context&) { return schedule::Check{}; },
            [](const schedule::LoopNest& nest, const schedule::Args&, const schedule::Context&) { return schedule::Applied{nest, {}}; },
            [](const schedule::LoopNest&, const std::string& name, const schedule::Context&) { return std::vector<schedule::Args>{{{name}}}; }};
        const std::vector<const schedule::Primitive*> known{&nothing, schedule::allPrimitives().front()};
        Shown shown(matmul(), QStringLiteral("n"));
        shown.view.setPrimitives(known);
        shown.view.setJudge([&](const std::string& step) { return judge(shown.nest, step, known); });
        shown.view.setPlace({QStringLiteral("n")}, shown.nest, schedule::offers(shown.nest, "n", known, smallContext()));
        QVERIFY(shown.view.entries().back().primitive->group == PrimitiveGroup::Other);
        shown.view.openForm(QStringLiteral("nothing"));
        QCOMPARE(shown.view.form()->line(), QStringLiteral("nothing n"));
        QTest::mouseClick(shown.view.findChild<QPushButton*>(QStringLiteral("formApply")), Qt::LeftButton);
        QCOMPARE(shown.steps.last().first().toString(), QStringLiteral("nothing n"));
    }

    void pictures()
    {
        everyFace([&](const Theme&, double scale, const QString& face) {
            Shown shown(matmul(), QStringLiteral("n"));
            shown.view.resize(static_cast<int>(330 * scale), static_cast<int>(860 * scale));
            shown.view.openForm(QStringLiteral("split"));
            QVERIFY(shown.view.rect().contains(shown.view.form()->geometry()));
            QCoreApplication::processEvents();
            keepPicture(shown.view, QStringLiteral("primitives_") + face);
            shown.view.openForm(QStringLiteral("tile"));
            QCoreApplication::processEvents();
            keepPicture(shown.view, QStringLiteral("tile_") + face);
        });
        wearTheme(Theme::light(), 1);
    }
};

NW_TEST_MAIN(tst_primitives_view, TestPrimitivesView)
#include "tst_primitives_view.moc"
