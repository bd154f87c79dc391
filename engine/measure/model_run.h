#pragma once

#include "engine/base/stop.h"
#include "engine/base/tensor.h"
#include "engine/measure/device.h"
#include "engine/measure/worker.h"
#include "engine/wire/messages.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nw::measure {

// A compiled model and everything needed to call its entry function once (wire/kernel_abi.h). The runner checks it with
// every buffer flush against a page without access, at both edges, then times it; outputs come from the checked run.
struct ModelRunRequest {
    std::string sharedObject;            // BuildReply::path
    std::string symbol = "nw_model_run";
    std::vector<Tensor> inputs;          // graph inputs in the model's order, plain row-major

    struct Output {
        DType type = DType::F32;
        std::vector<std::int64_t> shape; // plain row-major
        // What it must be: every |difference| <= tolerance * the largest |expected value| (0: exactly equal). Nothing:
        // not compared; then only memory accesses are checked.
        std::optional<Tensor> expected;
        double tolerance = 0;
    };
    std::vector<Output> outputs; // in the model's order

    // Packed constants by the index that the entry function's calls use. Only read during the call; kept as files by
    // hash, so that a second run of the same model writes nothing.
    std::vector<std::span<const std::byte>> constants;
    std::int64_t arenaBytes = 0; // BuildReply::arenaBytes

    int threads = 1;
    std::string protocol = "quick"; // quick, search, confirm, none (run once, no times)
    bool cold = false;
    int profileRuns = 0;            // runs with timestamps between the calls
    std::int64_t timeoutMs = 120000;
};

struct ModelRunResult {
    wire::Outcome outcome = wire::Outcome::Ok; // WrongResult: an output differs or memory was touched outside
    Error error;                               // words for every other outcome than Ok
    std::string logTail;
    wire::RunReply run;          // times, verdict; profileNs: one median for each call of the entry function
    std::vector<Tensor> outputs; // parallel to the request's; filled when outcome is Ok or WrongResult
};

// Takes the device's lease when times are wanted.
ModelRunResult runModelFile(LocalDevice& device, const ModelRunRequest& request, const StopToken& stop = {});

} // namespace nw::measure
