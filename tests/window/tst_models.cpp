// Whole models, bad ones, unbound ones; a script pasted; a worker that dies; nothing leaves the window dead.
#include "tests/support/test.h"
#include "tests/window/driver.h"

#include "app/gui/samples.h"

#include <QClipboard>
#include <QDir>
#include <QLabel>
#include <QPlainTextEdit>
#include <QSignalSpy>

#include <algorithm>
#include <csignal>
#include <cstdlib>

using namespace nw;
using test::Driver;

namespace {

const char* const kExpert = R"(# Sixteen output channels by four columns: one tile of sums in registers.
split oc into oco:_ ocv:16/lanes(f32) oci:lanes(f32)
split ow into owo:_ owi:4
reorder oco oh owo ic kh kw owi ocv oci
cache_write conv at owo in registers
reverse_compute_at relu at owo
vectorize oci
unroll ocv
unroll owi
set_layout W as (o, i, h, w) -> (o / 16, i, h, w, o % 16)
)";

} // namespace

class TestModels : public QObject {
    Q_OBJECT

    std::unique_ptr<Driver> m_driver;

    QString write(const char* name, const QByteArray& text)
    {
        const QString path = m_driver->data() + QLatin1Char('/') + QString::fromLatin1(name);
        QFile file(path);
        file.open(QIODevice::WriteOnly);
        file.write(text);
        return path;
    }

private Q_SLOTS:
    void init() { m_driver = std::make_unique<Driver>(); }
    void cleanup() { m_driver.reset(); }

    void theHeaviestOperatorComesFirst()
    {
        Driver& d = *m_driver;
        QVERIFY(d.openSample(QStringLiteral("ResNet-18")));
        QVERIFY(d.window().controller().operatorName().startsWith(QStringLiteral("conv")));
        QCOMPARE(d.views().operators->selected(), d.window().controller().operatorName());
        QTRY_COMPARE(d.views().graph->selected(), d.window().controller().operatorName());
    }

    // An expert's script pasted on the heaviest operator of ResNet-18: the comparison fills, every bar has its figure.
    void theComparisonIsFilled()
    {
        Driver& d = *m_driver;
        QVERIFY(d.openSample(QStringLiteral("ResNet-18")));
        QVERIFY(d.window().controller().operatorName().startsWith(QStringLiteral("conv")));
        auto* editor = d.views().script->findChild<QPlainTextEdit*>();
        editor->setFocus();
        QApplication::clipboard()->setText(QString::fromLatin1(kExpert));
        QTest::keyClick(editor, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClick(editor, Qt::Key_V, Qt::ControlModifier);
        QTRY_COMPARE(d.editing().stations().size(), std::size_t{10});
        QVERIFY2(!d.editing().error(), d.editing().error() ? d.editing().error()->message.c_str() : "");
        QTRY_VERIFY_WITH_TIMEOUT(d.editing().stations().back().confirmed.has_value(), 120000);
        QVERIFY2(d.editing().stations().back().confirmed->ok(), d.editing().stations().back().confirmed->message.c_str());

        // The bar of "auto" is a ghost; its button sweeps.
        QSignalSpy swept(&d.window().workbench(), &app::Workbench::swept);
        QTest::keyClick(&d.window(), Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE_WITH_TIMEOUT(swept.count(), 1, 180000);
        QSignalSpy compared(&d.window().workbench(), &app::Workbench::compared);
        QTest::keyClick(&d.window(), Qt::Key_R, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(compared.count(), 1, 180000);
        const QString csv = d.views().comparison->csv();
        for (const char* name : {"default", "hand", "auto", "library", "bound"}) {
            QVERIFY2(csv.contains(QString::fromLatin1(name)), qPrintable(csv));
        }
        const auto& figures = compared.first().at(0).value<nw::session::Comparison>().figures;
        for (const session::Figure& figure : figures) {
            QVERIFY2(figure.present, qPrintable(QString::fromStdString(figure.name + ": " + figure.missing)));
        }
        QVERIFY2(figures.at(1).ns < figures.at(0).ns, "the expert's schedule is not faster than the default");
    }

    void anErrorStandsInItsPlace()
    {
        Driver& d = *m_driver;
        QVERIFY(d.openSample(QStringLiteral("Matrix product")));
        auto* editor = d.views().script->findChild<QPlainTextEdit*>();
        editor->setFocus();
        QTest::keyClick(editor, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(editor, QStringLiteral("vectorise n"));
        QTRY_VERIFY(d.editing().error().has_value());
        QCOMPARE(d.editing().error()->line, 1);
        // The script's view follows a turn after the text.
        const auto shown = [&d] {
            const QList<QLabel*> labels = d.views().script->findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
                return label->isVisible() && label->text().contains(QStringLiteral("vectorize"));
            });
        };
        QTRY_VERIFY2(shown(), "the message with the nearest primitive is not to be seen");
    }

    void badModelsAreTold_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("zeros") << QByteArray(4096, '\0');
        QTest::newRow("words") << QByteArray("this is no model\n");
        QTest::newRow("truncated") << QByteArray("\x08\x07\x12\x07pytorch\x1a", 13);
    }
    void badModelsAreTold()
    {
        QFETCH(QByteArray, bytes);
        Driver& d = *m_driver;
        d.window().open(write("bad.onnx", bytes));
        QTRY_VERIFY_WITH_TIMEOUT(d.find(QStringLiteral("startProblem")) != nullptr, 20000);
        const QString sentence = d.window().findChild<QLabel*>(QStringLiteral("startProblemSentence"))->text();
        QVERIFY2(sentence.size() > 10, qPrintable(sentence));
        QVERIFY(d.openSample(QStringLiteral("Matrix product"))); // and goes on
    }

    void dimensionsAreAskedInPlace()
    {
        Driver& d = *m_driver;
        d.window().open(write("open.onnxtxt", "<ir_version: 8, opset_import: [\"\": 17]>\n"
                                              "open (float[batch, 64] x) => (float[batch, 64] y)\n{\n y = Relu (x)\n}\n"));
        QTRY_VERIFY_WITH_TIMEOUT(d.find(QStringLiteral("dimension_batch")) != nullptr, 20000);
        d.click(QStringLiteral("dimensionsOpen"));
        QTRY_VERIFY_WITH_TIMEOUT(d.window().controller().hasOperator(), 20000);
        QVERIFY(QApplication::activeModalWidget() == nullptr);
    }

    // The builder or runner killed under the window: a line in the log, the next measurement works.
    void aWorkerThatDiesIsReplaced()
    {
        Driver& d = *m_driver;
        QVERIFY(d.openSample(QStringLiteral("Convolution")));
        QTRY_VERIFY_WITH_TIMEOUT(d.editing().stations().back().best() != nullptr, 60000);
        const QString children = QStringLiteral("pkill -9 -P %1").arg(QCoreApplication::applicationPid());
        for (int i = 0; i < 3; ++i) {
            QTest::keyClick(&d.window(), Qt::Key_F5);
            QTest::qWait(50 * (i + 1)); // somewhere inside a build or a run
            [[maybe_unused]] const int killed = std::system(qPrintable(children));
        }
        QVERIFY(d.waitIdle(60));
        QSignalSpy measured(&d.window().workbench(), &app::Workbench::measured);
        QTest::keyClick(&d.window(), Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(measured.count() > 0, 60000);
        QVERIFY2(measured.first().at(3).value<nw::session::Timing>().ok(), "the new worker did not measure");
        QVERIFY(d.window().isVisible());
    }

    // Names outside of ASCII, with quotes, dollars, hashes and spaces: open, edit, save, reopen, export.
    void case_59_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("many scripts") << QStringLiteral("модель 模型 é 🚀 a'b$c#%20;");
        QTest::newRow("decomposed, line break, space at the end") << QStringLiteral("e\u0301 one\ntwo ");
        QTest::newRow("HTML") << QStringLiteral("<b>bold<img src=x> &amp; 100%1");
    }
    void case_59()
    {
        QFETCH(QString, name);
        Driver& d = *m_driver;
        const QString folder = d.data() + QLatin1Char('/') + name;
        QVERIFY(QDir().mkpath(folder));
        const QString model = folder + QStringLiteral("/<b>модель é.onnxtxt");
        QVERIFY(QFile::copy(app::samplesFolder() + QStringLiteral("/conv3x3/model.onnxtxt"), model));
        d.window().open(model);
        QTRY_VERIFY_WITH_TIMEOUT(d.window().controller().hasOperator(), 60000);
        d.window().controller().applyStep(QStringLiteral("unroll kw"));
        QTRY_COMPARE(d.script(), std::string("unroll kw\n"));
        const QString saved = folder + QStringLiteral("/сохранённый 🚀.nest");
        QSignalSpy isSaved(&d.window().workbench(), &app::Workbench::saved);
        d.window().workbench().saveAs(saved);
        QTRY_COMPARE_WITH_TIMEOUT(isSaved.count(), 1, 20000);
        QVERIFY(QFile::exists(saved));
        d.kill();
        d.start();
        d.window().open(saved);
        QTRY_VERIFY_WITH_TIMEOUT(d.window().controller().hasOperator(), 60000);
        QCOMPARE(d.script(), std::string("unroll kw\n"));
        for (const QLabel* label : d.window().findChildren<QLabel*>()) { // a name is never read as HTML
            QVERIFY2(!label->text().contains(QStringLiteral("<b>")) || label->textFormat() == Qt::PlainText, qPrintable(label->text()));
        }
        QSignalSpy isExported(&d.window().workbench(), &app::Workbench::exported);
        d.window().workbench().exportTo(folder + QStringLiteral("/вывод"));
        QTRY_COMPARE_WITH_TIMEOUT(isExported.count(), 1, 60000);
        QVERIFY(!QDir(folder + QStringLiteral("/вывод")).entryList({QStringLiteral("lib*.so")}).isEmpty());
    }

    void theWindowAnswersWhileWorking()
    {
        Driver& d = *m_driver;
        QVERIFY(d.openSample(QStringLiteral("ResNet-18")));
        QVERIFY(QTest::qWaitFor([&d] { return !d.window().workbench().isIdle(); }, 10000));
        d.window().heartbeat().reset();
        for (int i = 0; i < 20; ++i) {
            d.key(Qt::Key_Down);
            QTest::qWait(20);
        }
        qInfo("longest time without an answer: %lld ms", static_cast<long long>(d.window().heartbeat().worstMs()));
        QVERIFY(d.window().heartbeat().worstMs() < 2000); // the figure itself is the benchmark's
    }
};

NW_TEST_MAIN(tst_models, TestModels)
#include "tst_models.moc"
