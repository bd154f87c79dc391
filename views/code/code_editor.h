#pragma once

#include "views/code/code_highlighter.h"
#include "views/code/line_links.h"

#include <QPlainTextEdit>
#include <QTimer>
#include <QStringList>

#include <vector>

namespace nw::views {

// Text of one kind, to read: line numbers, colours, and lines tinted that belong to highlighted loops.
class CodeEditor : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit CodeEditor(CodeLanguage language, QWidget* parent = nullptr);
    ~CodeEditor() override;

    // Keeps the place when the text changes a little.
    void setCode(const QString& text, LineLinks links);
    // False: no line belongs to any of them.
    bool highlightLoops(const QStringList& loops);
    bool isTinted(int line) const { return tintOf(line) != Tint::None; }
    bool isOpening(int line) const { return tintOf(line) == Tint::Opening; }
    void scrollToHighlight(); // when nothing of it is visible
    const LineLinks& links() const { return m_links; }
    int gutterWidth() const;
    void paintGutter(const QRect& dirty);
    QString innermostLoop(int line) const; // empty: none

Q_SIGNALS:
    void loopHovered(const QString& loop);
    void loopClicked(const QString& loop);

protected:
    void showEvent(QShowEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    enum class Tint : unsigned char { None, Body, Opening };
    Tint tintOf(int line) const;
    void setHovered(const QString& loop);
    void applyLook();
    void placeGutter();
    void startDocument();
    void fill();
    qsizetype end() const;
    qsizetype endOfLines(qsizetype from) const;
    void showMore();
    void dropMore();

    static constexpr int kLinesATurn = 1000;
    QString m_code; // all of it, also while a long text is still being put in, some lines a turn
    qsizetype m_shownUntil = 0;
    QTimer m_turn;
    std::vector<QTextDocument*> m_dropped; // to be taken apart
    QTimer m_dropTurn;
    CodeLanguage m_language;
    CodeHighlighter* m_highlighter = nullptr; // of the document
    QWidget* m_gutter;
    LineLinks m_links;
    QStringList m_loops;
    std::vector<Tint> m_tints;
    QString m_hovered;
};

} // namespace nw::views
