#pragma once

#include "engine/model/model.h"

#include <filesystem>
#include <string_view>

namespace nw::model {

// Binary ONNX (.onnx) or ONNX text syntax (.onnxtxt, or any file whose first bytes are text), decided by content.
// Never runs the library's checker. Failed with one sentence naming file, node or tensor for: missing, empty,
// truncated, random or over-large (> 2 GiB - 1: "use external data") files, tensors whose bytes do not match their
// shape, external data that is missing, too short, or leaves the model's folder.
Result<Model> readModel(const std::filesystem::path& path);
Result<Model> parseModelText(std::string_view text, const std::filesystem::path& folder = {});
Result<Model> parseModelBytes(std::span<const std::byte> bytes, const std::filesystem::path& folder = {});

// One serialized TensorProto (.pb), as the official node tests keep inputs and outputs.
Result<Tensor> readTensorFile(const std::filesystem::path& path);
Status writeTensorFile(const std::filesystem::path& path, const std::string& name, const Tensor& tensor);

} // namespace nw::model
