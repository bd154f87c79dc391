#pragma once

#include "tests/support/test.h"
#include "tests/views/graph/pictures.h"
#include "views/graph/graph_canvas.h"

#include <QSignalSpy>

namespace nw::views::pictures {

inline QString text(const char* latin)
{
    return QString::fromLatin1(latin);
}

// A view of a picture, laid out.
struct Shown {
    GraphView view;
    GraphCanvas* canvas = view.findChild<GraphCanvas*>();
    bool ready = false;

    explicit Shown(std::shared_ptr<const GraphPicture> picture)
    {
        view.resize(500, 600);
        view.show();
        QSignalSpy laidOut(&view, &GraphView::layoutFinished);
        view.setPicture(std::move(picture));
        ready = laidOut.count() > 0 || laidOut.wait();
    }
    QString at(int node) const { return canvas->scene()->nodes[static_cast<std::size_t>(node)].id; }
    QPoint centre(const QString& id) const
    {
        const int node = canvas->scene()->places.value(id);
        return canvas->toScreen(canvas->scene()->nodes[static_cast<std::size_t>(node)].box.center()).toPoint();
    }
    void key(Qt::Key key) { QTest::keyClick(canvas, key); }
    int edge(const char* from, const char* to) const
    {
        const std::vector<GraphScene::Edge>& edges = canvas->scene()->edges;
        for (std::size_t i = 0; i < edges.size(); ++i) {
            if (at(edges[i].from) == text(from) && at(edges[i].to) == text(to)) {
                return static_cast<int>(i);
            }
        }
        return -1;
    }
    int boxes() const { return static_cast<int>(canvas->scene()->nodes.size()); }
};

} // namespace nw::views::pictures
