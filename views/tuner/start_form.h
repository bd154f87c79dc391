#pragma once

#include "views/tuner/tuner_values.h"

#include <QWidget>

#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QSpinBox;

namespace nw::views {

// What to tune, how far and from where: what a new session begins with. Also what the panel shows before the first one.
// Where there is little room the fields scroll and Start stays in sight.
class StartForm : public QWidget {
    Q_OBJECT
public:
    explicit StartForm(QWidget* parent = nullptr);
    void setOperator(const QString& name);        // the one that is shown; empty: none
    void setSelection(const QStringList& loops);  // those selected in its nest
    void setHasCharts(bool has);                  // there is a session to go back to
    void setBudget(const TunerBudget& budget);    // as the last session had it
    TuneRequest request() const;
    void chooseMine(bool fixSelected);            // "Seed from my schedule", "Fix these loops"

Q_SIGNALS:
    void startWished();
    void backWished();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Row {
        QLabel* label;
        QWidget* field;
    };
    quint64 seed() const;
    void showSeed(quint64 seed);
    void place(int columns);
    void say();
    void dress();
    void fit();

    QString m_operator;
    QStringList m_loops;
    QComboBox* m_scope;
    QSpinBox* m_trials;
    QSpinBox* m_minutes;
    QSpinBox* m_plateau;
    QLineEdit* m_seed; // a spin box has not all seeds
    QComboBox* m_search;
    QComboBox* m_from;
    QCheckBox* m_fix;
    QLabel* m_words;
    QPushButton* m_start;
    QPushButton* m_back;
    QWidget* m_fields;
    QScrollArea* m_scroll;
    std::vector<Row> m_rows;
    int m_columns = 0;
};

} // namespace nw::views
