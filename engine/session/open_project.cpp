#include "engine/base/files.h"
#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "engine/model/onnx_file.h"
#include "engine/session/project_state.h"

#include <algorithm>
#include <fstream>

namespace nw::session {
namespace {

namespace fs = std::filesystem;

bool looksLikeDatabase(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    char head[16] = {};
    file.read(head, sizeof head);
    return std::string_view(head, sizeof head) == std::string_view("SQLite format 3\0", 16);
}

// The title of a sample is the first heading of its README.
std::string titleFromReadme(const fs::path& readme, const std::string& otherwise)
{
    const Result<std::string> text = readFile(readme, 1 << 20);
    if (text) {
        for (const std::string& line : splitText(*text, '\n')) {
            if (line.starts_with("# ")) {
                return std::string(trim(line.substr(2)));
            }
        }
    }
    return otherwise;
}

Status readModelInto(Source& source)
{
    Result<model::Model> read = model::readModel(source.modelPath);
    if (!read) {
        return read.error();
    }
    source.model = *std::move(read);
    const Result<MappedFile> mapped = mapFile(source.modelPath);
    if (!mapped) {
        return mapped.error();
    }
    source.modelHash = contentHash(mapped->bytes);
    return Done{};
}

Result<Source> readSample(Source source)
{
    source.kind = Source::Kind::Sample;
    for (const char* name : {"model.onnxtxt", "model.onnx"}) {
        if (fs::exists(source.path / name)) {
            source.modelPath = source.path / name;
            break;
        }
    }
    if (source.modelPath.empty()) {
        return failed(source.path.string() + " is a folder without model.onnxtxt or model.onnx, so it is no sample. Give a model file.");
    }
    const Status read = readModelInto(source);
    if (!read) {
        return read.error();
    }
    source.title = titleFromReadme(source.path / "README.md", source.title);
    if (fs::exists(source.path / "choices.txt")) {
        const Result<std::string> choices = readFile(source.path / "choices.txt", 1 << 20);
        if (!choices) {
            return choices.error();
        }
        source.choicesText = *choices;
    }
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(source.path, ignored)) {
        if (entry.path().extension() == ".sched") {
            const Result<std::string> script = readFile(entry.path(), 1 << 20);
            if (!script) {
                return script.error();
            }
            source.samples[entry.path().stem().string()] = *script;
        }
    }
    return source;
}

Result<Source> readProjectFile(Source source)
{
    source.kind = Source::Kind::ProjectFile;
    const Result<std::unique_ptr<record::Database>> opened = record::Database::open(source.path, false);
    if (!opened) {
        return opened.error();
    }
    const record::Database& database = **opened;
    const auto text = [&](const std::string& key) -> std::string {
        const Result<std::optional<std::string>> value = database.text(key);
        return value && *value ? **value : std::string();
    };
    source.title = text("title");
    source.choicesText = text("choices");
    source.modelHash = text("model.hash");
    const fs::path original = text("model.path");
    const Result<std::optional<std::vector<std::byte>>> embedded = database.blob("model");
    if (!embedded) {
        return embedded.error();
    }
    Result<model::Model> read = failed("");
    if (*embedded) {
        const std::vector<std::byte>& bytes = **embedded;
        // External data stays where the original model was.
        read = model::parseModelBytes(bytes, original.parent_path());
    } else if (!original.empty() && fs::exists(original)) {
        source.modelPath = original;
        read = model::readModel(original);
    } else {
        return failed(source.path.string() + " keeps no model, and " + (original.empty() ? "none is named" : original.string() + " is gone") +
                      ". Open the model file itself.");
    }
    if (!read) {
        return read.error();
    }
    source.model = *std::move(read);
    for (const std::string& name : splitText(text("samples"), '\n')) {
        if (!name.empty()) {
            source.samples[name] = text("sample." + name);
        }
    }
    return source;
}

} // namespace

Result<Folders> userFolders()
{
    const Result<fs::path> data = dataFolder();
    const Result<fs::path> cache = cacheFolder();
    const Result<fs::path> runtime = runtimeFolder();
    for (const Result<fs::path>* folder : {&data, &cache, &runtime}) {
        if (!*folder) {
            return folder->error();
        }
    }
    return Folders{*data, *cache, *runtime};
}

Result<measure::LocalDevice::Settings> deviceSettings()
{
    const Result<measure::Programs> programs = measure::findPrograms();
    if (!programs) {
        return programs.error();
    }
    const Result<Folders> folders = userFolders();
    if (!folders) {
        return folders.error();
    }
    measure::LocalDevice::Settings settings;
    settings.programs = *programs;
    settings.cacheFolder = folders->cache;
    settings.runtimeFolder = folders->runtime;
    return settings;
}

Result<Source> readSource(const fs::path& path, const Folders& folders)
{
    (void)folders;
    std::error_code problem;
    Source source;
    source.path = fs::absolute(path, problem).lexically_normal();
    if (source.path.filename().empty()) {
        source.path = source.path.parent_path();
    }
    if (!fs::exists(source.path, problem)) {
        return failed("There is no file or folder " + path.string() + ".");
    }
    source.title = source.path.stem().string();
    if (fs::is_directory(source.path)) {
        return readSample(std::move(source));
    }
    if (looksLikeDatabase(source.path)) {
        return readProjectFile(std::move(source));
    }
    source.modelPath = source.path;
    const Status read = readModelInto(source);
    if (!read) {
        return read.error();
    }
    return source;
}

fs::path projectPathOf(const Source& source, const Folders& folders)
{
    if (source.kind == Source::Kind::ProjectFile) {
        return source.path;
    }
    std::string name = source.path.stem().string();
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '/' || static_cast<unsigned char>(c) < 0x20; }, '_');
    // The folder a sample lies in is part of its identity: two checkouts do not share edits by accident.
    const std::string key = contentHash(source.path.string() + "\n" + source.modelHash).substr(0, 10);
    return folders.data / "projects" / (name + "-" + key + ".nest");
}

} // namespace nw::session
