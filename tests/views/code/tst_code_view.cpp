#include "tests/support/faces.h"
#include "tests/support/test.h"
#include "tests/views/code/listings.h"
#include "views/code/code_editor.h"
#include "views/code/code_view.h"
#include "views/code/listing_text.h"
#include "views/common/format.h"
#include "views/common/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>
#include <QTextBlock>
#include <QToolButton>

using namespace nw::views;
using Tab = CodeView::Tab;

namespace {

CodeTexts sample()
{
    return {QStringLiteral("definition matmul\nstage matmul f32 [m:1024, n:1024] sum [k:1024] from 0.0 = A[m, k] * B[k, n]\n"),
        fromStd(nw::test::nestText()), fromStd(nw::test::loweredText()), fromStd(nw::test::llvmText()), fromStd(nw::test::assemblyText()), {}};
}

nw::wire::KernelListing listing(int spills)
{
    nw::wire::KernelListing made;
    made.symbol = "kernel_0";
    made.spills = spills;
    made.totalSpills = spills;
    made.vectorRegisters = 14;
    made.fmas = 28;
    made.codeBytes = 1229;
    return made;
}

} // namespace

class TestCodeView : public QObject {
    Q_OBJECT

    static CodeEditor* editor(const CodeView& view, const char* name)
    {
        return view.findChild<CodeEditor*>(QStringLiteral("codeText") + QString::fromLatin1(name));
    }
    static int lineOf(const CodeEditor* text, const char* start)
    {
        for (QTextBlock block = text->document()->begin(); block.isValid(); block = block.next()) {
            if (block.text().startsWith(QString::fromLatin1(start))) {
                return block.blockNumber();
            }
        }
        return -1;
    }
    static QPushButton* button(const CodeView& view, const char* text)
    {
        for (QPushButton* each : view.findChildren<QPushButton*>()) {
            if (each->text() == QString::fromLatin1(text) && each->isVisible()) {
                return each;
            }
        }
        return nullptr;
    }

private Q_SLOTS:
    void header_data()
    {
        QTest::addColumn<int>("spills");
        QTest::addColumn<QString>("text");
        QTest::newRow("none") << 0 << QStringLiteral("innermost loop: 14 of 16 vector registers, 0 spills, 28 FMAs, 1.2 KiB of code");
        QTest::newRow("one") << 1 << QStringLiteral("innermost loop: 14 of 16 vector registers, 1 spill, 28 FMAs, 1.2 KiB of code");
    }

    void header()
    {
        QFETCH(int, spills);
        QFETCH(QString, text);
        CodeView view;
        view.setListing(listing(spills));
        QCOMPARE(view.findChild<QLabel*>(QStringLiteral("codeListing"))->text(), text);
        nw::wire::KernelListing wide = listing(0);
        wide.llvmIr = "attributes #0 = { \"target-features\"=\"+avx512f,+avx512vl\" }";
        QCOMPARE(vectorRegistersOf(wide), 32);
    }

    void highlightReachesEveryTab()
    {
        CodeView view;
        view.resize(800, 500);
        static_cast<QWidget&>(view).show();
        view.setTexts(sample());
        view.highlightLoop({QStringLiteral("k")});
        for (const auto& [tab, name, opening, body] : {std::tuple{Tab::Definition, "Definition", "", "stage matmul"},
                 std::tuple{Tab::Loops, "Loops", "      k in", "        unrolled mi"}, std::tuple{Tab::Lowered, "Lowered", "          for k", "            unrolled mi in"},
                 std::tuple{Tab::Llvm, "Llvm", "loop6:", "  %33"}, std::tuple{Tab::Assembly, "Assembly", ".LBB1_5:", "\tvfmadd231ps"}}) {
            view.show(tab);
            const CodeEditor* text = editor(view, name);
            QVERIFY2(text->isTinted(lineOf(text, body)), name);
            QVERIFY2(!text->isOpening(lineOf(text, body)), name);
            QVERIFY2(*opening == '\0' || text->isOpening(lineOf(text, opening)), name);
        }
        const CodeEditor* nest = editor(view, "Loops");
        QVERIFY(!nest->isTinted(0));
        view.highlightLoop({});
        QVERIFY(!nest->isTinted(lineOf(nest, "      k in")));
    }

    void pointerAndKeysNameTheLoop()
    {
        CodeView view;
        view.resize(800, 500);
        static_cast<QWidget&>(view).show();
        view.setTexts(sample());
        view.show(Tab::Loops);
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        CodeEditor* text = editor(view, "Loops");
        QSignalSpy hovered(&view, &CodeView::loopHovered);
        QSignalSpy clicked(&view, &CodeView::loopClicked);
        QTextCursor cursor(text->document()->findBlockByNumber(3));
        cursor.movePosition(QTextCursor::NextCharacter, QTextCursor::MoveAnchor, 7);
        const QPoint place = text->cursorRect(cursor).center();
        QTest::mouseMove(text->viewport(), place + QPoint(2, 0));
        QTest::mouseMove(text->viewport(), place);
        QTRY_VERIFY(!hovered.isEmpty());
        QCOMPARE(hovered.last().at(0).toString(), QStringLiteral("k"));
        QTest::mouseClick(text->viewport(), Qt::LeftButton, {}, place);
        QCOMPARE(clicked.count(), 1);
        QCOMPARE(clicked.at(0).at(0).toString(), QStringLiteral("k"));
        QTest::keyClick(text, Qt::Key_Up);
        QTest::keyClick(text, Qt::Key_Return);
        QCOMPARE(clicked.count(), 2);
        QCOMPARE(clicked.at(1).at(0).toString(), QStringLiteral("mo"));
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(text->viewport(), &leave);
        QVERIFY(hovered.last().at(0).toString().isEmpty());
    }

    void sayWhatHasNoLines()
    {
        CodeView view;
        view.resize(800, 500);
        static_cast<QWidget&>(view).show();
        view.setTexts(sample());
        view.show(Tab::Assembly);
        const auto note = [&] {
            for (const QLabel* label : view.findChildren<QLabel*>(QStringLiteral("codeNote"))) {
                if (label->isVisible()) {
                    return label->text();
                }
            }
            return QString();
        };
        QVERIFY(note().startsWith(QStringLiteral("Linked by the shape")));
        view.highlightLoop({QStringLiteral("mi")});
        QVERIFY(note().startsWith(QStringLiteral("mi has no lines")));
        CodeTexts other = sample();
        other.lowered = QStringLiteral("Y[0] = 1\n");
        view.setTexts(other);
        QVERIFY(note().startsWith(QStringLiteral("These lines are not linked")));
    }

    void findGoesRound()
    {
        CodeView view;
        view.resize(800, 500);
        static_cast<QWidget&>(view).show();
        view.setTexts(sample());
        view.show(Tab::Lowered);
        view.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        CodeEditor* text = editor(view, "Lowered");
        text->setFocus();
        auto* field = view.findChild<QLineEdit*>(QStringLiteral("codeFindField"));
        auto* count = view.findChild<QLabel*>(QStringLiteral("codeFindCount"));
        QVERIFY(!field->isVisible());
        QTest::keyClick(text, Qt::Key_F, Qt::ControlModifier);
        QVERIFY(field->isVisible());
        QTest::keyClicks(field, QStringLiteral("FOR "));
        QCOMPARE(count->text(), QStringLiteral("1 of 5"));
        QTest::keyClick(field, Qt::Key_F3);
        QCOMPARE(count->text(), QStringLiteral("2 of 5"));
        QTest::keyClick(field, Qt::Key_F3, Qt::ShiftModifier);
        QTest::keyClick(field, Qt::Key_F3, Qt::ShiftModifier);
        QCOMPARE(count->text(), QStringLiteral("5 of 5"));
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(count->text(), QStringLiteral("1 of 5"));
        QCOMPARE(text->textCursor().selectedText(), QStringLiteral("for "));
        QTest::keyClicks(field, QStringLiteral("zz"));
        QCOMPARE(count->text(), QStringLiteral("not found"));
        QTest::keyClick(field, Qt::Key_Escape);
        QVERIFY(!field->isVisible());
    }

    void copiesAllOrTheSelection()
    {
        CodeView view;
        view.setTexts(sample());
        view.show(Tab::Loops);
        auto* copy = view.findChild<QToolButton*>(QStringLiteral("codeCopy"));
        copy->click();
        QCOMPARE(QApplication::clipboard()->text(), sample().loops);
        QTextCursor cursor(editor(view, "Loops")->document());
        cursor.movePosition(QTextCursor::EndOfLine, QTextCursor::KeepAnchor);
        editor(view, "Loops")->setTextCursor(cursor);
        copy->click();
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("mb in 0..15"));
    }

    void whatIsMissingSaysWhy()
    {
        CodeView view;
        view.resize(800, 500);
        static_cast<QWidget&>(view).show();
        QSignalSpy build(&view, &CodeView::buildWished);
        QSignalSpy action(&view, &CodeView::actionWished);
        button(view, "Show the operators")->click();
        QCOMPARE(action.count(), 1);
        CodeTexts texts = sample();
        texts.llvm.clear();
        texts.unavailable = QStringLiteral("Press Measure (F5) or Build.");
        view.setTexts(texts);
        view.show(Tab::Llvm);
        QVERIFY(button(view, "Build") != nullptr);
        button(view, "Build")->click();
        QCOMPARE(build.count(), 1);
        // Stale code says so, but only where code is.
        view.setStale(true, QStringLiteral("2 steps were added since."));
        const auto* stale = view.findChild<QLabel*>(QStringLiteral("codeStale"));
        QVERIFY(!stale->isVisible());
        view.show(Tab::Assembly);
        QVERIFY(stale->isVisible());
        QCOMPARE(stale->text(), QStringLiteral("2 steps were added since."));
        view.show(Tab::Loops);
        QVERIFY(!stale->isVisible());
    }

    void words_data()
    {
        QTest::addColumn<int>("language");
        QTest::addColumn<QString>("word");
        QTest::addColumn<bool>("first");
        QTest::addColumn<int>("kind");
        using Word = CodeHighlighter::Word;
        const auto row = [](const char* name, CodeLanguage language, const char* word, bool first, Word kind) {
            QTest::newRow(name) << static_cast<int>(language) << QString::fromLatin1(word) << first << static_cast<int>(kind);
        };
        row("vector instruction", CodeLanguage::Assembly, "vfmadd231ps", true, Word::Vector);
        row("other instruction", CodeLanguage::Assembly, "movq", true, Word::Keyword);
        row("directive", CodeLanguage::Assembly, ".p2align", true, Word::Plain);
        row("vector register", CodeLanguage::Assembly, "%ymm13", false, Word::Register);
        row("register", CodeLanguage::Assembly, "%rax", false, Word::Plain);
        row("immediate", CodeLanguage::Assembly, "$-16", false, Word::Number);
        row("keyword", CodeLanguage::Lowered, "for", true, Word::Keyword);
        row("name", CodeLanguage::Lowered, "owi", false, Word::Plain);
        row("value", CodeLanguage::Llvm, "%33", true, Word::Plain);
    }

    void words()
    {
        QFETCH(int, language);
        QFETCH(QString, word);
        QFETCH(bool, first);
        QFETCH(int, kind);
        QCOMPARE(static_cast<int>(CodeHighlighter::wordKind(static_cast<CodeLanguage>(language), word, first)), kind);
    }

    void spillsAreTold()
    {
        QVERIFY(isSpillLine(QStringLiteral("\tmovq\t%rax, 16(%rsp)                  # 8-byte Spill")));
        QVERIFY(isSpillLine(QStringLiteral("\tvmovups\t64(%rsp), %ymm3")));
        QVERIFY(!isSpillLine(QStringLiteral("\tandq\t$-16, %rsp")));
    }

    // Pictures to look at, when NW_PICTURES names a folder with texts of `nestw show`.
    void pictures();
};

void TestCodeView::pictures()
{
    if (!nw::views::test::keepsPictures()) {
        QSKIP("NW_PICTURES names no folder");
    }
    const auto read = [&](const char* name) {
        QFile file(qEnvironmentVariable("NW_PICTURES") + QStringLiteral("/t/") + QString::fromLatin1(name));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    };
    const CodeTexts texts{read("def.txt"), read("nest.txt"), read("low.txt"), read("ll.txt"), read("asm.txt"), {}};
    nw::views::test::everyFace([&](const Theme&, double, const QString& face) {
        const bool isDark = face.startsWith(QLatin1String("dark"));
        CodeView view;
        view.resize(820, 460);
        static_cast<QWidget&>(view).show();
        view.setTexts(texts);
        view.setListing(listing(isDark ? 2 : 0));
        view.setStale(isDark, QStringLiteral("Built before the last 2 steps."));
        view.highlightLoop({QStringLiteral("ici")});
        for (const auto& [tab, name] : {std::pair{Tab::Definition, "definition"}, std::pair{Tab::Loops, "loops"}, std::pair{Tab::Lowered, "lowered"}, std::pair{Tab::Llvm, "llvm"}, std::pair{Tab::Assembly, "assembly"}}) {
            view.show(tab);
            if (tab == Tab::Assembly) {
                QTest::keyClick(editor(view, "Assembly"), Qt::Key_F, Qt::ControlModifier);
            }
            nw::views::test::keepPicture(view, QStringLiteral("code_%1_%2").arg(QString::fromLatin1(name), face));
        }
    });
}

NW_TEST_MAIN(tst_code_view, TestCodeView)
#include "tst_code_view.moc"
