#include "views/history/history_view.h"

#include "views/common/empty_state.h"
#include "views/common/format.h"
#include "views/history/history_strip.h"
#include "views/history/station_text.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QStackedLayout>

namespace nw::views {

HistoryView::HistoryView(QWidget* parent)
    : QWidget(parent)
    , m_strip(new HistoryStrip(this))
    , m_empty(new EmptyState(this))
    , m_stack(new QStackedLayout)
    , m_bar(new QWidget(this))
    , m_branches(new QComboBox(m_bar))
{
    setObjectName(QStringLiteral("historyView"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* label = new QLabel(tr("branch"), m_bar);
    label->setProperty("muted", true);
    label->setBuddy(m_branches);
    m_branches->setObjectName(QStringLiteral("historyBranch"));
    m_branches->setAccessibleName(tr("Branch"));
    m_branches->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_branches->setMaximumWidth(320);
    m_branches->setPlaceholderText(tr("before the first step"));
    auto* row = new QHBoxLayout(m_bar);
    row->setContentsMargins(12, 4, 12, 0);
    row->addStretch(1);
    row->addWidget(label);
    row->addWidget(m_branches);
    m_bar->hide();

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_bar);
    layout->addLayout(m_stack, 1);
    m_stack->addWidget(m_strip);
    m_stack->addWidget(m_empty);
    m_stack->setCurrentWidget(m_empty);
    setFocusProxy(m_strip);

    connect(m_strip, &HistoryStrip::jumpWished, this, &HistoryView::jumpWished);
    connect(m_strip, &HistoryStrip::removeWished, this, &HistoryView::removeWished);
    connect(m_strip, &HistoryStrip::editWished, this, &HistoryView::editWished);
    connect(m_strip, &HistoryStrip::revertWished, this, &HistoryView::revertWished);
    connect(m_strip, &HistoryStrip::measureWished, this, &HistoryView::measureWished);
    connect(m_empty, &EmptyState::actionWished, this, &HistoryView::actionWished);
    connect(m_strip, &HistoryStrip::branchWished, this, &HistoryView::branchWished);
    connect(m_branches, &QComboBox::activated, this, [this](int index) { Q_EMIT branchWished(m_branches->itemData(index).toString()); });
}

void HistoryView::setStations(const std::vector<session::Station>& stations, int cursor, double boundNs)
{
    m_strip->setStations(stations, cursor, boundNs);
    m_stack->setCurrentWidget(m_strip);
}

void HistoryView::setRunning(int station, const QString& what)
{
    m_strip->setRunning(station, what);
}

// An empty branch is nothing to go back to: the plain nest is always there.
void HistoryView::setBranches(const std::vector<session::Branch>& branches)
{
    const QSignalBlocker quiet(m_branches);
    m_branches->clear();
    int current = -1;
    std::vector<session::Branch> others;
    for (const session::Branch& branch : branches) {
        if (branch.current) {
            current = m_branches->count();
        } else if (branch.steps == 0) {
            continue;
        } else {
            others.push_back(branch);
        }
        m_branches->addItem(branchWords(branch), fromStd(branch.name));
    }
    m_branches->setCurrentIndex(current);
    m_bar->setVisible(!others.empty());
    m_strip->setOtherBranches(others);
}

void HistoryView::clear(const QString& sentence, const QString& action)
{
    m_strip->setRunning(-1, {});
    m_strip->setStations({}, 0, 0);
    setBranches({});
    m_empty->setText(sentence, action);
    m_stack->setCurrentWidget(m_empty);
}

} // namespace nw::views
