#pragma once

#include "views/graph/graph_picture.h"

#include <QFont>
#include <QFontMetricsF>
#include <QHash>
#include <QSizeF>
#include <QString>

namespace nw::views {

// Sizes of the boxes at the fonts of now. Widths of texts are kept: a model has few different ones.
class CardMetrics {
public:
    CardMetrics();
    // Without the strip of stubs above.
    QSizeF size(const GraphNode& node, const QString& title, const QString& second, const QStringList& badges);
    double nameWidth(const QString& text) { return width(text, m_nameMetrics, m_nameWidths); }
    double noteWidth(const QString& text) { return width(text, m_noteMetrics, m_noteWidths); }

    double unit() const { return m_unit; } // 1 px at 100 %
    double padding() const { return 10 * m_unit; }
    double lineHeight() const { return m_nameMetrics.height(); }
    double noteHeight() const { return m_noteMetrics.height(); }
    double chipHeight() const { return m_noteMetrics.height() + 2 * m_unit; }
    double chipWidth(const QString& text) { return noteWidth(text) + 12 * m_unit; }
    // Room for the time or share that comes later.
    double noteRoom() { return noteWidth(QStringLiteral("000.0 ms")); }
    double stubStrip() const { return chipHeight() + 8 * m_unit; }
    double handle() const { return 24 * m_unit; }

private:
    QFontMetricsF m_nameMetrics;
    QFontMetricsF m_noteMetrics;
    double m_unit;
    QHash<QString, double> m_nameWidths;
    QHash<QString, double> m_noteWidths;

    static double width(const QString& text, const QFontMetricsF& metrics, QHash<QString, double>& kept);
};

} // namespace nw::views
