#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace nw::views {

// The line above the graph: search with its count, zoom, fit, open and close all blocks.
class GraphBar : public QWidget {
    Q_OBJECT
public:
    explicit GraphBar(QWidget* parent = nullptr);
    void setCount(int current, int all); // 1-based; all -1: nothing is searched
    void setBlocks(bool any); // whether there is something to open and close
    void clear();

Q_SIGNALS:
    void searched(const QString& text);
    void stepWished(int by); // +1 next, -1 previous match
    void left(); // Escape in the empty field, Down: to the graph
    void zoomWished(double factor);
    void fitWished();
    void expandWished();
    void collapseWished();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QLineEdit* m_field;
    QLabel* m_count;
    QToolButton* m_out;
    QToolButton* m_in;
    QToolButton* m_fit;
    QToolButton* m_expand;
    QToolButton* m_collapse;

    QToolButton* button(const QString& name, const QString& words, const QString& tip);
    void drawIcons();
};

} // namespace nw::views
