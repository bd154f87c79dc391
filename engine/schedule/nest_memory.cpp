#include "engine/schedule/nest_memory.h"

#include "engine/base/text.h"

#include <algorithm>

namespace nw::schedule {

namespace {

void advance(std::vector<std::int64_t>& index, const std::vector<std::int64_t>& shape)
{
    for (std::size_t i = shape.size(); i > 0; --i) {
        if (++index[i - 1] < shape[i - 1]) {
            return;
        }
        index[i - 1] = 0;
    }
}

void put(Tensor& tensor, std::size_t at, Scalar value)
{
    switch (tensor.type()) {
    case DType::F32: tensor.mutableData<float>()[at] = static_cast<float>(value.real); break;
    case DType::F64: tensor.mutableData<double>()[at] = value.real; break;
    case DType::I64: tensor.mutableData<std::int64_t>()[at] = value.integer; break;
    case DType::I32: tensor.mutableData<std::int32_t>()[at] = static_cast<std::int32_t>(value.integer); break;
    case DType::Bool: tensor.mutableData<std::uint8_t>()[at] = value.integer != 0 ? 1 : 0; break;
    default: throwBug(__FILE__, __LINE__, "not a runnable element type");
    }
}

} // namespace

NestMemory::NestMemory(const Buffer& described)
    : buffer(&described)
    , before(described.shape.size(), 0)
    , extents(described.shape)
{
    const bool bordered = described.scope == Scope::Port && !described.layout.border.empty();
    std::size_t count = 1;
    for (std::size_t i = 0; i < extents.size(); ++i) {
        if (bordered) {
            before[i] = described.layout.border[i].first;
            extents[i] += described.layout.border[i].first + described.layout.border[i].second;
        }
        count *= static_cast<std::size_t>(extents[i]);
    }
    values.resize(count);
    written.resize(count, bordered ? 1 : 0);
    if (bordered) { // zeros from the start, as the code writes them before anything else; what is inside is not there yet
        std::vector<std::int64_t> index(described.shape.size(), 0);
        std::int64_t inside = 1;
        for (const std::int64_t extent : described.shape) {
            inside *= extent;
        }
        for (std::int64_t i = 0; i < inside; ++i) {
            written[*place(index)] = 0;
            advance(index, described.shape);
        }
    }
}

std::optional<std::size_t> NestMemory::place(std::span<const std::int64_t> indices) const
{
    if (indices.size() != extents.size()) {
        return {};
    }
    std::int64_t at = 0;
    for (std::size_t i = 0; i < extents.size(); ++i) {
        const std::int64_t index = indices[i] + before[i];
        if (index < 0 || index >= extents[i]) {
            return {};
        }
        at = at * extents[i] + index;
    }
    return static_cast<std::size_t>(at);
}

Status NestMemory::fill(const Tensor& tensor)
{
    if (tensor.type() != buffer->type || tensor.shape() != buffer->shape) {
        return failed(format("the tensor for {} has another type or shape", buffer->name));
    }
    std::fill(written.begin(), written.end(), std::uint8_t{1});
    std::vector<std::int64_t> index(tensor.shape().size(), 0);
    for (std::int64_t i = 0; i < tensor.count(); ++i) {
        Scalar& element = values[*place(index)];
        element = isFloat(tensor.type()) ? Scalar{tensor.asDouble(i), 0} : Scalar{0, tensor.asInt(i)};
        advance(index, tensor.shape());
    }
    return Done{};
}

Result<Tensor> NestMemory::toTensor() const
{
    Result<Tensor> tensor = Tensor::create(buffer->type, buffer->shape);
    std::vector<std::int64_t> index(buffer->shape.size(), 0);
    for (std::int64_t i = 0; tensor && i < tensor->count(); ++i) {
        const std::size_t at = *place(index);
        if (written[at] == 0) {
            return failed(format("element [{}] of output {} was never written", fmt::join(index, ", "), buffer->name));
        }
        put(*tensor, static_cast<std::size_t>(i), values[at]);
        advance(index, buffer->shape);
    }
    return tensor;
}

} // namespace nw::schedule
