#pragma once

#include "engine/graph/evaluate/evaluate.h"
#include "engine/graph/evaluate/half.h"

#include <cstdint>

namespace nw::graph {

// The C++ type that holds an element type.
template <typename T>
struct Tag {
    using type = T;
};

// Calls `use` with the Tag of a numeric element type; Failed for String and Other. A Bool is a byte that is 0 or 1
// (`bool` itself would make other bytes undefined).
template <typename Use>
auto withType(DType type, Use use) -> decltype(use(Tag<float>{}))
{
    switch (type) {
    case DType::F32:
        return use(Tag<float>{});
    case DType::F64:
        return use(Tag<double>{});
    case DType::I64:
        return use(Tag<std::int64_t>{});
    case DType::I32:
        return use(Tag<std::int32_t>{});
    case DType::Bool:
    case DType::U8:
        return use(Tag<std::uint8_t>{});
    case DType::F16:
        return use(Tag<Half>{});
    case DType::BF16:
        return use(Tag<Bfloat>{});
    case DType::I8:
        return use(Tag<std::int8_t>{});
    case DType::I16:
        return use(Tag<std::int16_t>{});
    case DType::U16:
        return use(Tag<std::uint16_t>{});
    case DType::U32:
        return use(Tag<std::uint32_t>{});
    case DType::U64:
        return use(Tag<std::uint64_t>{});
    case DType::String:
    case DType::Other:
        break;
    }
    return failed(format("element type {} has no arithmetic", toText(type)));
}

// The type that arithmetic of `type` is done in: F16 and BF16 in F32; integers narrower than 32 bits, U32 and Bool in
// I64, whose results wrap back exactly; the rest in itself.
DType workingType(DType type);

// Calls `use` with the Tag of a working type: float, double, int32, int64 or uint64.
template <typename Use>
auto withWorkingType(DType type, Use use) -> decltype(use(Tag<float>{}))
{
    switch (workingType(type)) {
    case DType::F32:
        return use(Tag<float>{});
    case DType::F64:
        return use(Tag<double>{});
    case DType::I32:
        return use(Tag<std::int32_t>{});
    case DType::I64:
        return use(Tag<std::int64_t>{});
    case DType::U64:
        return use(Tag<std::uint64_t>{});
    default:
        break;
    }
    return failed(format("element type {} has no arithmetic", toText(type)));
}

// Element by element: integers wrap; a float becomes an integer by truncation, NaN as 0, beyond the range as the nearest
// end (of the 64-bit range, then wrapped, for types under 32 bits, as the usual hardware conversion does); anything but
// zero becomes true. The same type shares the bytes.
Result<Tensor> convert(const Tensor& tensor, DType to);

} // namespace nw::graph
