#include "app/gui/render.h"

#include "engine/session/workbench.h"
#include "views/common/format.h"
#include "views/graph/graph_view.h"
#include "views/plots/comparison_plot.h"
#include "views/plots/roofline_file.h"

#include <QApplication>
#include <QEventLoop>
#include <QFile>
#include <QImage>

#include <cstdio>
#include <optional>

namespace nw::app {
namespace {

int complain(const std::string& message, int code)
{
    std::fprintf(stderr, "nestwright: %s\n", message.c_str());
    return code;
}

// The comparison that the project keeps for the group, or for the first operator that has one.
Result<session::Comparison> comparisonOf(session::Project& project, const std::string& group)
{
    const Result<std::vector<const session::Operator*>> operators = project.operators();
    if (!operators) {
        return operators.error();
    }
    for (const session::Operator* op : *operators) {
        if (!group.empty() && op->name != group) {
            continue;
        }
        const Result<std::optional<std::string>> kept = project.database()->text("comparison." + op->name);
        if (!kept) {
            return kept.error();
        }
        if (*kept) {
            return session::parseComparison(**kept);
        }
    }
    return failed("This project has no comparison" + (group.empty() ? std::string() : " of " + group) +
                  " yet. Run `nestw compare` on it first.");
}

Result<const session::Operator*> chosen(session::Project& project, const std::string& group)
{
    if (!group.empty()) {
        return project.find(group);
    }
    const Result<std::vector<const session::Operator*>> operators = project.operators();
    if (!operators) {
        return operators.error();
    }
    if (operators->empty()) {
        return failed("The model has no operators.");
    }
    return operators->front();
}

Result<QImage> roofline(session::Project& project, const RenderRequest& request, const views::Theme& theme)
{
    const Result<const session::Operator*> op = chosen(project, request.group);
    const Result<measure::LocalDevice::Settings> settings = session::deviceSettings();
    if (!op || !settings) {
        return op ? settings.error() : op.error();
    }
    measure::LocalDevice device(*settings);
    const Result<measure::Roofs> roofs = device.roofs(1);
    if (!roofs) {
        return roofs.error();
    }
    views::RooflineData data{*roofs, 1, {}, {}};
    const double intensity = (*op)->work.flops / std::max((*op)->work.bytes(), 1.0);
    if (const Result<session::Comparison> kept = comparisonOf(project, (*op)->name); kept) {
        for (const session::Figure& f : kept->figures) {
            if (f.present && f.ns > 0) {
                data.others.push_back({views::fromStd(f.name), intensity, (*op)->work.flops / f.ns, false, false, -1});
            }
        }
    }
    return views::renderRoofline(data, views::fromStd((*op)->name), theme, request.size, request.scale);
}

// The graph as the window draws it, laid out and fitted.
Result<QImage> graphPicture(session::Project& project, const RenderRequest& request)
{
    const Result<const plan::Plan*> plan = project.plan();
    if (!plan) {
        return plan.error();
    }
    views::GraphView view;
    view.resize(request.size);
    bool done = false;
    QObject::connect(&view, &views::GraphView::layoutFinished, &view, [&done] { done = true; });
    view.setPicture(std::make_shared<const views::GraphPicture>(views::pictureOf(**plan)));
    view.show();
    while (!done) {
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 100);
    }
    view.fit();
    QImage image(request.size * request.scale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(request.scale);
    view.render(&image);
    return image;
}

} // namespace

int render(const RenderRequest& request)
{
    const Result<session::Folders> folders = session::userFolders();
    if (!folders) {
        return complain(folders.error().message, 1);
    }
    const Result<std::unique_ptr<session::Project>> project = session::Project::open(request.project, {}, *folders);
    if (!project) {
        return complain(project.error().message, 1);
    }
    const views::Theme theme = request.dark ? views::Theme::dark() : views::Theme::light();
    QApplication::setPalette(theme.palette());
    qApp->setStyleSheet(theme.styleSheet());
    Result<QImage> image = failed("--render draws: compare, graph, roofline.");
    if (request.what == "compare") {
        const Result<session::Comparison> comparison = comparisonOf(**project, request.group);
        if (!comparison) {
            return complain(comparison.error().message, 1);
        }
        const QString title = views::fromStd((*project)->title()) + QStringLiteral(" · ") + views::fromStd(comparison->group);
        image = views::renderComparison(*comparison, title, theme, request.size, request.scale);
    } else if (request.what == "roofline") {
        image = roofline(**project, request, theme);
    } else if (request.what == "graph") {
        image = graphPicture(**project, request);
    } else {
        return complain(image.error().message, 2);
    }
    if (!image) {
        return complain(image.error().message, 1);
    }
    if (!image->save(QFile::decodeName(request.output.c_str()), "PNG")) {
        return complain("The picture could not be written to " + request.output.string() + ".", 1);
    }
    return 0;
}

} // namespace nw::app
