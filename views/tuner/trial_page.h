#pragma once

#include "views/tuner/trial_series.h"

#include <QString>
#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QSplitter;
class QTableView;

namespace nw::views {

class TrialsModel;

// All trials as a table, and the one that is chosen: what it is, its script, and what can be done with it.
class TrialPage : public QWidget {
    Q_OBJECT
public:
    explicit TrialPage(QWidget* parent = nullptr);
    void setSeries(const TrialSeries* series);
    void takeNew();
    void select(int number); // from elsewhere: signals nothing; negative: none
    void setOther(int number);
    // Of the selected trial; `problem`: why there is none.
    void setScript(int number, const QString& script, const QString& problem);
    int selected() const { return m_selected; }

Q_SIGNALS:
    void trialWished(int number);
    void openWished(int number);          // as steps
    void diffWished(int first, int second);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void dress();
    void say();
    void share();

    const TrialSeries* m_series = nullptr;
    TrialsModel* m_model;
    QSplitter* m_split;
    QTableView* m_table;
    QLabel* m_hint; // while no trial is chosen
    QWidget* m_detail;
    QLabel* m_words;
    QPlainTextEdit* m_script;
    QPushButton* m_open;
    QPushButton* m_diff;
    int m_selected = -1, m_other = -1;
    bool m_quiet = false;
    bool m_moved = false; // the person shared the room out
};

} // namespace nw::views
