#pragma once

#include <QColor>
#include <QPalette>
#include <QString>

namespace nw::views {

// The colours of the product, light and dark. A series has the same colour everywhere: bars, lines, points.
struct Theme {
    QColor window, panel, raised, line, text, muted, accent, selectedRow;
    QColor legal, unproven, illegal;
    QColor seriesDefault, seriesHand, seriesAuto, seriesLibrary;

    static Theme light();
    static Theme dark();
    // The one whose window is as dark as this palette's: what a painted view asks for with its own palette().
    static Theme of(const QPalette& palette);
    QPalette palette() const; // for QApplication, with the Fusion style
    QString styleSheet() const; // of the whole window: panels, buttons, fields, tables, tabs
    // "default", "hand", "auto", "library"; muted for anything else (the bound is hatched, never filled).
    QColor series(const QString& name) const;
};

} // namespace nw::views
