#pragma once

#include "views/graph/layered_layout.h"
#include "views/graph/visible_graph.h"

#include <QHash>
#include <QPainterPath>
#include <QPolygonF>
#include <QRectF>
#include <QStringList>

#include <vector>

namespace nw::views {

class CardMetrics;

// What is painted, with its places: made once a layout, read by painting, hit tests and accessibility.
struct GraphScene {
    struct Stub {
        QString name;
        int from = 0;
        QRectF place;
    };
    struct Node {
        QString id;
        QString title;
        QString second; // shape; of a block also how many groups
        QStringList badges;
        QString note; // until a measured one comes
        GraphNode::Kind kind = GraphNode::Kind::Group;
        int block = -1; // the closed block it is, or the open one it stands in
        QRectF box;
        QRectF fold; // of a block: the triangle that opens it
        std::vector<Stub> stubs;
        std::vector<int> in, out; // edges
        std::vector<int> members; // of a block: nodes of the picture
        QString toolTip;
    };
    struct Edge {
        int from = 0;
        int to = 0;
        QPainterPath path;
        QRectF bounds;
        QPolygonF arrow;
        QString label;
        QRectF labelPlace; // null: there was no room
        QString tensor;
        QStringList tensors{}; // every value that goes this way
        QString sentence{}; // "t12: 1×64×56×56 f32, NCHW16c, 784 KiB, from conv.0 to relu.0"
        QString toolTip{}; // the same in lines
    };
    struct Frame {
        int block = 0;
        QRectF box;
        QRectF handle; // closes it
        QString title;
    };
    std::vector<Node> nodes;
    std::vector<Edge> edges;
    std::vector<Frame> frames;
    std::vector<QLineF> coarse; // all edges as straight lines, for a far view
    QHash<QString, int> places; // id -> node; a group in a closed block leads to the block
    QRectF bounds;

    int nodeAt(const QPointF& point) const; // -1: none
    int edgeAt(const QPointF& point, double within) const; // the nearest line or its label
    const Frame* frameHandleAt(const QPointF& point) const;
};

LayoutRequest layoutRequest(const VisibleGraph& visible, CardMetrics& metrics);
GraphScene graphScene(const GraphFolding& folding, const VisibleGraph& visible, const LayoutResult& layout, CardMetrics& metrics);

} // namespace nw::views
