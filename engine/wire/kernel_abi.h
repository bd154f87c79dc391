#pragma once

#include <cstdint>

// The contract between generated code and whoever calls it.
extern "C" {

// Called by generated code for a parallel loop: runs task(context, begin, end) so that [0, n) is covered once, in pieces of
// any size and order, on up to `threads` threads, and returns when all is done. A weak default in every shared object
// uses OpenMP's GOMP_parallel; the embedding program may define its own.
typedef void (*nw_task)(void* context, std::int64_t begin, std::int64_t end);
typedef void (*nw_parallel_function)(nw_task task, void* context, std::int64_t n, std::int64_t threads);

struct nw_env {
    std::int64_t threads;  // upper limit for parallel loops; 1: never calls nw_parallel
    std::uint64_t* stamps; // model entry: time stamp counter before call 0 and after each call, n + 1 values; or null
};

// A kernel: ports in the definition's order, then the workspace (64-byte aligned, KernelListing::workspaceBytes).
typedef void (*nw_kernel)(void* const* ports, const nw_env* env);

// A model: graph inputs and outputs in the model's order (plain row-major), constants by Plan index in packed form, the
// arena (64-byte aligned, BuildReply::arenaBytes). Symbol "nw_model_run".
typedef void (*nw_model)(void* const* inputs, void* const* outputs, void* const* constants, void* arena, const nw_env* env);
}
