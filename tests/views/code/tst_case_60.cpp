// Listings of 200,000 lines: shown, searched, exchanged, without laying out what is not to be seen.
#include "tests/support/test.h"
#include "views/code/code_view.h"

#include <QElapsedTimer>
#include <QPlainTextEdit>
#include <QTimer>

#include <algorithm>
#include <ctime>

using namespace nw::views;

namespace {

constexpr int kLines = 200000;

QString listing(const char* line)
{
    QString text;
    text.reserve(kLines * 44);
    for (int i = 0; i < kLines; ++i) {
        text += QString::fromLatin1(line).arg(i);
        text += QLatin1Char('\n');
    }
    return text;
}

double threadMs()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

} // namespace

class TestCase60 : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void case_60()
    {
        CodeTexts first{QStringLiteral("definition"), listing("  oc%1 in 0..16"), listing("  for i%1 in 0..4:"),
                        listing("  %x%1 = fmul <8 x float> %a, %b"), listing("\tvfmadd231ps\t%ymm1, %ymm2, %ymm3  # %1"), {}};
        CodeTexts second = first;
        second.assembly = listing("\tvmulps\t%ymm4, %ymm5, %ymm6  # %1");
        CodeView view;
        view.resize(900, 600);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QElapsedTimer timer;
        QElapsedTimer since;
        qint64 worst = 0;
        double worstAtWork = 0; // of this thread: what a busy machine adds is not the window's
        double workBefore = 0;
        QTimer heart;
        QObject::connect(&heart, &QTimer::timeout, &view, [&] {
            worst = std::max(worst, since.restart());
            const double work = threadMs();
            worstAtWork = std::max(worstAtWork, work - workBefore);
            workBefore = work;
        });
        since.start();
        workBefore = threadMs();
        heart.start(5);
        for (const CodeView::Tab tab : {CodeView::Tab::Loops, CodeView::Tab::Lowered, CodeView::Tab::Llvm, CodeView::Tab::Assembly}) {
            timer.start();
            view.setTexts(first);
            view.show(tab);
            QCoreApplication::processEvents();
            qInfo("tab %d: first screen after %lld ms", static_cast<int>(tab), static_cast<long long>(timer.elapsed()));
        }
        QPlainTextEdit* shown = nullptr;
        for (QPlainTextEdit* editor : view.findChildren<QPlainTextEdit*>()) {
            shown = editor->isVisible() ? editor : shown;
        }
        QVERIFY(shown != nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(shown->blockCount() >= kLines, 60000);
        QVERIFY(shown->isReadOnly());
        timer.start();
        for (int i = 0; i < 10; ++i) {
            view.setTexts(i % 2 == 0 ? second : first);
            view.highlightLoop({QStringLiteral("oc5")});
            QCoreApplication::processEvents();
        }
        qInfo("longest time without an answer: %lld ms, at work %.1f ms", static_cast<long long>(worst), worstAtWork);
        worst = 0;
        worstAtWork = 0;
        qInfo("ten exchanges: %lld ms", static_cast<long long>(timer.elapsed()));
        QTRY_VERIFY_WITH_TIMEOUT(shown->blockCount() >= kLines, 60000);
        qInfo("while the last one fills: %lld ms, at work %.1f ms", static_cast<long long>(worst), worstAtWork);
        QVERIFY(shown->toPlainText().contains(QStringLiteral("vfmadd231ps")));
        shown->selectAll();
        QVERIFY(shown->textCursor().selectedText().size() > kLines);
    }

    // Shorter ones are linked with the loops.
    void linksInTime()
    {
        const auto part = [](const QString& text) { return text.left(1990000); };
        const CodeTexts texts{QStringLiteral("definition"), listing("  oc%1 in 0..16"), part(listing("  for i%1 in 0..4:")),
                              part(listing("  %x%1 = fmul <8 x float> %a, %b")), part(listing("\tvfmadd231ps\t%ymm1, %ymm2, %ymm3  # %1")), {}};
        CodeView view;
        view.resize(900, 600);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        for (const CodeView::Tab tab : {CodeView::Tab::Lowered, CodeView::Tab::Llvm, CodeView::Tab::Assembly}) {
            view.setTexts(texts);
            const double before = threadMs();
            view.show(tab);
            QCoreApplication::processEvents();
            qInfo("tab %d of 2 MB linked and shown: at work %.1f ms", static_cast<int>(tab), threadMs() - before);
        }
    }
};

NW_TEST_MAIN(tst_case_60, TestCase60)
#include "tst_case_60.moc"
