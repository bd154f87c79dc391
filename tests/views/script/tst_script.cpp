#include "tests/support/faces.h"
#include "tests/support/test.h"
#include "views/common/theme.h"
#include "views/script/script_editor.h"
#include "views/script/script_highlighter.h"
#include "views/script/script_view.h"

#include <QApplication>
#include <QDir>
#include <QLabel>
#include <QSignalSpy>
#include <QTextBlock>

using namespace nw::views;

namespace {

const QStringList kNames = {QStringLiteral("split"), QStringLiteral("set_layout"), QStringLiteral("reorder"), QStringLiteral("cache_write"),
                            QStringLiteral("cache_read"), QStringLiteral("vectorize"), QStringLiteral("unroll"), QStringLiteral("parallel")};

const QString kText = QStringLiteral("# 3x3 convolution, 64 channels\n"
                                     "set_layout  W as (oc, ic, kh, kw) -> (oc / 16, ic, kh, kw, oc % 16)\n"
                                     "split       ow into owo:_ owi:28\n"
                                     "split       k into ko ki:{4, 8, 16}   # swept\n"
                                     "reorder     oco oh owo ic kh kw owi oci\n"
                                     "cache_write conv at owo in registers\n"
                                     "vectorize   oci\n"
                                     "split       oh into oho:_ ohi:?tile_oh\n"
                                     "parallel    oco oh\n");

} // namespace

class TestScript : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QApplication::setStyle(QStringLiteral("Fusion")); }

    void colours_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("spans");
        QTest::newRow("split") << QStringLiteral("split ow into owo:_ owi:28")
                               << QStringLiteral("name ow, keyword into, name owo, name owi, value 28");
        QTest::newRow("choices") << QStringLiteral("split k into ko ki:{4, 8} # why")
                                 << QStringLiteral("name k, keyword into, name ko, name ki, value {4, 8}, comment # why");
        QTest::newRow("knob") << QStringLiteral("split k into ko ki:?tile")
                              << QStringLiteral("name k, keyword into, name ko, name ki, value ?tile");
        QTest::newRow("target") << QStringLiteral("split k into ko ki:lanes(f32)")
                                << QStringLiteral("name k, keyword into, name ko, name ki, value lanes(f32)");
        QTest::newRow("places") << QStringLiteral("cache_write conv at owo in registers")
                                << QStringLiteral("name conv, keyword at, keyword in");
        QTest::newRow("condition") << QStringLiteral("unroll kh when ?big")
                                   << QStringLiteral("name kh, keyword when, value ?big");
        QTest::newRow("alternatives") << QStringLiteral("reorder oco {kh kw | kw kh}")
                                      << QStringLiteral("name oco, value {kh kw | kw kh}");
        QTest::newRow("unknown primitive") << QStringLiteral("splat ow") << QString();
        QTest::newRow("comment alone") << QStringLiteral("# split ow") << QStringLiteral("comment # split ow");
    }
    void colours()
    {
        QFETCH(QString, line);
        QFETCH(QString, spans);
        const QString parts[] = {QStringLiteral("name"), QStringLiteral("value"), QStringLiteral("keyword"), QStringLiteral("comment")};
        QStringList found;
        for (const ScriptSpan& span : spansOf(line, kNames)) {
            found += parts[static_cast<int>(span.part)] + QLatin1Char(' ') + line.mid(span.from, span.length);
        }
        QCOMPARE(found.join(QStringLiteral(", ")), spans);
    }

    void typingIsToldOnceItPauses()
    {
        ScriptView view;
        view.setScript(kText);
        view.show();
        auto* editor = view.findChild<ScriptEditor*>();
        QSignalSpy edited(&view, &ScriptView::edited);
        editor->moveCursor(QTextCursor::End);
        QTest::keyClicks(editor, QStringLiteral("unroll kh"));
        QCOMPARE(edited.size(), 0);
        QTRY_COMPARE(edited.size(), 1);
        QCOMPARE(edited[0][0].toString(), kText + QStringLiteral("unroll kh"));
    }

    void anEchoKeepsWhatIsBeingTyped()
    {
        ScriptView view;
        view.setScript(kText);
        auto* editor = view.findChild<ScriptEditor*>();
        editor->moveCursor(QTextCursor::End);
        QTest::keyClicks(editor, QStringLiteral("un"));
        view.setScript(kText);
        QCOMPARE(view.script(), kText + QStringLiteral("un"));
    }

    void fromOutsideIsQuiet()
    {
        ScriptView view;
        view.setScript(kText);
        auto* editor = view.findChild<ScriptEditor*>();
        QTextCursor cursor(editor->document()->findBlockByNumber(4));
        cursor.movePosition(QTextCursor::Right, QTextCursor::MoveAnchor, 3);
        editor->setTextCursor(cursor);
        QSignalSpy edited(&view, &ScriptView::edited);
        QSignalSpy lines(&view, &ScriptView::lineActivated);
        QString longer = kText;
        longer.insert(kText.indexOf(QStringLiteral("split ")), QStringLiteral("unroll kh\n"));
        view.setScript(longer);
        QCOMPARE(view.script(), longer);
        QCOMPARE(editor->textCursor().block().text(), QStringLiteral("reorder     oco oh owo ic kh kw owi oci"));
        QCOMPARE(editor->textCursor().positionInBlock(), 3);
        QTest::qWait(0);
        view.setPrimitiveNames(kNames); // new colours are no edit
        QVERIFY(!edited.wait(300));
        QCOMPARE(lines.size(), 0);
    }

    void movingTellsTheLine()
    {
        ScriptView view;
        view.setScript(kText);
        view.show();
        auto* editor = view.findChild<ScriptEditor*>();
        QSignalSpy lines(&view, &ScriptView::lineActivated);
        QTest::keyClick(editor, Qt::Key_Home, Qt::ControlModifier);
        QTest::keyClick(editor, Qt::Key_Down);
        QCOMPARE(lines.size(), 1);
        QCOMPARE(lines[0][0].toInt(), 2);
        QTest::keyClick(editor, Qt::Key_Right); // the same line
        QCOMPARE(lines.size(), 1);
        QTest::keyClick(editor, Qt::Key_Return); // typed, not moved
        QCOMPARE(lines.size(), 1);
    }

    void errorsStandInPlace()
    {
        ScriptView view;
        view.setScript(kText);
        view.show();
        auto* label = view.findChild<QLabel*>(QStringLiteral("scriptError"));
        QVERIFY(!label->isVisible());
        view.setError(3, 13, QStringLiteral("there is no loop ow"));
        QCOMPARE(view.findChild<ScriptEditor*>()->underlined(), QStringLiteral("ow"));
        QVERIFY(label->isVisible());
        QCOMPARE(label->text(), QStringLiteral("Line 3: there is no loop ow"));
        view.setError(3, 0, QStringLiteral("broken"));
        QCOMPARE(view.findChild<ScriptEditor*>()->underlined(), QStringLiteral("split       ow into owo:_ owi:28"));
        view.clearError();
        QVERIFY(!label->isVisible());
        QCOMPARE(view.findChild<ScriptEditor*>()->underlined(), QString());
    }

    void gutterSaysWhatIsNotProved()
    {
        ScriptView view;
        view.resize(500, 300);
        view.setScript(kText);
        view.setUnproven({2});
        view.show();
        auto* editor = view.findChild<ScriptEditor*>();
        const int line = QFontMetrics(editor->font()).lineSpacing();
        QVERIFY(editor->gutterToolTip(line + line / 2 + 4).contains(QStringLiteral("Not proved")));
        QCOMPARE(editor->gutterToolTip(2), QString());
    }

    void tabCompletes()
    {
        ScriptView view;
        view.setPrimitiveNames(kNames);
        view.show();
        auto* editor = view.findChild<ScriptEditor*>();
        QTest::keyClicks(editor, QStringLiteral("vec"));
        QTest::keyClick(editor, Qt::Key_Tab);
        QCOMPARE(view.script(), QStringLiteral("vectorize "));
        QTest::keyClicks(editor, QStringLiteral("oci"));
        QTest::keyClick(editor, Qt::Key_Return);
        QTest::keyClicks(editor, QStringLiteral("cache_"));
        QTest::keyClick(editor, Qt::Key_Tab); // two of them: a list
        QTest::keyClick(editor, Qt::Key_Return);
        QCOMPARE(view.script(), QStringLiteral("vectorize oci\ncache_read "));
    }

    void pictures()
    {
        if (!nw::views::test::keepsPictures()) {
            QSKIP("NW_PICTURES names no folder");
        }
        nw::views::test::everyFace([&](const Theme&, double scale, const QString& face) {
            ScriptView view;
            view.resize(static_cast<int>(760 * scale), static_cast<int>(260 * scale));
            view.setPrimitiveNames(kNames);
            view.setScript(kText);
            view.setCurrentStep(6);
            view.setUnproven({2, 6});
            view.setError(8, 13, QStringLiteral("split: there is no loop oh here; the nearest is oho"));
            view.show();
            nw::views::test::keepPicture(view, QStringLiteral("script_") + face);
        });
    }
};

NW_TEST_MAIN(tst_script, TestScript)
#include "tst_script.moc"
