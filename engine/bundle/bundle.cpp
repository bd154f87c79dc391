#include "engine/bundle/bundle.h"

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/bundle/c_sources.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace nw::bundle {
namespace {

constexpr std::int64_t kAlignment = 4096; // of each constant in the weights file, so that large ones start on a page

} // namespace

std::string identifier(const std::string& text)
{
    std::string id;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        id += byte < 0x80 && std::isalnum(byte) != 0 ? c : '_';
    }
    if (id.empty() || std::isdigit(static_cast<unsigned char>(id[0])) != 0) {
        id = "m_" + id;
    }
    static constexpr std::array<std::string_view, 12> kTaken{"auto", "break", "case", "char", "const", "double",
                                                             "float", "int", "long", "main", "short", "void"};
    if (std::find(kTaken.begin(), kTaken.end(), id) != kTaken.end()) {
        id += "_model";
    }
    return id;
}

Status write(const Model& model, const std::filesystem::path& folder)
{
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem) {
        return failed("The folder " + folder.string() + " cannot be made: " + problem.message() + ".");
    }
    const std::string id = identifier(model.name);

    std::string weights;
    std::vector<std::int64_t> offsets;
    for (const std::vector<std::byte>& constant : model.constants) {
        // A small constant needs only its elements' alignment; vectors like whole cache lines.
        const std::int64_t alignment = static_cast<std::int64_t>(constant.size()) >= kAlignment ? kAlignment : 64;
        weights.resize((weights.size() + static_cast<std::size_t>(alignment) - 1) / static_cast<std::size_t>(alignment) *
                       static_cast<std::size_t>(alignment));
        offsets.push_back(static_cast<std::int64_t>(weights.size()));
        weights.append(reinterpret_cast<const char*>(constant.data()), constant.size());
    }
    const auto weightsBytes = static_cast<std::int64_t>(weights.size());
    for (const auto& [name, text] : {std::pair<std::string, std::string>{id + "_weights.bin", std::move(weights)},
                                     {id + ".h", headerText(model, id)},
                                     {id + ".c", loaderText(model, id, offsets, weightsBytes)},
                                     {"sample.c", sampleText(model, id)},
                                     {"README.txt", readmeText(model, id)}}) {
        const Status written = writeFile(folder / name, text);
        if (!written) {
            return written;
        }
    }
    std::filesystem::copy_file(model.sharedObject, folder / ("lib" + id + ".so"),
                               std::filesystem::copy_options::overwrite_existing, problem);
    if (problem) {
        return failed("The library cannot be written to " + folder.string() + ": " + problem.message() + ".");
    }
    return Done{};
}

} // namespace nw::bundle
