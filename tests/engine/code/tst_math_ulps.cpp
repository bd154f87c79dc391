// The functions that are ours, over a million arguments each: at most four units of the last place off, on every target
// that runs here, alone and in vectors; and that they are inline vector code on every target that there is code for.
#include "engine/base/text.h"
#include "tests/engine/code/harness.h"
#include "tests/engine/code/math_maps.h"
#include "tests/support/test.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

using namespace nw;
using namespace nw::test;

namespace {

constexpr double kLimit = 4;
constexpr double kOfExp = 3, kOfLog = 2; // what compute::ulpsOf declares of them
constexpr double kOfPower = 1;     // rounds once, from f64
constexpr std::size_t kLanes = 16;
constexpr std::size_t kPoints = draws(1000000) / kLanes * kLanes;

Expr rsqrt(Expr x)
{
    return binary(BinaryOp::Div, floatImm(1), unary(UnaryOp::Sqrt, std::move(x)));
}

struct Row {
    const char* name;
    Expr (*ours)(Expr x);
    long double (*exact)(long double x);
    std::vector<std::pair<float, float>> dense; // where the function does something
    double limit = kLimit;
};

const std::vector<Row> kRows = {
    {"exp", [](Expr x) { return unary(UnaryOp::Exp, std::move(x)); }, [](long double x) { return std::exp(x); },
     {{-104, 89}, {-1, 1}, {88.6f, 88.8f}, {-104, -87}}, kOfExp},
    {"exp of at most 0", [](Expr x) { return unary(UnaryOp::Exp, binary(BinaryOp::Min, std::move(x), floatImm(0))); },
     [](long double x) { return std::isnan(x) ? x : std::exp(std::min(x, 0.0L)); }, {{-104, 0}, {-1, 0}, {-1e-3f, 0}, {-104, -87}}, kOfExp},
    {"exp of -|x|", [](Expr x) { return unary(UnaryOp::Exp, unary(UnaryOp::Neg, unary(UnaryOp::Abs, std::move(x)))); },
     [](long double x) { return std::exp(-std::abs(x)); }, {{-104, 104}, {-1, 1}, {87, 104}}, kOfExp},
    {"exp of at most 64", [](Expr x) { return unary(UnaryOp::Exp, binary(BinaryOp::Min, floatImm(64), std::move(x))); },
     [](long double x) { return std::isnan(x) ? x : std::exp(std::min(x, 64.0L)); }, {{-104, 64}, {63, 65}, {-1, 1}, {-104, -87}}, kOfExp},
    {"log", [](Expr x) { return unary(UnaryOp::Log, std::move(x)); }, [](long double x) { return std::log(x); },
     {{0, 4}, {0.7f, 1.5f}, {0.99f, 1.01f}, {0, 1.2e-38f}}, kOfLog},
    {"tanh", [](Expr x) { return unary(UnaryOp::Tanh, std::move(x)); }, [](long double x) { return std::tanh(x); },
     {{-10, 10}, {-0.7f, 0.7f}, {0.6f, 0.65f}, {8, 9.1f}}},
    {"erf", [](Expr x) { return unary(UnaryOp::Erf, std::move(x)); }, [](long double x) { return std::erf(x); },
     {{-4.5f, 4.5f}, {-1, 1}, {0.9f, 0.95f}, {3.7f, 4.1f}}},
    {"sigmoid", [](Expr x) { return unary(UnaryOp::Sigmoid, std::move(x)); },
     [](long double x) { return x > 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); },
     {{-105, 30}, {-2, 2}, {-104, -87}, {15, 18}}},
    {"rsqrt", &rsqrt, [](long double x) { return 1 / std::sqrt(x); }, {{0, 4}, {0.99f, 1.01f}, {0, 1.2e-38f}, {0, 1e30f}}},
    {"sqrt", [](Expr x) { return unary(UnaryOp::Sqrt, std::move(x)); }, [](long double x) { return std::sqrt(x); }, {{0, 4}, {0, 1.2e-38f}}},
    {"sin", [](Expr x) { return unary(UnaryOp::Sin, std::move(x)); }, [](long double x) { return std::sin(x); },
     {{-10, 10}, {-1000, 1000}, {3.14f, 3.143f}, {-1e7f, 1e7f}}},
    {"cos", [](Expr x) { return unary(UnaryOp::Cos, std::move(x)); }, [](long double x) { return std::cos(x); },
     {{-10, 10}, {-1000, 1000}, {1.57f, 1.572f}, {-1e7f, 1e7f}}},
};

// Edge values with their neighbours, bit patterns in equal steps (so that every exponent has its share, and NaN too), and
// the rest evenly in the dense ranges.
std::vector<float> argumentsFor(const Row& row)
{
    constexpr int kNeighbours = 64;
    std::vector<float> x;
    for (const float edge : edgeValues()) {
        for (int step = -kNeighbours; step <= kNeighbours; ++step) {
            x.push_back(std::bit_cast<float>(std::bit_cast<std::uint32_t>(edge) + static_cast<std::uint32_t>(step)));
        }
    }
    const std::size_t patterns = kPoints / 4;
    for (std::size_t i = 0; i < patterns; ++i) {
        x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>((i << 32) / patterns + i % 7919)));
    }
    const std::size_t rest = (kPoints - x.size()) / row.dense.size();
    for (const auto& [low, high] : row.dense) {
        const double step = (static_cast<double>(high) - low) / static_cast<double>(rest);
        for (std::size_t i = 0; i < rest; ++i) {
            x.push_back(static_cast<float>(low + step * static_cast<double>(i)));
        }
    }
    x.resize(kPoints, 1.0f);
    return x;
}

struct Worst {
    double error = 0;
    std::size_t at = 0;
};
Worst worstOf(const std::vector<float>& got, const std::vector<Exact>& exact)
{
    Worst worst;
    for (std::size_t i = 0; i < got.size(); ++i) {
        if (const double error = ulps(got[i], exact[i]); error > worst.error) {
            worst = {error, i};
        }
    }
    return worst;
}

// Each in a kernel of its own, as scalars and in vectors as wide as a register and wider.
std::vector<std::int64_t> forms()
{
    return {1, 8, static_cast<std::int64_t>(kLanes)};
}

std::vector<Target> everyTarget()
{
    std::vector<Target> targets;
    for (const char* name : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
        targets.push_back(*targetByName(name));
    }
    return targets;
}

// Scalar arithmetic ("vmulss", "cvtsd2ss") or a call of anything but the kernel's own body; moves and broadcasts of a single
// element are none.
std::string notVectorCode(const std::string& assembly)
{
    const auto contains = [](const std::string& word, const char* part) { return word.find(part) != std::string::npos; };
    for (const std::string& line : splitText(assembly, '\n')) {
        const std::vector<std::string> words = splitWords(line);
        if (words.empty()) {
            continue;
        }
        const std::string& mnemonic = words.front();
        const bool endsScalar = mnemonic.ends_with("ss") || mnemonic.ends_with("sd") || contains(mnemonic, "2ss") || contains(mnemonic, "2sd");
        const bool isScalar = endsScalar && !contains(mnemonic, "mov") && !contains(mnemonic, "broadcast");
        const bool isCall = mnemonic.starts_with("call") && !words.back().starts_with("kernel.");
        if (isScalar || isCall) {
            return line;
        }
    }
    return {};
}

Expr powerOf(Expr i)
{
    return binary(BinaryOp::Pow, load("A", DType::F32, {i}), load("B", DType::F32, {i}));
}

} // namespace

class TestMathUlps : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void staysWithinFourUlps_data()
    {
        QTest::addColumn<int>("row");
        for (std::size_t row = 0; row < kRows.size(); ++row) {
            QTest::newRow(kRows[row].name) << static_cast<int>(row);
        }
    }

    void staysWithinFourUlps()
    {
        QFETCH(int, row);
        const Row& r = kRows[static_cast<std::size_t>(row)];
        const std::vector<float> x = argumentsFor(r);
        std::vector<Exact> exact;
        exact.reserve(x.size());
        for (const float one : x) {
            exact.push_back(exactly(r.exact(static_cast<long double>(one))));
        }
        for (const Target& target : targetsHere()) {
            for (const std::int64_t lanes : forms()) {
                const auto program = mapOf(static_cast<std::int64_t>(x.size()), lanes, [&](Expr i) { return r.ours(load("A", DType::F32, {i})); }, 1);
                const auto y = runMap(program, target, {x});
                VERIFY_OK(y);
                const Worst worst = worstOf(*y, exact);
                const std::string words = format("{} {} x{}: {:.3f} ulp at {}: {}, exactly {}", r.name, target.name, lanes, worst.error, x[worst.at],
                                                 (*y)[worst.at], static_cast<double>(exact[worst.at].value));
                if (lanes == static_cast<std::int64_t>(kLanes)) {
                    qInfo("%s", words.c_str());
                }
                QVERIFY2(worst.error <= r.limit, words.c_str());
            }
        }
    }

    // Every pair of edge values, results over the whole range with more of them at its ends, bases beside 1 with large
    // exponents, negative bases with whole exponents, and any pairs of bits.
    void powerRoundsOnce()
    {
        std::vector<float> a, b;
        const auto add = [&](double base, double exponent) {
            a.push_back(static_cast<float>(base));
            b.push_back(static_cast<float>(exponent));
        };
        for (const float base : edgeValues()) {
            for (const float exponent : edgeValues()) {
                add(base, exponent);
            }
        }
        std::mt19937_64 generator(3);
        const auto between = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator); };
        while (a.size() < kPoints) {
            const double base = std::exp2(between(-149, 128));
            add(base, between(-155, 130) / std::log2(base));
            add(base, (generator() % 2 == 0 ? between(-151, -125) : between(127, 128.5)) / std::log2(base));
            add(1 + between(-1e-3, 1e-3), between(-1e5, 1e5));
            add(-between(0, 30), std::nearbyint(between(-30, 30)));
            add(between(0, 30), between(-30, 30));
            add(std::bit_cast<float>(static_cast<std::uint32_t>(generator())), std::bit_cast<float>(static_cast<std::uint32_t>(generator())));
        }
        a.resize(kPoints);
        b.resize(kPoints);
        std::vector<Exact> exact;
        for (std::size_t i = 0; i < a.size(); ++i) {
            exact.push_back(exactly(std::pow(static_cast<long double>(a[i]), static_cast<long double>(b[i]))));
        }
        for (const Target& target : targetsHere()) {
            for (const std::int64_t lanes : forms()) {
                const auto y = runMap(mapOf(static_cast<std::int64_t>(kPoints), lanes, &powerOf, 2), target, {a, b});
                VERIFY_OK(y);
                const Worst worst = worstOf(*y, exact);
                const std::string words = format("pow {} x{}: {:.3f} ulp at {}, {}: {}, exactly {}", target.name, lanes, worst.error, a[worst.at],
                                                 b[worst.at], (*y)[worst.at], static_cast<double>(exact[worst.at].value));
                if (lanes == static_cast<std::int64_t>(kLanes)) {
                    qInfo("%s", words.c_str());
                }
                QVERIFY2(worst.error <= kOfPower, words.c_str());
            }
        }
    }

    void isInlineVectorCode_data()
    {
        QTest::addColumn<int>("row");
        for (std::size_t row = 0; row < kRows.size(); ++row) {
            const std::string name = kRows[row].name;
            if (name != "sin" && name != "cos") { // arguments that nobody has go to libm
                QTest::newRow(kRows[row].name) << static_cast<int>(row);
            }
        }
        QTest::newRow("pow") << -1;
    }

    void isInlineVectorCode()
    {
        QFETCH(int, row);
        for (const Target& target : everyTarget()) {
            const auto value = [&](Expr i) {
                return row < 0 ? powerOf(std::move(i)) : kRows[static_cast<std::size_t>(row)].ours(load("A", DType::F32, {std::move(i)}));
            };
            code::CompileOptions options;
            options.listings = true;
            const auto compiled = code::compileKernel("kernel", mapOf(1024, kLanes, value, row < 0 ? 2 : 1), target, options);
            VERIFY_OK(compiled);
            const std::string found = notVectorCode(compiled->listing.assembly);
            QVERIFY2(found.empty(), (target.name + ": " + found).c_str());
            // As wide as the target's registers.
            const char* const registers = target.name.ends_with("v2") ? "xmm" : target.name.ends_with("v3") ? "ymm" : "zmm";
            QVERIFY2(compiled->listing.assembly.find(registers) != std::string::npos, target.name.c_str());
        }
    }

    // What the test above looks for is there when a function goes through libm.
    void seesACall()
    {
        code::CompileOptions options;
        options.listings = true;
        const auto compiled = code::compileKernel("kernel", mapOf(64, 8, [](Expr i) { return unary(UnaryOp::Tan, load("A", DType::F32, {std::move(i)})); }, 1),
                                                  everyTarget()[1], options);
        VERIFY_OK(compiled);
        QVERIFY(!notVectorCode(compiled->listing.assembly).empty());
    }
};

NW_TEST_MAIN(tst_math_ulps, TestMathUlps)
#include "tst_math_ulps.moc"
