#pragma once

#include "engine/measure/model_run.h"
#include "engine/session/project.h"

#include <optional>
#include <string>
#include <vector>

namespace nw::session {

// The five figures of an operator side by side (DESIGN.md 4), each measured by one protocol in one sitting or taken from
// the project's confirmed records; missing ones say why.
struct Figure {
    std::string name; // "default", "hand", "auto", "library", "bound"; another algorithm by its own ("winograd4")
    bool present = false;
    std::string missing;     // "none yet: nestw sweep", "oneDNN is not installed"
    double ns = 0, spread = 0;
    int n = 0;
    bool noisy = false;
    bool measured = true;    // false: bound is computed
    double shareOfPeak = 0, shareOfBound = 0;
    std::string by;          // bound: which roof; auto: origin; another algorithm: its own bound
    std::string outcome = "ok", message;
    std::string script;
};
Figure boundFigure(const measure::Bound& bound); // computed, not measured
struct Comparison {
    std::string group, taskId, device;
    int threads = 1;
    std::vector<Figure> figures;
    double boundNs = 0;
    std::string boundBy;
    bool together = false; // in alternating rounds of one job; otherwise each figure was measured for itself
};
// Measures default, the hand-made and the best automatic script (as far as there are any) and the library together, in
// alternating rounds under `protocol`; what fails is left out of the rounds and says why.
Result<Comparison> compare(Project& project, measure::LocalDevice& device, const Operator& op, const std::string& protocol,
                           const StopToken& stop);
std::string comparisonJson(const Comparison& comparison); // kept in the project under "comparison.<group>"
Result<Comparison> parseComparison(const std::string& json);

// Whole model: build once (equal tasks once), check memory at both edges, compare, time, profile.
struct ModelRunOptions {
    std::vector<Tensor> inputs;   // in the model's order
    std::vector<Tensor> expected; // the first of the outputs, in the model's order; may be fewer
    double tolerance = 1e-4;      // of the largest expected |value|
    std::string protocol = "quick"; // "none": outputs only
    int profileRuns = 0;
    bool onlyDefaultScripts = false;
    std::int64_t timeoutMs = 120000;
};
struct ModelRun {
    measure::ModelRunResult result;
    std::vector<double> groupNs; // parallel to Plan::groups, when profiled
    double buildMs = 0;          // wall time of the build
    std::size_t kernels = 0;     // distinct
    std::int64_t arenaBytes = 0, constantBytes = 0;
};
Result<ModelRun> runModel(Project& project, measure::LocalDevice& device, const ModelRunOptions& options, const StopToken& stop);

// The steps that were applied without proof, in words: "line 2: cache_read f at x in stack: whether ... is not known".
std::vector<std::string> unprovenSteps(const schedule::Replay& replay);

// The shared object of a whole model with everything needed to call it.
struct BuildModelOptions {
    std::filesystem::path outputPath; // of the shared object
    bool onlyDefaultScripts = false;
    std::int64_t timeoutMs = 600000;
    bool allowUnproven = false; // otherwise a script with a step that is not proved is refused
};
struct BuiltModel {
    wire::BuildReply reply;
    std::vector<std::vector<std::byte>> constants; // packed, by the index that the entry function's calls use
    std::int64_t arenaBytes = 0;
    std::size_t kernels = 0; // distinct
    std::vector<std::string> unproven; // steps, each behind its operator's name
};
Result<BuiltModel> buildModel(Project& project, measure::LocalDevice& device, const BuildModelOptions& options,
                              const StopToken& stop);

// A folder with the shared object, weights, C header and C sample of the whole model (bundle::write). Steps that are not
// proved are refused, or allowed and named in the folder's texts.
struct Exported {
    std::string name; // the C identifier its files carry
    std::size_t kernels = 0;
    std::vector<std::string> unproven;
};
Result<Exported> exportModel(Project& project, measure::LocalDevice& device, const std::filesystem::path& folder,
                             const std::string& name, bool allowUnproven, const StopToken& stop);

} // namespace nw::session
