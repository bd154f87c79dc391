#include "tests/engine/code/math_maps.h"

#include "engine/wire/kernel_abi.h"
#include "tests/engine/code/harness.h"

#include <bit>
#include <cmath>
#include <limits>

namespace nw::test {

using namespace nw::lower;

namespace {

constexpr double kWrong = 1e30;
constexpr float kMost = std::numeric_limits<float>::max();

} // namespace

Exact exactly(long double value)
{
    int exponent = 0;
    std::frexp(value, &exponent);
    if (!std::isfinite(value)) {
        return {value, 1.0L};
    }
    return {value, std::ldexp(1.0L, value == 0 ? -149 : std::max(exponent - 24, -149))};
}

double ulps(float got, const Exact& exact)
{
    const float nearest = static_cast<float>(exact.value);
    if (std::isnan(nearest) || std::isnan(got)) {
        return std::isnan(nearest) == std::isnan(got) ? 0 : kWrong;
    }
    // Infinity is counted as the number after the largest.
    const auto finite = [](long double value) {
        return std::isinf(value) ? std::copysign(std::ldexp(1.0L, 128), value) : value;
    };
    if (std::isinf(nearest) || std::isinf(got)) {
        if (nearest == got) {
            return 0;
        }
        const long double value = std::fabs(exact.value) > kMost ? std::copysign(std::ldexp(1.0L, 128), exact.value) : exact.value;
        return static_cast<double>(std::fabs(finite(got) - value) / std::ldexp(1.0L, 104));
    }
    return static_cast<double>(std::fabs(static_cast<long double>(got) - exact.value) / exact.unit);
}

std::vector<float> edgeValues()
{
    constexpr float kInf = std::numeric_limits<float>::infinity();
    std::vector<float> values = {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, -0.5f, 2.0f, -2.0f, 3.0f, -3.0f, kInf, -kInf,
                                 std::numeric_limits<float>::quiet_NaN(), 1.17549435e-38f, -1.17549435e-38f, 1e-45f, -1e-45f, kMost,
                                 -kMost, 88.72283f, 88.72284f, -87.33655f, -103.97f, -104.5f, 0.625f, 0.70710677f, 0.927734375f, 4.0f,
                                 9.010913f, 1.5707964f, 3.1415927f, 1048576.0f, 8388608.0f, 16777217.0f, 1e10f, 2.8147498e14f, 1e20f, 1e30f};
    return values;
}

Lowered mapOf(std::int64_t n, std::int64_t lanes, const std::function<Expr(Expr)>& value, int inputs)
{
    Lowered lowered;
    for (int port = 0; port < inputs; ++port) {
        lowered.buffers.push_back({port == 0 ? "A" : "B", DType::F32, n, Scope::Port, port});
    }
    lowered.buffers.push_back({"Y", DType::F32, n, Scope::Port, inputs});
    const Expr i = var("o") * lanes + var("i");
    const LStmt body = store("Y", i, value(i));
    lowered.body = {loop("o", n / lanes, LoopKind::Serial, {loop("i", lanes, lanes == 1 ? LoopKind::Serial : LoopKind::Vector, {body})})};
    return lowered;
}

Result<std::vector<float>> runMap(const Lowered& lowered, const Target& target, const std::vector<std::vector<float>>& inputs)
{
    const auto compiled = code::compileKernel("kernel", lowered, target);
    if (!compiled) {
        return compiled.error();
    }
    const auto loaded = Loaded::link({&*compiled});
    if (!loaded) {
        return loaded.error();
    }
    std::vector<std::vector<float>> ports = inputs;
    ports.emplace_back(inputs.front().size());
    std::vector<void*> pointers;
    for (std::vector<float>& port : ports) {
        pointers.push_back(port.data());
    }
    const nw_env env{1, nullptr};
    std::bit_cast<nw_kernel>(loaded->symbol("kernel"))(pointers.data(), &env);
    return ports.back();
}

} // namespace nw::test
