#pragma once

class QWidget;

namespace nw::views {

// Every box of the canvas, and then every edge, is a child with a text of its own: see GraphCanvas::spoken().
void installGraphAccessibility();
// Boxes of an older scene are no more.
void forgetAccessibleNodes(QWidget* canvas);

} // namespace nw::views
