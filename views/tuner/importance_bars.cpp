#include "views/tuner/importance_bars.h"

#include "views/common/custom_plot.h"
#include "views/common/fonts.h"
#include "views/common/theme.h"

#include <QEvent>
#include <QPainter>

#include <algorithm>

namespace nw::views {

namespace {

constexpr int kFileRow = 25; // px

struct BarLook {
    Theme theme;
    QFont names, notes;
    int row; // px
};

void paintBars(QPainter& painter, int width, const std::vector<std::pair<QString, double>>& shares, const BarLook& look)
{
    const QFontMetrics names(look.names);
    int nameWidth = 0;
    for (const auto& [name, share] : shares) {
        nameWidth = std::max(nameWidth, names.horizontalAdvance(name) + 4);
    }
    nameWidth = std::min(nameWidth, width * 2 / 5);
    const int figure = QFontMetrics(look.notes).horizontalAdvance(QStringLiteral("100 %")) + 8;
    const int room = std::max(20, width - nameWidth - figure - 36);
    const double most = std::max(shares.front().second, 1e-9);
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const int top = 6 + static_cast<int>(i) * look.row;
        painter.setFont(look.names);
        painter.setPen(look.theme.text);
        painter.drawText(QRect(12, top, nameWidth, look.row), Qt::AlignVCenter | Qt::AlignLeft,
                         names.elidedText(shares[i].first, Qt::ElideMiddle, nameWidth));
        const double length = std::max(2.0, room * shares[i].second / most);
        painter.setPen(Qt::NoPen);
        painter.setBrush(look.theme.seriesAuto);
        painter.drawRoundedRect(QRectF(20 + nameWidth, top + look.row * 0.28, length, look.row * 0.44), 2, 2);
        painter.setFont(look.notes);
        painter.setPen(look.theme.muted);
        painter.drawText(QRectF(24 + nameWidth + length, top, figure, look.row), Qt::AlignVCenter | Qt::AlignLeft,
                         QStringLiteral("%1 %").arg(shares[i].second * 100, 0, 'f', shares[i].second < 0.0995 ? 1 : 0));
    }
}

void paintNone(QPainter& painter, const QRect& where, const Theme& theme, const QFont& font)
{
    painter.setFont(font);
    painter.setPen(theme.muted);
    painter.drawText(where.adjusted(24, 12, -24, -12), Qt::AlignCenter | Qt::TextWordWrap,
                     ImportanceBars::tr("The model has not been trained yet; then this shows which knobs decide."));
}

} // namespace

class ImportanceBars::Bars : public QWidget {
public:
    explicit Bars(ImportanceBars* owner)
        : QWidget(owner)
        , m_owner(owner)
    {}

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const Theme theme = Theme::of(palette());
        if (m_owner->m_shares.empty()) {
            paintNone(painter, rect(), theme, contentFont());
        } else {
            paintBars(painter, width(), m_owner->m_shares, {theme, codeFont(), noteFont(), tableRowHeight()});
        }
    }

private:
    ImportanceBars* m_owner;
};

int ImportanceBars::pictureHeight() const
{
    return 60 + std::max(2, static_cast<int>(m_shares.size())) * kFileRow;
}

void ImportanceBars::paintPicture(QCPPainter& painter, QSize size, const QString& title, const Theme& theme, const FileFonts& fonts) const
{
    const int top = paintTitle(painter, size, title, theme);
    if (m_shares.empty()) {
        paintNone(painter, QRect(QPoint(0, top), size - QSize(0, top)), theme, fonts.content);
        return;
    }
    // All of them in the picture, however many there are.
    const int row = std::min(kFileRow, (size.height() - top - 12) / static_cast<int>(m_shares.size()));
    QFont names = codeFont();
    names.setPixelSize(std::min(13, std::max(6, row - 2)));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(0, top);
    paintBars(painter, size.width(), m_shares, {theme, names, fonts.note, row});
}

ImportanceBars::ImportanceBars(QWidget* parent)
    : QScrollArea(parent)
    , m_bars(new Bars(this))
{
    setObjectName(QStringLiteral("tunerImportance"));
    setAccessibleName(tr("Importance of knobs"));
    setWidget(m_bars);
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    m_bars->setAutoFillBackground(true);
    m_bars->setBackgroundRole(QPalette::Base);
    fit();
}

void ImportanceBars::setShares(const std::vector<std::pair<QString, double>>& shares)
{
    m_shares = shares;
    QStringList spoken;
    for (const auto& [name, share] : shares) {
        spoken.append(QStringLiteral("%1: %2 %").arg(name).arg(share * 100, 0, 'f', 0));
    }
    setAccessibleDescription(spoken.join(QStringLiteral("; ")));
    fit();
    m_bars->update();
}

void ImportanceBars::fit()
{
    m_bars->setMinimumHeight(12 + static_cast<int>(m_shares.size()) * tableRowHeight());
}

void ImportanceBars::changeEvent(QEvent* event)
{
    QScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) {
        fit();
        m_bars->update();
    }
}

} // namespace nw::views
