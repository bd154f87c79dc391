#pragma once

#include "views/graph/graph_painter.h"

#include <QWidget>

#include <memory>

namespace nw::views {

class GraphMinimap;

// Shows a scene: zoom, pan, hover, selection and the keys that move it. Knows nothing of folding and layout.
class GraphCanvas : public QWidget {
    Q_OBJECT
public:
    explicit GraphCanvas(QWidget* parent = nullptr);

    // `anchor` keeps its place on the screen when it is in both scenes.
    void setScene(std::shared_ptr<const GraphScene> scene, const QString& anchor = {});
    const std::shared_ptr<const GraphScene>& scene() const { return m_scene; }
    const GraphMarks& marks() const { return m_marks; }
    void setNotes(const QHash<QString, QString>& notes);
    void setHeat(const QHash<QString, double>& heat);
    void setMatches(const QSet<int>& matches);

    void setSelected(const QString& id);
    const QString& selected() const { return m_selected; }
    void setHovered(const QString& id);
    void reveal(const QString& id); // scrolls so that it is in the middle, if it is not in sight
    void open(); // the first sight of a model: all of it when it can be read, else its top
    void fit();
    void zoomBy(double factor, const QPointF& at);
    void zoomBy(double factor) { zoomBy(factor, QRectF(rect()).center()); }
    void panTo(const QPointF& sceneCentre);

    double zoom() const { return m_zoom; }
    QRectF visibleRect() const; // in the scene
    QPointF toScreen(const QPointF& scenePoint) const { return (scenePoint - m_topLeft) * m_zoom; }
    QPointF toScene(const QPointF& point) const { return point / m_zoom + m_topLeft; }
    double lastPaintMs() const { return m_lastPaintMs; }
    // The edge pinned instead of a box; -1: none.
    int selectedEdge() const { return m_marks.edge; }
    void selectEdge(int edge);

    // For a screen reader: the boxes, then the edges. "conv 3×3 + relu, 64×56×56, NCHW16c, 1.24 ms"
    int spokenCount() const;
    QString spoken(int index) const;
    QRectF spokenPlace(int index) const; // in the scene
    bool isSpokenSelected(int index) const;
    int spokenAt(const QPointF& scenePoint) const; // -1: nothing

Q_SIGNALS:
    void selectionWished(const QString& id); // empty: nothing
    void hovered(const QString& id);
    void activated(int node);
    void edgeSelected(const QString& sentence); // empty: no edge any more
    void openWished(int block, bool open);
    void viewMoved();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    std::shared_ptr<const GraphScene> m_scene;
    GraphMarks m_marks;
    GraphMinimap* m_minimap;
    QString m_selected;
    QString m_edgeFrom, m_edgeTo, m_edgeTensor; // the selected edge's, to find it in another scene
    double m_zoom = 1;
    QPointF m_topLeft;
    bool m_untouched = true; // still the first sight
    bool m_dragging = false;
    QPoint m_pressed;
    QPointF m_pressedTopLeft;
    double m_lastPaintMs = 0;

    double fitZoom() const;
    void setView(double zoom, const QPointF& topLeft);
    void markSelected();
    void markEdge();
    int edgeAt(const QPointF& scenePoint) const;
    void stepEdge(int by);
    void placeMinimap();
    bool click(const QPointF& point);
    int neighbour(int key) const;
    void moveSelection(int key);
    void tellFocus();
};

} // namespace nw::views
