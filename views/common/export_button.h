#pragma once

#include <QToolButton>

class QMenu;

namespace nw::views {

// The menu by which what is shown leaves the window: to the clipboard, as a picture, as a drawing, as a table.
class ExportButton : public QToolButton {
    Q_OBJECT
public:
    // `name` begins the object names: "compareExport", "compare_png".
    explicit ExportButton(const QString& name, QWidget* parent = nullptr);
    // One of several things that can leave, each with a menu of its own; without pictures only what a table can be. Without
    // any of these the menu is that of the one thing there is, "".
    void addThing(const QString& thing, const QString& title, bool hasPictures);

Q_SIGNALS:
    void exportWished(const QString& kind, const QString& thing); // "copy", "png", "svg", "csv"

protected:
    void changeEvent(QEvent* event) override;

private:
    void fill(QMenu* menu, const QString& name, const QString& thing, bool hasPictures);
    void dress();

    QString m_name;
    bool m_hasThings = false;
};

} // namespace nw::views
