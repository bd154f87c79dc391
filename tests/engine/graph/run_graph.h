#pragma once

#include "engine/graph/graph.h"
#include "engine/graph/op_table.h"

#include <map>
#include <string>
#include <vector>

namespace nw::graph {

// Convolution without pads, strides and dilation, in double, rounded once.
inline Tensor convolved(const Node& node, const std::vector<const Tensor*>& in, const std::vector<std::int64_t>& shape)
{
    const Tensor& x = *in[0];
    const Tensor& w = *in[1];
    const std::int64_t perGroup = shape[1] / node.attributes.integer("group", 1);
    Tensor y = *Tensor::create(DType::F32, shape);
    std::int64_t at = 0;
    for (std::int64_t oc = 0; oc < shape[1]; ++oc) {
        for (std::int64_t oh = 0; oh < shape[2]; ++oh) {
            for (std::int64_t ow = 0; ow < shape[3]; ++ow) {
                double sum = in.size() > 2 && in[2] != nullptr ? in[2]->asDouble(oc) : 0.0;
                for (std::int64_t t = 0; t < w.shape()[1] * w.shape()[2] * w.shape()[3]; ++t) {
                    const std::int64_t ic = t / (w.shape()[2] * w.shape()[3]) + oc / perGroup * w.shape()[1];
                    const std::int64_t kh = t / w.shape()[3] % w.shape()[2];
                    const std::int64_t place = (ic * x.shape()[2] + oh + kh) * x.shape()[3] + ow + t % w.shape()[3];
                    sum += x.asDouble(place) * w.asDouble(oc * w.shape()[1] * w.shape()[2] * w.shape()[3] + t);
                }
                y.mutableData<float>()[static_cast<std::size_t>(at++)] = static_cast<float>(sum);
            }
        }
    }
    return y;
}

// Runs a graph of batch 1 by the operators' own semantics.
inline Result<std::vector<Tensor>> run(const Graph& graph, const std::vector<Tensor>& inputs)
{
    std::map<ValueId, Tensor> values;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        values[graph.inputs[i]] = inputs[i];
    }
    for (const Node& node : graph.nodes) {
        std::vector<const Tensor*> in;
        for (const ValueId id : node.inputs) {
            const bool isConstant = id != kNoValue && graph.values[static_cast<std::size_t>(id)].constant.has_value();
            in.push_back(id == kNoValue ? nullptr : (isConstant ? &*graph.values[static_cast<std::size_t>(id)].constant : &values.at(id)));
        }
        if (node.op->name == "Conv") {
            values[node.outputs[0]] = convolved(node, in, *graph.staticShape(node.outputs[0]));
            continue;
        }
        const EvaluateFunction evaluate = evaluatorOf(node.op->name);
        if (evaluate == nullptr) {
            return failed("no evaluator for " + std::string(node.op->name));
        }
        const std::vector<TensorType> types{graph.values[static_cast<std::size_t>(node.outputs[0])].type};
        const Result<std::vector<Tensor>> result = evaluate(node, in, types);
        if (!result) {
            return result.error();
        }
        values[node.outputs[0]] = result->front();
    }
    std::vector<Tensor> outputs;
    for (const ValueId id : graph.outputs) {
        const std::optional<Tensor>& constant = graph.values[static_cast<std::size_t>(id)].constant;
        outputs.push_back(constant ? *constant : values.at(id));
    }
    return outputs;
}

} // namespace nw::graph
