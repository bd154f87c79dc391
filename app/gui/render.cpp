#include "app/gui/render.h"

#include "engine/session/workbench.h"
#include "views/common/format.h"
#include "views/plots/comparison_plot.h"

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

} // namespace

int render(const RenderRequest& request)
{
    if (request.what != "compare") {
        return complain("--render draws: compare.", 2);
    }
    const Result<session::Folders> folders = session::userFolders();
    if (!folders) {
        return complain(folders.error().message, 1);
    }
    const Result<std::unique_ptr<session::Project>> project = session::Project::open(request.project, {}, *folders);
    if (!project) {
        return complain(project.error().message, 1);
    }
    const Result<session::Comparison> comparison = comparisonOf(**project, request.group);
    if (!comparison) {
        return complain(comparison.error().message, 1);
    }
    const QString title = views::fromStd((*project)->title()) + QStringLiteral(" · ") + views::fromStd(comparison->group);
    const views::Theme theme = request.dark ? views::Theme::dark() : views::Theme::light();
    const QImage image = views::renderComparison(*comparison, title, theme, request.size, request.scale);
    if (!image.save(QFile::decodeName(request.output.c_str()), "PNG")) {
        return complain("The picture could not be written to " + request.output.string() + ".", 1);
    }
    return 0;
}

} // namespace nw::app
