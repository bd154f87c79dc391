#include "views/plots/comparison_view.h"

#include "views/common/empty_state.h"
#include "views/common/fonts.h"
#include "views/plots/comparison_plot.h"
#include "views/plots/figure_model.h"
#include "views/plots/figure_row.h"
#include "views/plots/figure_text.h"
#include "views/plots/plot_header.h"

#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QHeaderView>
#include <QScrollArea>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace nw::views {
namespace {

constexpr QSize kPicture(900, 420);

} // namespace

ComparisonView::ComparisonView(QWidget* parent)
    : QWidget(parent)
    , m_header(new PlotHeader(QStringLiteral("compare"), this))
    , m_rows(new QWidget)
    , m_scroll(new QScrollArea(this))
    , m_table(new QTableView(this))
    , m_model(new FigureModel(this))
    , m_empty(new EmptyState(this))
    , m_content(new QWidget(this))
    , m_pages(new QStackedLayout)
    , m_stack(new QStackedLayout(this))
{
    setObjectName(QStringLiteral("comparisonView"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_header->setCommand(tr("Re-measure all"), QStringLiteral("measure"));
    m_rows->setObjectName(QStringLiteral("compareBars"));
    auto* rows = new QVBoxLayout(m_rows);
    rows->setContentsMargins(12, 0, 12, 4);
    rows->setSpacing(2);
    m_scroll->setWidget(m_rows);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_rows->installEventFilter(this);
    setUpTable();

    auto* content = new QVBoxLayout(m_content);
    content->setContentsMargins(0, 0, 0, 0);
    content->setSpacing(0);
    content->addWidget(m_header);
    content->addLayout(m_pages, 1);
    m_pages->addWidget(m_scroll);
    m_pages->addWidget(m_table);
    m_stack->addWidget(m_content);
    m_stack->addWidget(m_empty);
    m_stack->setCurrentWidget(m_empty);

    connect(m_header, &PlotHeader::tableToggled, m_pages, [this](bool table) { m_pages->setCurrentIndex(table ? 1 : 0); });
    connect(m_header, &PlotHeader::commandWished, this, &ComparisonView::measureAllWished);
    connect(m_header, &PlotHeader::cancelWished, this, &ComparisonView::cancelWished);
    connect(m_header, &PlotHeader::exportWished, this, &ComparisonView::exportAs);
    connect(m_empty, &EmptyState::actionWished, this, &ComparisonView::actionWished);
}

void ComparisonView::setUpTable()
{
    m_table->setObjectName(QStringLiteral("compareFigures"));
    m_table->setAccessibleName(tr("Comparison"));
    m_table->setModel(m_model);
    m_table->setShowGrid(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(tableRowHeight());
    m_table->verticalHeader()->setMinimumSectionSize(tableRowHeight());
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(FigureModel::Time, QHeaderView::Stretch);
    m_table->horizontalHeader()->setMinimumSectionSize(QFontMetrics(contentFont()).averageCharWidth() * 6);
    m_table->horizontalHeader()->setHighlightSections(false);
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& index) {
        const session::Figure& figure = m_comparison.figures[static_cast<std::size_t>(index.row())];
        if (!figure.script.empty()) {
            Q_EMIT scriptWished(QString::fromStdString(figure.name));
        }
    });
}

void ComparisonView::setComparison(const session::Comparison& comparison, const QString& title)
{
    m_comparison = comparison;
    m_title = title;
    m_header->setTitle(title, comparisonNote(comparison));
    m_model->setComparison(comparison);
    while (m_figures.size() > comparison.figures.size()) {
        delete m_figures.back();
        m_figures.pop_back();
    }
    while (m_figures.size() < comparison.figures.size()) {
        auto* const row = new FigureRow(m_rows);
        m_rows->layout()->addWidget(row);
        connect(row, &FigureRow::fillWished, this, &ComparisonView::fillWished);
        connect(row, &QAbstractButton::clicked, this, [this, row] { Q_EMIT scriptWished(row->name()); });
        m_figures.push_back(row);
    }
    for (std::size_t i = 0; i < m_figures.size(); ++i) {
        m_figures[i]->setFigure(comparison.figures[i], comparison);
        m_figures[i]->setFillEnabled(!m_busy);
    }
    m_stack->setCurrentWidget(m_content);
    scaleRows();
}

void ComparisonView::setBusy(const QString& what)
{
    m_busy = !what.isEmpty();
    m_header->setBusy(what);
    for (FigureRow* const row : m_figures) {
        row->setFillEnabled(!m_busy);
    }
}

void ComparisonView::clear(const QString& sentence, const QString& action)
{
    setBusy({});
    m_comparison = {};
    m_model->setComparison({});
    m_empty->setText(sentence, action);
    m_stack->setCurrentWidget(m_empty);
}

void ComparisonView::scaleRows()
{
    int button = 0;
    for (const FigureRow* const row : m_figures) {
        button = std::max(button, row->fillWidth());
    }
    const QMargins margins = m_rows->layout()->contentsMargins();
    const BarScale scale = barScale(m_comparison, BarFonts::now(), m_rows->width() - margins.left() - margins.right(), button);
    for (FigureRow* const row : m_figures) {
        row->setScale(scale);
        row->setMaximumHeight(static_cast<int>(barRowHeight(BarFonts::now()) * 1.5));
    }
}

bool ComparisonView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_rows && event->type() == QEvent::Resize) {
        scaleRows();
    }
    return QWidget::eventFilter(watched, event);
}

void ComparisonView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        m_table->verticalHeader()->setDefaultSectionSize(tableRowHeight());
        for (FigureRow* const row : m_figures) {
            row->updateGeometry();
        }
        scaleRows();
    }
}

QSize ComparisonView::minimumSizeHint() const
{
    return {240, 120};
}

QSize ComparisonView::sizeHint() const
{
    return {480, static_cast<int>(barRowHeight(BarFonts::now()) + 8) * 5 + 48};
}

void ComparisonView::exportAs(const QString& kind)
{
    if (kind == QLatin1String("copy")) {
        QApplication::clipboard()->setText(tableText());
    } else {
        Q_EMIT exportWished(kind);
    }
}

bool ComparisonView::savePng(const QString& path) const
{
    return renderComparison(m_comparison, m_title, Theme::of(palette()), kPicture, 2).save(path, "PNG");
}

bool ComparisonView::saveSvg(const QString& path) const
{
    return saveComparisonSvg(m_comparison, m_title, Theme::of(palette()), kPicture, path);
}

QString ComparisonView::csv() const
{
    return comparisonCsv(m_comparison);
}

QString ComparisonView::tableText() const
{
    return comparisonText(m_comparison);
}

} // namespace nw::views
