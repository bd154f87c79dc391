#include "views/tuner/curve_plot.h"

#include "views/common/format.h"
#include "views/tuner/tuner_text.h"

#include <QKeyEvent>
#include <QMouseEvent>

#include <algorithm>
#include <cmath>

namespace nw::views {
namespace {

constexpr std::size_t kMostPoints = 3000;
constexpr std::size_t kMostFailures = 600; // of a kind
constexpr int kStripHeight = 15;           // px
constexpr double kReach = 10;              // px around a point that still mean it

} // namespace

CurvePlot::CurvePlot(QWidget* parent)
    : QCustomPlot(parent)
    , m_theme(Theme::light())
    , m_strip(new QCPAxisRect(this))
    , m_zoom(new PlotZoom(this, {xAxis, m_strip->axis(QCPAxis::atBottom)}, {yAxis}))
    , m_goodPoints(kMostPoints)
    , m_noisyPoints(kMostPoints / 3)
    , m_failurePoints{ThinnedPoints(kMostFailures, true), ThinnedPoints(kMostFailures, true), ThinnedPoints(kMostFailures, true)}
{
    setObjectName(QStringLiteral("tunerCurve"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    plotLayout()->addElement(1, 0, m_strip);
    plotLayout()->setRowSpacing(0);
    m_strip->setSizeConstraintRect(QCPLayoutElement::scrInnerRect);
    m_strip->setMinimumSize(10, kStripHeight);
    m_strip->setMaximumSize(QWIDGETSIZE_MAX, kStripHeight);
    plotLayout()->setMargins(QMargins(4, 2, 10, 2));
    auto* margins = new QCPMarginGroup(this);
    axisRect()->setMarginGroup(QCP::msLeft | QCP::msRight, margins);
    m_strip->setMarginGroup(QCP::msLeft | QCP::msRight, margins);
    axisRect()->setAutoMargins(QCP::msLeft | QCP::msRight | QCP::msTop);
    axisRect()->setMargins(QMargins(0, 0, 0, 0));
    axisRect()->setMinimumMargins(QMargins(0, 6, 8, 0));
    m_strip->setMinimumMargins(QMargins(0, 0, 8, 0));
    m_strip->setAutoMargins(QCP::msLeft | QCP::msRight | QCP::msBottom);
    for (QCPAxis* axis : m_strip->axes()) {
        axis->setLayer(QStringLiteral("axes"));
        axis->grid()->setLayer(QStringLiteral("grid"));
    }
    QCPAxis* const stripX = m_strip->axis(QCPAxis::atBottom);
    QCPAxis* const stripY = m_strip->axis(QCPAxis::atLeft);
    stripY->setTicks(false);
    stripY->setTickLabels(false);
    stripY->setRange(0, 1);
    xAxis->setTickLabels(false);
    yAxis->setScaleType(QCPAxis::stLogarithmic);
    for (QCPGraph** graph : {&m_noisy, &m_good, &m_best, &m_marks}) {
        *graph = addGraph();
        (*graph)->setLineStyle(QCPGraph::lsNone);
    }
    m_best->setLineStyle(QCPGraph::lsStepLeft);
    m_marks->setLayer(QStringLiteral("axes"));
    for (QCPGraph*& graph : m_failures) {
        graph = addGraph(stripX, stripY);
        graph->setLineStyle(QCPGraph::lsNone);
    }
    for (QCPItemText** text : {&m_firstText, &m_secondText}) {
        *text = new QCPItemText(this);
        (*text)->setLayer(QStringLiteral("overlay"));
        (*text)->setPadding(QMargins(4, 1, 4, 1));
        (*text)->setClipToAxisRect(false);
        (*text)->setVisible(false);
    }
    connect(this, &QCustomPlot::afterLayout, this, &CurvePlot::placeWords);
    connect(m_zoom, &PlotZoom::changed, this, &CurvePlot::drawAnew); // a part has room for points that all had none for
}

void CurvePlot::setLook(const Theme& theme, const QFont& note)
{
    m_theme = theme;
    m_note = note;
    setBackground(theme.panel);
    dressAxis(xAxis, theme, note, false);
    dressAxis(yAxis, theme, note, true);
    dressAxis(m_strip->axis(QCPAxis::atBottom), theme, note, false);
    dressAxis(m_strip->axis(QCPAxis::atLeft), theme, note, false);
    m_strip->setBackground(theme.raised);
    QColor point = theme.seriesAuto;
    point.setAlpha(150);
    m_good->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(point, 1), Qt::NoBrush, 5));
    QColor doubtful = theme.muted;
    doubtful.setAlpha(170);
    m_noisy->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssSquare, QPen(doubtful, 1), Qt::NoBrush, 5));
    m_best->setPen(QPen(theme.seriesAuto, 2));
    m_marks->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(theme.text, 2), Qt::NoBrush, 11));
    for (int i = 0; i < kFailureKinds; ++i) {
        m_failures[static_cast<std::size_t>(i)]->setScatterStyle(failureMark(static_cast<FailureKind>(i), theme, 6));
    }
    for (QCPItemText* text : {m_firstText, m_secondText}) {
        text->setFont(note);
        text->setColor(theme.text);
        text->setBrush(theme.raised);
        text->setPen(QPen(theme.line, 1));
    }
    setLines();
    setRanges();
    replot(rpQueuedReplot);
}

void CurvePlot::setSeries(const TrialSeries* series)
{
    m_series = series;
    m_first = m_second = -1;
    m_zoom->showAll();
    drawAnew();
}

void CurvePlot::setAxes(bool wallTime, bool speed)
{
    m_wallTime = wallTime;
    m_speed = speed;
    m_zoom->showAll(); // another axis has other parts
    setLines();
    drawAnew();
}

void CurvePlot::setTask(const record::TuneTask& task)
{
    const bool other = task.id != m_task.id || task.nominalFlops != m_task.nominalFlops;
    const bool lines = other || task.defaultNs != m_task.defaultNs || task.templateNs != m_task.templateNs ||
        task.handNs != m_task.handNs || task.boundNs != m_task.boundNs;
    m_task = task;
    if (lines) {
        setLines();
        setRanges();
        replot(rpQueuedReplot);
    }
    if (other && m_speed) {
        drawAnew();
    }
}

double CurvePlot::xOf(const record::TuneTrial& trial) const
{
    return m_wallTime ? m_series->secondsOf(trial) : trial.number;
}

bool CurvePlot::isInSight(double x) const
{
    const QCPRange seen = xAxis->range();
    return !m_zoom->isCloser() || (x >= seen.lower - seen.size() * 0.05 && x <= seen.upper + seen.size() * 0.05);
}

double CurvePlot::yOf(double ns) const
{
    return showsSpeed() ? m_task.nominalFlops / ns : ns;
}

void CurvePlot::drawAnew()
{
    m_taken = 0;
    m_goodPoints.clear();
    m_noisyPoints.clear();
    for (ThinnedPoints& points : m_failurePoints) {
        points.clear();
    }
    takeNew();
}

void CurvePlot::takeNew()
{
    const std::size_t count = m_series != nullptr ? m_series->trials().size() : 0;
    for (; m_taken < count; ++m_taken) {
        ++m_visited;
        const record::TuneTrial& trial = m_series->trials()[m_taken];
        if (!isInSight(xOf(trial))) {
            continue;
        }
        if (trial.outcome == "ok" && trial.ns > 0) {
            (trial.noisy ? m_noisyPoints : m_goodPoints).add(xOf(trial), yOf(trial.ns));
        } else {
            m_failurePoints[static_cast<std::size_t>(failureKind(trial.outcome))].add(xOf(trial), 0.5);
        }
    }
    const auto show = [](ThinnedPoints& points, QCPGraph* graph) {
        bool anew = false;
        const std::vector<ThinnedPoints::Point> news = points.news(anew);
        QVector<double> x;
        QVector<double> y;
        for (const ThinnedPoints::Point& point : news) {
            x.append(point.x);
            y.append(point.y);
        }
        if (anew) {
            graph->setData(x, y, true);
        } else {
            graph->addData(x, y, true);
        }
    };
    show(m_goodPoints, m_good);
    show(m_noisyPoints, m_noisy);
    for (std::size_t i = 0; i < m_failures.size(); ++i) {
        show(m_failurePoints[i], m_failures[i]);
    }
    drawBest();
    drawMarks();
    setRanges();
    replot(rpQueuedReplot);
}

void CurvePlot::drawBest()
{
    QVector<double> x;
    QVector<double> y;
    if (m_series != nullptr && !m_series->gains().empty()) {
        for (const TrialSeries::Gain& gain : m_series->gains()) {
            x.append(xOf(*m_series->find(gain.number)));
            y.append(yOf(gain.ns));
        }
        x.append(xOf(m_series->trials().back()));
        y.append(y.back());
    }
    m_best->setData(x, y, true);
}

bool CurvePlot::isFailure(int trial) const
{
    const record::TuneTrial* found = m_series != nullptr ? m_series->find(trial) : nullptr;
    return found != nullptr && (found->outcome != "ok" || found->ns <= 0);
}

QPointF CurvePlot::pixelOf(int trial) const
{
    const record::TuneTrial* found = m_series != nullptr ? m_series->find(trial) : nullptr;
    if (found == nullptr) {
        return {};
    }
    const double x = xAxis->coordToPixel(xOf(*found));
    return isFailure(trial) ? QPointF(x, m_strip->axis(QCPAxis::atLeft)->coordToPixel(0.5)) : QPointF(x, yAxis->coordToPixel(yOf(found->ns)));
}

int CurvePlot::trialAt(const QPointF& position) const
{
    if (m_series == nullptr || m_series->empty()) {
        return -1;
    }
    // Trials stand in the order of either axis: only those around the place are looked at.
    const std::vector<record::TuneTrial>& trials = m_series->trials();
    const double from = xAxis->pixelToCoord(position.x() - kReach);
    const double to = xAxis->pixelToCoord(position.x() + kReach);
    auto trial = std::lower_bound(trials.begin(), trials.end(), from, [this](const record::TuneTrial& t, double x) { return xOf(t) < x; });
    int best = -1;
    double nearest = kReach;
    for (; trial != trials.end() && xOf(*trial) <= to; ++trial) {
        const QPointF at = pixelOf(trial->number);
        const double distance = QLineF(position, at).length();
        const QCPAxisRect* const place = isFailure(trial->number) ? m_strip : axisRect();
        if (distance < nearest && place->outerRect().contains(position.toPoint()) && QRectF(place->rect()).contains(at)) {
            nearest = distance;
            best = trial->number;
        }
    }
    return best;
}

void CurvePlot::select(int first, int second)
{
    m_first = first;
    m_second = second;
    const int newest = second >= 0 ? second : first;
    if (const record::TuneTrial* trial = m_series != nullptr ? m_series->find(newest) : nullptr) {
        m_zoom->reveal(xOf(*trial), isFailure(newest) ? yAxis->range().center() : yOf(trial->ns));
    }
    drawMarks();
    replot(rpQueuedReplot);
}

void CurvePlot::drawMarks()
{
    QVector<double> x;
    QVector<double> y;
    for (const auto& [text, number] : {std::pair(m_firstText, m_first), std::pair(m_secondText, m_second)}) {
        const record::TuneTrial* trial = m_series != nullptr ? m_series->find(number) : nullptr;
        text->setVisible(trial != nullptr);
        if (trial != nullptr) {
            text->setText(trial->outcome != "ok" ? QStringLiteral("#%1").arg(number)
                                                 : QStringLiteral("#%1  %2").arg(QString::number(number), formatTime(trial->ns)));
            if (!isFailure(number)) {
                x.append(xOf(*trial));
                y.append(yOf(trial->ns));
            }
        }
    }
    m_marks->setData(x, y);
}

std::size_t CurvePlot::drawnPoints() const
{
    std::size_t count = m_goodPoints.kept().size() + m_noisyPoints.kept().size();
    for (const ThinnedPoints& points : m_failurePoints) {
        count += points.kept().size();
    }
    return count;
}

void CurvePlot::paintEvent(QPaintEvent* event)
{
    QCustomPlot::paintEvent(event);
    paintFocusRing(*this, m_theme);
}

void CurvePlot::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) {
        Q_EMIT stepWished(event->key() == Qt::Key_Left ? -1 : 1);
        return;
    }
    event->ignore();
}

void CurvePlot::resizeEvent(QResizeEvent* event)
{
    setRanges(); // labels as many as have room
    QCustomPlot::resizeEvent(event);
}

void CurvePlot::mousePressEvent(QMouseEvent* event)
{
    setFocus(Qt::MouseFocusReason);
    event->accept();
}

void CurvePlot::mouseReleaseEvent(QMouseEvent* event)
{
    const int trial = event->button() == Qt::LeftButton ? trialAt(event->position()) : -1;
    if (trial >= 0) {
        Q_EMIT trialPressed(trial, event->modifiers().testFlag(Qt::ShiftModifier));
    }
}

void CurvePlot::mouseMoveEvent(QMouseEvent* event)
{
    const int trial = trialAt(event->position());
    setToolTip(trial < 0 ? QString() : trialText(*m_series->find(trial)));
    setCursor(trial < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
}

void CurvePlot::focusInEvent(QFocusEvent* event)
{
    QCustomPlot::focusInEvent(event);
    update();
}

void CurvePlot::focusOutEvent(QFocusEvent* event)
{
    QCustomPlot::focusOutEvent(event);
    update();
}

} // namespace nw::views
