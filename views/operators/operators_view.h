#pragma once

#include "views/operators/operator_row.h"

#include <QList>
#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace nw::views {

class EmptyState;
class OperatorsModel;
class OperatorsProxy;

// The operators of the model, heaviest first: what is worth a schedule.
class OperatorsView : public QWidget {
    Q_OBJECT
public:
    explicit OperatorsView(QWidget* parent = nullptr);

    // Keeps the selection when the operator is still there.
    void setRows(const QList<OperatorRow>& rows);
    void clear(const QString& sentence, const QString& action);
    // From elsewhere: signals nothing. A name that the filter hides takes the filter away.
    void select(const QString& name);
    void hover(const QString& name);
    QString selected() const;
    void setBusy(const QString& what); // empty: not busy

Q_SIGNALS:
    void selectionChanged(const QString& name);
    void hovered(const QString& name); // empty: none any more
    void activated(const QString& name);
    void profileWished(); // measure the share of time in the model
    void actionWished();
    void cancelWished();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QWidget* makeBar();
    void makeTable();
    void applyFonts();
    void fitColumns();
    QString nameAt(const QModelIndex& index) const;
    void onFilter(const QString& text);

    OperatorsModel* m_model;
    OperatorsProxy* m_proxy;
    QStackedWidget* m_pages;
    EmptyState* m_empty;
    QTableView* m_table;
    QLineEdit* m_filter;
    QLabel* m_found;
    QPushButton* m_profile;
    QLabel* m_busy;
    QPushButton* m_cancel;
    QString m_selected;
    QString m_hovered;
    bool m_quiet = false; // a change that the person did not make
};

} // namespace nw::views
