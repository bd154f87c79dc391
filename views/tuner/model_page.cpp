#include "views/tuner/model_page.h"

#include "views/common/fonts.h"
#include "views/common/icons.h"
#include "views/tuner/tuner_text.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace nw::views {
namespace {

constexpr std::size_t kRounds = 6;     // in colours of their own
constexpr std::size_t kMostOlder = 1500;

QColor between(const QColor& a, const QColor& b, double part)
{
    return QColor::fromRgbF(static_cast<float>(a.redF() + (b.redF() - a.redF()) * part),
                            static_cast<float>(a.greenF() + (b.greenF() - a.greenF()) * part),
                            static_cast<float>(a.blueF() + (b.blueF() - a.blueF()) * part));
}

} // namespace

PredictionPlot::PredictionPlot(QWidget* parent)
    : QCustomPlot(parent)
    , m_theme(Theme::light())
    , m_zoom(new PlotZoom(this, {xAxis}, {yAxis}))
    , m_older(addGraph())
    , m_olderPoints(kMostOlder)
{
    setObjectName(QStringLiteral("tunerPrediction"));
    setFocusPolicy(Qt::StrongFocus);
    setToolTip(tr("The wheel, + and - look closer, the mouse or Shift and arrows go along, Space shows all again"));
    m_older->setLineStyle(QCPGraph::lsNone);
    yAxis->setScaleType(QCPAxis::stLogarithmic);
    plotLayout()->setMargins(QMargins(4, 2, 8, 2));
    xAxis->setLabel(tr("predicted, faster to the right"));
    yAxis->setLabel(tr("measured"));
}

void PredictionPlot::setLook(const Theme& theme, const QFont& note)
{
    m_theme = theme;
    setBackground(theme.panel);
    dressAxis(xAxis, theme, note, false);
    dressAxis(yAxis, theme, note, true);
    yAxis->setTicker(decadeTicks(&timeTick, height(), note));
    colour();
    replot(rpQueuedReplot);
}

void PredictionPlot::setSeries(const TrialSeries* series)
{
    m_series = series;
    m_zoom->showAll();
    m_taken = m_count = 0;
    for (const Round& round : m_rounds) {
        removeGraph(round.graph);
    }
    m_rounds.clear();
    m_olderPoints.clear();
    takeNew();
}

void PredictionPlot::takeNew()
{
    const std::size_t count = m_series != nullptr ? m_series->trials().size() : 0;
    for (; m_taken < count; ++m_taken) {
        const record::TuneTrial& trial = m_series->trials()[m_taken];
        if (!trial.score || trial.outcome != "ok" || trial.ns <= 0) {
            continue;
        }
        if (m_rounds.empty() || m_rounds.back().number != trial.round) {
            m_rounds.push_back({trial.round, nullptr, {}});
        }
        if (m_rounds.size() > kRounds) {
            for (const ThinnedPoints::Point& point : m_rounds.front().points) {
                m_olderPoints.add(point.x, point.y);
            }
            if (m_rounds.front().graph != nullptr) {
                removeGraph(m_rounds.front().graph);
            }
            m_rounds.pop_front();
        }
        m_rounds.back().points.push_back({*trial.score, trial.ns});
        m_lowScore = m_count == 0 ? *trial.score : std::min(m_lowScore, *trial.score);
        m_highScore = m_count == 0 ? *trial.score : std::max(m_highScore, *trial.score);
        m_fast = m_count == 0 ? trial.ns : std::min(m_fast, trial.ns);
        m_slow = m_count == 0 ? trial.ns : std::max(m_slow, trial.ns);
        ++m_count;
    }
    const auto show = [](const std::vector<ThinnedPoints::Point>& points, QCPGraph* graph) {
        QVector<double> x;
        QVector<double> y;
        for (const ThinnedPoints::Point& point : points) {
            x.append(point.x);
            y.append(point.y);
        }
        graph->setData(x, y);
    };
    show(m_olderPoints.kept(), m_older);
    for (Round& round : m_rounds) {
        if (round.graph == nullptr) {
            round.graph = addGraph();
            round.graph->setLineStyle(QCPGraph::lsNone);
            round.graph->setName(tr("round %1").arg(round.number));
        }
        show(round.points, round.graph);
    }
    if (m_count > 0) {
        const double space = std::max(m_highScore - m_lowScore, 1e-6) * 0.05;
        const double margin = std::pow(std::max(m_slow / m_fast, 1.3), 0.06);
        m_zoom->setAll({m_lowScore - space, m_highScore + space}, {m_fast / margin, m_slow * margin});
    }
    colour();
    replot(rpQueuedReplot);
}

void PredictionPlot::copyTo(PredictionPlot& other) const
{
    other.setSeries(m_series);
    m_zoom->copyTo(*other.m_zoom);
}

// From the muted of what is past to the accent of now.
void PredictionPlot::colour()
{
    QColor past = m_theme.muted;
    past.setAlpha(90);
    m_older->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(past, 1), Qt::NoBrush, 4));
    for (std::size_t i = 0; i < m_rounds.size(); ++i) {
        const double part = static_cast<double>(i + 1) / static_cast<double>(m_rounds.size());
        const QColor ink = between(m_theme.seriesAuto, m_theme.accent, part);
        if (m_rounds[i].graph != nullptr) {
            m_rounds[i].graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(ink, 1.2),
                                                               i + 1 == m_rounds.size() ? QBrush(ink) : QBrush(Qt::NoBrush), 5));
        }
    }
}

void PredictionPlot::paintEvent(QPaintEvent* event)
{
    QCustomPlot::paintEvent(event);
    paintFocusRing(*this, m_theme);
}

void PredictionPlot::resizeEvent(QResizeEvent* event)
{
    yAxis->setTicker(decadeTicks(&timeTick, height(), yAxis->tickLabelFont()));
    QCustomPlot::resizeEvent(event);
}

std::size_t PredictionPlot::drawnPoints() const
{
    std::size_t count = m_olderPoints.kept().size();
    for (const Round& round : m_rounds) {
        count += round.points.size();
    }
    return count;
}

QualityPlot::QualityPlot(QWidget* parent)
    : QCustomPlot(parent)
    , m_correlation(addGraph())
    , m_recall(addGraph())
{
    setObjectName(QStringLiteral("tunerQuality"));
    m_correlation->setName(tr("rank correlation"));
    m_recall->setName(tr("top-10 recall"));
    plotLayout()->setMargins(QMargins(4, 2, 8, 2));
    xAxis->setLabel(tr("round"));
    legend->setVisible(true);
    axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignBottom | Qt::AlignRight);
}

void QualityPlot::setLook(const Theme& theme, const QFont& note)
{
    setBackground(theme.panel);
    dressAxis(xAxis, theme, note, false);
    dressAxis(yAxis, theme, note, true);
    m_correlation->setPen(QPen(theme.accent, 1.5));
    m_correlation->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, theme.accent, 5));
    m_recall->setPen(QPen(theme.seriesAuto, 1.5, Qt::DashLine));
    m_recall->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssSquare, theme.seriesAuto, theme.panel, 5));
    legend->setFont(note);
    legend->setTextColor(theme.muted);
    QColor ground = theme.panel;
    ground.setAlpha(215);
    legend->setBrush(ground);
    legend->setBorderPen(Qt::NoPen);
    legend->setMargins(QMargins(4, 0, 4, 0));
    legend->setRowSpacing(0);
    replot(rpQueuedReplot);
}

void QualityPlot::setRounds(const std::vector<record::TuneRound>& rounds)
{
    QVector<double> x;
    QVector<double> correlation;
    QVector<double> recall;
    double low = 0;
    for (const record::TuneRound& round : rounds) {
        if (round.trained > 0) {
            x.append(round.round);
            correlation.append(round.correlation);
            recall.append(round.recall);
            low = std::min(low, round.correlation);
        }
    }
    m_correlation->setData(x, correlation);
    m_recall->setData(x, recall);
    yAxis->setRange(low < 0 ? std::max(-1.05, low - 0.1) : -0.05, 1.05);
    xAxis->setRange(x.isEmpty() ? 0 : x.front() - 0.5, std::max(x.isEmpty() ? 1 : x.back() + 0.5, x.isEmpty() ? 1 : x.front() + 4));
    auto ticker = QSharedPointer<QCPAxisTickerFixed>::create();
    ticker->setTickStep(1);
    ticker->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
    xAxis->setTicker(ticker);
    // A few points are a few marks; of many the line says it.
    const bool many = x.size() > 60;
    for (QCPGraph* graph : {m_correlation, m_recall}) {
        QCPScatterStyle style = graph->scatterStyle();
        style.setSize(many ? 2 : 5);
        graph->setScatterStyle(style);
    }
    replot(rpQueuedReplot);
}

ModelPage::ModelPage(QWidget* parent)
    : QWidget(parent)
    , m_prediction(new PredictionPlot(this))
    , m_quality(new QualityPlot(this))
    , m_icon(new QLabel(this))
    , m_words(new QLabel(this))
{
    m_prediction->setAccessibleName(tr("Predicted against measured"));
    m_quality->setAccessibleName(tr("How well the model ordered each round"));
    m_words->setObjectName(QStringLiteral("tunerModelWords"));
    m_words->setWordWrap(true);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(12, 4, 12, 0);
    head->setSpacing(6);
    head->addWidget(m_icon);
    head->addWidget(m_words, 1);
    auto* plots = new QHBoxLayout;
    plots->setSpacing(0);
    plots->addWidget(m_prediction, 1);
    plots->addWidget(m_quality, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addLayout(plots, 1);
    dress();
}

void ModelPage::setSeries(const TrialSeries* series)
{
    m_prediction->setSeries(series);
}

void ModelPage::takeNew()
{
    m_prediction->takeNew();
}

void ModelPage::setRounds(const std::vector<record::TuneRound>& rounds)
{
    m_rounds = rounds;
    m_quality->setRounds(rounds);
    say();
}

void ModelPage::say()
{
    const Theme theme = Theme::of(palette());
    const QString warning = modelWarning(m_rounds);
    QString text = warning;
    if (warning.isEmpty() && m_rounds.empty()) {
        text = tr("The model learns from the first round on.");
    } else if (warning.isEmpty()) {
        const record::TuneRound& last = m_rounds.back();
        text = last.trained == 0 ? tr("Not trained yet.")
            : last.kin == 0      ? tr("Trained on %1 trials; rank correlation %2, top-10 recall %3.").arg(last.trained).arg(last.correlation, 0, 'f', 2).arg(last.recall, 0, 'f', 1)
                                 : tr("Trained on %1 trials, %2 of them of other tasks; rank correlation %3, top-10 recall %4.")
                                  .arg(last.trained).arg(last.kin).arg(last.correlation, 0, 'f', 2).arg(last.recall, 0, 'f', 1);
    }
    m_words->setText(text);
    m_words->setProperty("muted", warning.isEmpty());
    QPalette ink = palette();
    ink.setColor(QPalette::WindowText, warning.isEmpty() ? theme.muted : theme.unproven);
    m_words->setPalette(ink);
    const int side = QFontMetrics(contentFont()).height();
    m_icon->setVisible(!warning.isEmpty());
    m_icon->setPixmap(icon(QStringLiteral("warning"), theme.unproven).pixmap(side, side));
}

void ModelPage::dress()
{
    const Theme theme = Theme::of(palette());
    m_words->setFont(noteFont());
    m_prediction->setLook(theme, noteFont());
    m_quality->setLook(theme, noteFont());
    say();
}

void ModelPage::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        dress();
    }
}

} // namespace nw::views
