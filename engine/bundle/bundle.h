#pragma once

#include "engine/base/result.h"
#include "engine/base/target.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace nw::bundle {

// Everything an exported model consists of, as values.
struct Tensor {
    std::string name; // the model's own, any characters
    std::string type; // "f32", "i64", ...
    std::vector<std::int64_t> shape;
};
struct Model {
    std::string name;                   // becomes a C identifier
    std::filesystem::path sharedObject; // built, with nw_model_run inside
    std::vector<std::vector<std::byte>> constants; // packed, by entry-function index
    std::int64_t arenaBytes = 0;
    std::vector<Tensor> inputs, outputs;
    Target target;
    int threads = 1;
    std::vector<std::string> unproven; // steps of its schedules that are not proved; the header and the README name them
};

// Writes into the folder (made when missing): lib<name>.so, <name>_weights.bin, <name>.h, <name>.c (opens the weights and
// the arena, checks the processor, runs), sample.c (feeds arange(n)/n and prints every output value) and a README.txt
// with the two cc lines. Failed in words; a folder that holds other files is left as it is, apart from these names.
Status write(const Model& model, const std::filesystem::path& folder);

// A C identifier made from any text: letters, digits, '_', not starting with a digit, not a C keyword.
std::string identifier(const std::string& text);

} // namespace nw::bundle
