#pragma once

#include "views/common/theme.h"
#include "views/graph/graph_scene.h"

#include <QFont>
#include <QHash>
#include <QPainter>
#include <QSet>
#include <QString>

namespace nw::views {

// What is drawn on top of a scene: it changes without a new layout.
struct GraphMarks {
    QHash<QString, QString> notes; // group -> "1.24 ms"
    QHash<QString, double> heat; // node or block -> share of the time, 0..1
    int selected = -1; // nodes of the scene
    int hovered = -1;
    int edge = -1; // the selected one: it and where else its value goes are lit, instead of the box's edges
    QString selectedInside; // the selected group when it is in the closed block that is `selected`
    QSet<int> matches; // of the search
    bool focused = false;
};

// Draws a scene with a painter that is already moved and scaled. Far away it leaves out what cannot be read: no text below
// half size, plain rectangles and straight lines below a quarter.
class GraphPainter {
public:
    static constexpr double kNoText = 0.5;
    static constexpr double kPlain = 0.25;

    GraphPainter(QPainter& painter, const Theme& theme, const GraphScene& scene, const GraphMarks& marks, double zoom);
    void paint(const QRectF& visible);

private:
    QPainter& m_painter;
    const Theme& m_theme;
    const GraphScene& m_scene;
    const GraphMarks& m_marks;
    double m_zoom;
    double m_unit;
    QFont m_name;
    QFont m_note;

    void paintPlain(const QRectF& visible);
    void paintFrame(const GraphScene::Frame& frame);
    void paintHandle(const GraphScene::Frame& frame);
    void paintEdges(const QRectF& visible, bool lit);
    void paintNode(int index);
    void paintCardText(const GraphScene::Node& node, int index);
    void paintChip(const QRectF& place, const QString& text, bool onSelected);
    void paintStubs(const GraphScene::Node& node);
    bool isLit(const GraphScene::Edge& edge) const;
    bool isChosen(const GraphScene::Edge& edge) const;
    bool isEnd(int node) const; // of the selected edge
    QString elided(const QString& text, const QFont& font, double width) const;
    QPen line(const QColor& colour, double width) const;
};

} // namespace nw::views
