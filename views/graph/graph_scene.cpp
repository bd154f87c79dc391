#include "views/graph/graph_scene.h"

#include "views/common/format.h"
#include "views/graph/at.h"
#include "views/graph/card_metrics.h"
#include "views/graph/place_grid.h"

#include <QCoreApplication>
#include <QLineF>

#include <algorithm>
#include <cmath>
#include <set>

namespace nw::views {
namespace {

// Labels keep off edges as long as looking for them takes no time to notice.
constexpr std::size_t kMostAvoidedEdges = 2000;

QString words(const char* text)
{
    return QCoreApplication::translate("GraphView", text);
}

QString secondLine(const GraphNode& node)
{
    const QString shape = fromStd(node.subtitle);
    if (node.kind != GraphNode::Kind::Block) {
        return shape;
    }
    const QString groups = words(QT_TRANSLATE_NOOP("GraphView", "%1 groups")).arg(node.members.size());
    return shape.isEmpty() ? groups : groups + QStringLiteral(" · ") + shape;
}

QStringList badgesOf(const GraphNode& node)
{
    QStringList badges;
    for (const std::string& badge : node.badges) {
        badges << fromStd(badge);
    }
    return badges;
}

QString tipOf(const GraphNode& node)
{
    QString tip = fromStd(node.id) + QLatin1Char('\n') + fromStd(node.title);
    QStringList ops;
    for (const std::string& op : node.ops) {
        ops << fromStd(op);
    }
    if (node.kind == GraphNode::Kind::Group && ops.size() > 1) {
        tip += QLatin1Char('\n') + ops.join(QStringLiteral(", "));
    }
    return node.subtitle.empty() ? tip : tip + QLatin1Char('\n') + fromStd(node.subtitle);
}

// "t12: 1×64×56×56 f32, NCHW16c, 784 KiB"
QString factsOf(const GraphEdge& edge)
{
    QString type = fromStd(edge.shape);
    type += type.isEmpty() || edge.type.empty() ? QString() : QLatin1Char(' ') + fromStd(edge.type);
    QStringList facts;
    facts << (type.isEmpty() ? fromStd(edge.label) : type);
    facts << (edge.layout.empty() ? words(QT_TRANSLATE_NOOP("GraphView", "plain layout")) : fromStd(edge.layout));
    if (edge.bytes > 0) {
        facts << shortBytes(edge.bytes);
    }
    return words(QT_TRANSLATE_NOOP("GraphView", "%1: %2")).arg(fromStd(edge.tensor), facts.join(QStringLiteral(", ")));
}

QString endName(const GraphScene::Node& node)
{
    return node.kind == GraphNode::Kind::Block ? node.title : node.id;
}

// How far a point is from a line of a drawing.
double distanceTo(const QPainterPath& path, const QPointF& point)
{
    double least = 1e300;
    for (const QPolygonF& part : path.toSubpathPolygons()) {
        for (qsizetype i = 0; i + 1 < part.size(); ++i) {
            const QPointF along = part[i + 1] - part[i], to = point - part[i];
            const double length = QPointF::dotProduct(along, along);
            const double where = length > 0 ? std::clamp(QPointF::dotProduct(to, along) / length, 0.0, 1.0) : 0;
            const QPointF away = to - along * where;
            least = std::min(least, std::hypot(away.x(), away.y()));
        }
    }
    return least;
}

QPolygonF arrowHead(const QPointF& tip, const QPointF& from, double unit)
{
    const QLineF line(tip, from);
    const QPointF along = line.length() > 0 ? (from - tip) / line.length() : QPointF(0, -1);
    const QPointF across(-along.y(), along.x());
    return QPolygonF({tip, tip + along * 8 * unit + across * 4 * unit, tip + along * 8 * unit - across * 4 * unit});
}

class SceneMaker {
public:
    SceneMaker(const GraphFolding& folding, const VisibleGraph& visible, const LayoutResult& layout, CardMetrics& metrics)
        : m_folding(folding)
        , m_visible(visible)
        , m_layout(layout)
        , m_metrics(metrics)
    {}

    GraphScene make()
    {
        for (std::size_t i = 0; i < m_visible.nodes.size(); ++i) {
            addNode(i);
        }
        for (std::size_t i = 0; i < m_visible.nodes.size(); ++i) {
            addStubs(i);
        }
        for (std::size_t i = 0; i < m_visible.edges.size(); ++i) {
            addEdge(i);
        }
        for (const VisibleGraph::Frame& frame : m_visible.frames) {
            addFrame(frame);
        }
        placeLabels();
        const auto& sources = m_folding.picture->nodes;
        for (std::size_t i = 0; i < sources.size(); ++i) {
            m_scene.places.insert(fromStd(sources[i].id), m_visible.visibleOf[i]);
        }
        for (std::size_t i = 0; i < m_scene.nodes.size(); ++i) {
            m_scene.places.insert(m_scene.nodes[i].id, static_cast<int>(i));
        }
        return std::move(m_scene);
    }

private:
    const GraphFolding& m_folding;
    const VisibleGraph& m_visible;
    const LayoutResult& m_layout;
    CardMetrics& m_metrics;
    GraphScene m_scene;

    void addNode(std::size_t i)
    {
        const GraphNode& source = *m_visible.nodes[i].node;
        const LayoutBox& box = m_layout.boxes[i];
        GraphScene::Node node;
        node.id = fromStd(source.id);
        node.title = fromStd(source.title);
        node.second = secondLine(source);
        node.badges = badgesOf(source);
        node.note = fromStd(source.note);
        node.kind = source.kind;
        node.block = m_visible.nodes[i].block;
        node.members = source.members;
        node.toolTip = tipOf(source);
        node.box = QRectF(box.x, box.y, box.width, box.height);
        m_scene.bounds |= node.box;
        if (!m_visible.nodes[i].stubs.empty()) {
            node.box.setTop(node.box.top() + m_metrics.stubStrip());
        }
        if (source.kind == GraphNode::Kind::Block) {
            const double side = m_metrics.handle();
            node.fold = QRectF(node.box.right() - side - 2 * m_metrics.unit(), node.box.top() + m_metrics.unit(), side, side);
        }
        m_scene.nodes.push_back(std::move(node));
    }

    void addStubs(std::size_t i)
    {
        GraphScene::Node& node = m_scene.nodes[i];
        double x = node.box.left() + 4 * m_metrics.unit();
        for (const VisibleGraph::Stub& stub : m_visible.nodes[i].stubs) {
            const QString name = fromStd(stub.tensor);
            const double width = std::min(m_metrics.chipWidth(name), node.box.right() - x);
            if (width < 24 * m_metrics.unit()) {
                break;
            }
            node.stubs.push_back({name, stub.from, QRectF(x, node.box.top() - m_metrics.stubStrip(), width, m_metrics.chipHeight())});
            x += width + 4 * m_metrics.unit();
        }
    }

    void addEdge(std::size_t i)
    {
        const VisibleGraph::Edge& source = m_visible.edges[i];
        const LayoutLine& line = m_layout.lines[i];
        const auto point = [&](std::size_t p) { return QPointF(line.points[p].x, line.points[p].y); };
        if (line.points.size() < 2) {
            return;
        }
        GraphScene::Edge edge{source.from, source.to, {}, {}, {}, fromStd(source.label), {}, fromStd(source.tensor)};
        tell(edge, source.carried);
        edge.path.moveTo(point(0));
        const std::size_t step = line.curved ? 3 : 1;
        for (std::size_t p = step; p < line.points.size(); p += step) {
            if (line.curved) {
                edge.path.cubicTo(point(p - 2), point(p - 1), point(p));
            } else {
                edge.path.lineTo(point(p));
            }
            m_scene.coarse.emplace_back(point(p - step), point(p));
        }
        QPointF tip = edge.path.currentPosition();
        QPointF before = point(line.points.size() - 2);
        // Past the strip of stubs.
        const QRectF& target = m_scene.nodes[at(source.to)].box;
        if (tip.y() < target.top() - m_metrics.stubStrip() / 2 && target.left() < tip.x() && tip.x() < target.right()) {
            before = tip;
            tip.setY(target.top());
            edge.path.lineTo(tip);
        }
        edge.arrow = arrowHead(tip, before, m_metrics.unit());
        edge.bounds = edge.path.boundingRect().adjusted(-6, -6, 6, 6);
        const int index = static_cast<int>(m_scene.edges.size());
        m_scene.nodes[at(source.from)].out.push_back(index);
        m_scene.nodes[at(source.to)].in.push_back(index);
        m_scene.bounds |= edge.bounds;
        m_scene.edges.push_back(std::move(edge));
    }

    void tell(GraphScene::Edge& edge, const std::vector<const GraphEdge*>& carried) const
    {
        QStringList facts;
        for (const GraphEdge* value : carried) {
            edge.tensors << fromStd(value->tensor);
            facts << factsOf(*value);
        }
        const QString from = endName(m_scene.nodes[at(edge.from)]), to = endName(m_scene.nodes[at(edge.to)]);
        edge.sentence = words(QT_TRANSLATE_NOOP("GraphView", "%1, from %2 to %3")).arg(facts.join(QStringLiteral("; ")), from, to);
        edge.toolTip = words(QT_TRANSLATE_NOOP("GraphView", "%1\nfrom %2 to %3")).arg(facts.join(QLatin1Char('\n')), from, to);
    }

    void addFrame(const VisibleGraph::Frame& frame)
    {
        QRectF box;
        for (const int member : frame.members) {
            const GraphScene::Node& node = m_scene.nodes[at(member)];
            box |= node.stubs.empty() ? node.box : node.box.adjusted(0, -m_metrics.stubStrip(), 0, 0);
        }
        const double margin = 10 * m_metrics.unit();
        box.adjust(-margin, -margin - m_metrics.handle(), margin, margin);
        const QString title = fromStd(m_folding.blocks[at(frame.block)].title);
        const double width = std::min(box.width(), m_metrics.noteWidth(title) + 36 * m_metrics.unit());
        m_scene.frames.push_back({frame.block, box, QRectF(box.left(), box.top(), width, m_metrics.handle()), title});
        m_scene.bounds |= box;
    }

    static void avoid(const QPainterPath& path, PlaceGrid& taken)
    {
        const int samples = static_cast<int>(std::min(40.0, path.length() / 8));
        for (int i = 1; i < samples; ++i) {
            const QPointF on = path.pointAtPercent(static_cast<double>(i) / samples);
            taken.insert(QRectF(on.x() - 1, on.y() - 1, 2, 2));
        }
    }

    void avoidEdges(PlaceGrid& taken) const
    {
        for (const GraphScene::Edge& edge : m_scene.edges) {
            avoid(edge.path, taken);
        }
    }

    // One label a value, where it covers no box and no other label: beside the middle of its first edge, or not at all.
    void placeLabels()
    {
        PlaceGrid taken;
        for (const GraphScene::Node& node : m_scene.nodes) {
            taken.insert(node.box);
            for (const GraphScene::Stub& stub : node.stubs) {
                taken.insert(stub.place);
            }
        }
        for (const GraphScene::Frame& frame : m_scene.frames) {
            taken.insert(frame.handle);
        }
        if (m_scene.edges.size() <= kMostAvoidedEdges) {
            avoidEdges(taken);
        }
        std::set<std::pair<int, QString>> named;
        for (GraphScene::Edge& edge : m_scene.edges) {
            // An input has its shape inside.
            const bool isInput = m_scene.nodes[at(edge.from)].kind == GraphNode::Kind::Input;
            if (edge.label.isEmpty() || isInput || named.contains({edge.from, edge.tensor})) {
                continue;
            }
            const double width = m_metrics.noteWidth(edge.label) + 4 * m_metrics.unit();
            for (const double part : {0.45, 0.3, 0.6, 0.8}) {
                const QPointF on = edge.path.pointAtPercent(part);
                // The steeper the edge, the nearer.
                const QPointF along = edge.path.pointAtPercent(part + 0.05) - on;
                const double slope = std::abs(along.x()) / std::max(0.1, std::abs(along.y()));
                const double gap = (5 + std::min(30.0, slope * 8)) * m_metrics.unit();
                QRectF place(on.x() + gap, on.y() - m_metrics.noteHeight() / 2, width, m_metrics.noteHeight());
                if (taken.touches(place)) {
                    place.moveRight(on.x() - gap);
                }
                if (!taken.touches(place)) {
                    edge.labelPlace = place;
                    taken.insert(place);
                    named.insert({edge.from, edge.tensor});
                    m_scene.bounds |= place;
                    break;
                }
            }
        }
    }
};

} // namespace

int GraphScene::nodeAt(const QPointF& point) const
{
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].box.contains(point)) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

int GraphScene::edgeAt(const QPointF& point, double within) const
{
    int nearest = -1;
    double least = within;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        if (edges[i].labelPlace.contains(point)) {
            return static_cast<int>(i);
        }
        if (!edges[i].bounds.adjusted(-within, -within, within, within).contains(point)) {
            continue;
        }
        const double distance = distanceTo(edges[i].path, point);
        if (distance <= least) {
            least = distance;
            nearest = static_cast<int>(i);
        }
    }
    return nearest;
}

const GraphScene::Frame* GraphScene::frameHandleAt(const QPointF& point) const
{
    const auto found = std::find_if(frames.begin(), frames.end(), [&](const Frame& f) { return f.handle.contains(point); });
    return found == frames.end() ? nullptr : &*found;
}

LayoutRequest layoutRequest(const VisibleGraph& visible, CardMetrics& metrics)
{
    LayoutRequest request;
    request.layerGap = 34 * metrics.unit();
    request.nodeGap = 18 * metrics.unit();
    request.frameTop = metrics.handle();
    for (const VisibleGraph::Node& node : visible.nodes) {
        QSizeF size = metrics.size(*node.node, fromStd(node.node->title), secondLine(*node.node), badgesOf(*node.node));
        if (!node.stubs.empty()) {
            size.rheight() += metrics.stubStrip();
        }
        request.sizes.emplace_back(size.width(), size.height());
    }
    for (const VisibleGraph::Edge& edge : visible.edges) {
        request.edges.emplace_back(edge.from, edge.to);
    }
    for (const VisibleGraph::Frame& frame : visible.frames) {
        request.frames.push_back(frame.members);
    }
    return request;
}

GraphScene graphScene(const GraphFolding& folding, const VisibleGraph& visible, const LayoutResult& layout, CardMetrics& metrics)
{
    return SceneMaker(folding, visible, layout, metrics).make();
}

} // namespace nw::views
