#include "engine/measure/keep_file.h"

#include "engine/base/text.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace nw::measure {

Status keepFile(const std::filesystem::path& path, std::string_view bytes)
{
    std::string temporary = path.string() + ".XXXXXX";
    const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
    if (fd < 0) {
        return failed(format("cannot write {}: {}", path.string(), std::strerror(errno)));
    }
    std::size_t written = 0;
    while (written < bytes.size()) {
        const ssize_t count = ::write(fd, bytes.data() + written, bytes.size() - written);
        if (count < 0 && errno != EINTR) {
            break;
        }
        written += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    const int code = written < bytes.size() ? errno : 0;
    ::close(fd);
    if (code != 0 || std::rename(temporary.c_str(), path.c_str()) != 0) {
        const std::string words = std::strerror(code != 0 ? code : errno);
        ::unlink(temporary.c_str());
        return failed(format("cannot write {}: {}", path.string(), words));
    }
    return Done{};
}

bool hasSize(const std::filesystem::path& path, std::int64_t bytes)
{
    std::error_code code;
    const std::uintmax_t size = std::filesystem::file_size(path, code);
    return !code && size == static_cast<std::uintmax_t>(bytes);
}

} // namespace nw::measure
