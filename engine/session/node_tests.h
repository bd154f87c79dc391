#pragma once

#include "engine/session/workbench.h"

#include <filesystem>
#include <string>

namespace nw::session {

// One official ONNX test: a folder with model.onnx and test_data_set_K/{input,output}_I.pb.
struct NodeTest {
    enum class Verdict { Passed, Failed, NotSupported };
    std::string name;
    Verdict verdict = Verdict::Passed;
    std::string reason; // for the other two
    std::vector<std::string> operators; // op types of the file
};

// Imports, compiles with the fallback schedules, runs every data set and compares as the official runner does
// (|a - b| <= 1e-7 + 1e-3 |b|, element type and shape equal). Inputs whose contents decide shapes are bound to the
// data's values. What cannot be imported or has an element type that cannot be computed with is NotSupported, with the
// reason.
NodeTest runNodeTest(const std::filesystem::path& folder, const Folders& folders, measure::LocalDevice& device,
                     const std::string& target, int threads, const StopToken& stop);

} // namespace nw::session
