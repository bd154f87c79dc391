#include "views/graph/graph_view.h"

#include "views/common/empty_state.h"
#include "views/common/fonts.h"
#include "views/common/format.h"
#include "views/graph/at.h"
#include "views/graph/card_metrics.h"
#include "views/graph/graph_bar.h"
#include "views/graph/graph_canvas.h"
#include "views/graph/layout_job.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStackedLayout>

#include <algorithm>

namespace nw::views {
namespace {

constexpr int kSlowMs = 300; // a layout that takes longer says so

} // namespace

GraphView::GraphView(QWidget* parent)
    : QWidget(parent)
    , m_pages(new QStackedLayout(this))
    , m_empty(new EmptyState(this))
    , m_bar(new GraphBar(this))
    , m_canvas(new GraphCanvas(this))
    , m_progress(new QFrame(this))
    , m_progressText(new QLabel(m_progress))
    , m_job(new LayoutJob(this))
    , m_metrics(std::make_unique<CardMetrics>())
{
    setObjectName(QStringLiteral("graphView"));
    auto* cancel = new QPushButton(tr("Cancel"), m_progress);
    cancel->setObjectName(QStringLiteral("graphCancelLayout"));
    cancel->setToolTip(tr("Show the plain layout instead"));
    m_progress->setObjectName(QStringLiteral("graphProgress"));
    auto* line = new QHBoxLayout(m_progress);
    line->setContentsMargins(12, 6, 8, 6);
    line->addWidget(m_progressText, 1);
    line->addWidget(cancel);
    m_progress->setBackgroundRole(QPalette::Base);
    m_progress->setAutoFillBackground(true);
    m_progress->hide();
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);

    auto* page = new QWidget(this);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_bar);
    column->addWidget(m_canvas, 1);
    column->addWidget(m_progress);
    m_pages->addWidget(m_empty);
    m_pages->addWidget(page);
    setFocusProxy(m_canvas);

    m_slow.setSingleShot(true);
    m_slow.setInterval(kSlowMs);
    connect(&m_slow, &QTimer::timeout, m_progress, &QWidget::show);
    connect(cancel, &QPushButton::clicked, m_job, &LayoutJob::hurry);
    connect(m_job, &LayoutJob::finished, this, &GraphView::onLaidOut);
    connect(m_empty, &EmptyState::actionWished, this, &GraphView::actionWished);
    connect(m_bar, &GraphBar::searched, this, &GraphView::onSearched);
    connect(m_bar, &GraphBar::stepWished, this, &GraphView::stepMatch);
    connect(m_bar, &GraphBar::left, m_canvas, [this] { m_canvas->setFocus(Qt::ShortcutFocusReason); });
    connect(m_bar, &GraphBar::zoomWished, this, &GraphView::zoomBy);
    connect(m_bar, &GraphBar::fitWished, this, &GraphView::fit);
    connect(m_bar, &GraphBar::expandWished, this, &GraphView::expandAll);
    connect(m_bar, &GraphBar::collapseWished, this, &GraphView::collapseAll);
    connect(m_canvas, &GraphCanvas::selectionWished, this, &GraphView::onSelectionWished);
    connect(m_canvas, &GraphCanvas::hovered, this, &GraphView::onHovered);
    connect(m_canvas, &GraphCanvas::activated, this, &GraphView::onActivated);
    connect(m_canvas, &GraphCanvas::edgeSelected, this, &GraphView::edgeSelected);
    connect(m_canvas, &GraphCanvas::openWished, this, &GraphView::setBlock);
    setEmptyText(tr("No model is open."), {});
}

GraphView::~GraphView() = default;

void GraphView::setPicture(std::shared_ptr<const GraphPicture> picture)
{
    if (m_job->isRunning()) {
        m_job->stop();
        m_slow.stop();
        m_progress->hide();
        Q_EMIT busy(false);
    }
    m_canvas->setScene(nullptr);
    m_canvas->setSelected({});
    m_visible = {};
    m_matches.clear();
    m_match = -1;
    m_bar->clear();
    m_pages->setCurrentIndex(picture == nullptr ? 0 : 1);
    if (picture == nullptr) {
        m_folding = {};
        m_search = {};
        return;
    }
    const auto groups = std::count_if(picture->nodes.begin(), picture->nodes.end(), [](const GraphNode& n) { return n.isGroup(); });
    m_search = GraphSearch(*picture);
    m_folding = foldingOf(std::move(picture), groups <= kMostOpenGroups);
    m_bar->setBlocks(!m_folding.blocks.empty());
    showHeat();
    relayout({});
}

void GraphView::setEmptyText(const QString& sentence, const QString& action)
{
    m_empty->setText(sentence, action);
}

void GraphView::setNotes(const QHash<QString, QString>& notes)
{
    m_canvas->setNotes(notes);
}

void GraphView::setHeat(const QHash<QString, double>& share)
{
    m_share = share;
    showHeat();
}

void GraphView::showHeat()
{
    QHash<QString, double> heat = m_share;
    for (const GraphNode& block : m_folding.blocks) {
        const QString id = fromStd(block.id);
        for (const int member : block.members) {
            heat[id] += m_share.value(fromStd(m_folding.picture->nodes[at(member)].id));
        }
    }
    m_canvas->setHeat(heat);
}

void GraphView::select(const QString& group, bool scroll)
{
    m_canvas->setSelected(group);
    if (scroll) {
        m_canvas->reveal(group);
    }
}

void GraphView::hover(const QString& group)
{
    m_canvas->setHovered(group);
}

const GraphNode* GraphView::group(const QString& id) const
{
    if (m_folding.picture == nullptr) {
        return nullptr;
    }
    const std::string wanted = toStd(id);
    const auto& nodes = m_folding.picture->nodes;
    const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const GraphNode& n) { return n.id == wanted; });
    return found != nodes.end() && found->isGroup() ? &*found : nullptr;
}

QString GraphView::selected() const
{
    return group(m_canvas->selected()) == nullptr ? QString() : m_canvas->selected();
}

void GraphView::fit()
{
    m_canvas->fit();
}

void GraphView::zoomBy(double factor)
{
    m_canvas->zoomBy(factor);
}

void GraphView::expandAll()
{
    setAllBlocks(true);
}

void GraphView::collapseAll()
{
    setAllBlocks(false);
}

void GraphView::openBlock(const QString& block, bool open)
{
    for (std::size_t i = 0; i < m_folding.blocks.size(); ++i) {
        if (fromStd(m_folding.blocks[i].id) == block) {
            setBlock(static_cast<int>(i), open);
        }
    }
}

double GraphView::lastPaintMs() const
{
    return m_canvas->lastPaintMs();
}

void GraphView::setGraphviz(const QString& program)
{
    m_job->setProgram(program);
}

// What was clicked stays where it is: the block's box becomes its first group, and back.
void GraphView::setBlock(int block, bool open)
{
    if (m_folding.open[at(block)] == open) {
        return;
    }
    m_folding.open[at(block)] = open;
    const GraphNode& box = m_folding.blocks[at(block)];
    const QString first = fromStd(m_folding.picture->nodes[at(box.members.front())].id);
    if (open && m_canvas->selected() == fromStd(box.id)) {
        onSelectionWished(first);
    }
    relayout(first);
}

void GraphView::setAllBlocks(bool open)
{
    if (std::find(m_folding.open.begin(), m_folding.open.end(), !open) == m_folding.open.end()) {
        return;
    }
    m_folding.open.assign(m_folding.open.size(), open);
    relayout(m_canvas->selected());
}

void GraphView::relayout(const QString& anchor)
{
    m_anchor = anchor;
    m_next = visibleGraph(m_folding);
    m_progressText->setText(tr("Placing %1 boxes…").arg(m_next.nodes.size()));
    m_slow.start();
    Q_EMIT busy(true);
    m_job->start(layoutRequest(m_next, *m_metrics));
}

void GraphView::onLaidOut(const std::shared_ptr<const LayoutResult>& layout, double ms)
{
    m_slow.stop();
    m_progress->hide();
    m_visible = std::move(m_next);
    m_canvas->setScene(
        std::make_shared<const GraphScene>(graphScene(m_folding, m_visible, *layout, *m_metrics)), m_anchor);
    showMatches();
    Q_EMIT busy(false);
    Q_EMIT layoutFinished(static_cast<int>(m_visible.nodes.size()), ms);
}

void GraphView::onSelectionWished(const QString& id)
{
    const QString before = selected();
    m_canvas->setSelected(id);
    const QString now = selected();
    if (now != before) {
        Q_EMIT selectionChanged(now);
    }
}

void GraphView::onHovered(const QString& id)
{
    Q_EMIT hovered(group(id) == nullptr ? QString() : id);
}

void GraphView::onActivated(int index)
{
    const GraphScene::Node& node = m_canvas->scene()->nodes[at(index)];
    if (node.kind == GraphNode::Kind::Block) {
        setBlock(node.block, true);
    } else if (group(node.id) != nullptr) {
        Q_EMIT activated(node.id);
    }
}

void GraphView::onSearched(const QString& text)
{
    m_matches = m_search.find(toStd(text));
    m_match = -1;
    const bool any = !text.trimmed().isEmpty();
    m_bar->setCount(0, any ? static_cast<int>(m_matches.size()) : -1);
    showMatches();
    if (!m_matches.empty()) {
        m_canvas->reveal(fromStd(m_folding.picture->nodes[at(m_matches.front())].id));
    }
}

void GraphView::stepMatch(int by)
{
    if (m_matches.empty()) {
        return;
    }
    const int count = static_cast<int>(m_matches.size());
    m_match = m_match < 0 ? (by > 0 ? 0 : count - 1) : (m_match + by + count) % count;
    m_bar->setCount(m_match + 1, count);
    const QString id = fromStd(m_folding.picture->nodes[at(m_matches[at(m_match)])].id);
    onSelectionWished(id);
    m_canvas->reveal(id);
}

void GraphView::showMatches()
{
    QSet<int> shown;
    for (const int match : m_matches) {
        if (!m_visible.visibleOf.empty()) {
            shown.insert(m_visible.visibleOf[at(match)]);
        }
    }
    m_canvas->setMatches(shown);
}

void GraphView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange) {
        m_metrics = std::make_unique<CardMetrics>();
        if (m_folding.picture != nullptr) {
            relayout(m_canvas->selected());
        }
    }
}

} // namespace nw::views
