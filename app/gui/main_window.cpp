#include "app/gui/main_window.h"

#include "app/gui/go_to.h"
#include "app/gui/look.h"
#include "app/gui/panel_title.h"
#include "app/gui/samples.h"

#include "views/common/icons.h"
#include "views/common/picture_file.h"
#include "views/common/theme.h"

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QDateTime>
#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QStatusBar>
#include <QThread>
#include <QToolBar>

namespace nw::app {

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent)
    , m_workbench(new Workbench(this))
    , m_heartbeat(new Heartbeat(this))
{
    setObjectName(QStringLiteral("mainWindow"));
    setWindowTitle(QStringLiteral("Nestwright"));
    setWindowIcon(views::icon(QStringLiteral("nestwright"), Qt::black));
    setDockNestingEnabled(true);
    m_views.start = new views::StartView;
    makePanels();
    m_controller = new Controller(*m_workbench, m_views, this);
    m_tuner = new TunerDesk(*m_workbench, *m_controller, *m_views.tuner, this);
    makeActions();
    makeMenus();
    makeToolBar();
    makeStatus();
    connectAll();
    m_views.start->setSamples(samples());
    m_views.start->setDevice(deviceText(), QStringLiteral("ready"));
    refreshRecent();
    refreshIcons();
    resize(1480, 920);
    setWorking(false);
}

MainWindow::~MainWindow() = default;

void MainWindow::open(const QString& path)
{
    m_controller->open(QFileInfo(path).absoluteFilePath());
}

void MainWindow::connectAll()
{
    connect(m_controller, &Controller::projectOpened, this, [this](const QString& title) {
        m_title = title;
        setWindowTitle(title + QStringLiteral(" – Nestwright"));
        const OpenedProject& project = *m_controller->project();
        m_panels[QStringLiteral("graph")].head->setNote(
            project.operators.size() == 1 ? tr("%1 · 1 group").arg(title) : tr("%1 · fused · %2 groups").arg(title, QString::number(project.operators.size())));
        m_panels[QStringLiteral("operators")].head->setNote(project.threads == 1 ? tr("heaviest first · %1, one thread").arg(project.target)
                                  : tr("heaviest first · %1, %2 threads").arg(project.target).arg(project.threads));
        logLine(tr("opened %1, kept in %2").arg(project.path, project.projectFile));
        setWorking(true);
        refreshRecent();
        say(tr("Select a loop and press S, V, U or P, drag it, or choose at the right what to do with it. F5 measures."), false);
    });
    connect(m_controller, &Controller::operatorShown, this, [this](const QString& name, const QString& description) {
        m_panels[QStringLiteral("nest")].head->setNote(name + QStringLiteral(" · ") + description);
        m_panels[QStringLiteral("code")].head->setNote(name);
        m_goTo->setPlaces(*m_controller->project(), m_controller->editing());
    });
    connect(m_controller, &Controller::message, this, &MainWindow::say);
    connect(m_controller, &Controller::logLine, this, &MainWindow::logLine);
    connect(m_controller, &Controller::lastMeasurement, this, [this](const QString& text) {
        m_last->setText(text);
        logLine(text);
    });
    connect(m_controller, &Controller::busy, this, [this](const QString& what) {
        m_job->setText(what.isEmpty() ? tr("idle") : tr("1 job: %1").arg(what));
        m_actions[QStringLiteral("stop")]->setEnabled(!what.isEmpty());
    });
    connect(m_controller, &Controller::compareWished, this, [this] { showPanel(QStringLiteral("compare")); });
    connect(m_controller, &Controller::diffWished, m_actions[QStringLiteral("diff")], &QAction::trigger);
    connect(m_controller, &Controller::formWished, this, [this] { showPanel(QStringLiteral("primitives")); });
    connect(m_tuner, &TunerDesk::message, this, &MainWindow::say);
    connect(m_tuner, &TunerDesk::logLine, this, &MainWindow::logLine);
    connect(m_tuner, &TunerDesk::panelWished, this, [this] { showPanel(QStringLiteral("tuner")); });
    connect(m_tuner, &TunerDesk::tuningChanged, this, [this](bool atWork) {
        m_actions[QStringLiteral("tune")]->setIconText(atWork ? tr("Pause tuning") : tr("Tune"));
        m_panels[QStringLiteral("tuner")].head->setNote(atWork ? tr("at work, also when this window is closed") : QString());
    });
    connect(m_workbench, &Workbench::saved, this, [this](const QString& path) { say(tr("Saved as %1.").arg(path), false); });
    connect(m_workbench, &Workbench::exported, this, [this](const QString& folder, const QString& name) {
        say(tr("Exported lib%1.so, its weights, header and a C sample to %2.").arg(name, folder), false);
    });
    connect(m_views.start, &views::StartView::openDialogWished, this, &MainWindow::chooseModel);
    connect(m_views.start, &views::StartView::newOperatorWished, this, &MainWindow::newOperator);
    connect(m_views.start, &views::StartView::removeRecentWished, this, [this](const QString& path) {
        Settings().forget(path);
        refreshRecent();
    });
    connect(m_views.comparison, &views::ComparisonView::exportWished, this,
            [this](const QString& kind) { choosePlotOf(kind, QStringLiteral("comparison"), m_views.comparison); });
    connect(m_views.roofline, &views::RooflineView::exportWished, this,
            [this](const QString& kind) { choosePlotOf(kind, QStringLiteral("roofline"), m_views.roofline); });
    connect(m_views.tuner, &views::TunerView::exportWished, this, &MainWindow::chooseTunerFile);
    connect(m_heartbeat, &Heartbeat::gap, this, [this](qint64 ms) { logLine(tr("the window did not answer for %1 ms").arg(ms)); });
    connect(m_panels[QStringLiteral("code")].dock, &QDockWidget::visibilityChanged, this, [this](bool visible) {
        if (visible) {
            m_controller->showCode();
        }
    });
    connect(m_goTo, &GoTo::operatorWished, m_controller, &Controller::selectOperator);
    connect(m_goTo, &GoTo::loopWished, this, [this](const QString& loop) {
        m_views.nest->select({loop});
        Q_EMIT m_views.nest->selectionChanged({loop});
        m_views.nest->setFocus();
    });
    connect(m_goTo, &GoTo::stationWished, m_controller, &Controller::jump);
}

template <typename Plot>
void MainWindow::choosePlotOf(const QString& kind, const QString& what, const Plot* view)
{
    choosePlotFile(kind, {{}, m_controller->operatorName() % QLatin1Char('-') % what, [view](const QString& path) { return view->savePng(path); },
                          [view](const QString& path) { return view->saveSvg(path); }, [view] { return view->csv(); }});
}

// As it is now: while the dialog asks, the tuner goes on.
void MainWindow::chooseTunerFile(const QString& kind, const QString& thing)
{
    if (!needsProject()) {
        return;
    }
    const views::TunerView& view = *m_views.tuner;
    const QString task = thing == QLatin1String("operators") ? QString() : view.taskName();
    const QString stem = task.isEmpty() ? QFileInfo(m_controller->project()->path).completeBaseName() : task;
    const QImage picture = kind == QLatin1String("png") ? view.picture(thing) : QImage();
    const QByteArray drawing = kind == QLatin1String("svg") ? view.drawing(thing) : QByteArray();
    const QString table = kind == QLatin1String("csv") ? view.csv(thing) : QString();
    choosePlotFile(kind, {{}, QString(stem % QLatin1Char('-') % thing), [picture](const QString& path) { return picture.save(path, "PNG"); },
                          [drawing](const QString& path) { return views::saveBytes(path, drawing); }, [table] { return table; }});
}

// Beside the model or project that the person opened; a sample's lies with the programs, its project does not.
void MainWindow::choosePlotFile(const QString& kind, PlotFile plot)
{
    if (!needsProject()) {
        return;
    }
    const OpenedProject& project = *m_controller->project();
    const QFileInfo given(project.path);
    plot.folder = given.isFile() ? given.absolutePath() : QFileInfo(project.projectFile).absolutePath();
    askPlotFile(this, kind, plot, [this](const QString& sentence, bool isFailure) {
        say(sentence, isFailure);
        logLine(sentence);
    });
}

void MainWindow::say(const QString& text, bool refused)
{
    m_message->setText(text);
    m_message->setToolTip(text);
    const views::Theme theme = views::Theme::of(palette());
    const int side = fontMetrics().height();
    m_messageIcon->setPixmap(text.isEmpty() || !refused ? QPixmap()
                                                        : views::icon(QStringLiteral("illegal"), theme.illegal).pixmap(side, side));
}

void MainWindow::logLine(const QString& text)
{
    m_log->appendPlainText(QDateTime::currentDateTime().toString(QStringLiteral("HH:mm:ss  ")) + text);
}

QString MainWindow::deviceText()
{
    const int cores = QThread::idealThreadCount();
    return cores == 1 ? tr("This computer · 1 core") : tr("This computer · %1 cores").arg(cores);
}

void MainWindow::refreshRecent()
{
    QList<views::RecentProject> recent;
    for (const Settings::Recent& row : Settings().recent()) {
        recent.append({row.title, row.path, row.unixTime, QFileInfo::exists(row.path)});
    }
    m_views.start->setRecent(recent);
}

bool MainWindow::mayClose()
{
    if (!m_tuner->isTuning()) {
        return true;
    }
    QMessageBox box(QMessageBox::Question, tr("The tuner is at work"), tr("The tuner is at work on this project."), QMessageBox::NoButton, this);
    box.setObjectName(QStringLiteral("tunerCloseBox"));
    box.setInformativeText(tr("It is a process of its own: it can go on without the window, and is shown again when the project is opened."));
    const QPushButton* go = box.addButton(tr("Keep it running"), QMessageBox::AcceptRole);
    const QPushButton* pause = box.addButton(tr("Pause it"), QMessageBox::ActionRole);
    const QPushButton* stop = box.addButton(tr("Stop it, keep the best"), QMessageBox::ActionRole);
    const QPushButton* stay = box.addButton(tr("Do not close"), QMessageBox::RejectRole);
    box.setDefaultButton(const_cast<QPushButton*>(go));
    box.exec();
    if (box.clickedButton() == pause) {
        m_tuner->wish(record::TuneWish::Pause);
    } else if (box.clickedButton() == stop) {
        m_tuner->wish(record::TuneWish::Stop);
    }
    return box.clickedButton() != stay && box.clickedButton() != nullptr;
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (!mayClose()) {
        event->ignore();
        return;
    }
    saveLayout();
    m_controller->stopMeasuring();
    logLine(tr("longest time without an answer: %1 ms").arg(m_heartbeat->worstMs()));
    QMainWindow::closeEvent(event);
}

void MainWindow::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange) {
        refreshIcons();
    }
    QMainWindow::changeEvent(event);
}

} // namespace nw::app
