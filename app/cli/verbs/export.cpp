#include "app/cli/command.h"

#include "engine/base/text.h"
#include "engine/session/workbench.h"

#include <filesystem>
#include <memory>

namespace nw::app {
namespace {

int exportModel(const CommonOptions& options, const std::string& folder, const std::string& name, bool allowUnproven)
{
    Session session(options);
    const Result<session::Project*> opened = session.project();
    if (!opened) {
        return session.fail(opened.error());
    }
    session::Project& project = **opened;
    const Result<measure::LocalDevice*> device = session.device();
    if (!device) {
        return session.fail(device.error());
    }
    std::string title = name.empty() ? std::filesystem::path(options.model).lexically_normal().stem().string() : name;
    if (title.empty()) {
        title = std::filesystem::path(options.model).parent_path().filename().string();
    }
    session.progress("building");
    const Result<session::Exported> made = session::exportModel(project, **device, folder, title, allowUnproven, session.stop());
    session.progress("");
    if (!made) {
        return session.fail(made.error());
    }
    const std::string& target = project.target().name;
    session.say(format("{0}: lib{1}.so, {1}_weights.bin, {1}.h, {1}.c, sample.c, README.txt (target {2})", folder, made->name, target));
    for (const std::string& step : made->unproven) {
        session.say("NOT PROVED: " + step);
    }
    session.emit({{"folder", folder}, {"name", made->name}, {"kernels", made->kernels}, {"target", target},
                  {"unproven", made->unproven}});
    return Fine;
}

} // namespace

void addExport(const Arguments& program, CommonOptions& options, int& exitCode)
{
    const Arguments verb = program.verb("export", "a folder with shared object, weights, C header and a C sample");
    addCommon(verb, options);
    const auto folder = std::make_shared<std::string>();
    const auto name = std::make_shared<std::string>();
    verb.option("-o,--output", *folder, "the folder").required();
    verb.option("--name", *name, "name in C; the model's file name when absent");
    const auto unproven = std::make_shared<bool>(false);
    verb.flag("--unproven", *unproven, "also with steps that could not be proved; the folder says which");
    verb.run([&options, &exitCode, folder, name, unproven] { exitCode = exportModel(options, *folder, *name, *unproven); });
}

} // namespace nw::app
