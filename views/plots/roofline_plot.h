#pragma once

#include "views/common/theme.h"
#include "views/common/custom_plot.h"
#include "views/plots/roofline_text.h"

#include <QFont>

#include <vector>

namespace nw::views {

// The roofline's picture: roofs behind, the way of the schedule before them, names where there is room.
class RooflinePlot : public QCustomPlot {
    Q_OBJECT
public:
    explicit RooflinePlot(QWidget* parent = nullptr);
    void draw(const RooflineData& data, const Theme& theme, const QFont& content, const QFont& note);
    const RooflinePoint* pointAt(const QPointF& position) const;
    QPointF pixelOf(const RooflinePoint& point) const;

Q_SIGNALS:
    void stepWished(int by); // keys: to the next or the previous station
    void pressedAt(const QPointF& position);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    QSize minimumSizeHint() const override { return {160, 100}; }
    QSize sizeHint() const override { return {360, 220}; }

private:
    void drawRoofs();
    void drawPath();
    void drawPoint(const RooflinePoint& point, const QColor& colour, QCPScatterStyle::ScatterShape shape);
    void drawAxes();
    QCPItemText* addText(const QString& text, const QColor& colour, const char* layer);
    // What depends on pixels: slant of the roofs' words, arrows that are long enough, names that cover nothing.
    void fit();

    RooflineData m_data;
    Theme m_theme;
    QFont m_content, m_note;
    RooflineRange m_range;
    struct RoofText {
        QCPItemText* item;
        double perByte;
    };
    struct NameText {
        QCPItemText* item;
        RooflinePoint point;
    };
    std::vector<RoofText> m_roofTexts;
    std::vector<NameText> m_names;
    std::vector<QCPItemLine*> m_arrows;
    QCPItemText* m_peakText = nullptr;
};

} // namespace nw::views
