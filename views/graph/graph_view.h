#pragma once

#include "views/graph/graph_picture.h"
#include "views/graph/graph_search.h"
#include "views/graph/visible_graph.h"

#include <QHash>
#include <QString>
#include <QTimer>
#include <QWidget>

#include <memory>
#include <vector>

class QFrame;
class QLabel;
class QStackedLayout;

namespace nw::views {

class CardMetrics;
class EmptyState;
class GraphBar;
class GraphCanvas;
class LayoutJob;
struct LayoutResult;

// The fused graph of a model: boxes of groups, repeated blocks folded, search, overview.
class GraphView : public QWidget {
    Q_OBJECT
public:
    // Above so many groups a model opens with its blocks closed.
    static constexpr int kMostOpenGroups = 60;

    explicit GraphView(QWidget* parent = nullptr);
    ~GraphView() override;

    void setPicture(std::shared_ptr<const GraphPicture> picture); // null: the empty state
    void setEmptyText(const QString& sentence, const QString& action);
    void setNotes(const QHash<QString, QString>& notes); // group (or block) -> "1.24 ms" or "14 %"
    void setHeat(const QHash<QString, double>& share); // group -> 0..1 of the model's time; of a block the sum is shown
    void select(const QString& group, bool scroll); // pinned; a group in a closed block marks the block. No signal.
    void hover(const QString& group);
    // The pinned group; empty while nothing, a block, an input or an output is.
    QString selected() const;
    void fit();
    void zoomBy(double factor);
    void expandAll();
    void collapseAll();
    void openBlock(const QString& block, bool open); // "block.3"
    double lastPaintMs() const;
    // Empty: without Graphviz.
    void setGraphviz(const QString& program);

Q_SIGNALS:
    void selectionChanged(const QString& group); // by the user; empty when cleared
    void hovered(const QString& group);
    void activated(const QString& group); // double click, Enter
    void edgeSelected(const QString& sentence); // what goes along the edge that was clicked; empty when none is selected
    void actionWished(); // of the empty state
    void layoutFinished(int visibleNodes, double ms);
    void busy(bool on);

protected:
    void changeEvent(QEvent* event) override;

private:
    QStackedLayout* m_pages;
    EmptyState* m_empty;
    GraphBar* m_bar;
    GraphCanvas* m_canvas;
    QFrame* m_progress;
    QLabel* m_progressText;
    LayoutJob* m_job;
    QTimer m_slow;

    GraphFolding m_folding;
    VisibleGraph m_visible;
    // What is being laid out: replaces m_visible with its scene.
    VisibleGraph m_next;
    QString m_anchor;
    GraphSearch m_search;
    std::vector<int> m_matches; // nodes of the picture
    int m_match = -1; // the one stepped to
    QHash<QString, double> m_share;
    std::unique_ptr<CardMetrics> m_metrics;

    void relayout(const QString& anchor);
    void onLaidOut(const std::shared_ptr<const LayoutResult>& layout, double ms);
    void setBlock(int block, bool open);
    void setAllBlocks(bool open);
    void onSelectionWished(const QString& id);
    void onHovered(const QString& id);
    void onActivated(int node);
    void onSearched(const QString& text);
    void stepMatch(int by);
    void showMatches();
    void showHeat();
    const GraphNode* group(const QString& id) const;
};

} // namespace nw::views
