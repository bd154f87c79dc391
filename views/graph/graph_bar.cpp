#include "views/graph/graph_bar.h"

#include "views/common/fonts.h"
#include "views/common/icons.h"
#include "views/common/theme.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace nw::views {
namespace {

constexpr double kPress = 1.25;

} // namespace

GraphBar::GraphBar(QWidget* parent)
    : QWidget(parent)
    , m_field(new QLineEdit(this))
    , m_count(new QLabel(this))
{
    m_field->setObjectName(QStringLiteral("graphSearch"));
    m_field->setPlaceholderText(tr("Find operator, shape…"));
    m_field->setAccessibleName(tr("Find in the graph"));
    m_field->setClearButtonEnabled(true);
    m_field->setMinimumWidth(80);
    m_field->installEventFilter(this);
    m_count->setObjectName(QStringLiteral("graphMatchCount"));
    m_count->setProperty("muted", true);
    m_count->setFont(noteFont());
    m_count->hide();
    m_out = button(QStringLiteral("graphZoomOut"), tr("Zoom out"), tr("Zoom out (-)"));
    m_in = button(QStringLiteral("graphZoomIn"), tr("Zoom in"), tr("Zoom in (+)"));
    m_fit = button(QStringLiteral("graphFit"), tr("Show all"), tr("Show all (Space)"));
    m_expand = button(QStringLiteral("graphExpandAll"), tr("Open all blocks"), tr("Open all blocks (Enter opens one)"));
    m_collapse = button(
        QStringLiteral("graphCollapseAll"), tr("Close all blocks"), tr("Close all blocks (Backspace closes the one around the selection)"));

    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 6, 8, 6);
    row->setSpacing(4);
    row->addWidget(m_field, 1);
    row->addWidget(m_count);
    for (QToolButton* each : {m_out, m_in, m_fit, m_expand, m_collapse}) {
        row->addWidget(each);
    }
    connect(m_field, &QLineEdit::textChanged, this, &GraphBar::searched);
    connect(m_out, &QToolButton::clicked, this, [this] { Q_EMIT zoomWished(1 / kPress); });
    connect(m_in, &QToolButton::clicked, this, [this] { Q_EMIT zoomWished(kPress); });
    connect(m_fit, &QToolButton::clicked, this, &GraphBar::fitWished);
    connect(m_expand, &QToolButton::clicked, this, &GraphBar::expandWished);
    connect(m_collapse, &QToolButton::clicked, this, &GraphBar::collapseWished);
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    drawIcons();
    setBlocks(false);
}

QToolButton* GraphBar::button(const QString& name, const QString& words, const QString& tip)
{
    auto* made = new QToolButton(this);
    made->setObjectName(name);
    made->setAccessibleName(words);
    made->setToolTip(tip);
    made->setProperty("flat", true);
    made->setFocusPolicy(Qt::StrongFocus);
    return made;
}

void GraphBar::drawIcons()
{
    const QColor colour = Theme::of(palette()).text;
    const std::pair<QToolButton*, const char*> icons[] = {
        {m_out, "minus"}, {m_in, "plus"}, {m_fit, "fit"}, {m_expand, "unfold"}, {m_collapse, "fold"}};
    const int side = tableRowHeight() + 2;
    for (const auto& [each, name] : icons) {
        each->setIcon(icon(QString::fromLatin1(name), colour));
        each->setIconSize(QSize(side * 16 / 27, side * 16 / 27));
        // The padding of the window's style sheet is for words.
        each->setStyleSheet(QStringLiteral("padding: 3px;"));
        each->setFixedSize(side, side);
    }
    m_count->setFont(noteFont());
}

void GraphBar::setCount(int current, int all)
{
    m_count->setVisible(all >= 0);
    m_count->setText(all == 0 ? tr("no match")
            : current > 0     ? tr("%1 of %2").arg(current).arg(all)
                              : tr("%1 found").arg(all));
}

void GraphBar::setBlocks(bool any)
{
    m_expand->setEnabled(any);
    m_collapse->setEnabled(any);
}

void GraphBar::clear()
{
    m_field->clear();
}

bool GraphBar::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        switch (key->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
            Q_EMIT stepWished(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
            return true;
        case Qt::Key_Escape:
            if (m_field->text().isEmpty()) {
                Q_EMIT left();
            }
            m_field->clear();
            return true;
        case Qt::Key_Down:
            Q_EMIT left();
            return true;
        default:
            break;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void GraphBar::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        drawIcons();
    }
    QWidget::changeEvent(event);
}

} // namespace nw::views
