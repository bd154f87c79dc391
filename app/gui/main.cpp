#include "app/gui/look.h"
#include "app/gui/main_window.h"
#include "app/gui/render.h"

#include "engine/base/ensure.h"

#include <QApplication>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>

namespace {

int window(int argc, char** argv, const std::string& project)
{
    if (qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") &&
        qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
        std::fprintf(stderr, "nestwright: there is no display here. Use nestw on this terminal, or nestwright --render.\n");
        return 1;
    }
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("nestwright"));
    QApplication::setOrganizationName(QStringLiteral("nestwright"));
    QApplication::setDesktopFileName(QStringLiteral("nestwright"));
    nw::app::applyLook();
    nw::app::MainWindow main;
    main.restoreGeometry(nw::app::Settings().value(QStringLiteral("geometry")));
    main.show();
    if (!project.empty()) {
        main.open(QString::fromStdString(project));
    }
    return QApplication::exec();
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App arguments("Nestwright: see a model's loops, schedule them, measure them.", "nestwright");
    nw::app::RenderRequest request;
    int width = request.size.width();
    int height = request.size.height();
    std::string project;
    std::string output;
    arguments.add_option("--render", request.what, "draw without a display: compare, graph, roofline");
    arguments.add_option("PROJECT", project, "a model, a sample folder or a .nest");
    arguments.add_option("-o,--output", output, "the PNG to write");
    arguments.add_option("--group", request.group, "the operator, e.g. conv.0");
    arguments.add_flag("--dark", request.dark, "dark colours");
    arguments.add_option("--width", width)->check(CLI::Range(200, 8000));
    arguments.add_option("--height", height)->check(CLI::Range(150, 8000));
    arguments.add_option("--scale", request.scale, "pixels per unit")->check(CLI::Range(0.5, 4.0));
    try {
        arguments.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return arguments.exit(error) == 0 ? 0 : 2;
    }
    if (request.what.empty()) {
        return window(argc, argv, project);
    }
    if (project.empty() || output.empty()) {
        std::fprintf(stderr, "nestwright: --render needs a project and -o FILE.png\n");
        return 2;
    }
    request.project = project;
    request.output = output;
    request.size = QSize(width, height);
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    QApplication application(argc, argv);
    try {
        return nw::app::render(request);
    } catch (const nw::Bug& bug) {
        std::fprintf(stderr, "nestwright: this is a fault of Nestwright, please report it: %s\n", bug.what());
        return 1;
    }
}
