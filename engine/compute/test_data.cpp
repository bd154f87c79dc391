#include "engine/base/hash.h"
#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/compute/interpret.h"
#include "engine/compute/oracle/exactness.h"
#include "engine/compute/winograd.h"

#include <algorithm>
#include <cmath>

namespace nw::compute {
namespace {

constexpr std::int64_t kIntegers = 9; // integer ports without a range hold -9 .. 9 in uniform data

// The largest of 3, 2, 1 with which every partial sum is exact; 1 where none is.
std::int64_t wholeSize(const Definition& definition)
{
    for (const std::int64_t size : {3, 2, 1}) {
        const auto largest = oracle::wholeMagnitudes(definition, static_cast<double>(size));
        if (largest && oracle::staysExact(definition, *largest)) {
            return size;
        }
    }
    return isExactOnIntegers(definition) ? 1 : 3;
}

std::pair<std::int64_t, std::int64_t> wholeRange(const Port& port, std::int64_t size)
{
    if (!port.range) {
        return {-size, size};
    }
    const auto low = static_cast<std::int64_t>(std::ceil(port.range->first));
    const auto high = static_cast<std::int64_t>(std::floor(port.range->second));
    return {low, std::max(low, high)};
}

double uniformReal(const Port& port, Random& random)
{
    const auto [low, high] = port.range.value_or(std::pair(-1.0, 1.0));
    const double unit = static_cast<double>(random.next() >> 40) * 0x1p-24; // 24 bits: exact in f32, never 1
    return low + (high - low) * unit;
}

template <typename T, typename Make>
void fill(Tensor& tensor, Make&& make)
{
    for (T& element : tensor.mutableData<T>()) {
        element = static_cast<T>(make());
    }
}

Result<Tensor> makePortData(const Port& port, const std::vector<std::int64_t>& shape, DataKind kind, std::int64_t size,
                            Random random)
{
    Result<Tensor> tensor = Tensor::create(port.type, shape);
    if (!tensor) {
        return tensor;
    }
    const bool isWhole = kind == DataKind::SmallIntegers || !isFloat(port.type);
    const auto [low, high] = wholeRange(port, kind == DataKind::SmallIntegers ? size : kIntegers);
    const auto whole = [&, low = low, high = high] { return random.between(low, high); };
    const auto real = [&] { return isWhole ? static_cast<double>(whole()) : uniformReal(port, random); };
    switch (port.type) {
    case DType::F32: fill<float>(*tensor, real); break;
    case DType::F64: fill<double>(*tensor, real); break;
    case DType::I64: fill<std::int64_t>(*tensor, whole); break;
    case DType::I32: fill<std::int32_t>(*tensor, whole); break;
    case DType::Bool: fill<std::uint8_t>(*tensor, [&] { return random.below(2); }); break;
    default: return failed(format("there is no test data of type {} for {}", toText(port.type), port.name));
    }
    return tensor;
}

// Weights of a convolution by tiles, transformed as the plan does it: what tiles lose shows on real ones only.
Result<Tensor> transformedWeights(const Port& port, const WinogradShape& tiles, Random random)
{
    const Result<Tensor> plain = makePortData(port, {tiles.oc, tiles.ic, 3, 3}, DataKind::Uniform, 0, random);
    return plain ? Result<Tensor>(graph::winogradWeights(*graph::winograd(tiles.tile), *plain)) : plain;
}

} // namespace

Result<std::vector<Tensor>> makeTestData(const Definition& definition, DataKind kind, std::uint64_t seed)
{
    const std::int64_t size = wholeSize(definition);
    const std::string key = identity(definition) + (kind == DataKind::Uniform ? " uniform " : " integers ")
        + std::to_string(seed) + " ";
    const std::optional<WinogradShape> tiles = kind == DataKind::Uniform ? winogradOf(definition) : std::nullopt;
    std::vector<Tensor> tensors;
    for (const Port& port : definition.ports) {
        if (port.kind == PortKind::Output) {
            continue;
        }
        const auto shape = definition.staticShape(port.name);
        if (!shape) {
            return failed("the extents of " + port.name + " are not all known: bind its symbols first");
        }
        const Random random(hash64(key + port.name));
        Result<Tensor> tensor = tiles && port.name == "U" ? transformedWeights(port, *tiles, random)
                                                          : makePortData(port, *shape, kind, size, random);
        if (!tensor) {
            return tensor.error();
        }
        tensors.push_back(*std::move(tensor));
    }
    return tensors;
}

} // namespace nw::compute
