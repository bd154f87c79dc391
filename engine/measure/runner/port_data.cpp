#include "engine/measure/runner/port_data.h"

#include "engine/base/text.h"

#include <filesystem>

namespace nw::runner {
namespace {

class Loader {
public:
    explicit Loader(LoadedData& data)
        : m_data(data)
    {}

    Result<std::span<const std::byte>> map(const std::string& path)
    {
        if (const auto found = m_mapped.find(path); found != m_mapped.end()) {
            return found->second;
        }
        Result<MappedFile> file = mapFile(path);
        if (!file) {
            return file.error();
        }
        m_data.files.push_back(*file);
        m_mapped[path] = file->bytes;
        return file->bytes;
    }

    // The whole file as an array of T; an empty path gives an empty array.
    template <typename T>
    Result<std::span<const T>> mapAs(const std::string& path)
    {
        if (path.empty()) {
            return std::span<const T>();
        }
        const Result<std::span<const std::byte>> bytes = map(path);
        if (!bytes) {
            return bytes.error();
        }
        if (bytes->size() % sizeof(T) != 0) {
            return failed(format("{} is cut off: {} bytes", path, bytes->size()));
        }
        return std::span<const T>(reinterpret_cast<const T*>(bytes->data()), bytes->size() / sizeof(T));
    }

    Result<LoadedPort> load(const wire::PortData& port);

private:
    Status loadExpectation(const wire::PortData& port, LoadedPort& loaded);

    LoadedData& m_data;
    std::map<std::string, std::span<const std::byte>> m_mapped;
};

Status Loader::loadExpectation(const wire::PortData& port, LoadedPort& loaded)
{
    const auto values = mapAs<double>(port.expectedFile);
    const auto bounds = mapAs<double>(port.boundFile);
    const auto offsets = mapAs<std::int64_t>(port.logicalMapFile);
    if (!values) {
        return values.error();
    }
    if (!bounds) {
        return bounds.error();
    }
    if (!offsets) {
        return offsets.error();
    }
    loaded.isChecked = true;
    loaded.expectation = {*values, *bounds, *offsets};
    const std::size_t elementBytes = byteSize(loaded.type);
    if (loaded.bytes % elementBytes != 0) {
        return failed(format("an output of {} bytes is no whole number of elements", loaded.bytes));
    }
    Result<std::vector<std::int64_t>> rest =
        uncovered(loaded.expectation, static_cast<std::int64_t>(loaded.bytes / elementBytes));
    if (!rest) {
        return rest.error();
    }
    loaded.mustBeZero = *std::move(rest);
    return Done{};
}

Result<LoadedPort> Loader::load(const wire::PortData& port)
{
    LoadedPort loaded;
    loaded.role = port.role;
    loaded.type = parseDType(port.elementType).value_or(DType::Other);
    loaded.bytes = static_cast<std::size_t>(port.bytes);
    loaded.saveFile = port.saveFile;
    if (byteSize(loaded.type) == 0) {
        return failed(format("a port of unknown element type '{}'", port.elementType));
    }
    if (port.role == wire::PortRole::Input || port.role == wire::PortRole::Constant) {
        if (loaded.bytes > 0) {
            const Result<std::span<const std::byte>> bytes = map(port.file);
            if (!bytes) {
                return bytes.error();
            }
            const std::size_t offset = static_cast<std::size_t>(port.fileOffset);
            if (offset > bytes->size() || bytes->size() - offset < loaded.bytes) {
                return failed(format("{} has {} bytes, too few for a port of {} at {}", port.file, bytes->size(),
                                     loaded.bytes, offset));
            }
            loaded.contents = bytes->subspan(offset, loaded.bytes);
        }
    } else if (port.role == wire::PortRole::Output && !port.expectedFile.empty()) {
        if (const Status status = loadExpectation(port, loaded); !status) {
            return status.error();
        }
    }
    return loaded;
}

} // namespace

Result<LoadedData> loadData(const std::vector<std::vector<wire::PortData>>& sets)
{
    LoadedData data;
    Loader loader(data);
    for (const std::vector<wire::PortData>& set : sets) {
        LoadedSet& loaded = data.sets.emplace_back();
        for (const wire::PortData& port : set) {
            Result<LoadedPort> made = loader.load(port);
            if (!made) {
                return made.error();
            }
            const std::size_t index = loaded.size();
            if (index >= data.sets.front().size() && data.sets.size() > 1) {
                return failed("data sets of one job with different numbers of ports");
            }
            loaded.push_back(*std::move(made));
            if (loaded[index].bytes != data.sets.front()[index].bytes || loaded[index].role != data.sets.front()[index].role) {
                return failed(format("the data sets of a job differ in port {}", index));
            }
        }
    }
    return data;
}

} // namespace nw::runner
