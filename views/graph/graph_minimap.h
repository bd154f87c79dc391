#pragma once

#include "views/graph/graph_scene.h"

#include <QPixmap>
#include <QWidget>

#include <memory>

namespace nw::views {

// The whole scene, small, with the part in sight. Dragging moves that part.
class GraphMinimap : public QWidget {
    Q_OBJECT
public:
    explicit GraphMinimap(QWidget* parent);
    void setScene(std::shared_ptr<const GraphScene> scene);
    void setSight(const QRectF& visible);
    QRectF sight() const; // where it is drawn

Q_SIGNALS:
    void centreWished(const QPointF& scenePoint);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    std::shared_ptr<const GraphScene> m_scene;
    QRectF m_visible;
    QPixmap m_picture; // of the boxes; made anew for another scene, size or palette

    QPointF small(const QPointF& scenePoint) const;
    void wish(const QPointF& at);
    void drawPicture();
};

} // namespace nw::views
