#pragma once

#include "engine/base/result.h"
#include "engine/wire/kernel_abi.h"
#include "engine/wire/messages.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace nw::runner {

// An entry of a shared object; closes it in the end.
class LoadedCode {
public:
    // Failed "does not load: ..." with the loader's words.
    static Result<std::unique_ptr<LoadedCode>> open(const std::string& path, const std::string& symbol);
    ~LoadedCode();
    LoadedCode(const LoadedCode&) = delete;
    LoadedCode& operator=(const LoadedCode&) = delete;
    void* entry() const { return m_entry; }

private:
    LoadedCode(void* handle, void* entry)
        : m_handle(handle)
        , m_entry(entry)
    {}
    void* m_handle;
    void* m_entry;
};

// Something that can be run again and again. run() repeats inside, so that a call costs what it costs in a program.
class Subject {
public:
    virtual ~Subject() = default;
    virtual void run(std::int64_t times) = 0;
};

// A kernel's or a model's entry with its arguments. Pointers come in port order; of a model: inputs, outputs, constants,
// arena (wire/kernel_abi.h).
class Call : public Subject {
public:
    Call(const LoadedCode& code, bool isModel, const std::vector<wire::PortRole>& roles, std::vector<void*> pointers,
         std::int64_t threads);
    void run(std::int64_t times) override;
    // One run of a model that writes its time stamps.
    void runStamped(std::uint64_t* stamps);

private:
    void* m_entry;
    bool m_isModel;
    std::vector<void*> m_pointers;
    std::vector<void*> m_inputs, m_outputs, m_constants;
    void* m_arena = nullptr;
    nw_env m_env;
};

} // namespace nw::runner
