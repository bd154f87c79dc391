#include "engine/code/link.h"

#include "engine/base/text.h"
#include "engine/code/kernel.h"

#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>

#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace nw::code {
namespace {

// lld keeps its state in globals: one link at a time.
Status runLinker(const std::vector<std::string>& arguments)
{
    static std::mutex mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    std::vector<const char*> pointers;
    for (const std::string& argument : arguments) {
        pointers.push_back(argument.c_str());
    }
    std::string printed;
    llvm::raw_string_ostream out(printed);
    const lld::Result result = lld::lldMain(pointers, out, out, {{lld::Gnu, &lld::elf::link}});
    if (result.retCode != 0) {
        return failed(format("Linking failed: {}", printed.empty() ? "the linker gave no reason" : printed));
    }
    return Done{};
}

} // namespace

MemoryFile::MemoryFile(const std::string& bytes)
    : m_fd(memfd_create("nestwright-object", MFD_CLOEXEC))
{
    std::size_t written = 0;
    while (m_fd >= 0 && written < bytes.size()) {
        const ssize_t count = write(m_fd, bytes.data() + written, bytes.size() - written);
        if (count <= 0) {
            break;
        }
        written += static_cast<std::size_t>(count);
    }
    m_complete = m_fd >= 0 && written == bytes.size();
}

MemoryFile::MemoryFile(MemoryFile&& other) noexcept
    : m_fd(std::exchange(other.m_fd, -1))
    , m_complete(other.m_complete)
{}

MemoryFile::~MemoryFile()
{
    if (m_fd >= 0) {
        close(m_fd);
    }
}

std::string MemoryFile::path() const
{
    return format("/proc/self/fd/{}", m_fd);
}

Status linkShared(const std::vector<std::string>& objects, const std::vector<std::string>& more, const std::string& path,
                  const std::string& soname)
{
    std::vector<MemoryFile> files;
    std::vector<std::string> arguments = {"ld.lld", "-shared", "--threads=1", "--hash-style=gnu", "-z", "noexecstack",
                                          "-z", "max-page-size=4096", "--build-id=none", "-o", path};
    if (!soname.empty()) {
        arguments.insert(arguments.end(), {"-soname", soname});
    }
    if (soname.empty()) {
        arguments.push_back("--no-undefined");
    }
    for (const std::string& object : objects) {
        files.emplace_back(object);
        if (!files.back().complete()) {
            return failed("Linking failed: there is no memory for the object files.");
        }
        arguments.push_back(files.back().path());
    }
    arguments.push_back("--as-needed");
    arguments.insert(arguments.end(), more.begin(), more.end());
    return runLinker(arguments);
}

Status linkSharedObject(const std::vector<const CompiledObject*>& objects, const std::string& path,
                        const std::vector<SymbolAlias>& aliases)
{
    std::vector<std::string> bytes;
    for (const CompiledObject* object : objects) {
        bytes.push_back(object->bytes);
    }
    const auto libraries = stubLibraries(path);
    if (!libraries) {
        return libraries.error();
    }
    std::vector<std::string> more = *libraries;
    for (const SymbolAlias& alias : aliases) {
        more.push_back(format("--defsym={}={}", alias.name, alias.means));
    }
    return linkShared(bytes, more, path, "");
}

} // namespace nw::code
