#pragma once

#include "views/primitives/primitive_entries.h"

#include <QFrame>
#include <QLabel>
#include <QStringList>

class QPushButton;

namespace nw::views {

// Words that can be clicked, wrapped where they are long.
class LinkLabel : public QLabel {
    Q_OBJECT
public:
    explicit LinkLabel(QWidget* parent);
    void restyle();

Q_SIGNALS:
    void activated();
    void pointed(bool on); // the pointer or the focus is on it

protected:
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
};

// A primitive in the list: state, name and key; what it does or why not; what would unlock it.
class PrimitiveRow : public QFrame {
    Q_OBJECT
public:
    PrimitiveRow(const PrimitiveEntry& entry, QWidget* parent);

    const PrimitiveEntry& entry() const { return m_entry; }
    QString secondLine() const;
    bool canApply() const; // without the form

Q_SIGNALS:
    void opened();
    void quickApplied();
    void unlockApplied(const QString& line);
    void unlockPointed(const QString& line); // empty: not any more
    void placesHovered(const QStringList& names);
    void stepWished(int rows); // to another row of the list, by key

protected:
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void restyle();

    PrimitiveEntry m_entry;
    QLabel *m_icon, *m_name, *m_key, *m_text;
    std::vector<LinkLabel*> m_links;
    QPushButton* m_apply;
};

} // namespace nw::views
