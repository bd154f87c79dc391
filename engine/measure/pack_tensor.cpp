#include "engine/measure/device.h"
#include "engine/measure/layout_offsets.h"

#include <cstring>

namespace nw::measure {
namespace {

// The size is a constant, so that copying an element is one move.
template <std::size_t Bytes>
void scatter(const LayoutOffsets& offsets, const std::byte* from, std::byte* to)
{
    offsets.forEachRun([&](std::int64_t first, const std::int64_t* run, std::int64_t count) {
        const std::byte* source = from + static_cast<std::size_t>(first) * Bytes;
        for (std::int64_t i = 0; i < count; ++i, source += Bytes) {
            std::memcpy(to + static_cast<std::size_t>(run[i]) * Bytes, source, Bytes);
        }
    });
}

} // namespace

std::vector<std::byte> packTensor(const Tensor& tensor, const Layout& layout)
{
    if (layout.isPlain()) {
        return {tensor.bytes().begin(), tensor.bytes().end()};
    }
    const Result<LayoutOffsets> offsets = LayoutOffsets::create(layout, tensor.shape());
    ENSURE(offsets.has_value(), offsets ? "" : "packTensor: " + offsets.error().message);
    const std::size_t bytes = byteSize(tensor.type());
    std::vector<std::byte> packed(static_cast<std::size_t>(offsets->memoryElements()) * bytes);
    switch (bytes) {
    case 1: scatter<1>(*offsets, tensor.bytes().data(), packed.data()); break;
    case 2: scatter<2>(*offsets, tensor.bytes().data(), packed.data()); break;
    case 4: scatter<4>(*offsets, tensor.bytes().data(), packed.data()); break;
    case 8: scatter<8>(*offsets, tensor.bytes().data(), packed.data()); break;
    default: ENSURE(false, "packTensor: a tensor of this element type has no memory form");
    }
    return packed;
}

} // namespace nw::measure
