#pragma once

#include "app/gui/tuner_process.h"
#include "app/gui/workbench.h"

#include "views/tuner/tuner_view.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>
#include <vector>

namespace nw::app {

class Controller;

// Leads between the tuner's journal and its panel: looks what is new twice a second, starts the process, writes what is
// wished, and hands a trial's script on to be opened or compared.
class TunerDesk : public QObject {
    Q_OBJECT
public:
    TunerDesk(Workbench& workbench, Controller& controller, views::TunerView& view, QObject* parent);
    ~TunerDesk() override;

    bool isTuning() const;                // a process is at work
    void toggle();                        // start, pause or resume
    void tuneMine(bool fixSelected);      // the form, set to the person's own schedule
    void wish(record::TuneWish wish);     // of the session that runs or could be resumed
    const std::vector<record::TuneTask>& tasks() const { return m_tasks; }
    bool isCaughtUp() const { return m_task != 0 && !m_more && !m_pending; } // what the journal had is shown

Q_SIGNALS:
    void message(const QString& text, bool refused);
    void logLine(const QString& line);
    void panelWished();
    void tuningChanged(bool atWork);

private:
    struct Script {
        QString text, problem;
    };
    void connectView();
    void onOpened();
    void look();
    void onNews(const std::shared_ptr<const TuneNews>& news);
    void followProcess(const TuneNews& news);
    void start(const views::TuneRequest& request);
    void launch(const QStringList& arguments);
    void resume();
    void showStatus();
    void showTask(std::int64_t task);
    std::int64_t firstTask() const;
    Script scriptOf(int trial) const;
    void openBest();
    void openTrial(int trial);
    void diff(int first, int second);
    const record::TuneTask* task() const;

    Workbench& m_workbench;
    Controller& m_controller;
    views::TunerView& m_view;
    TunerProcess m_process;
    QTimer m_timer;
    bool m_pending = false, m_more = false;
    bool m_starting = false, m_wasAtWork = false;
    std::optional<record::TuneWish> m_wishWhenAlive;
    std::optional<record::TuneSession> m_session;
    std::optional<record::TuneSession> m_before; // the newest one when the process was started
    bool m_alive = false;
    std::vector<record::TuneTask> m_tasks;
    std::int64_t m_task = 0;
    std::vector<record::TuneSketch> m_sketches;
    std::vector<record::TuneFinal> m_finals;
};

} // namespace nw::app
