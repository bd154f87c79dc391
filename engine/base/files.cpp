#include "engine/base/files.h"

#include "engine/base/text.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nw {
namespace {

namespace fs = std::filesystem;

class Descriptor {
public:
    explicit Descriptor(int number)
        : m_number(number)
    {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number() const { return m_number; }
    bool isOpen() const { return m_number >= 0; }
    int close() { return m_number >= 0 ? ::close(std::exchange(m_number, -1)) : 0; }

private:
    int m_number;
};

Error systemError(std::string_view action, const fs::path& path, int code)
{
    return failed(format("Cannot {} \"{}\": {}.", action, path.string(), std::strerror(code)));
}

// Size of an open regular file.
Result<std::size_t> regularSize(const Descriptor& file, const fs::path& path)
{
    if (!file.isOpen()) {
        return systemError("open", path, errno);
    }
    struct stat status = {};
    if (fstat(file.number(), &status) != 0) {
        return systemError("read", path, errno);
    }
    if (S_ISDIR(status.st_mode)) {
        return failed(format("Cannot read \"{}\": it is a folder. Name a file.", path.string()));
    }
    if (!S_ISREG(status.st_mode)) {
        return failed(format("Cannot read \"{}\": it is not a regular file.", path.string()));
    }
    return static_cast<std::size_t>(status.st_size);
}

Status writeAll(const Descriptor& file, std::string_view bytes, const fs::path& path)
{
    while (!bytes.empty()) {
        const ssize_t written = ::write(file.number(), bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return systemError("write", path, errno);
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return Done{};
}

// Makes the rename durable; a file system that cannot sync a folder is no reason to fail.
void syncFolder(const fs::path& folder)
{
    const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (opened.isOpen()) {
        ::fsync(opened.number());
    }
}

Result<fs::path> madeFolder(const fs::path& folder)
{
    std::error_code code;
    fs::create_directories(folder, code);
    if (code || !fs::is_directory(folder, code)) {
        return failed(format("Cannot make the folder \"{}\": {}.", folder.string(),
                             code ? code.message() : "something else is there"));
    }
    return folder;
}

// An absolute path from the environment; relative ones are invalid by the XDG specification.
fs::path folderFromEnvironment(const char* name)
{
    const char* value = std::getenv(name);
    if (value == nullptr || value[0] != '/') {
        return {};
    }
    return value;
}

Result<fs::path> userFolder(const char* variable, const char* underHome)
{
    fs::path base = folderFromEnvironment(variable);
    if (base.empty()) {
        const fs::path home = folderFromEnvironment("HOME");
        if (home.empty()) {
            return failed(format("There is no home folder. Set HOME or {} to a folder.", variable));
        }
        base = home / underHome;
    }
    return madeFolder(base / "nestwright");
}

} // namespace

Result<MappedFile> mapFile(const fs::path& path)
{
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    const Result<std::size_t> size = regularSize(file, path);
    if (!size) {
        return size.error();
    }
    if (*size == 0) {
        return MappedFile{};
    }
    void* address = mmap(nullptr, *size, PROT_READ, MAP_PRIVATE, file.number(), 0);
    if (address == MAP_FAILED) {
        return systemError("map", path, errno);
    }
    MappedFile mapped;
    mapped.owner = std::shared_ptr<const void>(
        address, [length = *size](const void* p) { munmap(const_cast<void*>(p), length); });
    mapped.bytes = {static_cast<const std::byte*>(address), *size};
    return mapped;
}

Result<std::string> readFile(const fs::path& path, std::size_t limit)
{
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    const Result<std::size_t> size = regularSize(file, path);
    if (!size) {
        return size.error();
    }
    const auto tooLarge = [&] {
        return failed(format("Cannot read \"{}\": it has more than {} bytes, the most that is read here.",
                             path.string(), limit));
    };
    if (*size > limit) {
        return tooLarge();
    }
    // Read to the end, not to the size told: files of /proc and growing files tell less.
    std::string text;
    text.resize(*size + 1);
    std::size_t used = 0;
    for (;;) {
        if (used == text.size()) {
            text.resize(text.size() * 2);
        }
        const ssize_t got = ::read(file.number(), text.data() + used, text.size() - used);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return systemError("read", path, errno);
        }
        if (got == 0) {
            break;
        }
        used += static_cast<std::size_t>(got);
        if (used > limit) {
            return tooLarge();
        }
    }
    text.resize(used);
    return text;
}

Status writeFile(const fs::path& path, std::string_view bytes)
{
    if (path.filename().empty()) {
        return failed(format("Cannot write \"{}\": it is not the name of a file.", path.string()));
    }
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    std::string temporary = (folder / ("." + path.filename().string() + ".XXXXXX")).string();
    Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
    if (!file.isOpen()) {
        return systemError("write", path, errno);
    }
    // mkstemp makes the file private; keep the mode of the file replaced, or the ordinary one.
    struct stat before = {};
    const mode_t mode = ::stat(path.c_str(), &before) == 0 ? (before.st_mode & 0777) : mode_t{0644};
    Status written = writeAll(file, bytes, path);
    if (written && (::fchmod(file.number(), mode) != 0 || ::fsync(file.number()) != 0 || file.close() != 0
                    || ::rename(temporary.c_str(), path.c_str()) != 0)) {
        written = systemError("write", path, errno);
    }
    if (!written) {
        ::unlink(temporary.c_str());
        return written;
    }
    syncFolder(folder);
    return Done{};
}

Result<fs::path> dataFolder()
{
    return userFolder("XDG_DATA_HOME", ".local/share");
}

Result<fs::path> cacheFolder()
{
    return userFolder("XDG_CACHE_HOME", ".cache");
}

Result<fs::path> runtimeFolder()
{
    const fs::path base = folderFromEnvironment("XDG_RUNTIME_DIR");
    fs::path folder;
    std::error_code code;
    if (!base.empty() && fs::is_directory(base, code)) {
        folder = base / "nestwright";
    } else {
        fs::path temporary = fs::temp_directory_path(code);
        if (code) {
            temporary = "/tmp";
        }
        folder = temporary / format("nestwright-{}", ::getuid());
    }
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
        return systemError("make the folder", folder, errno);
    }
    // Sockets lie here: a link or a folder of somebody else's must not be trusted.
    struct stat status = {};
    if (::lstat(folder.c_str(), &status) != 0) {
        return systemError("use the folder", folder, errno);
    }
    if (!S_ISDIR(status.st_mode) || status.st_uid != ::getuid()) {
        return failed(format("Cannot use \"{}\": it is not a folder of this user's. Remove it.", folder.string()));
    }
    if ((status.st_mode & 0777) != 0700 && ::chmod(folder.c_str(), 0700) != 0) {
        return systemError("protect the folder", folder, errno);
    }
    return folder;
}

} // namespace nw
