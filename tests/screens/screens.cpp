// screens FOLDER: the window's faces as PNG files. Exit code 1 when a label is cut off or its contrast is below 4.5:1.
#include "app/gui/look.h"
#include "app/gui/main_window.h"
#include "app/gui/samples.h"

#include "tests/screens/tuner_face.h"
#include "tests/views/graph/pictures.h"
#include "views/common/theme.h"

#include <QAbstractButton>
#include <QApplication>
#include <QDir>
#include <QLabel>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <cstdio>

using namespace nw;

namespace {

int problems = 0;

double luminance(const QColor& color)
{
    const auto part = [](double value) { return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4); };
    return 0.2126 * part(color.redF()) + 0.7152 * part(color.greenF()) + 0.0722 * part(color.blueF());
}

double contrast(const QColor& a, const QColor& b)
{
    const double x = luminance(a);
    const double y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

// The colours that text has, on the grounds that it stands on.
void checkTheme(const char* name, const views::Theme& theme)
{
    const std::pair<const char*, QColor> inks[] = {{"text", theme.text}, {"muted", theme.muted}, {"accent", theme.accent},
                                                   {"legal", theme.legal}, {"unproven", theme.unproven}, {"illegal", theme.illegal}};
    const std::pair<const char*, QColor> grounds[] = {{"panel", theme.panel}, {"window", theme.window}, {"selected", theme.selectedRow}};
    for (const auto& [ink, inkColor] : inks) {
        for (const auto& [ground, groundColor] : grounds) {
            const double ratio = contrast(inkColor, groundColor);
            if (ratio < 4.5) {
                std::printf("%s: %s on %s has a contrast of %.2f\n", name, ink, ground, ratio);
                ++problems;
            }
        }
    }
}

// Words that their widget is too small for, and that no tool tip tells.
void checkWords(const QWidget& window, const QString& picture)
{
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        if (!widget->isVisible()) {
            continue;
        }
        QString text;
        int needed = 0;
        if (const auto* label = qobject_cast<const QLabel*>(widget); label != nullptr && !label->wordWrap()) {
            text = label->text();
            needed = label->fontMetrics().horizontalAdvance(text);
        } else if (const auto* button = qobject_cast<const QAbstractButton*>(widget);
                   button != nullptr && !button->hasHeightForWidth()) {
            text = button->text();
            needed = button->fontMetrics().horizontalAdvance(text);
        }
        if (!text.isEmpty() && !text.contains(QLatin1Char('<')) && needed > widget->width() + 1 && widget->toolTip().isEmpty() &&
            widget->width() > 0) {
            std::printf("%s: \"%s\" needs %d pixels and has %d (%s)\n", qPrintable(picture), qPrintable(text), needed, widget->width(),
                        qPrintable(widget->objectName()));
            ++problems;
        }
    }
}

void shoot(app::MainWindow& window, const QString& folder, const QString& name)
{
    QTest::qWait(150);
    checkWords(window, name);
    window.grab().save(folder + QLatin1Char('/') + name + QStringLiteral(".png"));
    std::printf("%s\n", qPrintable(name));
    std::fflush(stdout);
}

void faces(const QString& folder, bool dark, int scale)
{
    app::Settings().setScheme(dark ? app::Settings::Scheme::Dark : app::Settings::Scheme::Light);
    app::Settings().setScale(scale);
    app::applyLook();
    const QString tail = QStringLiteral("-%1-%2").arg(dark ? QStringLiteral("dark") : QStringLiteral("light")).arg(scale);
    app::MainWindow window;
    window.resize(1680, 1050);
    window.show();
    (void)QTest::qWaitForWindowExposed(&window);
    shoot(window, folder, QStringLiteral("start") + tail);
    window.open(app::samplesFolder() + QStringLiteral("/conv3x3"));
    (void)QTest::qWaitFor([&] { return window.controller().hasOperator(); }, 60000);
    (void)QTest::qWaitFor([&] { return window.controller().editing()->stations().back().best() != nullptr; }, 60000);
    const std::vector<const schedule::Loop*> loops = window.controller().editing()->nest().allLoops();
    const QString inner = QString::fromStdString(loops.back()->name);
    window.views().nest->select({inner});
    Q_EMIT window.views().nest->selectionChanged({inner});
    shoot(window, folder, QStringLiteral("editor") + tail);
    window.controller().buildListings();
    (void)QTest::qWaitFor([&] { return window.workbench().isIdle(); }, 60000);
    window.setLayoutPreset(app::MainWindow::Layout::Code);
    window.views().code->show(views::CodeView::Tab::Assembly);
    shoot(window, folder, QStringLiteral("code") + tail);
    window.setLayoutPreset(app::MainWindow::Layout::Compare);
    shoot(window, folder, QStringLiteral("comparison") + tail);
    {
        const auto lock = screens::tunerAtWork(window);
        window.setLayoutPreset(app::MainWindow::Layout::Tune);
        shoot(window, folder, QStringLiteral("tuner") + tail);
        screens::chooseTrials(window);
        shoot(window, folder, QStringLiteral("tuner_trial") + tail);
        window.setLayoutPreset(app::MainWindow::Layout::Explore);
        window.showPanel(QStringLiteral("tuner"));
        shoot(window, folder, QStringLiteral("tuner_docked") + tail);
    }
    window.setLayoutPreset(app::MainWindow::Layout::Explore);
    window.open(app::samplesFolder() + QStringLiteral("/small_cnn"));
    (void)QTest::qWaitFor([&] { return window.controller().operatorName() != QStringLiteral("conv.0") || window.workbench().isIdle(); }, 60000);
    QTest::qWait(500);
    shoot(window, folder, QStringLiteral("graph") + tail);
    window.views().graph->setPicture(views::pictures::transformer(128));
    QTest::qWait(700);
    shoot(window, folder, QStringLiteral("graph5000") + tail);
    window.showPanel(QStringLiteral("tuner"));
    shoot(window, folder, QStringLiteral("tuner_start") + tail);
    window.controller().stopMeasuring();
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 2) {
        std::fprintf(stderr, "screens FOLDER\n");
        return 2;
    }
    QTemporaryDir home;
    for (const char* name : {"XDG_DATA_HOME", "XDG_CONFIG_HOME"}) {
        qputenv(name, home.path().toUtf8());
    }
    QApplication application(argc, argv);
    const QString folder = QString::fromLocal8Bit(argv[1]);
    QDir().mkpath(folder);
    checkTheme("light", views::Theme::light());
    checkTheme("dark", views::Theme::dark());
    for (const bool dark : {false, true}) {
        for (const int scale : {100, 150}) {
            faces(folder, dark, scale);
        }
    }
    std::printf("%d problem(s)\n", problems);
    return problems == 0 ? 0 : 1;
}
