#include "views/plots/figure_row.h"

#include "views/common/format.h"
#include "views/plots/figure_text.h"

#include <QPainter>
#include <QPushButton>

#include <cmath>

namespace nw::views {

FigureRow::FigureRow(QWidget* parent)
    : QAbstractButton(parent)
    , m_fill(new QPushButton(this))
{
    m_fill->hide();
    setMouseTracking(true);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    connect(m_fill, &QPushButton::clicked, this, [this] { Q_EMIT fillWished(name()); });
}

void FigureRow::setFigure(const session::Figure& figure, const session::Comparison& comparison)
{
    m_figure = figure;
    m_comparison = comparison;
    setObjectName(QStringLiteral("figure_") % name());
    m_fill->setObjectName(QStringLiteral("fill_") % name());
    m_fill->setText(fillWords(figure));
    m_fill->setAccessibleName(m_fill->text() % QLatin1Char(' ') % figureLabel(figure.name));
    m_fill->setVisible(!m_fill->text().isEmpty());
    const QString spoken = figureSpoken(figure, comparison);
    setAccessibleName(spoken);
    const bool opens = !figure.script.empty();
    setFocusPolicy(opens ? Qt::StrongFocus : Qt::NoFocus);
    setCursor(opens ? Qt::PointingHandCursor : Qt::ArrowCursor);
    setToolTip(opens ? spoken % QLatin1Char('\n') % tr("Click to see its script") : spoken);
    updateGeometry();
    update();
}

void FigureRow::setScale(const BarScale& scale)
{
    m_scale = scale;
    placeFill();
    update();
}

void FigureRow::setFillEnabled(bool enabled)
{
    m_fill->setEnabled(enabled);
}

int FigureRow::fillWidth() const
{
    m_fill->ensurePolished();
    return m_fill->text().isEmpty() ? 0 : m_fill->sizeHint().width();
}

QString FigureRow::name() const
{
    return fromStd(m_figure.name);
}

QSize FigureRow::sizeHint() const
{
    return {300, static_cast<int>(barRowHeight(BarFonts::now())) + 6};
}

QSize FigureRow::minimumSizeHint() const
{
    return {200, static_cast<int>(barRowHeight(BarFonts::now()))};
}

bool FigureRow::hitButton(const QPoint& at) const
{
    return !m_figure.script.empty() && rect().contains(at);
}

void FigureRow::resizeEvent(QResizeEvent*)
{
    placeFill();
}

void FigureRow::placeFill()
{
    const QSize wanted = m_fill->sizeHint();
    const int high = std::min(std::max(wanted.height(), 24), height() - 2);
    m_fill->setGeometry(width() - wanted.width(), (height() - high) / 2, wanted.width(), high);
}

void FigureRow::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme theme = Theme::of(palette());
    if (isDown() || (underMouse() && !m_figure.script.empty())) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.raised);
        painter.drawRoundedRect(rect(), 5, 5);
    }
    paintFigure(painter, rect(), m_figure, m_comparison, m_scale, BarFonts::now(), theme);
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
    }
}

} // namespace nw::views
