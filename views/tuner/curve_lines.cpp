// The curve's lines to compare with, its ranges, and where words have room.
#include "views/tuner/curve_plot.h"

#include "views/common/format.h"
#include "views/tuner/tuner_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nw::views {

void CurvePlot::setLines()
{
    for (const Line& line : m_lines) {
        removeItem(line.line);
        removeItem(line.text);
    }
    m_lines.clear();
    const struct {
        QString name, text;
        double ns;
    } wanted[] = {{QStringLiteral("default"), tr("default %1"), m_task.defaultNs},
                  {QStringLiteral("template"), tr("template %1"), m_task.templateNs},
                  {QStringLiteral("hand"), tr("hand %1"), m_task.handNs},
                  {QStringLiteral("bound"), tr("bound %1"), m_task.boundNs}};
    for (const auto& [name, words, ns] : wanted) {
        if (ns <= 0) {
            continue;
        }
        const bool isTemplate = name == QLatin1String("template");
        const bool isBound = name == QLatin1String("bound");
        const QColor colour = isTemplate ? m_theme.accent : m_theme.series(name);
        auto* line = new QCPItemLine(this);
        line->setLayer(QStringLiteral("grid"));
        line->setPen(QPen(colour, isBound ? 1 : 1.5, isBound ? Qt::DashLine : isTemplate ? Qt::DashDotLine : Qt::SolidLine));
        for (QCPItemPosition* end : {line->start, line->end}) {
            end->setTypeX(QCPItemPosition::ptAxisRectRatio);
            end->setTypeY(QCPItemPosition::ptPlotCoords);
            end->setCoords(end == line->start ? 0 : 1, yOf(ns));
        }
        auto* text = new QCPItemText(this);
        text->setLayer(QStringLiteral("overlay"));
        text->setFont(m_note);
        text->setColor(isTemplate ? m_theme.accent : isBound || name == QLatin1String("default") ? m_theme.muted : colour);
        QColor ground = m_theme.panel;
        ground.setAlpha(215);
        text->setBrush(ground);
        text->setPadding(QMargins(3, 0, 3, 0));
        text->setText(words.arg(showsSpeed() ? speedText(yOf(ns)) : formatTime(ns)));
        text->setPositionAlignment(Qt::AlignRight | Qt::AlignBottom);
        m_lines.push_back({line, text, ns});
    }
}

void CurvePlot::setRanges()
{
    const bool has = m_series != nullptr && !m_series->empty();
    double last = has ? xOf(m_series->trials().back()) : 0;
    last = std::max(last * 1.02, m_wallTime ? 10.0 : 20.0);
    QCPRange up = QCPRange::validRange(m_zoom->allUp()) ? m_zoom->allUp() : yAxis->range();
    double fast = has ? m_series->bestNs() : 0;
    double slow = has ? m_series->slowestNs() : 0;
    for (const Line& line : m_lines) {
        fast = fast > 0 ? std::min(fast, line.ns) : line.ns;
        slow = std::max(slow, line.ns);
    }
    if (fast > 0 && slow > 0) {
        const double margin = std::pow(std::max(slow / fast, 1.3), 0.07);
        const double a = yOf(fast / margin);
        const double b = yOf(slow * margin);
        up = QCPRange(std::min(a, b), std::max(a, b));
    }
    if (!std::exchange(m_hasTimes, fast > 0) && fast > 0) {
        m_zoom->showAll(); // what was looked at closer had no times yet
    }
    m_zoom->setAll({-last * 0.01, last}, up);
    yAxis->setTicker(decadeTicks(showsSpeed() ? &numberTick : &timeTick, height(), m_note));
    yAxis->setLabel(showsSpeed() ? tr("GFLOP/s") : QString());
    m_strip->axis(QCPAxis::atBottom)->setLabel(m_wallTime ? tr("seconds since the first trial; marks: failures") : tr("trials; marks: failures"));
}

void CurvePlot::copyTo(CurvePlot& other) const
{
    other.setTask(m_task);
    other.setAxes(m_wallTime, m_speed);
    other.setSeries(m_series);
    other.select(m_first, m_second);
    m_zoom->copyTo(*other.m_zoom);
}

void CurvePlot::placeWords()
{
    const QRectF inside = axisRect()->rect();
    std::vector<QRectF> taken;
    for (const auto& [text, number] : {std::pair(m_firstText, m_first), std::pair(m_secondText, m_second)}) {
        const QPointF at = pixelOf(number);
        const bool isShown = m_series != nullptr && m_series->find(number) != nullptr && at.x() >= inside.left() && at.x() <= inside.right() &&
            (isFailure(number) || (at.y() >= inside.top() && at.y() <= inside.bottom()));
        text->setVisible(isShown);
        if (isShown) {
            const QSizeF size = QFontMetricsF(m_note).size(0, text->text()) + QSizeF(10, 4);
            const double x = std::clamp(at.x() + 8, inside.left(), std::max(inside.left(), inside.right() - size.width()));
            const double y = std::max(at.y() - size.height() - 8, inside.top());
            text->position->setType(QCPItemPosition::ptAbsolute);
            text->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
            text->position->setPixelPosition({x, y});
            taken.push_back(QRectF(QPointF(x, y), size));
        }
    }
    for (const Line& line : m_lines) {
        const QSizeF size = QFontMetricsF(m_note).size(0, line.text->text()) + QSizeF(8, 2);
        const double y = yAxis->coordToPixel(yOf(line.ns));
        if (y < inside.top() || y > inside.bottom()) {
            line.text->setVisible(false); // so is its line
            continue;
        }
        // Above the line where there is room, else below it, and left of words that stand there already.
        const QRectF above(inside.right() - size.width() - 2, y - size.height() - 1, size.width(), size.height());
        const QRectF below = above.translated(0, size.height() + 2);
        QRectF box = above;
        const auto isFree = [&](const QRectF& place) {
            return place.top() >= inside.top() && place.bottom() <= inside.bottom() + size.height() / 2 &&
                std::none_of(taken.begin(), taken.end(), [&place](const QRectF& other) { return other.intersects(place); });
        };
        for (double left = 0; above.left() - left > inside.left(); left += 12) {
            box = isFree(above.translated(-left, 0)) ? above.translated(-left, 0) : below.translated(-left, 0);
            if (isFree(box)) {
                break;
            }
        }
        line.text->position->setType(QCPItemPosition::ptAbsolute);
        line.text->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
        line.text->position->setPixelPosition(box.topLeft());
        line.text->setVisible(isFree(box));
        taken.push_back(box);
    }
}

} // namespace nw::views
