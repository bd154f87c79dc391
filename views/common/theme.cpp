#include "views/common/theme.h"

namespace nw::views {
namespace {

QColor hex(unsigned rgb)
{
    return QColor::fromRgb(QRgb(0xff000000U | rgb));
}

} // namespace

Theme Theme::light()
{
    return {hex(0xf3f5f7), hex(0xffffff), hex(0xf7f9fb), hex(0xdde2e7), hex(0x1f2933), hex(0x5d6b78), hex(0x2563c9), hex(0xe3edfb),
            hex(0x0b7a52), hex(0x935d00), hex(0xb83a1b), hex(0x8a939c), hex(0x0072b2), hex(0xd98200), hex(0xb0568a)};
}

Theme Theme::dark()
{
    return {hex(0x16191d), hex(0x1e2227), hex(0x262b31), hex(0x2f363d), hex(0xe4e8ec), hex(0x93a0ac), hex(0x6ea8fe), hex(0x223452),
            hex(0x4cc38a), hex(0xe6a23c), hex(0xf28069), hex(0x8a939c), hex(0x56b4e9), hex(0xe69f00), hex(0xcc79a7)};
}

Theme Theme::of(const QPalette& palette)
{
    return palette.color(QPalette::Window).lightness() < 128 ? dark() : light();
}

QPalette Theme::palette() const
{
    QPalette p;
    p.setColor(QPalette::Window, window);
    p.setColor(QPalette::WindowText, text);
    p.setColor(QPalette::Base, panel);
    p.setColor(QPalette::AlternateBase, raised);
    p.setColor(QPalette::Text, text);
    p.setColor(QPalette::PlaceholderText, muted);
    p.setColor(QPalette::Button, raised);
    p.setColor(QPalette::ButtonText, text);
    p.setColor(QPalette::BrightText, illegal);
    p.setColor(QPalette::Highlight, selectedRow);
    p.setColor(QPalette::HighlightedText, text);
    p.setColor(QPalette::Link, accent);
    p.setColor(QPalette::LinkVisited, accent);
    p.setColor(QPalette::ToolTipBase, raised);
    p.setColor(QPalette::ToolTipText, text);
    p.setColor(QPalette::Light, line);
    p.setColor(QPalette::Midlight, line);
    p.setColor(QPalette::Mid, line);
    p.setColor(QPalette::Dark, line);
    p.setColor(QPalette::Shadow, line);
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        p.setColor(QPalette::Disabled, role, muted);
    }
    return p;
}

QString Theme::styleSheet() const
{
    const QString sheet = QStringLiteral(
        "QMainWindow, QDialog { background: %window; }"
        "QMainWindow::separator { background: %window; width: 6px; height: 6px; }"
        "QDockWidget { color: %text; font-weight: 600; }"
        "QDockWidget > QWidget, QWidget[panel=\"true\"] { background: %panel; border: 1px solid %line; border-top: none; }"
        "QToolTip { background: %raised; color: %text; border: 1px solid %line; padding: 4px; }"
        "QPushButton, QToolButton { background: %raised; border: 1px solid %line; border-radius: 5px; padding: 5px 12px; color: %text; }"
        "QToolButton { padding: 5px 8px; }"
        "QPushButton:hover, QToolButton:hover { border-color: %muted; }"
        "QPushButton:focus, QToolButton:focus { border: 1px solid %accent; }"
        "QPushButton:disabled, QToolButton:disabled { color: %muted; }"
        "QPushButton:checked, QToolButton:checked { background: %selected; border-color: %accent; }"
        "QPushButton[primary=\"true\"], QToolButton[primary=\"true\"] { background: %accent; border-color: %accent; color: %onaccent; font-weight: 600; }"
        "QPushButton[flat=\"true\"], QToolButton[flat=\"true\"] { background: transparent; border-color: transparent; }"
        "QPushButton[link=\"true\"] { background: transparent; border: none; padding: 2px 0px; color: %accent; text-align: left; }"
        "QPushButton[link=\"true\"]:focus { text-decoration: underline; }"
        "QLineEdit, QSpinBox, QComboBox, QPlainTextEdit, QTextEdit { background: %panel; border: 1px solid %line; border-radius: 5px; padding: 4px 6px; color: %text; selection-background-color: %accent; selection-color: %onaccent; }"
        "QLineEdit:focus, QSpinBox:focus, QComboBox:focus, QPlainTextEdit:focus { border-color: %accent; }"
        "QComboBox::drop-down { border: none; width: 18px; }"
        "QComboBox QAbstractItemView { border: 1px solid %line; }"
        "QPushButton[primary=\"true\"]:disabled, QToolButton[primary=\"true\"]:disabled { background: %raised; border-color: %line; color: %muted; }"
        "QTableView::item { padding: 0px 8px; }"
        "QTabWidget::pane { border: none; }"
        "QTabBar { background: %panel; }"
        "QTabBar::tab { background: transparent; color: %muted; padding: 7px 10px 5px 10px; border: none; border-bottom: 2px solid transparent; }"
        "QTabBar::tab:selected { color: %text; border-bottom: 2px solid %accent; }"
        "QTabBar::tab:focus { color: %accent; }"
        "QHeaderView { background: %panel; }"
        "QHeaderView::section { background: %panel; color: %muted; border: none; border-bottom: 1px solid %line; padding: 4px 8px; font-weight: 400; }"
        "QAbstractItemView { background: %panel; border: none; alternate-background-color: %panel; selection-background-color: %selected; selection-color: %text; outline: none; }"
        "QAbstractScrollArea { background: %panel; border: none; }"
        "QStatusBar { background: %window; color: %muted; }"
        "QStatusBar::item { border: none; }"
        "QToolBar { background: %window; border: none; spacing: 6px; padding: 5px 8px; }"
        "QMenuBar { background: %window; color: %text; }"
        "QMenuBar::item { padding: 4px 8px; background: transparent; }"
        "QMenuBar::item:selected { background: %selected; }"
        "QMenu { background: %panel; color: %text; border: 1px solid %line; padding: 4px; }"
        "QMenu::item { padding: 5px 24px 5px 12px; }"
        "QMenu::item:selected { background: %selected; }"
        "QMenu::item:disabled { color: %muted; }"
        "QMenu::separator { height: 1px; background: %line; margin: 4px; }"
        "QLabel[muted=\"true\"] { color: %muted; }"
        "QProgressBar { background: %raised; border: 1px solid %line; border-radius: 4px; text-align: center; color: %text; }"
        "QProgressBar::chunk { background: %selected; }"
        "QScrollBar { background: %panel; width: 11px; height: 11px; border: none; }"
        "QScrollBar::handle { background: %line; border-radius: 4px; min-height: 24px; min-width: 24px; margin: 2px; }"
        "QScrollBar::handle:hover { background: %muted; }"
        "QScrollBar::add-line, QScrollBar::sub-line { width: 0px; height: 0px; }"
        "QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }");
    QString filled = sheet;
    const QColor onAccent = accent.lightness() > 150 ? window : QColor(Qt::white);
    const std::pair<const char*, QColor> colours[] = {{"%window", window}, {"%panel", panel}, {"%raised", raised}, {"%line", line},
        {"%text", text}, {"%muted", muted}, {"%onaccent", onAccent}, {"%accent", accent}, {"%selected", selectedRow}};
    for (const auto& [hole, color] : colours) {
        filled.replace(QLatin1String(hole), color.name());
    }
    return filled;
}

QColor Theme::series(const QString& name) const
{
    if (name == QLatin1String("default")) {
        return seriesDefault;
    }
    if (name == QLatin1String("hand")) {
        return seriesHand;
    }
    if (name == QLatin1String("auto")) {
        return seriesAuto;
    }
    if (name == QLatin1String("library")) {
        return seriesLibrary;
    }
    return muted;
}

} // namespace nw::views
