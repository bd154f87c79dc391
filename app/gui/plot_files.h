#pragma once

#include <QString>

#include <functional>

class QWidget;

namespace nw::app {

// A plot as it can be written to a file.
struct PlotFile {
    QString folder, name; // proposed: where, and "conv.0-comparison"
    std::function<bool(const QString& path)> savePng, saveSvg;
    std::function<QString()> csv;
};

// Asks without blocking where the plot goes ("png", "svg" or "csv") and writes it there. `tell` hears the end of it.
void askPlotFile(QWidget* parent, const QString& kind, const PlotFile& plot,
                 const std::function<void(const QString& sentence, bool failed)>& tell);

} // namespace nw::app
