#pragma once

#include "engine/session/workbench.h"

#include <QString>
#include <QWidget>

#include <vector>

class QScrollArea;
class QStackedLayout;
class QTableView;

namespace nw::views {

class EmptyState;
class FigureModel;
class FigureRow;
class PlotHeader;

// Default, hand, auto, library and bound side by side, as bars or as a table.
class ComparisonView : public QWidget {
    Q_OBJECT
public:
    explicit ComparisonView(QWidget* parent = nullptr);

    void setComparison(const session::Comparison& comparison, const QString& title);
    void setBusy(const QString& what); // empty: not busy
    void clear(const QString& sentence, const QString& action);

    // What the export menu wishes; the file's name is asked by whoever hears it.
    bool savePng(const QString& path) const;
    bool saveSvg(const QString& path) const;
    QString csv() const;
    QString tableText() const;
    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

Q_SIGNALS:
    void fillWished(const QString& figure);
    void measureAllWished();
    void cancelWished();
    void actionWished();
    void scriptWished(const QString& figure);
    void exportWished(const QString& kind); // "png", "svg", "csv"; Copy is done here

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void scaleRows();
    void setUpTable();
    void exportAs(const QString& kind);

    PlotHeader* m_header;
    QWidget* m_rows;
    QScrollArea* m_scroll;
    QTableView* m_table;
    FigureModel* m_model;
    EmptyState* m_empty;
    QWidget* m_content;
    QStackedLayout* m_pages;
    QStackedLayout* m_stack;
    std::vector<FigureRow*> m_figures;
    session::Comparison m_comparison;
    QString m_title;
    bool m_busy = false;
};

} // namespace nw::views
