#include "engine/model/onnx_read.h"

#include "engine/base/text.h"

#include <onnx/onnx_pb.h>

namespace nw::model {
namespace {

using onnx::AttributeProto;

// Files older than IR 2 leave the type out; the field that is there tells it.
AttributeProto::AttributeType kindOf(const AttributeProto& proto)
{
    if (proto.type() != AttributeProto::UNDEFINED) {
        return proto.type();
    }
    if (proto.has_f()) {
        return AttributeProto::FLOAT;
    }
    if (proto.has_i()) {
        return AttributeProto::INT;
    }
    if (proto.has_s()) {
        return AttributeProto::STRING;
    }
    if (proto.has_t()) {
        return AttributeProto::TENSOR;
    }
    if (proto.floats_size() > 0) {
        return AttributeProto::FLOATS;
    }
    if (proto.ints_size() > 0) {
        return AttributeProto::INTS;
    }
    return proto.strings_size() > 0 ? AttributeProto::STRINGS : AttributeProto::UNDEFINED;
}

} // namespace

Result<Attribute> readAttribute(AttributeProto& proto, const std::string& what, ExternalFiles& files)
{
    switch (kindOf(proto)) {
    case AttributeProto::FLOAT:
        return Attribute(double{proto.f()});
    case AttributeProto::INT:
        return Attribute(std::int64_t{proto.i()});
    case AttributeProto::STRING:
        return Attribute(proto.s());
    case AttributeProto::FLOATS:
        return Attribute(std::vector<double>(proto.floats().begin(), proto.floats().end()));
    case AttributeProto::INTS:
        return Attribute(std::vector<std::int64_t>(proto.ints().begin(), proto.ints().end()));
    case AttributeProto::STRINGS:
        return Attribute(std::vector<std::string>(proto.strings().begin(), proto.strings().end()));
    case AttributeProto::TENSOR: {
        if (dtypeOf(proto.t().data_type()) == DType::String) {
            return Attribute(Subgraph{"string tensor"});
        }
        Result<Tensor> tensor = readTensor(*proto.mutable_t(), format("{}, attribute '{}'", what, proto.name()), files);
        if (!tensor) {
            return tensor.error();
        }
        return Attribute(*std::move(tensor));
    }
    case AttributeProto::GRAPH:
    case AttributeProto::GRAPHS:
        return Attribute(Subgraph{"graph"});
    case AttributeProto::SPARSE_TENSOR:
    case AttributeProto::SPARSE_TENSORS:
        return Attribute(Subgraph{"sparse tensor"});
    case AttributeProto::TENSORS:
        return Attribute(Subgraph{"list of tensors"});
    case AttributeProto::TYPE_PROTO:
    case AttributeProto::TYPE_PROTOS:
        return Attribute(Subgraph{"type"});
    case AttributeProto::UNDEFINED:
        break;
    }
    return failed(format("{}: attribute '{}' has no value of a known type", what, proto.name()));
}

} // namespace nw::model
