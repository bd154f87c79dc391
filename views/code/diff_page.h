#pragma once

#include "engine/base/line_diff.h"

#include <QPlainTextEdit>
#include <QWidget>

#include <vector>

class QComboBox;
class QLabel;
class QStackedWidget;

namespace nw::views {

class EmptyState;

// What the shown schedule can be laid beside: "step" and "previous step".
struct DiffChoice {
    QString key, text;
};

// The lines of two texts, one under the other: "-" only before, "+" only after, with a tint of its own each.
class DiffText : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit DiffText(QWidget* parent);
    void setLines(const std::vector<DiffLine>& lines);
    DiffLine::Kind kindOf(int line) const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    std::vector<DiffLine::Kind> m_kinds;
};

// The script and the nest of another schedule against those that are shown.
class DiffPage : public QWidget {
    Q_OBJECT
public:
    explicit DiffPage(QWidget* parent);

    void setChoices(const QList<DiffChoice>& choices, const QString& current);
    void setLines(const std::vector<DiffLine>& script, const std::vector<DiffLine>& nest);
    void setEmpty(const QString& sentence, const QString& action);
    bool hasText() const;
    QString text() const; // both
    DiffText* scriptText() const { return m_script; }
    DiffText* nestText() const { return m_nest; }

Q_SIGNALS:
    void againstWished(const QString& key);
    void actionWished();
    void changed(); // there is text, or there is none any more

protected:
    void changeEvent(QEvent* event) override;

private:
    QStackedWidget* m_pages;
    EmptyState* m_empty;
    QComboBox* m_against;
    QLabel* m_count;
    DiffText* m_script;
    DiffText* m_nest;
};

} // namespace nw::views
