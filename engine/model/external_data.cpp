#include "engine/model/external_data.h"

#include "engine/base/text.h"

#include <algorithm>
#include <system_error>

namespace nw::model {
namespace {

namespace fs = std::filesystem;

bool isInside(const fs::path& folder, const fs::path& file)
{
    const auto [end, at] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
    return end == folder.end() && at != file.end();
}

} // namespace

Result<MappedFile> ExternalFiles::open(const std::string& location)
{
    if (const auto found = m_open.find(location); found != m_open.end()) {
        return found->second;
    }
    if (m_folder.empty()) {
        return failed(format("external data \"{}\" needs the model's folder; open the model as a file", location));
    }
    if (location.empty() || location.find('\0') != std::string::npos) {
        return failed("external data without a usable location");
    }
    const fs::path relative(location);
    const bool climbs = std::any_of(relative.begin(), relative.end(), [](const fs::path& part) { return part == ".."; });
    if (relative.is_absolute() || climbs) {
        return failed(format("external data \"{}\" leaves the model's folder; put the file beside the model", location));
    }
    std::error_code error;
    const fs::path folder = fs::canonical(m_folder, error);
    if (error) {
        return failed(format("cannot read the folder {}: {}", m_folder.string(), error.message()));
    }
    const fs::path file = fs::canonical(folder / relative, error);
    if (error) {
        return failed(format("external data \"{}\" is missing: {}", location, error.message()));
    }
    if (!isInside(folder, file)) {
        return failed(format("external data \"{}\" leads out of the model's folder; put the file itself beside the model",
            location));
    }
    if (!fs::is_regular_file(file, error)) {
        return failed(format("external data \"{}\" is not a regular file", location));
    }
    Result<MappedFile> mapped = mapFile(file);
    if (mapped) {
        m_open.emplace(location, *mapped);
    }
    return mapped;
}

} // namespace nw::model
