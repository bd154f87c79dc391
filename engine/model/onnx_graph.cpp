#include "engine/model/onnx_read.h"

#include "engine/base/text.h"

#include <onnx/onnx_pb.h>

#include <string_view>

namespace nw::model {
namespace {

std::string typeTextOf(const onnx::TypeProto& type)
{
    switch (type.value_case()) {
    case onnx::TypeProto::kTensorType:
        return "tensor(" + typeNameOf(type.tensor_type().elem_type()) + ")";
    case onnx::TypeProto::kSparseTensorType:
        return "sparse_tensor(" + typeNameOf(type.sparse_tensor_type().elem_type()) + ")";
    case onnx::TypeProto::kSequenceType:
        return "seq(" + typeTextOf(type.sequence_type().elem_type()) + ")";
    case onnx::TypeProto::kOptionalType:
        return "optional(" + typeTextOf(type.optional_type().elem_type()) + ")";
    case onnx::TypeProto::kMapType:
        return "map";
    default:
        return "no type";
    }
}

// `role` is "input", "output" or "value". Only an input's extents bind anything, so only there a negative one is
// refused; elsewhere it is unknown.
Result<ValueInfo> readValueInfo(const onnx::ValueInfoProto& proto, std::string_view role)
{
    ValueInfo info;
    info.name = proto.name();
    info.typeText = typeTextOf(proto.type());
    if (info.name.empty() && role != "value") {
        return failed(format("the graph has an {} without a name", role));
    }
    if (!proto.type().has_tensor_type()) {
        return info;
    }
    const onnx::TypeProto_Tensor& tensor = proto.type().tensor_type();
    info.type = dtypeOf(tensor.elem_type());
    info.hasShape = tensor.has_shape();
    for (int axis = 0; axis < tensor.shape().dim_size(); ++axis) {
        const onnx::TensorShapeProto_Dimension& dim = tensor.shape().dim(axis);
        Dimension out;
        if (dim.has_dim_value() && dim.dim_value() >= 0) {
            out.value = dim.dim_value();
        } else if (dim.has_dim_value() && role == "input") {
            return failed(format("input '{}': axis {} has the extent {}; an extent is 0 or more, or a name that can be "
                                 "bound", info.name, axis, dim.dim_value()));
        } else if (dim.has_dim_param()) {
            out.symbol = dim.dim_param();
        }
        info.shape.push_back(std::move(out));
    }
    return info;
}

template <typename List>
Status readValueInfos(const List& list, std::string_view role, std::vector<ValueInfo>& out)
{
    for (const onnx::ValueInfoProto& proto : list) {
        Result<ValueInfo> info = readValueInfo(proto, role);
        if (!info) {
            return info.error();
        }
        out.push_back(*std::move(info));
    }
    return Done{};
}

std::string labelOf(const onnx::NodeProto& proto, int index)
{
    if (!proto.name().empty()) {
        return format("node '{}' ({})", proto.name(), proto.op_type());
    }
    return format("node {} ({})", index + 1, proto.op_type());
}

std::string plainDomain(const std::string& domain)
{
    return domain == "ai.onnx" ? "" : domain;
}

Result<ModelNode> readNode(onnx::NodeProto& proto, int index, ExternalFiles& files)
{
    ModelNode node;
    node.name = proto.name();
    node.opType = proto.op_type();
    node.domain = plainDomain(proto.domain());
    node.inputs.assign(proto.input().begin(), proto.input().end());
    node.outputs.assign(proto.output().begin(), proto.output().end());
    if (node.opType.empty()) {
        return failed(labelOf(proto, index) + ": it names no operator");
    }
    for (onnx::AttributeProto& attribute : *proto.mutable_attribute()) {
        Result<Attribute> value = readAttribute(attribute, labelOf(proto, index), files);
        if (!value) {
            return value.error();
        }
        if (!node.attributes.emplace(attribute.name(), *std::move(value)).second) {
            return failed(format("{}: attribute '{}' is given twice", labelOf(proto, index), attribute.name()));
        }
    }
    return node;
}

Status readInitializers(onnx::GraphProto& graph, ExternalFiles& files, std::map<std::string, Tensor>& out)
{
    for (onnx::TensorProto& proto : *graph.mutable_initializer()) {
        const std::string name = proto.name();
        if (name.empty()) {
            return failed("the graph has an initializer without a name");
        }
        Result<Tensor> tensor = readTensor(proto, "initializer '" + name + "'", files);
        if (!tensor) {
            return tensor.error();
        }
        if (!out.emplace(name, *std::move(tensor)).second) {
            return failed(format("initializer '{}' is given twice", name));
        }
    }
    if (graph.sparse_initializer_size() > 0) {
        return failed(format("initializer '{}' is sparse; sparse tensors cannot be read",
            graph.sparse_initializer(0).values().name()));
    }
    return Done{};
}

} // namespace

Result<Model> readModelProto(onnx::ModelProto& proto, ExternalFiles& files)
{
    if (!proto.has_graph()) {
        return failed("it holds no graph; is it an ONNX model?");
    }
    Model model;
    model.irVersion = proto.ir_version();
    model.producer = proto.producer_name();
    for (const onnx::OperatorSetIdProto& opset : proto.opset_import()) {
        model.opsets[plainDomain(opset.domain())] = opset.version();
    }
    onnx::GraphProto& graph = *proto.mutable_graph();
    model.graphName = graph.name();
    for (int i = 0; i < graph.node_size(); ++i) {
        Result<ModelNode> node = readNode(*graph.mutable_node(i), i, files);
        if (!node) {
            return node.error();
        }
        model.nodes.push_back(*std::move(node));
    }
    for (const Status& status : {readValueInfos(graph.input(), "input", model.inputs),
             readValueInfos(graph.output(), "output", model.outputs),
             readValueInfos(graph.value_info(), "value", model.values),
             readInitializers(graph, files, model.initializers)}) {
        if (!status) {
            return status.error();
        }
    }
    return model;
}

} // namespace nw::model
