#pragma once

#include "views/common/picture_file.h"
#include "views/tuner/remaining_time.h"
#include "views/tuner/trial_series.h"
#include "views/tuner/tuner_values.h"

#include <QWidget>

#include <vector>

class QSplitter;
class QStackedWidget;
class QTableView;
class QTabWidget;
class QToolButton;

namespace nw::views {

class CurvePlot;
class FailuresTable;
class ImportanceBars;
class ModelPage;
class StartForm;
class TasksModel;
class TrialPage;
class TunerHead;

// The search for the fastest schedule, in the open: what runs, what each trial brought, why some failed, what the model
// believes and which knobs matter; and all that can be done about it. Trials are handed in as they come: only those that
// are new.
class TunerView : public QWidget {
    Q_OBJECT
public:
    explicit TunerView(QWidget* parent = nullptr);
    ~TunerView() override;

    void setStatus(const TunerStatus& status);
    void setTasks(const std::vector<record::TuneTask>& tasks, double modelNs); // of the session
    void showTask(std::int64_t task); // 0: none; another one begins without trials
    std::int64_t task() const { return m_task; }
    int nextTrial() const { return m_series.next(); } // of the task shown
    void addTrials(const std::vector<record::TuneTrial>& trials);
    void setRounds(const std::vector<record::TuneRound>& rounds);
    void setTrialScript(int number, const QString& script, const QString& problem);
    void setOperator(const QString& name);       // shown in the window: what the form would tune
    void setSelection(const QStringList& loops); // in its nest
    void clear();                                // another project

    TunerPhase phase() const { return phaseOf(m_status); }
    TuneRequest request() const; // of the form
    void chooseMine(bool fixSelected);
    const TrialSeries& series() const { return m_series; }
    CurvePlot* curve() const { return m_curve; }
    ModelPage* model() const { return m_model; }
    // Things that leave the panel: "trials", "model", "knobs", "failures" of the task shown, "operators" of the session; the
    // first three as pictures (PNG) and drawings (SVG) too.
    QString csv(const QString& thing) const;
    QImage picture(const QString& thing) const;
    QByteArray drawing(const QString& thing) const;
    QString taskName() const; // "conv.0"; empty: none is shown
    void toggle(); // start, pause or resume, whichever it is the time for
    QSize minimumSizeHint() const override { return {260, 140}; }

Q_SIGNALS:
    void startWished(const nw::views::TuneRequest& request);
    void pauseWished();
    void resumeWished();
    void stopWished();
    void cancelWished();
    void taskWished(qlonglong task);    // a row was chosen
    void operatorWished(const QString& group); // a row was activated
    void trialWished(int number);       // its script is to be shown
    void openBestWished();
    void openTrialWished(int number);
    void diffWished(int first, int second);
    void exportWished(const QString& kind, const QString& thing); // "png", "svg", "csv": to a file

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeCurve();
    void makeTasks();
    void makeExport();
    QSize pictureSize(const QString& thing) const;
    PaintPicture painted(const QString& thing, const Theme& theme) const;
    void connectAll();
    void choose(int number, bool second);
    void showForm(bool shown);
    void say();
    void dress();
    void setWide(bool wide);
    void fitTasks();

    TunerStatus m_status;
    std::int64_t m_task = 0;
    TrialSeries m_series;
    RemainingTime m_remaining;
    TunerHead* m_head;
    StartForm* m_form;
    QStackedWidget* m_pages;
    QSplitter* m_split;
    CurvePlot* m_curve;
    QToolButton *m_time, *m_speed, *m_all;
    QTabWidget* m_tabs;
    TasksModel* m_tasksModel;
    QTableView* m_tasks;
    TrialPage* m_trial;
    FailuresTable* m_failures;
    ModelPage* m_model;
    ImportanceBars* m_importance;
    int m_first = -1, m_second = -1;
    std::int64_t m_budgetOf = 0; // the session whose budget the form has
    bool m_wide = false, m_quiet = false;
};

} // namespace nw::views
