#pragma once

#include "engine/graph/evaluate/convert.h"
#include "engine/graph/evaluate/loops.h"

#include <type_traits>
#include <utility>

namespace nw::graph {

// The tight loops of element-wise evaluation. A row whose operands are contiguous or constant gets a loop of its own
// that the compiler can vectorise; every other stride takes the general one.

template <typename T, typename R, typename F>
void mapRow(R* out, const T* a, std::int64_t aStep, const T* b, std::int64_t bStep, std::int64_t n, F f)
{
    if (aStep == 1 && bStep == 1) {
        for (std::int64_t i = 0; i < n; ++i) {
            out[i] = f(a[i], b[i]);
        }
    } else if (aStep == 1 && bStep == 0) {
        const T y = *b;
        for (std::int64_t i = 0; i < n; ++i) {
            out[i] = f(a[i], y);
        }
    } else if (aStep == 0 && bStep == 1) {
        const T x = *a;
        for (std::int64_t i = 0; i < n; ++i) {
            out[i] = f(x, b[i]);
        }
    } else {
        for (std::int64_t i = 0; i < n; ++i) {
            out[i] = f(a[i * aStep], b[i * bStep]);
        }
    }
}

// f over the broadcast of two tensors that hold Ts; the result holds Rs and is called `type`.
template <typename T, typename R, typename F>
Result<Tensor> mapBinary(const Tensor& a, const Tensor& b, DType type, F f)
{
    const auto shape = broadcastShape(a.shape(), b.shape());
    if (!shape) {
        return shape.error();
    }
    Result<Tensor> made = Tensor::create(type, *shape);
    if (!made) {
        return made.error();
    }
    R* const out = made->template mutableData<R>().data();
    const T* const x = a.data<T>().data();
    const T* const y = b.data<T>().data();
    const Loops loops =
        Loops::make(*shape, {stridesOf(*shape), broadcastStrides(a.shape(), *shape), broadcastStrides(b.shape(), *shape)});
    const std::int64_t xStep = loops.strides[1].back();
    const std::int64_t yStep = loops.strides[2].back();
    forEachRow(loops, [&](const std::int64_t* at, std::int64_t n) {
        mapRow(out + at[0], x + at[1], xStep, y + at[2], yStep, n, f);
    });
    return made;
}

// f over the elements of a tensor that holds Ts; the result holds Rs and is called `type`.
template <typename T, typename R, typename F>
Result<Tensor> mapUnary(const Tensor& a, DType type, F f)
{
    Result<Tensor> made = Tensor::create(type, a.shape());
    if (!made) {
        return made.error();
    }
    R* const out = made->template mutableData<R>().data();
    const T* const x = a.data<T>().data();
    const std::int64_t n = a.count();
    for (std::int64_t i = 0; i < n; ++i) {
        out[i] = f(x[i]);
    }
    return made;
}

// Two inputs of one element type, in the type that their arithmetic is done in.
struct Operands {
    Tensor a;
    Tensor b;
    DType type; // of the inputs
};
Result<Operands> operandsOf(const Node& node, Inputs inputs);

template <typename T>
T wrappingAdd(T a, T b)
{
    if constexpr (std::is_integral_v<T>) {
        using U = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    } else {
        return a + b;
    }
}

template <typename T>
T wrappingSubtract(T a, T b)
{
    if constexpr (std::is_integral_v<T>) {
        using U = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
    } else {
        return a - b;
    }
}

template <typename T>
T wrappingMultiply(T a, T b)
{
    if constexpr (std::is_integral_v<T>) {
        using U = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    } else {
        return a * b;
    }
}

} // namespace nw::graph
