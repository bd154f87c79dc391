// A plot's menu, the dialog that asks for a file, and what is in the file then.
#include "tests/support/test.h"
#include "tests/window/driver.h"

#include <QDir>
#include <QFileDialog>
#include <QImage>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QToolButton>

using namespace nw;
using test::Driver;

class TestPlotFiles : public QObject {
    Q_OBJECT

    std::unique_ptr<Driver> m_driver;

    QFileDialog* dialog() { return m_driver->window().findChild<QFileDialog*>(QStringLiteral("plotFileDialog")); }
    // The button's menu, the action in it, the dialog's file name, Enter.
    void save(const QString& plot, const QString& kind, const QString& path)
    {
        auto* button = m_driver->window().findChild<QToolButton*>(plot + QStringLiteral("Export"));
        QVERIFY(button != nullptr && button->isVisible());
        QMenu* menu = button->menu();
        menu->popup(button->mapToGlobal(QPoint(0, button->height())));
        auto* action = menu->findChild<QAction*>(plot + QLatin1Char('_') + kind);
        QVERIFY(action != nullptr);
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
        QTRY_VERIFY(dialog() != nullptr && dialog()->isVisible());
        const QString what = plot == QLatin1String("compare") ? QStringLiteral("-comparison.") : QStringLiteral("-roofline.");
        const QString proposed = QFileInfo(dialog()->selectedFiles().value(0)).fileName();
        QCOMPARE(proposed, m_driver->window().controller().operatorName() + what + kind);
        auto* name = dialog()->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
        QVERIFY2(name != nullptr, "not Qt's own dialog");
        name->setText(path);
        QTest::keyClick(name, Qt::Key_Return);
        QTRY_VERIFY(dialog() == nullptr);
    }
    static QByteArray read(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    bool logSays(const QString& words)
    {
        for (const QPlainTextEdit* text : m_driver->window().findChildren<QPlainTextEdit*>()) {
            if (text->isReadOnly() && text->toPlainText().contains(words)) {
                return true;
            }
        }
        return false;
    }

private Q_SLOTS:
    void initTestCase()
    {
        QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        m_driver = std::make_unique<Driver>();
        QVERIFY(m_driver->openSample(QStringLiteral("Matrix product")));
        // One figure and the roofs are there, and nothing changes them while files are written.
        QTRY_VERIFY_WITH_TIMEOUT(m_driver->editing().stations().back().confirmed.has_value(), 120000);
        m_driver->window().controller().stopMeasuring();
        QVERIFY(m_driver->waitIdle(120));
        QCoreApplication::processEvents();
        m_driver->window().setLayoutPreset(app::MainWindow::Layout::Compare);
    }
    void cleanupTestCase() { m_driver.reset(); }

    void aPlotIsSaved_data()
    {
        QTest::addColumn<QString>("panel");
        QTest::addColumn<QString>("plot");
        QTest::newRow("comparison") << QStringLiteral("compare") << QStringLiteral("compare");
        QTest::newRow("roofline") << QStringLiteral("roofline") << QStringLiteral("roofline");
    }
    void aPlotIsSaved()
    {
        QFETCH(QString, panel);
        QFETCH(QString, plot);
        Driver& d = *m_driver;
        d.window().showPanel(panel);
        const QString base = d.data() + QStringLiteral("/bild é ") + plot;

        save(plot, QStringLiteral("png"), base + QStringLiteral(".png"));
        QVERIFY(read(base + QStringLiteral(".png")).startsWith("\x89PNG"));
        QVERIFY(QImage(base + QStringLiteral(".png")).width() >= 900);
        QVERIFY(logSays(base));
        QVERIFY(d.message().contains(base));

        save(plot, QStringLiteral("svg"), base); // the ending comes by itself
        const QByteArray svg = read(base + QStringLiteral(".svg"));
        QVERIFY(svg.contains("<svg") && svg.contains("<text"));

        save(plot, QStringLiteral("csv"), base + QStringLiteral(".csv"));
        const QString table = QString::fromUtf8(read(base + QStringLiteral(".csv")));
        QCOMPARE(table, plot == QLatin1String("compare") ? d.views().comparison->csv() : d.views().roofline->csv());
        QVERIFY2(table.split(QLatin1Char('\n'), Qt::SkipEmptyParts).size() > 3, qPrintable(table));
        if (plot == QLatin1String("compare")) {
            for (const char* name : {"default", "hand", "bound"}) {
                QVERIFY2(table.contains(QString::fromLatin1(name)), qPrintable(table));
            }
        }
    }

    // The library goes to a folder that need not be there yet.
    void theLibraryGoesToANewFolder()
    {
        Driver& d = *m_driver;
        QSignalSpy exported(&d.window().workbench(), &app::Workbench::exported);
        QTest::keyClick(&d.window(), Qt::Key_E, Qt::ControlModifier);
        const auto asks = [&d] { return d.window().findChild<QFileDialog*>(QStringLiteral("exportDialog")); };
        QTRY_VERIFY(asks() != nullptr && asks()->isVisible());
        QVERIFY(QFileInfo(asks()->selectedFiles().value(0)).fileName().endsWith(QStringLiteral("-library")));
        auto* name = asks()->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
        QVERIFY2(name != nullptr, "not Qt's own dialog");
        const QString folder = d.data() + QStringLiteral("/new folder");
        name->setText(folder);
        QTest::keyClick(name, Qt::Key_Return);
        QTRY_VERIFY(asks() == nullptr);
        QTRY_COMPARE_WITH_TIMEOUT(exported.count(), 1, 120000);
        QCOMPARE(QDir(folder).entryList({QStringLiteral("lib*.so")}).size(), 1);
    }

    void aFailureIsTold()
    {
        Driver& d = *m_driver;
        d.window().showPanel(QStringLiteral("compare"));
        for (const char* kind : {"png", "svg", "csv"}) {
            const QString path = d.data() + QStringLiteral("/no/such/folder/a.") + QString::fromLatin1(kind);
            save(QStringLiteral("compare"), QString::fromLatin1(kind), path);
            QVERIFY(!QFile::exists(path));
            QVERIFY2(d.message().contains(path) && d.message().contains(QStringLiteral("could not be written")), qPrintable(d.message()));
            QVERIFY(logSays(path));
        }
    }
};

NW_TEST_MAIN(tst_plot_files, TestPlotFiles)
#include "tst_plot_files.moc"
