#pragma once

#include <QSize>

#include <filesystem>
#include <string>

namespace nw::app {

struct RenderRequest {
    std::string what;              // "compare"
    std::filesystem::path project; // model, sample or .nest
    std::filesystem::path output;  // PNG
    std::string group;             // empty: the first operator that has a comparison
    bool dark = false;
    QSize size{960, 420};
    double scale = 1.0;
};

// Draws without a display. Returns the program's exit code; words go to standard error.
int render(const RenderRequest& request);

} // namespace nw::app
