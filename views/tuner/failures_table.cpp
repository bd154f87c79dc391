#include "views/tuner/failures_table.h"

#include "views/common/fonts.h"
#include "views/common/format.h"
#include "views/tuner/outcome_marks.h"
#include "views/tuner/tuner_text.h"

#include <QEvent>
#include <QHeaderView>

#include <algorithm>

namespace nw::views {
namespace {

QIcon markIcon(const std::string& outcome, const Theme& theme)
{
    constexpr int kSide = 32;
    QPixmap pixmap(kSide, kSide);
    pixmap.fill(Qt::transparent);
    QCPPainter painter(&pixmap);
    painter.setAntialiasing(true);
    painter.scale(2, 2);
    const QCPScatterStyle mark = failureMark(failureKind(outcome), theme, 8);
    mark.applyTo(&painter, QPen(theme.illegal));
    mark.drawShape(&painter, 8, 8);
    painter.end();
    return QIcon(pixmap);
}

} // namespace

FailuresTable::FailuresTable(QWidget* parent)
    : QTableWidget(parent)
{
    setObjectName(QStringLiteral("tunerFailures"));
    setAccessibleName(tr("Failures by cause"));
    setColumnCount(2);
    setWordWrap(true);
    setHorizontalHeaderLabels({tr("count"), tr("cause, and the first message")});
    setShowGrid(false);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setTabKeyNavigation(false);
    verticalHeader()->hide();
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
    verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents); // a message is shown whole
    const auto wish = [this](const QTableWidgetItem* item) {
        if (item->data(Qt::UserRole).toInt() >= 0) {
            Q_EMIT trialWished(item->data(Qt::UserRole).toInt());
        }
    };
    connect(this, &QTableWidget::itemActivated, this, wish);
    connect(this, &QTableWidget::itemClicked, this, wish);
}

void FailuresTable::setSeries(const TrialSeries* series)
{
    m_series = series;
    m_shown = -1;
    takeNew();
}

void FailuresTable::takeNew()
{
    const int failures = m_series == nullptr ? 0 : m_series->failures();
    if (failures != m_shown) {
        m_shown = failures;
        fill();
    }
}

void FailuresTable::setRefused(const std::vector<std::pair<QString, int>>& refused)
{
    if (refused != m_refused) {
        m_refused = refused;
        fill();
    }
}

void FailuresTable::fill()
{
    std::vector<TrialSeries::Cause> causes = m_series == nullptr ? std::vector<TrialSeries::Cause>{} : m_series->causes();
    std::stable_sort(causes.begin(), causes.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
    for (const auto& [rule, count] : m_refused) {
        causes.push_back({"illegal", toStd(rule), toStd(tr("refused by a rule before it cost a build")), count, -1});
    }
    const Theme theme = Theme::of(palette());
    setRowCount(static_cast<int>(causes.size()));
    verticalHeader()->setMinimumSectionSize(tableRowHeight());
    for (int row = 0; row < rowCount(); ++row) {
        const TrialSeries::Cause& cause = causes[static_cast<std::size_t>(row)];
        const QString cells[] = {QString::number(cause.count), causeText(cause) % QLatin1Char('\n') % fromStd(cause.message)};
        for (int column = 0; column < 2; ++column) {
            auto* cell = new QTableWidgetItem(cells[column]);
            cell->setData(Qt::UserRole, cause.first);
            cell->setToolTip(cells[column]);
            cell->setTextAlignment(Qt::AlignLeft | Qt::AlignTop);
            if (column == 1) {
                cell->setIcon(markIcon(cause.outcome, theme));
            }
            setItem(row, column, cell);
        }
    }
    resizeRowsToContents();
}

void FailuresTable::changeEvent(QEvent* event)
{
    QTableWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        fill();
    }
}

} // namespace nw::views
