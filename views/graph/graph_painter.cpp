#include "views/graph/graph_painter.h"

#include "views/common/fonts.h"
#include "views/common/icons.h"
#include "views/graph/at.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace nw::views {
namespace {

constexpr double kRadius = 6;

QColor mixed(const QColor& a, const QColor& b, double part)
{
    return QColor::fromRgbF(static_cast<float>(a.redF() + (b.redF() - a.redF()) * part),
        static_cast<float>(a.greenF() + (b.greenF() - a.greenF()) * part),
        static_cast<float>(a.blueF() + (b.blueF() - a.blueF()) * part));
}

} // namespace

GraphPainter::GraphPainter(
    QPainter& painter, const Theme& theme, const GraphScene& scene, const GraphMarks& marks, double zoom)
    : m_painter(painter)
    , m_theme(theme)
    , m_scene(scene)
    , m_marks(marks)
    , m_zoom(zoom)
    , m_unit(QFontMetricsF(contentFont()).height() / 16)
    , m_name(nameFont())
    , m_note(noteFont())
{}

QPen GraphPainter::line(const QColor& colour, double width) const
{
    QPen pen(colour, width);
    pen.setCosmetic(true);
    return pen;
}

QString GraphPainter::elided(const QString& text, const QFont& font, double width) const
{
    return QFontMetricsF(font).elidedText(text, Qt::ElideRight, width + 1);
}

bool GraphPainter::isChosen(const GraphScene::Edge& edge) const
{
    return m_marks.edge >= 0 && &edge == &m_scene.edges[at(m_marks.edge)];
}

bool GraphPainter::isEnd(int node) const
{
    return m_marks.edge >= 0 && (m_scene.edges[at(m_marks.edge)].from == node || m_scene.edges[at(m_marks.edge)].to == node);
}

bool GraphPainter::isLit(const GraphScene::Edge& edge) const
{
    if (m_marks.edge >= 0) {
        const GraphScene::Edge& chosen = m_scene.edges[at(m_marks.edge)];
        return edge.from == chosen.from && std::any_of(edge.tensors.begin(), edge.tensors.end(), [&](const QString& tensor) {
            return chosen.tensors.contains(tensor);
        });
    }
    return m_marks.selected >= 0 && (edge.from == m_marks.selected || edge.to == m_marks.selected);
}

void GraphPainter::paint(const QRectF& visible)
{
    if (m_zoom < kPlain) {
        paintPlain(visible);
        return;
    }
    m_painter.setRenderHint(QPainter::Antialiasing, true);
    for (const GraphScene::Frame& frame : m_scene.frames) {
        if (frame.box.intersects(visible)) {
            paintFrame(frame);
        }
    }
    paintEdges(visible, false);
    paintEdges(visible, true);
    for (const GraphScene::Frame& frame : m_scene.frames) {
        if (m_zoom >= kNoText && frame.handle.intersects(visible)) {
            paintHandle(frame);
        }
    }
    for (std::size_t i = 0; i < m_scene.nodes.size(); ++i) {
        // Stubs stand above the box.
        if (m_scene.nodes[i].box.adjusted(0, -40 * m_unit, 0, 0).intersects(visible)) {
            paintNode(static_cast<int>(i));
        }
    }
}

void GraphPainter::paintPlain(const QRectF& visible)
{
    m_painter.setRenderHint(QPainter::Antialiasing, false);
    for (const GraphScene::Frame& frame : m_scene.frames) {
        m_painter.fillRect(frame.box, m_theme.raised);
    }
    m_painter.setPen(line(m_theme.line, 1));
    m_painter.drawLines(m_scene.coarse.data(), static_cast<int>(m_scene.coarse.size()));
    if (m_marks.edge >= 0) {
        m_painter.setPen(line(m_theme.accent, 2));
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawPath(m_scene.edges[at(m_marks.edge)].path);
    }
    const QColor plain = mixed(m_theme.line, m_theme.muted, 0.45);
    // Never thinner than a pixel, or a long model fades away.
    const double least = 1.2 / m_zoom;
    for (std::size_t i = 0; i < m_scene.nodes.size(); ++i) {
        QRectF box = m_scene.nodes[i].box;
        if (!box.intersects(visible)) {
            continue;
        }
        const int index = static_cast<int>(i);
        const bool marked = index == m_marks.selected || isEnd(index) || m_marks.matches.contains(index);
        const double shortest = marked ? 3 * least : least;
        box.setWidth(std::max(box.width(), shortest));
        box.setHeight(std::max(box.height(), shortest));
        m_painter.fillRect(box, marked ? m_theme.accent : plain);
    }
}

void GraphPainter::paintFrame(const GraphScene::Frame& frame)
{
    m_painter.setPen(line(m_theme.line, 1));
    m_painter.setBrush(m_theme.raised);
    m_painter.drawRoundedRect(frame.box, kRadius * m_unit, kRadius * m_unit);
}

// Above the edges that cross it.
void GraphPainter::paintHandle(const GraphScene::Frame& frame)
{
    m_painter.fillRect(frame.handle.adjusted(3 * m_unit, 3 * m_unit, 0, -2 * m_unit), m_theme.raised);
    const double side = 16 * m_unit;
    const QRectF handle = frame.handle.adjusted(6 * m_unit, 0, -4 * m_unit, 0);
    paintIcon(m_painter, QStringLiteral("collapse"),
        QRectF(handle.left(), handle.center().y() - side / 2, side, side), m_theme.muted);
    const QRectF text = handle.adjusted(side + 4 * m_unit, 0, 0, 0);
    m_painter.setFont(m_note);
    m_painter.setPen(m_theme.muted);
    m_painter.drawText(text, Qt::AlignVCenter | Qt::AlignLeft, elided(frame.title, m_note, text.width()));
}

void GraphPainter::paintEdges(const QRectF& visible, bool lit)
{
    const QColor colour = lit ? m_theme.accent : m_theme.muted;
    m_painter.setFont(m_note);
    for (const GraphScene::Edge& edge : m_scene.edges) {
        if (isLit(edge) != lit || !edge.bounds.intersects(visible)) {
            continue;
        }
        m_painter.setPen(line(colour, isChosen(edge) ? 3.5 : lit ? 2 : 1.2));
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawPath(edge.path);
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(colour);
        m_painter.drawPolygon(edge.arrow);
    }
    if (m_zoom < kNoText) {
        return;
    }
    for (const GraphScene::Edge& edge : m_scene.edges) {
        if (isLit(edge) == lit && !edge.labelPlace.isNull() && edge.labelPlace.intersects(visible)) {
            m_painter.setPen(isChosen(edge) ? m_theme.text : m_theme.muted);
            m_painter.drawText(edge.labelPlace, Qt::AlignCenter, edge.label);
        }
    }
}

void GraphPainter::paintNode(int index)
{
    const GraphScene::Node& node = m_scene.nodes[at(index)];
    const bool selected = index == m_marks.selected;
    const bool hovered = index == m_marks.hovered;
    const bool match = m_marks.matches.contains(index);
    const bool end = isEnd(index);
    const double radius = node.kind == GraphNode::Kind::Conversion ? node.box.height() / 2 : kRadius * m_unit;
    if (node.kind == GraphNode::Kind::Block) {
        // A second sheet behind it: there is more inside.
        m_painter.setPen(line(m_theme.line, 1));
        m_painter.setBrush(m_theme.panel);
        m_painter.drawRoundedRect(node.box.adjusted(4 * m_unit, 4 * m_unit, -4 * m_unit, 3 * m_unit), radius, radius);
    }
    const QColor fill = selected ? m_theme.selectedRow : hovered ? mixed(m_theme.panel, m_theme.selectedRow, 0.5) : m_theme.panel;
    const QColor border = selected || match || end ? m_theme.accent : hovered ? m_theme.muted : m_theme.line;
    m_painter.setPen(line(border, selected || end ? 2 : 1));
    m_painter.setBrush(fill);
    m_painter.drawRoundedRect(node.box, radius, radius);
    if (selected && m_marks.focused && m_marks.edge < 0) {
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(line(m_theme.accent, 1));
        const double off = 3 * m_unit;
        m_painter.drawRoundedRect(node.box.adjusted(-off, -off, off, off), radius + off, radius + off);
    }
    if (m_zoom < kNoText) {
        return;
    }
    paintStubs(node);
    paintCardText(node, index);
    if (match) {
        const double side = 14 * m_unit;
        const QRectF place(node.box.left() - side / 2, node.box.top() - side / 2, side, side);
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(m_theme.panel);
        m_painter.drawEllipse(place.adjusted(-2, -2, 2, 2));
        paintIcon(m_painter, QStringLiteral("search"), place, m_theme.accent);
    }
}

void GraphPainter::paintCardText(const GraphScene::Node& node, int index)
{
    const bool selected = index == m_marks.selected;
    const QColor quiet = selected ? mixed(m_theme.muted, m_theme.text, 0.5) : m_theme.muted;
    const double padding = 10 * m_unit;
    const double gap = 12 * m_unit;
    const QRectF inner = node.box.adjusted(padding, 0, -padding, 0);
    const bool oneLine = node.kind != GraphNode::Kind::Group && node.kind != GraphNode::Kind::Block;
    const QFont& titleFont = node.kind == GraphNode::Kind::Conversion ? m_note : m_name;
    QRectF first = inner;
    if (!oneLine) {
        first.setTop(node.box.top() + 7 * m_unit);
        first.setHeight(QFontMetricsF(m_name).height());
    }
    QString note = m_marks.notes.value(node.id, node.note);
    if (node.kind == GraphNode::Kind::Input || node.kind == GraphNode::Kind::Output) {
        note = node.second;
    }
    QRectF room = first;
    if (node.kind == GraphNode::Kind::Block) {
        const double side = 16 * m_unit;
        paintIcon(m_painter, QStringLiteral("expand"),
            QRectF(node.fold.center() - QPointF(side / 2, side / 2), QSizeF(side, side)), quiet);
        room.setRight(node.fold.left() + 2 * m_unit);
    }
    if (!note.isEmpty()) {
        m_painter.setFont(m_note);
        m_painter.setPen(quiet);
        m_painter.drawText(room, Qt::AlignRight | Qt::AlignVCenter, note);
        room.setRight(room.right() - QFontMetricsF(m_note).horizontalAdvance(note) - gap);
    }
    m_painter.setFont(titleFont);
    m_painter.setPen(m_theme.text);
    m_painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, elided(node.title, titleFont, room.width()));
    if (oneLine) {
        return;
    }

    const double chipHeight = QFontMetricsF(m_note).height() + 2 * m_unit;
    QRectF second(inner.left(), first.bottom() + 2 * m_unit, inner.width(), chipHeight);
    for (auto badge = node.badges.rbegin(); badge != node.badges.rend(); ++badge) {
        const double width = std::min(QFontMetricsF(m_note).horizontalAdvance(*badge) + 12 * m_unit, second.width());
        paintChip(QRectF(second.right() - width, second.top(), width, chipHeight), *badge, selected);
        second.setRight(second.right() - width - 6 * m_unit);
    }
    m_painter.setFont(m_note);
    m_painter.setPen(quiet);
    const bool inside = selected && !m_marks.selectedInside.isEmpty();
    const QString below = inside ? m_marks.selectedInside + QStringLiteral(" · ") + node.second : node.second;
    m_painter.drawText(second, Qt::AlignLeft | Qt::AlignVCenter, elided(below, m_note, second.width()));

    const double share = std::clamp(m_marks.heat.value(node.id), 0.0, 1.0);
    if (share > 0) {
        // The root, since times spread over decades; the words beside it say the number.
        const double width = std::max(2 * m_unit, inner.width() * std::sqrt(share));
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(m_theme.seriesAuto);
        m_painter.drawRoundedRect(QRectF(inner.left(), node.box.bottom() - 6 * m_unit, width, 3 * m_unit), m_unit, m_unit);
    }
}

void GraphPainter::paintChip(const QRectF& place, const QString& text, bool onSelected)
{
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(onSelected ? mixed(m_theme.selectedRow, m_theme.accent, 0.18) : m_theme.selectedRow);
    m_painter.drawRoundedRect(place, place.height() / 2, place.height() / 2);
    m_painter.setFont(m_note);
    m_painter.setPen(m_theme.text);
    m_painter.drawText(place, Qt::AlignCenter, elided(text, m_note, place.width() - 8 * m_unit));
}

void GraphPainter::paintStubs(const GraphScene::Node& node)
{
    for (const GraphScene::Stub& stub : node.stubs) {
        const double x = stub.place.left() + 10 * m_unit;
        m_painter.setPen(line(m_theme.muted, 1.2));
        m_painter.drawLine(QPointF(x, stub.place.bottom()), QPointF(x, node.box.top()));
        const QPointF tip(x, node.box.top());
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(m_theme.muted);
        m_painter.drawPolygon(QPolygonF({tip, tip + QPointF(-3, -6) * m_unit, tip + QPointF(3, -6) * m_unit}));
        m_painter.setPen(line(stub.from == m_marks.selected ? m_theme.accent : m_theme.line, 1));
        m_painter.setBrush(m_theme.raised);
        m_painter.drawRoundedRect(stub.place, stub.place.height() / 2, stub.place.height() / 2);
        m_painter.setFont(m_note);
        m_painter.setPen(m_theme.muted);
        m_painter.drawText(stub.place, Qt::AlignCenter, elided(stub.name, m_note, stub.place.width() - 10 * m_unit));
    }
}

} // namespace nw::views
