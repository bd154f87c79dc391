#include "engine/measure/runner/kernel.h"

#include "engine/base/text.h"

#include <dlfcn.h>

namespace nw::runner {

Result<std::unique_ptr<LoadedCode>> LoadedCode::open(const std::string& path, const std::string& symbol)
{
    // A name without a slash would be looked for in the system's folders.
    if (path.empty() || path.find('/') == std::string::npos) {
        return failed(format("does not load: '{}' is no path of a shared object", path));
    }
    void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const char* const words = ::dlerror();
        return failed(format("does not load: {}", words != nullptr ? words : path.c_str()));
    }
    void* const entry = ::dlsym(handle, symbol.c_str());
    if (entry == nullptr) {
        ::dlclose(handle);
        return failed(format("does not load: {} has no '{}'", path, symbol));
    }
    return std::unique_ptr<LoadedCode>(new LoadedCode(handle, entry));
}

LoadedCode::~LoadedCode()
{
    ::dlclose(m_handle);
}

Call::Call(const LoadedCode& code, bool isModel, const std::vector<wire::PortRole>& roles, std::vector<void*> pointers,
           std::int64_t threads)
    : m_entry(code.entry())
    , m_isModel(isModel)
    , m_pointers(std::move(pointers))
    , m_env{threads, nullptr}
{
    for (std::size_t i = 0; isModel && i < roles.size(); ++i) {
        switch (roles[i]) {
        case wire::PortRole::Input: m_inputs.push_back(m_pointers[i]); break;
        case wire::PortRole::Output: m_outputs.push_back(m_pointers[i]); break;
        case wire::PortRole::Constant: m_constants.push_back(m_pointers[i]); break;
        case wire::PortRole::Scratch: m_arena = m_pointers[i]; break;
        }
    }
}

void Call::run(std::int64_t times)
{
    if (m_isModel) {
        const nw_model entry = reinterpret_cast<nw_model>(m_entry);
        for (std::int64_t i = 0; i < times; ++i) {
            entry(m_inputs.data(), m_outputs.data(), m_constants.data(), m_arena, &m_env);
        }
        return;
    }
    const nw_kernel entry = reinterpret_cast<nw_kernel>(m_entry);
    for (std::int64_t i = 0; i < times; ++i) {
        entry(m_pointers.data(), &m_env);
    }
}

void Call::runStamped(std::uint64_t* stamps)
{
    m_env.stamps = stamps;
    run(1);
    m_env.stamps = nullptr;
}

} // namespace nw::runner
