// The panels of the window: one row each in makePanels(), where they lie, and the presets of their places.
#include "app/gui/main_window.h"
#include "app/gui/panel_title.h"
#include "app/gui/settings.h"

#include <QApplication>
#include <QDockWidget>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolBar>
#include <QVBoxLayout>

namespace nw::app {
namespace {

constexpr int kLayoutVersion = 2; // with the tuner's panel

// A panel of the centre: title above view, framed like a dock.
QWidget* framed(QWidget* head, QWidget* view)
{
    auto* panel = new QWidget;
    panel->setProperty("panel", true);
    panel->setAttribute(Qt::WA_StyledBackground);
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins(0, 0, 0, 1);
    layout->setSpacing(0);
    layout->addWidget(head);
    layout->addWidget(view, 1);
    return panel;
}

} // namespace

MainWindow::Panel& MainWindow::addPanel(const QString& name, const QString& title, const QString& key, QWidget* view,
                                        Qt::DockWidgetArea area)
{
    Panel panel{name, title, QKeySequence(key), view, nullptr, new PanelTitle(title)};
    view->setObjectName(view->objectName().isEmpty() ? name + QStringLiteral("View") : view->objectName());
    view->setAccessibleName(title);
    view->setAttribute(Qt::WA_StyledBackground); // panels are brighter than the window behind them
    if (area != Qt::NoDockWidgetArea) {
        panel.dock = new QDockWidget(title, this);
        panel.dock->setObjectName(name + QStringLiteral("Dock"));
        panel.dock->setTitleBarWidget(panel.head);
        panel.dock->setWidget(view);
        addDockWidget(area, panel.dock);
    }
    return *m_panels.insert(name, panel);
}

void MainWindow::makePanels()
{
    using namespace nw::views;
    m_views.graph = new GraphView;
    m_views.operators = new OperatorsView;
    m_views.nest = new LoopNestView;
    m_views.primitives = new PrimitivesView;
    m_views.history = new HistoryView;
    m_views.script = new ScriptView;
    m_views.comparison = new ComparisonView;
    m_views.roofline = new RooflineView;
    m_views.code = new CodeView;
    m_views.tuner = new TunerView;
    for (QPlainTextEdit* editor : m_views.script->findChildren<QPlainTextEdit*>()) {
        editor->setPlaceholderText(tr("The steps of the schedule appear here, or type them: split, reorder, vectorize…"));
    }
    m_log = new QPlainTextEdit;
    m_log->setReadOnly(true);
    m_log->setMaximumBlockCount(2000);

    addPanel(QStringLiteral("graph"), tr("Graph"), QStringLiteral("Ctrl+1"), m_views.graph, Qt::LeftDockWidgetArea);
    addPanel(QStringLiteral("nest"), tr("Loop nest"), QStringLiteral("Ctrl+2"), m_views.nest, Qt::NoDockWidgetArea);
    addPanel(QStringLiteral("primitives"), tr("Primitives"), QStringLiteral("Ctrl+3"), m_views.primitives, Qt::RightDockWidgetArea);
    addPanel(QStringLiteral("code"), tr("Code"), QStringLiteral("Ctrl+4"), m_views.code, Qt::BottomDockWidgetArea);
    addPanel(QStringLiteral("history"), tr("History"), QStringLiteral("Ctrl+5"), m_views.history, Qt::NoDockWidgetArea);
    addPanel(QStringLiteral("compare"), tr("Compare"), QStringLiteral("Ctrl+6"), m_views.comparison, Qt::BottomDockWidgetArea);
    addPanel(QStringLiteral("roofline"), tr("Roofline"), QStringLiteral("Ctrl+7"), m_views.roofline, Qt::BottomDockWidgetArea);
    addPanel(QStringLiteral("operators"), tr("Operators"), QStringLiteral("Ctrl+0"), m_views.operators, Qt::BottomDockWidgetArea);
    addPanel(QStringLiteral("tuner"), tr("Tuner"), QStringLiteral("Ctrl+8"), m_views.tuner, Qt::BottomDockWidgetArea);
    addPanel(QStringLiteral("log"), tr("Log"), QStringLiteral("Ctrl+9"), m_log, Qt::BottomDockWidgetArea);
    m_pages = new QStackedWidget;
    m_pages->addWidget(m_views.start);
    m_pages->addWidget(makeCentre());
    setCentralWidget(m_pages);
    placeDefault();
}

QWidget* MainWindow::makeCentre()
{
    m_editor = new QSplitter(Qt::Vertical);
    m_editor->setChildrenCollapsible(false);
    m_editor->addWidget(m_views.nest);
    m_editor->addWidget(m_views.script);
    m_editor->setStretchFactor(0, 3);
    m_editor->setStretchFactor(1, 1);
    m_centre = new QSplitter(Qt::Vertical);
    m_centre->setHandleWidth(6);
    m_centre->setChildrenCollapsible(false);
    m_centre->addWidget(framed(m_panels[QStringLiteral("nest")].head, m_editor));
    m_centre->addWidget(framed(m_panels[QStringLiteral("history")].head, m_views.history));
    m_centre->setStretchFactor(0, 4);
    m_centre->setStretchFactor(1, 1);
    return m_centre;
}

void MainWindow::placeDefault()
{
    const auto dock = [this](const char* name) { return m_panels[QString::fromLatin1(name)].dock; };
    setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
    for (const char* name : {"primitives", "compare", "roofline", "operators", "code", "tuner", "log"}) {
        removeDockWidget(dock(name));
    }
    addDockWidget(Qt::LeftDockWidgetArea, dock("graph"));
    addDockWidget(Qt::RightDockWidgetArea, dock("primitives"));
    addDockWidget(Qt::BottomDockWidgetArea, dock("compare"));
    splitDockWidget(dock("compare"), dock("roofline"), Qt::Horizontal);
    splitDockWidget(dock("roofline"), dock("operators"), Qt::Horizontal);
    tabifyDockWidget(dock("operators"), dock("code"));
    tabifyDockWidget(dock("code"), dock("tuner"));
    tabifyDockWidget(dock("tuner"), dock("log"));
    for (const char* name : {"graph", "primitives", "compare", "roofline", "operators", "code", "tuner", "log"}) {
        dock(name)->show();
    }
    dock("operators")->raise();
    setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
}

void MainWindow::setLayoutPreset(Layout layout)
{
    placeDefault();
    const auto dock = [this](const char* name) { return m_panels[QString::fromLatin1(name)].dock; };
    const int w = width();
    const int h = height();
    resizeDocks({dock("graph"), dock("primitives")}, {w * 23 / 100, w * 20 / 100}, Qt::Horizontal);
    resizeDocks({dock("compare"), dock("roofline"), dock("operators")}, {w * 30 / 100, w * 25 / 100, w * 45 / 100}, Qt::Horizontal);
    resizeDocks({dock("compare")}, {h * 27 / 100}, Qt::Vertical);
    switch (layout) {
    case Layout::Explore: break;
    case Layout::Code: // the nest and its code side by side: a loop and its lines are read together
        for (const char* name : {"graph", "compare", "roofline", "operators", "tuner", "log"}) {
            dock(name)->hide();
        }
        addDockWidget(Qt::LeftDockWidgetArea, dock("primitives"));
        addDockWidget(Qt::RightDockWidgetArea, dock("code"));
        resizeDocks({dock("primitives"), dock("code")}, {w * 20 / 100, w * 42 / 100}, Qt::Horizontal);
        break;
    case Layout::Compare: // the steps at the left, what they brought at the right
        for (const char* name : {"graph", "primitives", "operators", "code", "tuner", "log"}) {
            dock(name)->hide();
        }
        addDockWidget(Qt::RightDockWidgetArea, dock("compare"));
        splitDockWidget(dock("compare"), dock("roofline"), Qt::Vertical);
        resizeDocks({dock("compare")}, {w * 46 / 100}, Qt::Horizontal);
        resizeDocks({dock("compare"), dock("roofline")}, {h * 45 / 100, h * 55 / 100}, Qt::Vertical);
        break;
    case Layout::Tune: // the tuner below all of the width, the comparison beside the nest
        for (const char* name : {"graph", "primitives", "roofline", "operators", "code", "log"}) {
            dock(name)->hide();
        }
        addDockWidget(Qt::RightDockWidgetArea, dock("compare"));
        resizeDocks({dock("compare")}, {w * 34 / 100}, Qt::Horizontal);
        resizeDocks({dock("tuner")}, {h * 50 / 100}, Qt::Vertical);
        dock("tuner")->raise();
        break;
    case Layout::Teach:
        dock("graph")->hide();
        dock("operators")->hide();
        dock("code")->hide();
        dock("tuner")->hide();
        dock("log")->hide();
        break;
    }
}

void MainWindow::setWorking(bool working)
{
    const bool was = m_pages->currentIndex() == 1;
    m_pages->setCurrentIndex(working ? 1 : 0);
    if (!working) {
        for (Panel& panel : m_panels) {
            if (panel.dock != nullptr) {
                panel.dock->hide();
            }
        }
    } else if (!was) {
        restoreLayout();
        m_views.nest->setFocus();
    }
}

void MainWindow::showPanel(const QString& name)
{
    const Panel& panel = m_panels[name];
    if (panel.dock != nullptr) {
        panel.dock->show();
        panel.dock->raise();
    }
    panel.view->setFocus();
}

// F6: the next panel that is to be seen.
void MainWindow::nextPanel()
{
    static const QStringList order{QStringLiteral("graph"),      QStringLiteral("nest"),    QStringLiteral("primitives"),
                                   QStringLiteral("history"),    QStringLiteral("compare"), QStringLiteral("roofline"),
                                   QStringLiteral("operators"),  QStringLiteral("tuner")};
    qsizetype at = -1;
    for (qsizetype i = 0; i < order.size(); ++i) {
        const QWidget* view = m_panels[order[i]].view;
        if (QApplication::focusWidget() != nullptr && (view == QApplication::focusWidget() || view->isAncestorOf(QApplication::focusWidget()))) {
            at = i;
        }
    }
    for (qsizetype i = 1; i <= order.size(); ++i) {
        const Panel& panel = m_panels[order[(at + i) % order.size()]];
        if (panel.view->isVisible()) {
            panel.view->setFocus(Qt::TabFocusReason);
            return;
        }
    }
}

void MainWindow::restoreLayout()
{
    const QByteArray kept = Settings().value(QStringLiteral("layout"));
    if (kept.isEmpty() || !restoreState(kept, kLayoutVersion)) {
        setLayoutPreset(Layout::Explore);
    }
    const QByteArray centre = Settings().value(QStringLiteral("centre"));
    if (centre.isEmpty() || !m_centre->restoreState(centre)) {
        m_centre->setSizes({height() * 45 / 100, height() * 20 / 100});
        m_editor->setSizes({height() * 30 / 100, height() * 15 / 100});
    }
}

void MainWindow::saveLayout() const
{
    if (m_pages->currentIndex() == 1) {
        Settings().setValue(QStringLiteral("layout"), saveState(kLayoutVersion));
        Settings().setValue(QStringLiteral("centre"), m_centre->saveState());
    }
    Settings().setValue(QStringLiteral("geometry"), saveGeometry());
}

} // namespace nw::app
