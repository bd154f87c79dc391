#pragma once

#include "views/plots/bars_paint.h"

#include <QAbstractButton>
#include <QString>

class QPushButton;

namespace nw::views {

// One figure as a bar that can be pressed: its script is shown. A missing one carries the button that fills it.
class FigureRow : public QAbstractButton {
    Q_OBJECT
public:
    explicit FigureRow(QWidget* parent = nullptr);
    void setFigure(const session::Figure& figure, const session::Comparison& comparison);
    void setScale(const BarScale& scale);
    void setFillEnabled(bool enabled);
    int fillWidth() const; // 0: nothing to fill
    QString name() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void fillWished(const QString& figure);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool hitButton(const QPoint& at) const override;

private:
    void placeFill();

    session::Figure m_figure;
    session::Comparison m_comparison;
    BarScale m_scale;
    QPushButton* m_fill;
};

} // namespace nw::views
