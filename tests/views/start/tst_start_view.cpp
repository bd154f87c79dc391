#include "tests/support/faces.h"
#include "tests/support/test.h"
#include "views/common/theme.h"
#include "views/start/operator_form.h"
#include "views/start/start_view.h"

#include <QApplication>
#include <QComboBox>
#include <QDateTime>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <QUrl>

using namespace nw::views;

namespace {

QList<SampleCard> samples()
{
    return {{QStringLiteral("Convolution 3x3"), QStringLiteral("One convolution with bias and ReLU, with a schedule that keeps a tile of sums in registers."), QStringLiteral("/samples/conv3x3")},
        {QStringLiteral("Matrix product 1024"), QStringLiteral("The classic: tiles, registers and a packed B."), QStringLiteral("/samples/matmul1024")},
        {QStringLiteral("Small CNN"), QStringLiteral("A whole network of 12 operators with residuals, depthwise convolution and a classifier."), QStringLiteral("/samples/small_cnn")},
        {QStringLiteral("Attention block"), QStringLiteral("Layer normalization, four heads and a feed-forward part; its batch is a symbol."), QStringLiteral("/samples/attention")}};
}

QList<RecentProject> recent()
{
    const qint64 now = QDateTime::currentSecsSinceEpoch();
    return {{QStringLiteral("resnet50"), QStringLiteral("/home/you/models/resnet50.onnx"), now, true},
        {QStringLiteral("mobilenet_v2"), QStringLiteral("/home/you/models/mobilenet_v2.onnx"), now - 3 * 86400, true},
        {QStringLiteral("old"), QStringLiteral("/home/you/old.nest"), now - 90 * 86400, false}};
}

} // namespace

class TestStartView : public QObject {
    Q_OBJECT

    template <typename T>
    static T* find(const QWidget& view, const char* name)
    {
        return view.findChild<T*>(QString::fromLatin1(name));
    }
    static void makeReady(StartView& view)
    {
        view.resize(1000, 700);
        view.setSamples(samples());
        view.setRecent(recent());
        view.setDevice(QStringLiteral("This computer \u00b7 2 cores \u00b7 AVX2"), QStringLiteral("ready"));
        view.show();
        view.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&view));
    }

private Q_SLOTS:
    void openHasTheFocus()
    {
        StartView view;
        makeReady(view);
        QSignalSpy open(&view, &StartView::openDialogWished);
        auto* button = find<QPushButton>(view, "openModel");
        QTRY_VERIFY(button->hasFocus());
        QTest::keyClick(button, Qt::Key_Space);
        QCOMPARE(open.count(), 1);
        QCOMPARE(find<QLabel>(view, "startDevice")->text(), QStringLiteral("This computer \u00b7 2 cores \u00b7 AVX2 \u00b7 ready"));
    }

    void cardsAndLinesOpen()
    {
        StartView view;
        makeReady(view);
        QSignalSpy open(&view, &StartView::openWished);
        QSignalSpy remove(&view, &StartView::removeRecentWished);
        QTest::keyClick(find<QWidget>(view, "sample1"), Qt::Key_Return);
        QTest::mouseClick(find<QWidget>(view, "sample0"), Qt::LeftButton);
        find<QPushButton>(view, "recent1")->click();
        QCOMPARE(open.count(), 3);
        QCOMPARE(open.at(0).at(0).toString(), QStringLiteral("/samples/matmul1024"));
        QCOMPARE(open.at(1).at(0).toString(), QStringLiteral("/samples/conv3x3"));
        QCOMPARE(open.at(2).at(0).toString(), QStringLiteral("/home/you/models/mobilenet_v2.onnx"));
        QVERIFY(find<QPushButton>(view, "recent2") == nullptr); // its file is gone: a label
        QCOMPARE(find<QLabel>(view, "recent2")->text(), QStringLiteral("old"));
        QVERIFY(find<QWidget>(view, "sample0")->height() >= find<QWidget>(view, "sample0")->heightForWidth(find<QWidget>(view, "sample0")->width()));
        find<QToolButton>(view, "removeRecent2")->click();
        QCOMPARE(remove.at(0).at(0).toString(), QStringLiteral("/home/you/old.nest"));
    }

    void filesAreDropped()
    {
        QTemporaryDir folder;
        QVERIFY(StartView::canOpen(folder.path()));
        QVERIFY(StartView::canOpen(QStringLiteral("/a/b.ONNX")));
        QVERIFY(StartView::canOpen(QStringLiteral("/a/b.onnxtxt")));
        QVERIFY(!StartView::canOpen(QStringLiteral("/a/b.txt")));
        StartView view;
        makeReady(view);
        QSignalSpy open(&view, &StartView::openWished);
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(QStringLiteral("/a/b.txt")), QUrl::fromLocalFile(QStringLiteral("/a/model.onnx"))});
        QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&view, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&view, &drop);
        QCOMPARE(open.count(), 1);
        QCOMPARE(open.at(0).at(0).toString(), QStringLiteral("/a/model.onnx"));
    }

    void problemsAreSaidInPlace()
    {
        StartView view;
        makeReady(view);
        auto* box = find<QWidget>(view, "startProblem");
        QVERIFY(!box->isVisible());
        view.setProblem(QStringLiteral("model.onnx cannot be read: it ends early."), QStringLiteral("Copy it again, or export it anew."));
        QVERIFY(box->isVisible());
        QCOMPARE(find<QLabel>(view, "startProblemHint")->text(), QStringLiteral("Copy it again, or export it anew."));
        QVERIFY(QApplication::activeModalWidget() == nullptr);
        find<QToolButton>(view, "startDismiss")->click();
        QVERIFY(!box->isVisible());
    }

    void progressCanBeCancelled()
    {
        StartView view;
        makeReady(view);
        QSignalSpy cancel(&view, &StartView::cancelWished);
        view.setProgress(QStringLiteral("Reading resnet50.onnx"));
        QVERIFY(find<QWidget>(view, "startProgress")->isVisible());
        QVERIFY(!find<QPushButton>(view, "openModel")->isEnabled());
        find<QPushButton>(view, "startCancel")->click();
        QCOMPARE(cancel.count(), 1);
        view.setProgress({});
        QVERIFY(!find<QWidget>(view, "startProgress")->isVisible());
        QVERIFY(find<QPushButton>(view, "openModel")->isEnabled());
    }

    void dimensionsAreAsked()
    {
        StartView view;
        makeReady(view);
        QSignalSpy bound(&view, &StartView::openBoundWished);
        QSignalSpy cancel(&view, &StartView::cancelWished);
        view.askDimensions(QStringLiteral("attention"), {{QStringLiteral("batch"), 1, {QStringLiteral("x f32[batch, 64, 256]")}}, {QStringLiteral("seq"), 64, {}}});
        auto* batch = find<QLineEdit>(view, "dimension_batch");
        QCOMPARE(batch->text(), QStringLiteral("1"));
        QTRY_VERIFY(batch->hasFocus());
        batch->setText(QStringLiteral("0"));
        QVERIFY(!find<QPushButton>(view, "dimensionsOpen")->isEnabled());
        QCOMPARE(find<QLabel>(view, "dimensionsProblem")->text(), QStringLiteral("batch needs a whole number of at least 1."));
        QTest::keyClick(batch, Qt::Key_Return);
        QCOMPARE(bound.count(), 0);
        batch->setText(QStringLiteral("8"));
        QTest::keyClick(batch, Qt::Key_Return);
        QCOMPARE(bound.count(), 1);
        const auto bind = bound.at(0).at(0).value<QMap<QString, qint64>>();
        QCOMPARE(bind.value(QStringLiteral("batch")), 8);
        QCOMPARE(bind.value(QStringLiteral("seq")), 64);
        QTest::keyClick(batch, Qt::Key_Escape);
        QCOMPARE(cancel.count(), 1);
        QVERIFY(find<QWidget>(view, "sample0")->isVisible());
    }

    void operatorsAreDescribed()
    {
        StartView view;
        makeReady(view);
        QSignalSpy made(&view, &StartView::newOperatorWished);
        find<QPushButton>(view, "newOperator")->click();
        auto* kind = find<QComboBox>(view, "operatorKind");
        QVERIFY(kind->isVisible());
        kind->setCurrentIndex(static_cast<int>(OperatorKind::MatMul));
        auto* m = find<QLineEdit>(view, "field_m");
        auto* create = find<QPushButton>(view, "operatorCreate");
        m->setText(QStringLiteral("12x"));
        QVERIFY(!create->isEnabled());
        QVERIFY(find<QLabel>(view, "operatorProblem")->text().contains(QStringLiteral("Rows of A (m)")));
        m->setText(QStringLiteral("96"));
        QVERIFY(create->isEnabled());
        QVERIFY(find<QPlainTextEdit>(view, "operatorPreview")->toPlainText().contains(QStringLiteral("float[96,512] A")));
        QCOMPARE(find<QLineEdit>(view, "operatorName")->text(), QStringLiteral("matmul_96x512x512"));
        QTest::keyClick(m, Qt::Key_Return);
        QCOMPARE(made.count(), 1);
        QCOMPARE(made.at(0).at(0).toString(), QStringLiteral("matmul_96x512x512"));
        QVERIFY(made.at(0).at(1).toString().contains(QStringLiteral("Y = MatMul(A, B)")));
        QTest::keyClick(m, Qt::Key_Escape);
        QVERIFY(!kind->isVisible());
        QVERIFY(find<QWidget>(view, "sample0")->isVisible());
    }

    void timesAreRead()
    {
        const QDateTime noon(QDate(2026, 5, 20), QTime(12, 0));
        const qint64 now = noon.toSecsSinceEpoch();
        QCOMPARE(whenText(now - 3600, now), QStringLiteral("today 11:00"));
        QCOMPARE(whenText(now - 86400, now), QStringLiteral("yesterday"));
        QCOMPARE(whenText(now - 3 * 86400, now), QStringLiteral("3 days ago"));
    }

    // Pictures to look at, when NW_PICTURES names a folder.
    void pictures()
    {
        if (!nw::views::test::keepsPictures()) {
            QSKIP("NW_PICTURES names no folder");
        }
        nw::views::test::everyFace([&](const Theme&, double, const QString& face) {
            StartView view;
            makeReady(view);
            const auto save = [&](const char* what) {
                nw::views::test::keepPicture(view, QStringLiteral("start_%1_%2").arg(QString::fromLatin1(what), face));
            };
            save("page");
            view.setProblem(QStringLiteral("model.onnx cannot be read: it ends early."), QStringLiteral("Copy it again, or export it anew."));
            view.setProgress(QStringLiteral("Reading resnet50.onnx"));
            save("problem");
            view.setProblem({}, {});
            view.setProgress({});
            view.askDimensions(QStringLiteral("attention"), {{QStringLiteral("batch"), 1, {QStringLiteral("x f32[batch, 64, 256]")}}, {QStringLiteral("seq"), 64, {QStringLiteral("mask f32[batch, seq]")}}});
            save("dimensions");
            find<QPushButton>(view, "newOperator")->click();
            save("operator");
        });
    }
};

NW_TEST_MAIN(tst_start_view, TestStartView)
#include "tst_start_view.moc"
