#include "engine/base/tensor.h"

#include "engine/base/half.h"
#include "engine/base/text.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <sys/mman.h>

namespace nw {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 62;
constexpr std::size_t kMostBytes = std::size_t{1} << 40;
constexpr std::size_t kAlignment = 64;
// From here on fresh pages are taken from the system, which are zero without being touched. Low, because the C library
// hardly reuses freed aligned blocks: folding a model's weights would keep five times their size.
constexpr std::size_t kMapFrom = std::size_t{1} << 17;

std::string shapeText(std::span<const std::int64_t> shape)
{
    return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::shared_ptr<std::byte> allocateZeros(std::size_t bytes)
{
    if (bytes >= kMapFrom) {
        void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED) {
            return nullptr;
        }
        // Folding is bound by page faults otherwise; a refusal costs nothing.
        static_cast<void>(madvise(pages, bytes, MADV_HUGEPAGE));
        return {static_cast<std::byte*>(pages), [bytes](std::byte* p) { munmap(p, bytes); }};
    }
    const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    void* memory = std::aligned_alloc(kAlignment, rounded);
    if (memory == nullptr) {
        return nullptr;
    }
    std::memset(memory, 0, rounded);
    return {static_cast<std::byte*>(memory), [](std::byte* p) { std::free(p); }};
}

template <typename T>
T elementAt(std::span<const std::byte> bytes, std::int64_t index)
{
    T value;
    std::memcpy(&value, bytes.data() + static_cast<std::size_t>(index) * sizeof(T), sizeof(T));
    return value;
}

// Calls `use` with the element as float, double, int64 or uint64.
template <typename Use>
auto withElement(const Tensor& tensor, std::int64_t index, const Use& use)
{
    ENSURE(index >= 0 && index < tensor.count(), "tensor index out of range");
    const std::span<const std::byte> bytes = tensor.bytes();
    switch (tensor.type()) {
    case DType::F32: return use(elementAt<float>(bytes, index));
    case DType::F64: return use(elementAt<double>(bytes, index));
    case DType::I64: return use(elementAt<std::int64_t>(bytes, index));
    case DType::I32: return use(std::int64_t{elementAt<std::int32_t>(bytes, index)});
    case DType::Bool: return use(std::int64_t{elementAt<std::uint8_t>(bytes, index) != 0 ? 1 : 0});
    case DType::F16: return use(halfToFloat(elementAt<std::uint16_t>(bytes, index)));
    case DType::BF16: return use(bfloatToFloat(elementAt<std::uint16_t>(bytes, index)));
    case DType::I8: return use(std::int64_t{elementAt<std::int8_t>(bytes, index)});
    case DType::U8: return use(std::int64_t{elementAt<std::uint8_t>(bytes, index)});
    case DType::I16: return use(std::int64_t{elementAt<std::int16_t>(bytes, index)});
    case DType::U16: return use(std::int64_t{elementAt<std::uint16_t>(bytes, index)});
    case DType::U32: return use(std::int64_t{elementAt<std::uint32_t>(bytes, index)});
    case DType::U64: return use(elementAt<std::uint64_t>(bytes, index));
    case DType::String:
    case DType::Other: break;
    }
    throwBug(__FILE__, __LINE__, "element of a tensor without numbers");
}

struct ToDouble {
    template <typename T>
    double operator()(T value) const
    {
        return static_cast<double>(value);
    }
};

struct ToInt {
    std::int64_t operator()(std::int64_t value) const { return value; }
    std::int64_t operator()(std::uint64_t value) const { return static_cast<std::int64_t>(value); }
    std::int64_t operator()(float value) const { return (*this)(static_cast<double>(value)); }
    std::int64_t operator()(double value) const
    {
        if (std::isnan(value)) {
            return 0;
        }
        if (value >= 0x1p63) {
            return std::numeric_limits<std::int64_t>::max();
        }
        if (value < -0x1p63) {
            return std::numeric_limits<std::int64_t>::min();
        }
        return static_cast<std::int64_t>(value);
    }
};

} // namespace

Result<std::int64_t> elementCount(std::span<const std::int64_t> shape)
{
    std::int64_t count = 1;
    bool isEmpty = false;
    bool isTooLarge = false;
    for (const std::int64_t extent : shape) {
        if (extent < 0) {
            return failed(format("A tensor of shape {} cannot be made: an extent is negative.", shapeText(shape)));
        }
        if (extent == 0) {
            isEmpty = true;
        } else if (extent > kMostElements / count) {
            isTooLarge = true;
        } else {
            count *= extent;
        }
    }
    if (isEmpty) {
        return std::int64_t{0};
    }
    if (isTooLarge) {
        return failed(format("A tensor of shape {} has more elements than can be counted.", shapeText(shape)));
    }
    return count;
}

Result<Tensor> Tensor::create(DType type, std::vector<std::int64_t> shape)
{
    const Result<std::int64_t> count = elementCount(shape);
    if (!count) {
        return count.error();
    }
    const std::size_t size = byteSize(type);
    if (size != 0 && static_cast<std::size_t>(*count) > kMostBytes / size) {
        return failed(format("A tensor {}{} needs more than {} GiB. Bind a smaller dimension.", nw::toText(type),
                             shapeText(shape), kMostBytes >> 30));
    }
    Tensor made;
    made.m_type = type;
    made.m_count = *count;
    made.m_bytes = static_cast<std::size_t>(*count) * size;
    if (made.m_bytes > 0) {
        std::shared_ptr<std::byte> memory = allocateZeros(made.m_bytes);
        if (memory == nullptr) {
            return failed(format("There is no memory for a tensor {}{} ({} bytes). Close other programs or bind a "
                                 "smaller dimension.",
                                 nw::toText(type), shapeText(shape), made.m_bytes));
        }
        made.m_mutable = memory.get();
        made.m_data = memory.get();
        made.m_owner = std::move(memory);
    }
    made.m_shape = std::move(shape);
    return made;
}

Result<Tensor> Tensor::wrap(DType type, std::vector<std::int64_t> shape, std::shared_ptr<const void> owner,
                            std::span<const std::byte> bytes)
{
    const Result<std::int64_t> count = elementCount(shape);
    if (!count) {
        return count.error();
    }
    const std::size_t size = byteSize(type);
    const bool fits = size == 0 ? bytes.empty()
                                : bytes.size() % size == 0
            && bytes.size() / size == static_cast<std::size_t>(*count);
    if (!fits) {
        return failed(format("A tensor {}{} has {} elements of {} bytes, but {} bytes of data were given.",
                             nw::toText(type), shapeText(shape), *count, size, bytes.size()));
    }
    Tensor made;
    made.m_type = type;
    made.m_count = *count;
    made.m_bytes = bytes.size();
    made.m_shape = std::move(shape);
    made.m_owner = std::move(owner);
    made.m_data = bytes.data();
    return made;
}

Tensor Tensor::reshaped(std::vector<std::int64_t> shape) const
{
    const Result<std::int64_t> count = elementCount(shape);
    ENSURE(count.has_value() && *count == m_count, "reshaped: the number of elements differs");
    Tensor view = *this;
    view.m_shape = std::move(shape);
    view.m_mutable = nullptr;
    return view;
}

double Tensor::asDouble(std::int64_t index) const
{
    return withElement(*this, index, ToDouble{});
}

std::int64_t Tensor::asInt(std::int64_t index) const
{
    return withElement(*this, index, ToInt{});
}

} // namespace nw
