#include "engine/measure/task_data.h"

#include "engine/base/files.h"
#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "engine/compute/interpret.h"
#include "engine/measure/cache_limit.h"
#include "engine/measure/device.h"
#include "engine/measure/keep_file.h"
#include "engine/measure/layout_offsets.h"

#include <algorithm>

namespace nw::measure {
namespace {

// Changes when the test data or the oracle do, so that older files are not believed.
constexpr int kDataVersion = 2;
constexpr std::uint64_t kSeed = 20240229;

using compute::PortKind;

std::string fileName(const std::string& set, const std::string& what, std::size_t port)
{
    return format("{}.{}.{}", set, what, port);
}

template <typename T>
std::string_view bytesOf(const std::vector<T>& values)
{
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string_view bytesOf(const Tensor& tensor)
{
    return {reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size()};
}

Status writeSet(const std::filesystem::path& folder, const std::string& name, const compute::Definition& definition,
                const std::vector<Tensor>& inputs, const std::vector<compute::OracleOutput>& outputs)
{
    std::size_t nextInput = 0;
    std::size_t nextOutput = 0;
    for (std::size_t i = 0; i < definition.ports.size(); ++i) {
        Status written = Done{};
        if (definition.ports[i].kind != PortKind::Output) {
            written = keepFile(folder / fileName(name, "plain", i), bytesOf(inputs[nextInput++]));
        } else {
            const compute::OracleOutput& output = outputs[nextOutput++];
            written = keepFile(folder / fileName(name, "expected", i), bytesOf(output.values));
            if (written) {
                written = keepFile(folder / fileName(name, "bound", i), bytesOf(output.bounds));
            }
        }
        if (!written) {
            return written;
        }
    }
    return Done{};
}

Status makeSet(const std::filesystem::path& folder, const std::string& name, compute::DataKind kind,
               const compute::Definition& definition, int threads, const StopToken& stop)
{
    const Result<std::vector<Tensor>> inputs = compute::makeTestData(definition, kind, kSeed);
    if (!inputs) {
        return inputs.error();
    }
    const Result<std::vector<compute::OracleOutput>> outputs = compute::interpret(definition, *inputs, threads, stop);
    if (!outputs) {
        return outputs.error();
    }
    return writeSet(folder, name, definition, *inputs, *outputs);
}

bool isComplete(const std::filesystem::path& folder, const std::string& set)
{
    return std::filesystem::exists(folder / (set + ".done"));
}

} // namespace

Result<TaskData> TaskData::prepare(const std::filesystem::path& cacheFolder, const compute::Definition& definition,
                                   int threads, const StopToken& stop)
{
    TaskData data;
    const std::string key = contentHash(format("{} {} {}", kDataVersion, kSeed, compute::identity(definition)));
    data.m_folder = cacheFolder / "tasks" / key;
    data.m_definition = definition;
    const bool isExact = compute::isExactOnIntegers(definition);
    if (isExact) {
        data.m_sets.push_back({"integers", true});
    }
    data.m_sets.push_back({"uniform", false});

    std::error_code code;
    std::filesystem::create_directories(data.m_folder, code);
    if (code) {
        return failed(format("cannot make {}: {}", data.m_folder.string(), code.message()));
    }
    markUsed(data.m_folder);
    limitCacheAtTimes(cacheFolder);
    for (const Set& set : data.m_sets) {
        if (isComplete(data.m_folder, set.name)) {
            continue;
        }
        const compute::DataKind kind = set.isExact ? compute::DataKind::SmallIntegers : compute::DataKind::Uniform;
        if (const Status made = makeSet(data.m_folder, set.name, kind, definition, threads, stop); !made) {
            return made.error();
        }
        if (const Status done = keepFile(data.m_folder / (set.name + ".done"), ""); !done) {
            return done.error();
        }
    }
    return data;
}

bool TaskData::isThere() const
{
    markUsed(m_folder);
    return std::all_of(m_sets.begin(), m_sets.end(), [this](const Set& set) { return isComplete(m_folder, set.name); });
}

Result<wire::PortData> TaskData::portData(const Set& set, std::size_t index, const Layout& layout) const
{
    const compute::Port& port = m_definition.ports[index];
    const auto shape = m_definition.staticShape(port.name);
    ENSURE(shape.has_value(), "task data of a definition with open extents");
    Result<LayoutOffsets> offsets = LayoutOffsets::create(layout, *shape);
    if (!offsets) {
        return offsets.error();
    }
    wire::PortData result;
    result.elementType = std::string(toText(port.type));
    result.bytes = offsets->memoryElements() * static_cast<std::int64_t>(byteSize(port.type));
    const std::string form = layout.isPlain() ? "" : "." + contentHash(layout.toText());
    if (port.kind == PortKind::Output) {
        result.role = wire::PortRole::Output;
        result.expectedFile = (m_folder / fileName(set.name, "expected", index)).string();
        if (!set.isExact) {
            result.boundFile = (m_folder / fileName(set.name, "bound", index)).string();
        }
        if (!layout.isPlain()) {
            const std::filesystem::path file = m_folder / (fileName("all", "map", index) + form);
            if (!hasSize(file, offsets->logicalElements() * 8)) {
                if (const Status kept = keepFile(file, bytesOf(offsets->all())); !kept) {
                    return kept.error();
                }
            }
            result.logicalMapFile = file.string();
        }
        return result;
    }
    result.role = port.kind == PortKind::Input ? wire::PortRole::Input : wire::PortRole::Constant;
    const std::filesystem::path plain = m_folder / fileName(set.name, "plain", index);
    const std::filesystem::path file = m_folder / (fileName(set.name, "plain", index) + form);
    if (!layout.isPlain() && !hasSize(file, result.bytes)) {
        const Result<MappedFile> mapped = mapFile(plain);
        if (!mapped) {
            return mapped.error();
        }
        const Result<Tensor> tensor = Tensor::wrap(port.type, *shape, mapped->owner, mapped->bytes);
        if (!tensor) {
            return tensor.error();
        }
        if (const Status kept = keepFile(file, bytesOf(packTensor(*tensor, layout))); !kept) {
            return kept.error();
        }
    }
    result.file = file.string();
    return result;
}

Result<std::vector<std::vector<wire::PortData>>> TaskData::dataSets(const std::vector<Layout>& layouts,
                                                                    std::int64_t workspaceBytes) const
{
    std::vector<std::vector<wire::PortData>> sets;
    for (const Set& set : m_sets) {
        std::vector<wire::PortData>& ports = sets.emplace_back();
        for (std::size_t i = 0; i < m_definition.ports.size(); ++i) {
            Result<wire::PortData> port = portData(set, i, i < layouts.size() ? layouts[i] : Layout{});
            if (!port) {
                return port.error();
            }
            ports.push_back(*std::move(port));
        }
        wire::PortData workspace;
        workspace.role = wire::PortRole::Scratch;
        workspace.bytes = workspaceBytes;
        ports.push_back(workspace);
    }
    return sets;
}

} // namespace nw::measure
