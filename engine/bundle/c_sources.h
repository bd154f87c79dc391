#pragma once

#include "engine/bundle/bundle.h"

#include <string>
#include <vector>

namespace nw::bundle {

// The generated C texts. `offsets` are the constants' places in the weights file.
std::string headerText(const Model& model, const std::string& id);
std::string loaderText(const Model& model, const std::string& id, const std::vector<std::int64_t>& offsets, std::int64_t weightsBytes);
std::string sampleText(const Model& model, const std::string& id);
std::string readmeText(const Model& model, const std::string& id);

} // namespace nw::bundle
