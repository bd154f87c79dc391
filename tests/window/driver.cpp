#include "tests/window/driver.h"

#include "app/gui/go_to.h"
#include "app/gui/look.h"

#include <QAbstractButton>
#include <QApplication>
#include <QLabel>
#include <QStandardPaths>
#include <QTest>

namespace nw::test {

Driver::Driver()
{
    for (const char* name : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"}) {
        qputenv(name, (m_folder.path() + QLatin1Char('/') + QString::fromLatin1(name)).toUtf8());
        QDir().mkpath(m_folder.path() + QLatin1Char('/') + QString::fromLatin1(name));
    }
    QFile::setPermissions(m_folder.path() + QStringLiteral("/XDG_RUNTIME_DIR"), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    QCoreApplication::setOrganizationName(QStringLiteral("nestwright"));
    QCoreApplication::setApplicationName(QStringLiteral("nestwright"));
    app::applyLook();
    start();
}

Driver::~Driver() = default;

void Driver::start()
{
    m_window = std::make_unique<app::MainWindow>();
    m_window->resize(1600, 1000);
    m_window->show();
    if (!QTest::qWaitForWindowExposed(m_window.get())) {
        qFatal("the window was not shown");
    }
    m_window->activateWindow();
}

void Driver::kill()
{
    m_window.reset();
}

QWidget* Driver::find(const QString& objectName) const
{
    const QList<QWidget*> found = m_window->findChildren<QWidget*>(objectName);
    for (QWidget* widget : found) {
        if (widget->isVisible()) {
            return widget;
        }
    }
    return nullptr;
}

void Driver::click(const QString& objectName)
{
    QWidget* widget = find(objectName);
    QVERIFY2(widget != nullptr, qPrintable(objectName + QStringLiteral(" is not to be seen")));
    QTest::mouseClick(widget, Qt::LeftButton);
}

bool Driver::openSample(const QString& title)
{
    for (QAbstractButton* button : m_window->views().start->findChildren<QAbstractButton*>()) {
        if (button->isVisible() && button->accessibleName().contains(title)) {
            QTest::mouseClick(button, Qt::LeftButton);
            return QTest::qWaitFor([this] { return m_window->controller().hasOperator(); }, 60000);
        }
    }
    return false;
}

void Driver::command(const QString& words)
{
    QTest::keyClick(m_window.get(), Qt::Key_K, Qt::ControlModifier);
    auto* line = m_window->findChild<app::GoTo*>();
    QVERIFY(QTest::qWaitFor([line] { return line->hasFocus(); }));
    QTest::keyClicks(line, words);
    QTest::keyClick(line, Qt::Key_Return);
    QCoreApplication::processEvents();
}

void Driver::key(int key, Qt::KeyboardModifiers modifiers)
{
    views().nest->setFocus();
    QTest::keyClick(views().nest, Qt::Key(key), modifiers);
}

void Driver::selectRow(const QString& name)
{
    const QRect place = views().nest->nameRect(name);
    QVERIFY2(!place.isEmpty(), qPrintable(name + QStringLiteral(" is no row of the nest")));
    QTest::mouseClick(views().nest->viewport(), Qt::LeftButton, {}, place.center());
}

void Driver::primitive(int which)
{
    key(which);
    QWidget* form = find(QStringLiteral("primitiveForm"));
    QVERIFY2(form != nullptr, "no form opened");
    QWidget* focus = QApplication::focusWidget();
    QTest::keyClick(focus != nullptr && form->isAncestorOf(focus) ? focus : form, Qt::Key_Return);
}

std::string Driver::script() const
{
    return m_window->controller().editing() == nullptr ? "" : editing().text();
}

QString Driver::message() const
{
    return m_window->findChild<QLabel*>(QStringLiteral("statusMessage"))->text();
}

bool Driver::waitIdle(int seconds)
{
    return QTest::qWaitFor([this] { return m_window->workbench().isIdle(); }, seconds * 1000);
}

} // namespace nw::test
