#pragma once

#include "views/common/custom_plot.h"
#include "views/common/theme.h"

#include <algorithm>
#include <string>
#include <vector>

namespace nw::views {

// How a failed trial is marked on the strip and in the list of failures: shape and colour.
enum class FailureKind { NotBuilt, Wrong, Died }; // refused or not compiled; ran with a wrong result; crash, hang, no device
constexpr int kFailureKinds = 3;
FailureKind failureKind(const std::string& outcome);
QCPScatterStyle failureMark(FailureKind kind, const Theme& theme, double size);

// Ticks at 1, 2 and 5 of every decade, of fewer of them where there is little room, evenly where the range is small; labels by a function.
class DecadeTicker : public QCPAxisTicker {
public:
    DecadeTicker(QString (*label)(double), int most)
        : m_label(label)
        , m_most(most)
    {
        setTickCount(std::min(5, most)); // of an even scale
    }

protected:
    QVector<double> createTickVector(double step, const QCPRange& range) override;
    QString getTickLabel(double tick, const QLocale& locale, QChar formatChar, int precision) override;
    int getSubTickCount(double) override { return 0; }

private:
    QString (*m_label)(double);
    int m_most; // labels that have room
};
// For an upright axis of a plot that is so many pixels high.
QSharedPointer<DecadeTicker> decadeTicks(QString (*label)(double), int height, const QFont& font);

QString timeTick(double ns);     // "1 ms", "0.5 ms"
QString numberTick(double value); // "20"

// Colours and fonts of an axis as all our plots have them.
void dressAxis(QCPAxis* axis, const Theme& theme, const QFont& note, bool grid);

// The ring around a plot that has the keyboard.
void paintFocusRing(QWidget& plot, const Theme& theme);

} // namespace nw::views
