#include "engine/base/text.h"
#include "engine/bundle/bundle.h"
#include "engine/session/workbench.h"

#include <unistd.h>

namespace nw::session {
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

} // namespace

Result<Exported> exportModel(Project& project, measure::LocalDevice& device, const std::filesystem::path& folder,
                             const std::string& name, bool allowUnproven, const StopToken& stop)
{
    const std::filesystem::path object =
        std::filesystem::temp_directory_path() / format("nestwright-export-{}.so", getpid());
    const Result<BuiltModel> built = buildModel(project, device, {object, false, 600000, allowUnproven}, stop);
    if (!built) {
        return built.error();
    }
    bundle::Model model;
    model.name = name;
    model.sharedObject = object;
    model.constants = built->constants;
    model.arenaBytes = built->arenaBytes;
    model.inputs = tensorsOf(*project.graph(), project.graph()->inputs);
    model.outputs = tensorsOf(*project.graph(), project.graph()->outputs);
    model.target = project.target();
    model.threads = project.choices().threads;
    model.unproven = built->unproven;
    const Status written = bundle::write(model, folder);
    std::error_code ignored;
    std::filesystem::remove(object, ignored);
    if (!written) {
        return written.error();
    }
    return Exported{bundle::identifier(model.name), built->kernels, built->unproven};
}

} // namespace nw::session
