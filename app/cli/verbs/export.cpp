#include "app/cli/command.h"

#include "engine/base/text.h"
#include "engine/bundle/bundle.h"
#include "engine/session/workbench.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <unistd.h>

namespace nw::app {
namespace {

std::vector<bundle::Tensor> tensorsOf(const graph::Graph& graph, const std::vector<graph::ValueId>& values)
{
    std::vector<bundle::Tensor> tensors;
    for (const graph::ValueId id : values) {
        const graph::Value& value = graph.values[static_cast<std::size_t>(id)];
        tensors.push_back({value.name, std::string(toText(value.type.type)), *graph.staticShape(id)});
    }
    return tensors;
}

int exportModel(const CommonOptions& options, const std::string& folder, const std::string& name)
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
    const std::filesystem::path object =
        std::filesystem::temp_directory_path() / format("nestwright-export-{}.so", getpid());
    session.progress("building");
    const Result<session::BuiltModel> built = session::buildModel(project, **device, {object, false, 600000}, session.stop());
    session.progress("");
    if (!built) {
        return session.fail(built.error());
    }
    bundle::Model model;
    model.name = name.empty() ? std::filesystem::path(options.model).lexically_normal().stem().string() : name;
    if (model.name.empty()) {
        model.name = std::filesystem::path(options.model).parent_path().filename().string();
    }
    model.sharedObject = object;
    model.constants = built->constants;
    model.arenaBytes = built->arenaBytes;
    model.inputs = tensorsOf(*project.graph(), project.graph()->inputs);
    model.outputs = tensorsOf(*project.graph(), project.graph()->outputs);
    model.target = project.target();
    model.threads = project.choices().threads;
    const Status written = bundle::write(model, folder);
    std::error_code ignored;
    std::filesystem::remove(object, ignored);
    if (!written) {
        return session.fail(written.error());
    }
    const std::string id = bundle::identifier(model.name);
    session.say(format("{0}: lib{1}.so, {1}_weights.bin, {1}.h, {1}.c, sample.c, README.txt (target {2})", folder, id, model.target.name));
    session.emit({{"folder", folder}, {"name", id}, {"kernels", built->kernels}, {"target", model.target.name}});
    return Fine;
}

} // namespace

void addExport(CLI::App& app, CommonOptions& options, int& exitCode)
{
    CLI::App* verb = app.add_subcommand("export", "a folder with shared object, weights, C header and a C sample");
    addCommon(*verb, options);
    const auto folder = std::make_shared<std::string>();
    const auto name = std::make_shared<std::string>();
    verb->add_option("-o,--output", *folder, "the folder")->required();
    verb->add_option("--name", *name, "name in C; the model's file name when absent");
    verb->callback([&options, &exitCode, folder, name] { exitCode = exportModel(options, *folder, *name); });
}

} // namespace nw::app
