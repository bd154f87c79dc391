#pragma once

#include "engine/base/tensor.h"
#include "engine/schedule/loop_nest.h"
#include "engine/schedule/scalar_program.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nw::schedule {

// A buffer's elements by logical index, for interpreting; a port's border is part of it.
struct NestMemory {
    explicit NestMemory(const Buffer& described);

    bool isPort(int port) const { return buffer->scope == Scope::Port && buffer->port == port; }
    // Nothing when the index is outside (of the border, where there is one).
    std::optional<std::size_t> place(std::span<const std::int64_t> indices) const;
    // Takes the elements of a tensor of the same type and shape; the border becomes zero. Failed otherwise.
    Status fill(const Tensor& tensor);
    // Failed when an element was never written.
    Result<Tensor> toTensor() const;

    const Buffer* buffer = nullptr;
    std::vector<std::int64_t> before, extents; // with border
    std::vector<Scalar> values;
    std::vector<std::uint8_t> written; // what may be read
};

} // namespace nw::schedule
