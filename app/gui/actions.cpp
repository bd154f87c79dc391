// Menus, tool bar, shortcuts and the status line.
#include "app/gui/go_to.h"
#include "app/gui/look.h"
#include "app/gui/main_window.h"

#include "views/common/icons.h"
#include "views/common/theme.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QDockWidget>
#include <QFileDialog>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QStandardPaths>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>

namespace nw::app {

QAction* MainWindow::add(const QString& name, const QString& text, const QKeySequence& key, const QString& icon)
{
    auto* action = new QAction(text, this);
    action->setObjectName(name + QStringLiteral("Action"));
    action->setShortcut(key);
    action->setShortcutContext(Qt::WindowShortcut);
    addAction(action);
    m_actions[name] = action;
    if (!icon.isEmpty()) {
        m_icons[name] = icon;
    }
    return action;
}

void MainWindow::makeActions()
{
    const auto on = [this](const char* name, const QString& text, const QKeySequence& key, const char* icon, auto&& call) {
        connect(add(QString::fromLatin1(name), text, key, QString::fromLatin1(icon)), &QAction::triggered, this, call);
    };
    on("open", tr("&Open model…"), QKeySequence::Open, "open", [this] { chooseModel(); });
    on("start", tr("Start &page"), QKeySequence(QStringLiteral("Ctrl+Shift+H")), "", [this] {
        saveLayout();
        setWorking(false);
        refreshRecent();
    });
    on("save", tr("&Save project as…"), QKeySequence::Save, "save", [this] { chooseSaveAs(); });
    on("export", tr("&Export library…"), QKeySequence(QStringLiteral("Ctrl+E")), "export", [this] { chooseExport(); });
    on("quit", tr("&Quit"), QKeySequence::Quit, "", [this] { close(); });
    on("measure", tr("&Measure"), QKeySequence(Qt::Key_F5), "measure", [this] { m_controller->measureCurrent(); });
    on("stop", tr("&Stop measuring"), QKeySequence(QStringLiteral("Shift+F5")), "stop", [this] { m_controller->stopMeasuring(); });
    on("compare", tr("&Compare"), QKeySequence(QStringLiteral("Ctrl+R")), "compare", [this] { m_controller->compareAll(); });
    on("sweep", tr("S&weep"), QKeySequence(QStringLiteral("Ctrl+Shift+T")), "sweep", [this] { m_controller->sweepNow(); });
    on("tune", tr("&Tune, pause or resume"), QKeySequence(QStringLiteral("Ctrl+T")), "tune", [this] { m_tuner->toggle(); });
    on("tuneMine", tr("See&d the tuner from my schedule"), {}, "", [this] { m_tuner->tuneMine(false); });
    on("tuneFixed", tr("&Fix these loops, tune the rest"), {}, "", [this] { m_tuner->tuneMine(true); });
    on("build", tr("&Build and show code"), QKeySequence(QStringLiteral("Ctrl+B")), "", [this] {
        showPanel(QStringLiteral("code"));
        m_views.code->show(views::CodeView::Tab::Assembly);
        m_controller->buildListings();
    });
    on("diff", tr("&What changed"), QKeySequence(QStringLiteral("Ctrl+D")), "", [this] {
        showPanel(QStringLiteral("code"));
        m_views.code->show(views::CodeView::Tab::Diff);
        m_controller->showDiff();
    });
    on("plain", tr("Start from the &plain nest"), {}, "", [this] { m_controller->startOver(QStringLiteral("plain")); });
    on("template", tr("Start from an &expert's template"), {}, "", [this] { m_controller->startOver(QStringLiteral("template")); });
    on("default", tr("Start from the &default schedule"), {}, "", [this] { m_controller->startOver(QStringLiteral("default")); });
    on("copyStep", tr("Copy &step"), QKeySequence(QStringLiteral("Ctrl+Shift+C")), "copy", [this] { m_controller->copyStep(); });
    on("copyCommand", tr("Copy command &line"), {}, "", [this] {
        QApplication::clipboard()->setText(m_controller->commandLine());
        say(m_controller->commandLine(), false);
    });
    on("go", tr("&Go to…"), QKeySequence(QStringLiteral("Ctrl+K")), "search", [this] {
        if (m_controller->hasProject()) {
            m_goTo->setPlaces(*m_controller->project(), m_controller->editing());
        }
        m_goTo->setFocus(Qt::ShortcutFocusReason);
        m_goTo->selectAll();
    });
    on("next", tr("&Next panel"), QKeySequence(Qt::Key_F6), "", [this] { nextPanel(); });
    on("full", tr("&Full screen"), QKeySequence(Qt::Key_F11), "", [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
    on("keys", tr("&Keys"), QKeySequence(Qt::Key_Question), "keyboard", [this] { showKeys(); });
    QAction* undo = m_controller->undoGroup().createUndoAction(this, tr("&Undo"));
    QAction* redo = m_controller->undoGroup().createRedoAction(this, tr("&Redo"));
    undo->setShortcut(QKeySequence::Undo);
    redo->setShortcut(QKeySequence(QStringLiteral("Ctrl+Shift+Z")));
    m_actions[QStringLiteral("undo")] = undo;
    m_actions[QStringLiteral("redo")] = redo;
    m_icons[QStringLiteral("undo")] = QStringLiteral("undo");
    m_icons[QStringLiteral("redo")] = QStringLiteral("redo");
    m_actions[QStringLiteral("stop")]->setEnabled(false);
}

void MainWindow::makeMenus()
{
    const auto fill = [this](QMenu* menu, std::initializer_list<const char*> names) {
        for (const char* name : names) {
            if (name == nullptr) {
                menu->addSeparator();
            } else {
                menu->addAction(m_actions[QString::fromLatin1(name)]);
            }
        }
    };
    fill(menuBar()->addMenu(tr("&File")), {"open", "start", nullptr, "save", "export", nullptr, "quit"});
    fill(menuBar()->addMenu(tr("&Edit")), {"undo", "redo", nullptr, "plain", "default", "template", nullptr, "diff", nullptr, "copyStep", "copyCommand"});
    fill(menuBar()->addMenu(tr("&Measure")), {"measure", "stop", nullptr, "compare", "sweep", nullptr, "tune", "tuneMine", "tuneFixed", nullptr, "build"});
    QMenu* view = menuBar()->addMenu(tr("&View"));
    fill(view, {"go", "next", "full", nullptr});
    for (const char* name : {"graph", "nest", "primitives", "code", "history", "compare", "roofline", "tuner", "operators", "log"}) {
        const QString panel = QString::fromLatin1(name);
        QAction* show = add(panel + QStringLiteral("Panel"), m_panels[panel].title, m_panels[panel].key, {});
        connect(show, &QAction::triggered, this, [this, panel] { showPanel(panel); });
        view->addAction(show);
    }
    view->addSeparator();
    QMenu* layouts = view->addMenu(tr("&Layout"));
    const std::pair<QString, Layout> presets[] = {{tr("&Explore"), Layout::Explore}, {tr("&Code"), Layout::Code},
                                                  {tr("C&ompare"), Layout::Compare}, {tr("T&une"), Layout::Tune},
                                                  {tr("&Teach"), Layout::Teach}};
    for (const auto& [text, layout] : presets) {
        connect(layouts->addAction(text), &QAction::triggered, this, [this, which = layout] { setLayoutPreset(which); });
    }
    layouts->addSeparator();
    connect(layouts->addAction(tr("&Reset")), &QAction::triggered, this, [this] {
        Settings().setValue(QStringLiteral("layout"), {});
        Settings().setValue(QStringLiteral("centre"), {});
        restoreLayout();
        setLayoutPreset(Layout::Explore);
    });
    QMenu* schemes = view->addMenu(tr("C&olours"));
    auto* group = new QActionGroup(this);
    const std::pair<QString, Settings::Scheme> choices[] = {{tr("As the &system"), Settings::Scheme::System},
                                                            {tr("&Light"), Settings::Scheme::Light},
                                                            {tr("&Dark"), Settings::Scheme::Dark}};
    for (const auto& [text, scheme] : choices) {
        QAction* action = schemes->addAction(text);
        action->setCheckable(true);
        action->setChecked(Settings().scheme() == scheme);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [which = scheme] {
            Settings().setScheme(which);
            applyLook();
        });
    }
    QMenu* scales = view->addMenu(tr("&Scale"));
    for (const int percent : {100, 110, 125, 150, 175, 200}) {
        connect(scales->addAction(QStringLiteral("%1 %").arg(percent)), &QAction::triggered, this, [this, percent] { setScale(percent); });
    }
    fill(menuBar()->addMenu(tr("&Help")), {"keys"});
}

void MainWindow::makeToolBar()
{
    m_bar = addToolBar(tr("Main"));
    m_bar->setObjectName(QStringLiteral("mainBar"));
    m_bar->setMovable(false);
    m_bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    const auto put = [this](const char* name, const QString& text, bool primary = false) {
        auto* button = new QToolButton;
        button->setDefaultAction(m_actions[QString::fromLatin1(name)]);
        button->setText(text);
        button->setToolButtonStyle(text.isEmpty() ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
        button->setProperty("primary", primary);
        button->setObjectName(QString::fromLatin1(name) + QStringLiteral("Button"));
        button->setFocusPolicy(Qt::TabFocus);
        m_bar->addWidget(button);
        connect(m_actions[QString::fromLatin1(name)], &QAction::changed, button, [button, text] {
            // The tuner's says what the next press does.
            button->setText(button->objectName() == QLatin1String("tuneButton") ? button->defaultAction()->iconText() : text);
        });
    };
    put("open", tr("Open"));
    put("measure", tr("Measure  F5"), true);
    m_actions[QStringLiteral("tune")]->setIconText(tr("Tune"));
    put("tune", tr("Tune"));
    put("undo", {});
    put("redo", {});
    put("compare", tr("Compare"));
    put("export", tr("Export"));
    auto* space = new QWidget;
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_bar->addWidget(space);
    m_goTo = new GoTo;
    m_bar->addWidget(m_goTo);
    QList<QAction*> commands;
    for (QAction* action : m_actions) {
        commands.append(action);
    }
    m_goTo->setCommands(commands);
    auto* device = new QLabel(deviceText());
    device->setContentsMargins(12, 0, 8, 0);
    m_bar->addWidget(device);
}

void MainWindow::makeStatus()
{
    m_messageIcon = new QLabel;
    m_message = new QLabel;
    m_message->setObjectName(QStringLiteral("statusMessage"));
    m_message->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_job = new QLabel(tr("idle"));
    m_last = new QLabel;
    m_last->setObjectName(QStringLiteral("lastMeasurement"));
    m_job->setContentsMargins(16, 0, 16, 0);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->addWidget(m_messageIcon);
    statusBar()->addWidget(m_message, 1);
    statusBar()->addPermanentWidget(m_job);
    statusBar()->addPermanentWidget(m_last);
    statusBar()->setContentsMargins(8, 0, 8, 0);
}

void MainWindow::refreshIcons()
{
    const views::Theme theme = views::Theme::of(palette());
    const QColor onAccent = isDark() ? theme.window : QColor(Qt::white);
    for (auto it = m_icons.begin(); it != m_icons.end(); ++it) {
        m_actions[it.key()]->setIcon(views::icon(it.value(), it.key() == QLatin1String("measure") ? onAccent : theme.text));
    }
}

void MainWindow::chooseModel()
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Open a model or project"), {},
                                                      tr("Models and projects (*.onnx *.onnxtxt *.nest);;All files (*)"));
    if (!path.isEmpty()) {
        open(path);
    }
}

bool MainWindow::needsProject()
{
    if (!m_controller->hasProject()) {
        say(tr("Nothing is open. Open a model first (Ctrl+O)."), true);
    }
    return m_controller->hasProject();
}

void MainWindow::chooseSaveAs()
{
    if (!needsProject()) {
        return;
    }
    const QString path = QFileDialog::getSaveFileName(this, tr("Save project as"), m_title + QStringLiteral(".nest"), tr("Projects (*.nest)"));
    if (!path.isEmpty()) {
        m_workbench->saveAs(path);
    }
}

void MainWindow::chooseExport()
{
    if (!needsProject()) {
        return;
    }
    // A name for a folder that need not be there yet; asking for an existing one would be a dead end.
    auto* dialog = new QFileDialog(this, tr("Export the library into the folder"));
    dialog->setObjectName(QStringLiteral("exportDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setFileMode(QFileDialog::AnyFile);
    dialog->setLabelText(QFileDialog::FileName, tr("Folder:"));
    dialog->setLabelText(QFileDialog::Accept, tr("Export"));
    dialog->setNameFilter(tr("All files (*)"));
    dialog->selectFile(QString(m_title).replace(QLatin1Char('/'), QLatin1Char('-')) + tr("-library"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& folder) { m_workbench->exportTo(folder); });
    dialog->open();
}

void MainWindow::newOperator(const QString& name, const QString& text)
{
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + QStringLiteral("/nestwright/models");
    QFile file(folder + QLatin1Char('/') + name + QStringLiteral(".onnxtxt"));
    if (!QDir().mkpath(folder) || !file.open(QIODevice::WriteOnly) || file.write(text.toUtf8()) < 0) {
        m_views.start->setProblem(tr("The operator could not be written to %1.").arg(file.fileName()), file.errorString());
        return;
    }
    file.close();
    open(file.fileName());
}

void MainWindow::setScale(int percent)
{
    Settings().setScale(percent);
    applyLook();
}

void MainWindow::showKeys()
{
    say(tr("Loop nest: S split · T tile · F fuse · R reorder · V vectorize · U unroll · P parallel · A compute_at · W cache_write · "
           "Shift+Up/Down move · Enter grab · Shift+Enter grab its chain · M measure · D what changed · [ ] steps · Backspace undo the loop's step"),
        false);
}

} // namespace nw::app
