#pragma once

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/code/kernel.h"
#include "engine/wire/messages.h"

#include <map>
#include <string>

namespace nw::code {

// Answers build jobs: definition and script to nest to Lowered to object, equal kernels once, kernels side by side on
// `threads` threads; then one link. Keeps what does not change between jobs. Not thread-safe.
class Builder {
public:
    explicit Builder(int threads);

    // The errors are those of parsing, scheduling, lowering and compiling, with line, column and refusal kept; a kernel
    // of a job with several is named in the message. Nothing is written unless all goes well.
    Result<wire::BuildReply> build(const wire::BuildJob& job);

private:
    Result<const CompiledObject*> parallelRuntime(const Target& target);

    ThreadPool m_pool;
    std::map<std::string, CompiledObject> m_runtimes; // by target text
};

// The kernel's program, before code is made.
Result<lower::Lowered> lowerKernel(const wire::KernelJob& job, const Target& target);

} // namespace nw::code
