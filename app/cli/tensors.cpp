#include "app/cli/tensors.h"

#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/model/onnx_file.h"

#include <cstdlib>
#include <functional>

namespace nw::app {
namespace {

template <typename T>
void fill(Tensor& tensor, const std::function<double(std::int64_t)>& value)
{
    std::int64_t i = 0;
    for (T& element : tensor.mutableData<T>()) {
        element = static_cast<T>(value(i++));
    }
}

Result<Tensor> filled(DType type, const std::vector<std::int64_t>& shape, const std::string& name,
                      const std::function<double(std::int64_t)>& value)
{
    Result<Tensor> made = Tensor::create(type, shape);
    if (!made) {
        return made.error();
    }
    switch (type) {
    case DType::F32:
        fill<float>(*made, value);
        return made;
    case DType::F64:
        fill<double>(*made, value);
        return made;
    case DType::I64:
        fill<std::int64_t>(*made, value);
        return made;
    case DType::I32:
        fill<std::int32_t>(*made, value);
        return made;
    case DType::Bool:
        fill<std::uint8_t>(*made, [&](std::int64_t i) { return value(i) != 0 ? 1.0 : 0.0; });
        return made;
    default:
        return failed(format("Input {} has element type {}, which can only be given as a file.", name, toText(type)));
    }
}

} // namespace

Result<Tensor> tensorFrom(const std::string& text, const std::string& name, DType type, const std::vector<std::int64_t>& shape)
{
    const bool real = isFloat(type);
    const Result<std::int64_t> count = elementCount(shape);
    if (!count) {
        return count.error();
    }
    if (text == "arange") {
        // As numpy does it: float32 arange divided by n in float32.
        const auto n = static_cast<float>(*count);
        return filled(type, shape, name, [&](std::int64_t i) {
            return type == DType::F32 ? static_cast<double>(static_cast<float>(i) / n)
                   : real             ? static_cast<double>(i) / static_cast<double>(*count)
                                      : static_cast<double>(i);
        });
    }
    if (text.starts_with("random:")) {
        Random random(std::strtoull(text.c_str() + 7, nullptr, 10));
        return filled(type, shape, name,
                      [&](std::int64_t) { return real ? random.unit() * 2 - 1 : static_cast<double>(random.below(10)); });
    }
    return model::readTensorFile(text);
}

Result<std::vector<Tensor>> inputsFrom(const std::vector<std::string>& texts, const graph::Graph& graph)
{
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
        const graph::ValueId id = graph.inputs[i];
        const graph::Value& value = graph.values[static_cast<std::size_t>(id)];
        const auto fallback = graph.defaults.find(id);
        if (i >= texts.size() && fallback != graph.defaults.end()) {
            inputs.push_back(fallback->second);
            continue;
        }
        const auto shape = graph.staticShape(id);
        if (!shape) {
            return failed(format("Input {} has unbound dimensions. Give them with --bind NAME=NUMBER.", value.name));
        }
        Result<Tensor> made = tensorFrom(i < texts.size() ? texts[i] : "arange", value.name, value.type.type, *shape);
        if (!made) {
            return made.error();
        }
        inputs.push_back(*std::move(made));
    }
    if (texts.size() > graph.inputs.size()) {
        return failed(format("{} inputs were given, the model takes {}.", texts.size(), graph.inputs.size()));
    }
    return inputs;
}

} // namespace nw::app
