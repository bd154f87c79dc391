#pragma once

#include <QFont>

namespace nw::views {

// One size for content, one smaller for units and notes (look): all from the application's own font, so that a scale of
// 100 to 200 % changes every row with it.
QFont contentFont();
QFont noteFont();
QFont nameFont(); // weight 600: what can be clicked
QFont codeFont(); // fixed pitch, content size

// Heights of rows at the fonts of now: 30 px in the editor, 25 px in tables at 100 %.
int editorRowHeight();
int tableRowHeight();

} // namespace nw::views
