#pragma once

#include "engine/schedule/footprint.h"
#include "engine/schedule/loop_nest.h"
#include "views/common/judge.h"
#include "views/loop_nest/nest_gesture.h"
#include "views/loop_nest/nest_rows.h"
#include "views/loop_nest/row_layout.h"

#include <QAbstractScrollArea>
#include <QHash>
#include <QStringList>

#include <optional>

class QPainter;

namespace nw::views {

struct Theme;
class EmptyState;

// The loop nest is the editor: one row a loop or block, and every drag or key on it writes one line of the script. With Shift
// a loop is dragged (or grabbed by Enter) together with the loops that belong to it.
class LoopNestView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit LoopNestView(QWidget* parent = nullptr);

    // Rows that differ from `before` are tinted.
    void setNest(const schedule::LoopNest& nest, const schedule::LoopNest* before);
    void clear();
    void setEmptyText(const QString& sentence, const QString& action);
    // Null ends it.
    void setPreview(const schedule::LoopNest* preview, const QString& step);
    void setJudge(Judge judge);
    // Of the nest that is shown; they go with it. The target says how large its caches are.
    void setFootprints(const std::vector<schedule::LoopFootprint>& footprints, const Target& target);
    // Stand at the innermost loop and its block.
    void setFacts(const QString& registers, const QString& spills);
    void select(const QStringList& names); // emits nothing
    QStringList selection() const { return m_selection; }
    void setHover(const QString& name);
    void setHoverBuffer(const QString& row, const QString& buffer);
    void setPlaces(const QStringList& names); // where a refusal points

    int rowCount() const { return static_cast<int>(shown().size()); }
    QString rowName(int row) const;
    QString rowText(int row) const; // one sentence
    QString rowFootprint(int row) const; // "24 KiB (L1)"; empty for blocks, and for the rows of a preview
    QString rowDetails(int row) const;   // its footprint by buffer
    QRect rowRect(int row) const;   // in the viewport
    QRect nameRect(const QString& name) const;
    QRect extentRect(const QString& loop) const;
    QRect chipRect(const QString& buffer) const;
    QRect operandRect(const QString& block, const QString& buffer) const; // the buffer's name in the block's statement
    int currentRow() const { return m_current; }
    const NestGesture& gesture() const { return m_gesture; } // what a drag would do now

Q_SIGNALS:
    void selectionChanged(const QStringList& names);
    void hovered(const QString& name);
    void stepWished(const QString& step);           // a gesture wrote this script line
    void primitiveWished(const QString& primitive); // a single key
    void previewWished(const QString& step);        // empty: none
    void message(const QString& text, bool refused);
    void undoWished();
    void measureWished();
    void repeatWished();
    void previousStepWished();
    void nextStepWished();
    void diffWished();
    void removeLoopWished(const QString& loop);
    void actionWished();

protected:
    bool event(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    const std::vector<NestRow>& shown() const; // the rows of the preview while there is one
    NestGrid grid() const;
    RowBoxes boxes(int row) const;
    int scrolled() const;
    int rowAt(const QPoint& at) const; // -1 outside
    void layOut();
    void setCurrent(int row);
    void choose(const QStringList& names);
    void choose(int row, Qt::KeyboardModifiers modifiers);

    // Gestures (loop_nest_mouse.cpp).
    GestureVerdict ask(const std::string& line);
    NestGesture gestureAt(const QPoint& at, Qt::KeyboardModifiers modifiers) const; // what a drag from here would be
    void beginGesture(NestGesture::Kind kind, const std::string& name, bool byKeyboard);
    void updateGesture(const QPoint& at);
    bool proposedNothing();
    void dragLoop(const QPoint& at);
    void dragExtent(const QPoint& at);
    void aimAtLoop(int row);
    void propose(const std::string& line, const GestureVerdict& verdict);
    void endGesture(bool drop);
    void scrollWith(const QPoint& at);

    // Keys (loop_nest_keys.cpp).
    bool singleKey(int key);
    bool grabKey(int key);
    bool moveKey(QKeyEvent* event);
    void grab(bool together);
    void moveGrabbed(int by);
    void moveLoop(int by);
    void copyLine() const;

    // Painting (loop_nest_paint.cpp).
    void paintHeader(QPainter& painter, const Theme& theme) const;
    void paintRow(QPainter& painter, const Theme& theme, int row) const;
    void paintTint(QPainter& painter, const Theme& theme, const NestRow& row, const RowBoxes& boxes, bool current) const;
    void paintLoopColumn(QPainter& painter, const Theme& theme, const NestRow& row, const RowBoxes& boxes) const;
    void paintOperands(QPainter& painter, const Theme& theme, const NestRow& row, const RowBoxes& boxes) const;
    void paintFacts(QPainter& painter, const Theme& theme, int row, const RowBoxes& boxes) const;
    void paintGesture(QPainter& painter, const Theme& theme) const;
    void paintBubble(QPainter& painter, const Theme& theme) const;

    std::optional<schedule::LoopNest> m_nest;
    std::vector<NestRow> m_rows, m_previewRows;
    int m_innermost = -1; // the row that carries the registers
    QString m_previewStep;
    Judge m_judge;
    struct Footprint {
        QString text, tip;
    };
    QHash<QString, Footprint> m_footprints; // by loop
    QString m_registers, m_spills;
    QStringList m_selection, m_places;
    QString m_hover, m_lastLine;
    QString m_hoverRow, m_hoverBuffer; // a buffer's name in a statement
    int m_current = -1, m_anchor = -1;
    NestGesture m_gesture;
    EmptyState* m_empty;
};

} // namespace nw::views
