#pragma once

#include "engine/session/workbench.h"

#include <QString>

namespace nw::views {

QString figureLabel(const std::string& name); // "default", "hand", "auto", "library", "bound"
bool hasTime(const session::Figure& figure);  // there is a speed: a wrong result has none
bool hasFailed(const session::Figure& figure);
QString figureTime(const session::Figure& figure);
// Under the time: spread, noise, share of the bound; of the bound, the roof that gives it.
QString figureNote(const session::Figure& figure, const session::Comparison& comparison);
// Why there is no time.
QString figureReason(const session::Figure& figure);
// Against default: "28.9x"; empty without both.
QString figureFactor(const session::Figure& figure, const session::Comparison& comparison);
// What the button of a missing figure says; empty when nothing fills it.
QString fillWords(const session::Figure& figure);
QString figureSpoken(const session::Figure& figure, const session::Comparison& comparison);

const session::Figure* findFigure(const session::Comparison& comparison, const std::string& name);
QString threadsText(int threads); // "2 threads"
QString comparisonNote(const session::Comparison& comparison); // "measured together, hot caches, 2 threads"

// The table as tab-separated text and as CSV (times in ns).
QString comparisonText(const session::Comparison& comparison);
QString comparisonCsv(const session::Comparison& comparison);

} // namespace nw::views
