#pragma once

#include "engine/model/external_data.h"
#include "engine/model/model.h"

#include <string>

// Inside engine/model only: the steps from protobuf classes to Model. They take the bytes out of the messages.
namespace onnx {
class AttributeProto;
class ModelProto;
class TensorProto;
} // namespace onnx

namespace nw::model {

// DType::Other for what is not held (strings, complex, 8-bit and 4-bit floats).
DType dtypeOf(int onnxType);
int onnxTypeOf(DType type);
std::string typeNameOf(int onnxType); // "float", "bfloat16", "type 99"

// `what` names the tensor for messages: "initializer 'w'".
Result<Tensor> readTensor(onnx::TensorProto& proto, const std::string& what, ExternalFiles& files);
Result<Attribute> readAttribute(onnx::AttributeProto& proto, const std::string& what, ExternalFiles& files);
Result<Model> readModelProto(onnx::ModelProto& proto, ExternalFiles& files);
Status parseText(std::string_view text, onnx::ModelProto& proto);

} // namespace nw::model
