#pragma once

#include "app/gui/controller.h"
#include "app/gui/heartbeat.h"
#include "app/gui/plot_files.h"
#include "app/gui/tuner_desk.h"

#include <QMainWindow>
#include <QMap>

class QAction;
class QDockWidget;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QSplitter;
class QStackedWidget;
class QToolBar;

namespace nw::app {

class PanelTitle;
class GoTo;

// The frame: start page, panels, menus, status line. What the panels show is the controller's.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    void open(const QString& path);
    Controller& controller() { return *m_controller; }
    Workbench& workbench() { return *m_workbench; }
    TunerDesk& tuner() { return *m_tuner; }
    Heartbeat& heartbeat() { return *m_heartbeat; }
    const Views& views() const { return m_views; }
    void showPanel(const QString& name); // "graph", "nest", "primitives", "history", "compare", "roofline", "operators", "code", "tuner", "log"
    enum class Layout { Explore, Code, Compare, Tune, Teach };
    void setLayoutPreset(Layout layout);

protected:
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Panel {
        QString name, title;
        QKeySequence key;
        QWidget* view = nullptr;
        QDockWidget* dock = nullptr; // none: part of the centre
        PanelTitle* head = nullptr;
    };

    // docks.cpp
    void makePanels();
    QWidget* makeCentre();
    Panel& addPanel(const QString& name, const QString& title, const QString& key, QWidget* view, Qt::DockWidgetArea area);
    void placeDefault();
    void nextPanel();
    void setWorking(bool working); // a project is open: panels instead of the start page
    void restoreLayout();
    void saveLayout() const;

    // actions.cpp
    void makeActions();
    void makeMenus();
    void makeToolBar();
    void makeStatus();
    QAction* add(const QString& name, const QString& text, const QKeySequence& key, const QString& icon);
    void refreshIcons();
    void chooseModel();
    bool needsProject(); // says so when there is none
    void chooseSaveAs();
    void chooseExport();
    template <typename Plot>
    void choosePlotOf(const QString& kind, const QString& what, const Plot* view);
    void choosePlotFile(const QString& kind, PlotFile plot);
    void chooseTunerFile(const QString& kind, const QString& thing);
    void newOperator(const QString& name, const QString& text);
    void showKeys();
    void setScale(int percent);
    void connectAll();
    bool mayClose(); // asks what becomes of a tuner that is at work
    void say(const QString& text, bool refused);
    void logLine(const QString& text);
    void refreshRecent();
    static QString deviceText();

    Views m_views;
    Workbench* m_workbench;
    Controller* m_controller = nullptr;
    TunerDesk* m_tuner = nullptr;
    Heartbeat* m_heartbeat;
    QStackedWidget* m_pages = nullptr;
    QSplitter* m_centre = nullptr;
    QSplitter* m_editor = nullptr; // nest above script
    QPlainTextEdit* m_log = nullptr;
    GoTo* m_goTo = nullptr;
    QToolBar* m_bar = nullptr;
    QMap<QString, Panel> m_panels;
    QMap<QString, QAction*> m_actions;
    QMap<QString, QString> m_icons; // action -> icon
    QLabel* m_message = nullptr;
    QLabel* m_messageIcon = nullptr;
    QLabel* m_job = nullptr;
    QLabel* m_last = nullptr;
    QString m_title;
};

} // namespace nw::app
