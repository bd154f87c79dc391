#pragma once

#include "engine/session/branches.h"

#include <QWidget>

#include <vector>

class QComboBox;
class QStackedLayout;

namespace nw::views {

class EmptyState;
class HistoryStrip;

// The steps of a schedule in order, each with what it did to the time: hollow points were measured quickly, filled ones
// confirmed; a grey segment is a change that noise could make.
class HistoryView : public QWidget {
    Q_OBJECT
public:
    explicit HistoryView(QWidget* parent = nullptr);

    void setStations(const std::vector<session::Station>& stations, int cursor, double boundNs);
    // -1: nothing is being measured.
    void setRunning(int station, const QString& what);
    void setBranches(const std::vector<session::Branch>& branches);
    void clear(const QString& sentence, const QString& action);

Q_SIGNALS:
    void jumpWished(int station);
    void removeWished(int station);
    void editWished(int station);
    void revertWished(int station); // the steps behind it go
    void measureWished(int station);
    void branchWished(const QString& name);
    void actionWished();

private:
    HistoryStrip* m_strip;
    EmptyState* m_empty;
    QStackedLayout* m_stack;
    QWidget* m_bar;
    QComboBox* m_branches;
};

} // namespace nw::views
