#include "views/tuner/importance_bars.h"

#include "views/common/fonts.h"
#include "views/common/theme.h"

#include <QEvent>
#include <QPainter>

#include <algorithm>

namespace nw::views {

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
        const Theme theme = Theme::of(palette());
        painter.setRenderHint(QPainter::Antialiasing);
        const auto& shares = m_owner->m_shares;
        if (shares.empty()) {
            painter.setPen(theme.muted);
            painter.drawText(rect().adjusted(24, 12, -24, -12), Qt::AlignCenter | Qt::TextWordWrap,
                             ImportanceBars::tr("The model has not been trained yet; then this shows which knobs decide."));
            return;
        }
        const int row = tableRowHeight();
        const QFontMetrics names(codeFont());
        int nameWidth = 0;
        for (const auto& [name, share] : shares) {
            nameWidth = std::max(nameWidth, names.horizontalAdvance(name) + 4);
        }
        nameWidth = std::min(nameWidth, width() * 2 / 5);
        const int figure = QFontMetrics(noteFont()).horizontalAdvance(QStringLiteral("100 %")) + 8;
        const int room = std::max(20, width() - nameWidth - figure - 36);
        const double most = std::max(shares.front().second, 1e-9);
        for (std::size_t i = 0; i < shares.size(); ++i) {
            const int top = 6 + static_cast<int>(i) * row;
            painter.setFont(codeFont());
            painter.setPen(theme.text);
            painter.drawText(QRect(12, top, nameWidth, row), Qt::AlignVCenter | Qt::AlignLeft,
                             names.elidedText(shares[i].first, Qt::ElideMiddle, nameWidth));
            const double length = std::max(2.0, room * shares[i].second / most);
            painter.setPen(Qt::NoPen);
            painter.setBrush(theme.seriesAuto);
            painter.drawRoundedRect(QRectF(20 + nameWidth, top + row * 0.28, length, row * 0.44), 2, 2);
            painter.setFont(noteFont());
            painter.setPen(theme.muted);
            painter.drawText(QRectF(24 + nameWidth + length, top, figure, row), Qt::AlignVCenter | Qt::AlignLeft,
                             QStringLiteral("%1 %").arg(shares[i].second * 100, 0, 'f', shares[i].second < 0.0995 ? 1 : 0));
        }
    }

private:
    ImportanceBars* m_owner;
};

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
