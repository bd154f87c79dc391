#include "views/operators/operators_view.h"

#include "views/common/empty_state.h"
#include "views/common/fonts.h"
#include "views/common/icons.h"
#include "views/common/theme.h"
#include "views/operators/operators_delegate.h"
#include "views/operators/operators_model.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace nw::views {

OperatorsView::OperatorsView(QWidget* parent)
    : QWidget(parent)
    , m_model(new OperatorsModel(this))
    , m_proxy(new OperatorsProxy(this))
    , m_pages(new QStackedWidget(this))
    , m_empty(new EmptyState(this))
    , m_table(new QTableView(this))
    , m_filter(new QLineEdit(this))
    , m_found(new QLabel(this))
    , m_profile(new QPushButton(tr("Measure the share of time in the model"), this))
    , m_busy(new QLabel(this))
    , m_cancel(new QPushButton(tr("Cancel"), this))
{
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(OperatorsModel::SortRole);
    makeTable();

    auto* page = new QWidget(this);
    page->setBackgroundRole(QPalette::Base);
    page->setAutoFillBackground(true);
    auto* inside = new QVBoxLayout(page);
    inside->setContentsMargins(0, 0, 0, 0);
    inside->setSpacing(0);
    inside->addWidget(makeBar());
    inside->addWidget(m_table, 1);
    m_pages->addWidget(m_empty);
    m_pages->addWidget(page);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_pages);
    connect(m_empty, &EmptyState::actionWished, this, &OperatorsView::actionWished);
    setBusy({});
    applyFonts();
    m_pages->setCurrentWidget(m_empty);
}

QWidget* OperatorsView::makeBar()
{
    m_filter->setObjectName(QStringLiteral("operatorsFilter"));
    m_filter->setAccessibleName(tr("Filter operators"));
    m_filter->setPlaceholderText(tr("Filter by name, shape or node"));
    m_filter->setClearButtonEnabled(true);
    m_filter->installEventFilter(this);
    m_found->setObjectName(QStringLiteral("operatorsFound"));
    m_found->setProperty("muted", true);
    m_busy->setObjectName(QStringLiteral("operatorsBusy"));
    m_busy->setProperty("muted", true);
    m_cancel->setObjectName(QStringLiteral("operatorsCancel"));
    m_profile->setObjectName(QStringLiteral("operatorsProfile"));
    m_profile->setProperty("link", true);
    m_profile->setToolTip(tr("Runs the whole model and times each operator in it"));
    connect(m_filter, &QLineEdit::textChanged, this, &OperatorsView::onFilter);
    connect(m_profile, &QPushButton::clicked, this, &OperatorsView::profileWished);
    connect(m_cancel, &QPushButton::clicked, this, &OperatorsView::cancelWished);

    auto* bar = new QWidget(this);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(12, 6, 12, 6);
    layout->setSpacing(12);
    layout->addWidget(m_filter, 1);
    layout->addWidget(m_found);
    layout->addStretch(1);
    layout->addWidget(m_busy);
    layout->addWidget(m_cancel);
    layout->addWidget(m_profile);
    return bar;
}

void OperatorsView::makeTable()
{
    m_table->setObjectName(QStringLiteral("operatorsTable"));
    m_table->setAccessibleName(tr("Operators"));
    m_table->setModel(m_proxy);
    m_table->setItemDelegate(new OperatorsDelegate(m_table));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setShowGrid(false);
    m_table->setTabKeyNavigation(false);
    m_table->setMouseTracking(true);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    // Room for the arrow of the sorted column, which would else stand on the words.
    m_table->horizontalHeader()->setStyleSheet(QStringLiteral("QHeaderView::section { padding-right: 16px; }"));
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(OperatorsModel::Share, Qt::DescendingOrder);
    m_table->installEventFilter(this);
    m_table->viewport()->installEventFilter(this);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
        const QString name = nameAt(now);
        if (m_quiet || name.isEmpty() || name == m_selected) {
            return;
        }
        m_selected = name;
        Q_EMIT selectionChanged(name);
    });
    connect(m_table, &QTableView::doubleClicked, this, [this](const QModelIndex& index) { Q_EMIT activated(nameAt(index)); });
    connect(m_table, &QTableView::entered, this, [this](const QModelIndex& index) {
        if (nameAt(index) != m_hovered) {
            m_hovered = nameAt(index);
            m_model->setHovered(m_hovered);
            Q_EMIT hovered(m_hovered);
        }
    });
}

void OperatorsView::setRows(const QList<OperatorRow>& rows)
{
    const QScopedValueRollback<bool> quiet(m_quiet, true);
    m_model->setRows(rows);
    m_pages->setCurrentIndex(1);
    fitColumns();
    onFilter(m_filter->text());
    if (!m_selected.isEmpty()) {
        const QString kept = m_selected;
        m_selected.clear();
        select(kept);
    }
}

void OperatorsView::clear(const QString& sentence, const QString& action)
{
    const QScopedValueRollback<bool> quiet(m_quiet, true);
    m_selected.clear();
    m_model->setRows({});
    m_empty->setText(sentence, action);
    m_pages->setCurrentWidget(m_empty);
}

void OperatorsView::select(const QString& name)
{
    const QScopedValueRollback<bool> quiet(m_quiet, true);
    const int row = m_model->rowOf(name);
    if (row < 0) {
        m_selected.clear();
        m_table->selectionModel()->clear();
        return;
    }
    QModelIndex index = m_proxy->mapFromSource(m_model->index(row, 0));
    if (!index.isValid()) {
        m_filter->clear();
        index = m_proxy->mapFromSource(m_model->index(row, 0));
    }
    m_selected = name;
    m_table->selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    m_table->scrollTo(index);
}

void OperatorsView::hover(const QString& name)
{
    m_hovered = name;
    m_model->setHovered(name);
}

QString OperatorsView::selected() const
{
    return m_selected;
}

void OperatorsView::setBusy(const QString& what)
{
    m_busy->setText(what);
    m_busy->setVisible(!what.isEmpty());
    m_cancel->setVisible(!what.isEmpty());
    m_profile->setVisible(what.isEmpty());
}

bool OperatorsView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_table->viewport() && event->type() == QEvent::Leave && !m_hovered.isEmpty()) {
        m_hovered.clear();
        m_model->setHovered({});
        Q_EMIT hovered({});
    }
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (watched == m_table && (key == Qt::Key_Return || key == Qt::Key_Enter)) {
            if (const QString name = nameAt(m_table->currentIndex()); !name.isEmpty()) {
                Q_EMIT activated(name);
            }
            return true;
        }
        if (watched == m_filter && key == Qt::Key_Escape && !m_filter->text().isEmpty()) {
            m_filter->clear();
            return true;
        }
        if (watched == m_filter && (key == Qt::Key_Down || key == Qt::Key_Return)) {
            m_table->setFocus();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void OperatorsView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) {
        applyFonts();
        fitColumns();
    }
    QWidget::changeEvent(event);
}

void OperatorsView::applyFonts()
{
    m_found->setFont(noteFont());
    m_busy->setFont(noteFont());
    m_table->horizontalHeader()->setFont(noteFont());
    m_table->verticalHeader()->setDefaultSectionSize(std::max(24, tableRowHeight()));
    const QList<QAction*> actions = m_filter->actions();
    for (QAction* action : actions) {
        if (action->objectName() == QLatin1String("operatorsFilterIcon")) {
            delete action;
        }
    }
    QAction* picture = m_filter->addAction(icon(QStringLiteral("search"), Theme::of(palette()).muted), QLineEdit::LeadingPosition);
    picture->setObjectName(QStringLiteral("operatorsFilterIcon"));
}

void OperatorsView::fitColumns()
{
    m_table->resizeColumnsToContents();
    // One very long name shall not push every figure out of sight: the rest of it is in the tooltip.
    const int longest = QFontMetrics(contentFont()).averageCharWidth() * 64;
    m_table->setColumnWidth(OperatorsModel::Title, std::min(m_table->columnWidth(OperatorsModel::Title), longest));
}

QString OperatorsView::nameAt(const QModelIndex& index) const
{
    return index.isValid() ? index.data(OperatorsModel::NameRole).toString() : QString();
}

void OperatorsView::onFilter(const QString& text)
{
    {
        const QScopedValueRollback<bool> quiet(m_quiet, true);
        m_proxy->setWords(text);
        // The filter hides rows; it does not choose another operator.
        const int row = m_model->rowOf(m_selected);
        const QModelIndex index = row < 0 ? QModelIndex() : m_proxy->mapFromSource(m_model->index(row, 0));
        if (index.isValid()) {
            m_table->selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
        } else {
            m_table->selectionModel()->clear();
        }
    }
    m_found->setText(text.trimmed().isEmpty() ? QString() : tr("%1 of %2").arg(m_proxy->rowCount()).arg(m_model->rowCount()));
}

} // namespace nw::views
