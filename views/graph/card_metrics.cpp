#include "views/graph/card_metrics.h"

#include "views/common/fonts.h"

#include <QStringList>

#include <algorithm>

namespace nw::views {

CardMetrics::CardMetrics()
    : m_nameMetrics(nameFont())
    , m_noteMetrics(noteFont())
    , m_unit(QFontMetricsF(contentFont()).height() / 16)
{}

double CardMetrics::width(const QString& text, const QFontMetricsF& metrics, QHash<QString, double>& kept)
{
    const auto found = kept.constFind(text);
    return found != kept.constEnd() ? *found : *kept.insert(text, metrics.horizontalAdvance(text));
}

QSizeF CardMetrics::size(const GraphNode& node, const QString& title, const QString& second, const QStringList& badges)
{
    const double widest = 310 * m_unit;
    const double gap = 12 * m_unit;
    switch (node.kind) {
    case GraphNode::Kind::Input:
    case GraphNode::Kind::Output:
        return {std::clamp(nameWidth(title) + gap + noteWidth(second), 100 * m_unit, widest) + 2 * padding(),
            lineHeight() + 12 * m_unit};
    case GraphNode::Kind::Conversion:
        return {std::clamp(noteWidth(title) + gap + noteRoom(), 60 * m_unit, widest) + 2 * padding(), noteHeight() + 8 * m_unit};
    case GraphNode::Kind::Group:
    case GraphNode::Kind::Block:
        break;
    }
    const double fold = node.kind == GraphNode::Kind::Block ? 18 * m_unit : 0;
    double below = noteWidth(second);
    for (const QString& badge : badges) {
        below += 6 * m_unit + chipWidth(badge);
    }
    const double inner = std::max(nameWidth(title) + gap + fold + noteRoom(), below);
    return {std::clamp(inner, 140 * m_unit, widest) + 2 * padding(), lineHeight() + chipHeight() + 20 * m_unit};
}

} // namespace nw::views
