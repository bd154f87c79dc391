#pragma once

#include "engine/base/dtype.h"
#include "engine/base/result.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace nw {

// Product of a shape with overflow check; Failed when it passes 2^62 or a dimension is negative.
Result<std::int64_t> elementCount(std::span<const std::int64_t> shape);

// Immutable host tensor, row-major. Shares ownership of its bytes (own memory or a mapped file), so a view
// such as a reshape is a new Tensor with the same owner and never dangles.
class Tensor {
public:
    Tensor() = default;

    // Zero-filled, exclusively owned; fill through mutableBytes() before sharing.
    static Result<Tensor> create(DType type, std::vector<std::int64_t> shape);
    // Wraps bytes kept alive by `owner`; `bytes` must be exactly count * byteSize.
    static Result<Tensor> wrap(DType type, std::vector<std::int64_t> shape, std::shared_ptr<const void> owner,
                               std::span<const std::byte> bytes);
    template <typename T>
    static Tensor of(DType type, std::vector<std::int64_t> shape, const std::vector<T>& values)
    {
        Result<Tensor> made = create(type, std::move(shape));
        ENSURE(made.has_value() && values.size() * sizeof(T) == made->bytes().size(), "Tensor::of: size mismatch");
        std::copy(values.begin(), values.end(), made->template mutableData<T>().begin());
        return *std::move(made);
    }

    DType type() const { return m_type; }
    const std::vector<std::int64_t>& shape() const { return m_shape; }
    std::int64_t count() const { return m_count; }
    std::span<const std::byte> bytes() const { return {m_data, m_bytes}; }
    template <typename T>
    std::span<const T> data() const
    {
        return {reinterpret_cast<const T*>(m_data), m_bytes / sizeof(T)};
    }
    // Only for a tensor made by create() and not yet copied.
    template <typename T>
    std::span<T> mutableData()
    {
        ENSURE(m_mutable != nullptr || m_bytes == 0, "tensor is not writable");
        return {reinterpret_cast<T*>(m_mutable), m_bytes / sizeof(T)};
    }
    // Same bytes, other shape of the same count.
    Tensor reshaped(std::vector<std::int64_t> shape) const;
    // Element as double / int64, for any numeric type (f16 and bf16 converted).
    double asDouble(std::int64_t index) const;
    std::int64_t asInt(std::int64_t index) const;

private:
    DType m_type = DType::F32;
    std::vector<std::int64_t> m_shape;
    std::int64_t m_count = 0;
    std::size_t m_bytes = 0;
    std::shared_ptr<const void> m_owner;
    const std::byte* m_data = nullptr;
    std::byte* m_mutable = nullptr;
};

} // namespace nw
