#pragma once

#include "engine/base/dtype.h"
#include "engine/base/files.h"
#include "engine/base/result.h"
#include "engine/measure/runner/compare.h"
#include "engine/wire/messages.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace nw::runner {

// A port of one data set with its files mapped.
struct LoadedPort {
    wire::PortRole role = wire::PortRole::Input;
    DType type = DType::F32;
    std::size_t bytes = 0;
    std::span<const std::byte> contents; // Input, Constant
    bool isChecked = false;              // Output with expected values
    Expectation expectation;
    std::vector<std::int64_t> mustBeZero;
    std::string saveFile;

    // What the kernel may count on: its element's alignment; 64 for a workspace.
    std::size_t alignment() const { return role == wire::PortRole::Scratch ? 64 : byteSize(type); }
};
using LoadedSet = std::vector<LoadedPort>;

struct LoadedData {
    std::vector<LoadedSet> sets;
    std::vector<MappedFile> files; // keep the spans above alive
};

// Failed with the file's name when one is missing or shorter than its port.
Result<LoadedData> loadData(const std::vector<std::vector<wire::PortData>>& sets);

} // namespace nw::runner
