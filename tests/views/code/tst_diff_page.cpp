#include "tests/support/faces.h"
#include "tests/support/test.h"
#include "views/code/code_view.h"
#include "views/code/diff_page.h"
#include "views/common/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QTabBar>
#include <QTextBlock>
#include <QToolButton>

using namespace nw;
using namespace nw::views;

namespace {

const std::string kBefore = "for m in 0..1024\n  for n in 0..1024\n    matmul\n";
const std::string kAfter = "for m in 0..1024\n  for no in 0..128\n    vector ni in 0..8\n      matmul\n";

void fill(CodeView& view)
{
    view.diff()->setChoices({{QStringLiteral("step"), QStringLiteral("previous step")}, {QStringLiteral("branch:main"), QStringLiteral("branch main")}},
                            QStringLiteral("step"));
    view.diff()->setLines(diffTexts("split m into mo:_ mi:8\n", "split m into mo:_ mi:8\nsplit n into no ni:8\n"), diffTexts(kBefore, kAfter));
}

} // namespace

class TestDiffPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QApplication::setStyle(QStringLiteral("Fusion")); }

    void showsBothTexts()
    {
        CodeView view;
        view.resize(900, 300);
        view.show();
        QSignalSpy shown(&view, &CodeView::diffShown);
        view.show(CodeView::Tab::Diff);
        QCOMPARE(shown.size(), 1);
        QCOMPARE(view.findChild<QTabBar*>(QStringLiteral("codeTabs"))->tabText(5), QStringLiteral("Diff"));
        QVERIFY(!view.findChild<QToolButton*>(QStringLiteral("codeCopy"))->isEnabled());
        fill(view);
        const DiffText* script = view.diff()->scriptText();
        QCOMPARE(script->toPlainText(), QStringLiteral("  split m into mo:_ mi:8\n+ split n into no ni:8"));
        QVERIFY(script->kindOf(0) == DiffLine::Kind::Same && script->kindOf(1) == DiffLine::Kind::Added);
        const DiffText* nest = view.diff()->nestText();
        QCOMPARE(nest->toPlainText().count(QLatin1Char('\n')), 5);
        QVERIFY(nest->kindOf(1) == DiffLine::Kind::Removed);
        QCOMPARE(view.findChild<QLabel*>(QStringLiteral("diffCount"))->text(), QStringLiteral("script +1 −0, nest +3 −2"));
        auto* copy = view.findChild<QToolButton*>(QStringLiteral("codeCopy"));
        QVERIFY(copy->isEnabled());
        copy->click();
        QCOMPARE(QApplication::clipboard()->text(), view.diff()->text());
        view.diff()->setLines(diffTexts("a", "a"), {});
        QCOMPARE(view.findChild<QLabel*>(QStringLiteral("diffCount"))->text(), QStringLiteral("no difference"));
    }

    // A change is told by sign and by colour, added and removed apart.
    void linesAreTinted()
    {
        CodeView view;
        view.resize(900, 300);
        view.show();
        view.show(CodeView::Tab::Diff);
        fill(view);
        const DiffText* nest = view.diff()->nestText();
        const QImage image = nest->viewport()->grab().toImage();
        const int right = image.width() - 2;
        const auto at = [&](int line) {
            QTextCursor cursor(nest->document()->findBlockByNumber(line));
            return image.pixelColor(right, nest->cursorRect(cursor).center().y());
        };
        QVERIFY(at(0) != at(1) && at(1) != at(3));
        QVERIFY(at(3) != at(0));
    }

    void asksForAnother()
    {
        CodeView view;
        fill(view);
        auto* against = view.findChild<QComboBox*>(QStringLiteral("diffAgainst"));
        QCOMPARE(against->currentText(), QStringLiteral("previous step"));
        QSignalSpy wished(view.diff(), &DiffPage::againstWished);
        QTest::keyClick(against, Qt::Key_Down);
        QCOMPARE(wished.size(), 1);
        QCOMPARE(wished[0][0].toString(), QStringLiteral("branch:main"));
        view.diff()->setEmpty(QStringLiteral("No operator is chosen."), {});
        QVERIFY(!view.diff()->hasText());
    }

    void pictures()
    {
        if (!nw::views::test::keepsPictures()) {
            QSKIP("NW_PICTURES names no folder");
        }
        nw::views::test::everyFace([&](const Theme&, double scale, const QString& face) {
            CodeView view;
            view.resize(static_cast<int>(900 * scale), static_cast<int>(260 * scale));
            view.show();
            view.show(CodeView::Tab::Diff);
            fill(view);
            nw::views::test::keepPicture(view, QStringLiteral("code_diff_") + face);
        });
    }
};

NW_TEST_MAIN(tst_diff_page, TestDiffPage)
#include "tst_diff_page.moc"
