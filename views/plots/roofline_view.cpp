#include "views/plots/roofline_view.h"

#include "views/common/empty_state.h"
#include "views/common/fonts.h"
#include "views/plots/figure_text.h"
#include "views/plots/plot_header.h"
#include "views/plots/roofline_file.h"
#include "views/plots/roofline_plot.h"

#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QHeaderView>
#include <QStackedLayout>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace nw::views {
namespace {

constexpr QSize kPicture(900, 520);

} // namespace

RooflineView::RooflineView(QWidget* parent)
    : QWidget(parent)
    , m_header(new PlotHeader(QStringLiteral("roofline"), this))
    , m_plot(new RooflinePlot(this))
    , m_table(new QTableWidget(this))
    , m_empty(new EmptyState(this))
    , m_content(new QWidget(this))
    , m_pages(new QStackedLayout)
    , m_stack(new QStackedLayout(this))
{
    setObjectName(QStringLiteral("rooflineView"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_plot->setAccessibleName(tr("Roofline"));
    m_table->setObjectName(QStringLiteral("rooflineFigures"));
    m_table->setAccessibleName(tr("Roofline"));
    m_table->setShowGrid(false);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->setHighlightSections(false);

    auto* content = new QVBoxLayout(m_content);
    content->setContentsMargins(0, 0, 0, 0);
    content->setSpacing(0);
    content->addWidget(m_header);
    content->addLayout(m_pages, 1);
    m_pages->addWidget(m_plot);
    m_pages->addWidget(m_table);
    m_stack->addWidget(m_content);
    m_stack->addWidget(m_empty);
    m_stack->setCurrentWidget(m_empty);

    connect(m_header, &PlotHeader::tableToggled, m_pages, [this](bool table) { m_pages->setCurrentIndex(table ? 1 : 0); });
    connect(m_header, &PlotHeader::exportWished, this, [this](const QString& kind) {
        if (kind == QLatin1String("copy")) {
            QApplication::clipboard()->setText(csv());
        } else {
            Q_EMIT exportWished(kind);
        }
    });
    connect(m_empty, &EmptyState::actionWished, this, &RooflineView::actionWished);
    connect(m_plot, &RooflinePlot::stepWished, this, &RooflineView::step);
    connect(m_plot, &RooflinePlot::pressedAt, this, [this](const QPointF& position) {
        const RooflinePoint* const point = m_plot->pointAt(position);
        if (point != nullptr && point->station >= 0) {
            Q_EMIT stationWished(point->station);
        }
    });
    connect(m_table, &QTableWidget::itemActivated, this, [this](const QTableWidgetItem* item) {
        const int station = m_table->item(item->row(), 0)->data(Qt::UserRole).toInt();
        if (station >= 0) {
            Q_EMIT stationWished(station);
        }
    });
}

void RooflineView::setRoofs(const measure::Roofs& roofs, int threads)
{
    m_data.roofs = roofs;
    m_data.threads = threads;
    redraw();
}

void RooflineView::setPoints(const std::vector<Point>& path, const std::vector<Point>& others)
{
    m_data.path = path;
    m_data.others = others;
    redraw();
}

void RooflineView::clear(const QString& sentence, const QString& action)
{
    m_data.path.clear();
    m_data.others.clear();
    m_empty->setText(sentence, action);
    m_stack->setCurrentWidget(m_empty);
}

void RooflineView::redraw()
{
    m_header->setTitle(tr("GFLOP/s"), tr("roofs of this device, %1").arg(threadsText(m_data.threads)));
    m_plot->draw(m_data, Theme::of(palette()), contentFont(), noteFont());
    QStringList spoken;
    for (const auto* points : {&m_data.path, &m_data.others}) {
        for (const RooflinePoint& point : *points) {
            spoken += pointSpoken(point);
        }
    }
    m_plot->setAccessibleDescription(spoken.join(QStringLiteral("; ")));
    fillTable();
    m_stack->setCurrentWidget(m_content);
}

void RooflineView::fillTable()
{
    m_table->setColumnCount(4);
    m_table->setHorizontalHeaderLabels({tr("step"), tr("GFLOP/s"), tr("FLOPs per byte"), tr("of peak")});
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_table->horizontalHeaderItem(0)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->verticalHeader()->setMinimumSectionSize(tableRowHeight());
    m_table->verticalHeader()->setDefaultSectionSize(tableRowHeight());
    m_table->setRowCount(static_cast<int>(m_data.path.size() + m_data.others.size()));
    int row = 0;
    for (const auto* points : {&m_data.path, &m_data.others}) {
        for (const RooflinePoint& point : *points) {
            const double peak = m_data.peak();
            const QString share = peak > 0 ? QString::number(100 * point.gflops / peak, 'f', 1) % QStringLiteral(" %") : QString();
            const QString cells[] = {point.name, threeDigits(point.gflops), threeDigits(point.flopsPerByte), share};
            for (int column = 0; column < 4; ++column) {
                auto* item = new QTableWidgetItem(cells[column]);
                item->setTextAlignment(Qt::AlignVCenter | (column == 0 ? Qt::AlignLeft : Qt::AlignRight));
                item->setData(Qt::UserRole, point.station);
                if (column == 0) {
                    item->setFont(point.current || point.station >= 0 ? nameFont() : contentFont());
                    item->setData(Qt::AccessibleTextRole, pointSpoken(point));
                }
                m_table->setItem(row, column, item);
            }
            if (point.current) {
                m_table->selectRow(row);
            }
            ++row;
        }
    }
}

void RooflineView::step(int by)
{
    const auto current = std::find_if(m_data.path.begin(), m_data.path.end(), [](const Point& point) { return point.current; });
    if (current == m_data.path.end()) {
        return;
    }
    const auto index = std::distance(m_data.path.begin(), current) + by;
    if (index >= 0 && index < static_cast<std::ptrdiff_t>(m_data.path.size())) {
        Q_EMIT stationWished(m_data.path[static_cast<std::size_t>(index)].station);
    }
}

void RooflineView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    const bool looks = event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange;
    if (looks && m_stack->currentWidget() == m_content) {
        redraw();
    }
}

bool RooflineView::savePng(const QString& path) const
{
    return renderRoofline(m_data, tr("Roofline"), Theme::of(palette()), kPicture, 2).save(path, "PNG");
}

bool RooflineView::saveSvg(const QString& path) const
{
    return saveRooflineSvg(m_data, tr("Roofline"), Theme::of(palette()), kPicture, path);
}

QString RooflineView::csv() const
{
    return rooflineCsv(m_data);
}

} // namespace nw::views
