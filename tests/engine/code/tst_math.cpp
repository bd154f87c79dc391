#include "engine/base/text.h"
#include "tests/engine/code/harness.h"
#include "tests/support/test.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "engine/wire/kernel_abi.h"

using namespace nw;
using namespace nw::lower;
using namespace nw::test;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Distance in units of the last place of the exact value, denormals counted with their own spacing.
double ulps(float got, long double exact)
{
    const float nearest = static_cast<float>(exact);
    if (std::isnan(nearest) || std::isnan(got)) {
        return std::isnan(nearest) == std::isnan(got) ? 0 : 1e30;
    }
    if (std::isinf(nearest) || std::isinf(got)) {
        return nearest == got || (std::fabs(exact) > 3.4e38L && std::isinf(nearest) != std::isinf(got) && std::fabs(got) > 3.4e38f) ? 0 : 1e30;
    }
    int exponent = 0;
    std::frexp(exact, &exponent);
    const long double unit = std::ldexp(1.0L, std::max(exponent - 24, -149));
    return static_cast<double>(std::fabs(static_cast<long double>(got) - exact) / unit);
}

std::vector<float> edgeValues()
{
    std::vector<float> values = {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, -0.5f, 2.0f, -2.0f, 3.0f, -3.0f, kInf, -kInf, kNan, 1.17549435e-38f,
                                 -1.17549435e-38f, 1e-45f, -1e-45f, 3.4028235e38f, -3.4028235e38f, 88.72283f, 88.72284f, -87.33655f,
                                 -103.97f, -104.5f, 0.625f, 0.927734375f, 1.5707964f, 3.1415927f, 8388608.0f, 1e10f, 1e20f, 1e30f, 16777217.0f};
    return values;
}

// Random bit patterns and, more densely, the range where the function does something.
std::vector<float> points(float low, float high)
{
    std::vector<float> values = edgeValues();
    std::mt19937 generator(7);
    std::uniform_real_distribution<float> inside(low, high);
    while (values.size() < 100000) {
        values.push_back(inside(generator));
        values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(generator())));
    }
    return values;
}

struct Row {
    const char* name;
    UnaryOp op;
    long double (*exact)(long double);
    float low, high;
    double limit;
};

const std::vector<Row> kRows = {
    {"exp", UnaryOp::Exp, [](long double x) { return std::exp(x); }, -104, 89, 2},
    {"log", UnaryOp::Log, [](long double x) { return std::log(x); }, 0, 4, 2},
    {"sin", UnaryOp::Sin, [](long double x) { return std::sin(x); }, -100, 100, 4},
    {"cos", UnaryOp::Cos, [](long double x) { return std::cos(x); }, -100, 100, 4},
    {"tan", UnaryOp::Tan, [](long double x) { return std::tan(x); }, -10, 10, 1},
    {"tanh", UnaryOp::Tanh, [](long double x) { return std::tanh(x); }, -10, 10, 4},
    {"erf", UnaryOp::Erf, [](long double x) { return std::erf(x); }, -5, 5, 4},
    {"sigmoid", UnaryOp::Sigmoid, [](long double x) { return x > 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }, -105, 30, 4},
    {"sqrt", UnaryOp::Sqrt, [](long double x) { return std::sqrt(x); }, 0, 100, 0.51},
    {"asin", UnaryOp::Asin, [](long double x) { return std::asin(x); }, -1, 1, 1},
    {"acos", UnaryOp::Acos, [](long double x) { return std::acos(x); }, -1, 1, 1},
    {"atan", UnaryOp::Atan, [](long double x) { return std::atan(x); }, -10, 10, 1},
    {"sinh", UnaryOp::Sinh, [](long double x) { return std::sinh(x); }, -80, 80, 1},
    {"cosh", UnaryOp::Cosh, [](long double x) { return std::cosh(x); }, -80, 80, 1},
    {"asinh", UnaryOp::Asinh, [](long double x) { return std::asinh(x); }, -100, 100, 1},
    {"acosh", UnaryOp::Acosh, [](long double x) { return std::acosh(x); }, 1, 100, 1},
    {"atanh", UnaryOp::Atanh, [](long double x) { return std::atanh(x); }, -1, 1, 1},
    {"floor", UnaryOp::Floor, [](long double x) { return std::floor(x); }, -100, 100, 0},
    {"ceil", UnaryOp::Ceil, [](long double x) { return std::ceil(x); }, -100, 100, 0},
    {"round", UnaryOp::Round, [](long double x) { return std::nearbyint(x); }, -100, 100, 0},
};

// Y[i] = value(i) for i in 0..n-1, vectorised by `lanes` (a tail is left as it comes).
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

Result<std::vector<float>> run(const Lowered& lowered, const Target& target, const std::vector<std::vector<float>>& inputs)
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

} // namespace

class TestMath : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void staysWithinItsUlps_data()
    {
        QTest::addColumn<int>("row");
        for (std::size_t row = 0; row < kRows.size(); ++row) {
            QTest::newRow(kRows[row].name) << static_cast<int>(row);
        }
    }

    void staysWithinItsUlps()
    {
        QFETCH(int, row);
        const Row& r = kRows[static_cast<std::size_t>(row)];
        std::vector<float> x = points(r.low, r.high);
        x.resize(x.size() / 16 * 16);
        const auto n = static_cast<std::int64_t>(x.size());
        for (const Target& target : targetsHere()) {
            for (const std::int64_t lanes : {1, 16}) {
                const auto y = run(mapOf(n, lanes, [&](Expr i) { return unary(r.op, load("A", DType::F32, {i})); }, 1), target, {x});
                VERIFY_OK(y);
                double worst = 0;
                std::size_t at = 0;
                for (std::size_t i = 0; i < x.size(); ++i) {
                    const long double exact = r.exact(static_cast<long double>(x[i]));
                    const double error = ulps((*y)[i], exact);
                    if (error > worst) {
                        worst = error;
                        at = i;
                    }
                }
                qInfo("%s %s x%d: %.2f ulp at %.9g", r.name, target.name.c_str(), static_cast<int>(lanes), worst, static_cast<double>(x[at]));
                const std::string words = format("{} x{}: {}({}) = {}, {} ulp", target.name, lanes, r.name, x[at], (*y)[at], worst);
                QVERIFY2(worst <= r.limit, words.c_str());
            }
        }
    }

    void keepsTheSignOfZero_data()
    {
        QTest::addColumn<int>("op");
        QTest::newRow("sin") << static_cast<int>(UnaryOp::Sin);
        QTest::newRow("tanh") << static_cast<int>(UnaryOp::Tanh);
        QTest::newRow("erf") << static_cast<int>(UnaryOp::Erf);
        QTest::newRow("sqrt") << static_cast<int>(UnaryOp::Sqrt);
        QTest::newRow("floor") << static_cast<int>(UnaryOp::Floor);
    }

    void keepsTheSignOfZero()
    {
        QFETCH(int, op);
        for (const Target& target : targetsHere()) {
            const auto y = run(mapOf(2, 2, [&](Expr i) { return unary(static_cast<UnaryOp>(op), load("A", DType::F32, {i})); }, 1), target, {{-0.0f, 0.0f}});
            VERIFY_OK(y);
            QVERIFY((*y)[0] == 0.0f && std::signbit((*y)[0]));
            QVERIFY((*y)[1] == 0.0f && !std::signbit((*y)[1]));
        }
    }

    void power()
    {
        std::vector<float> a;
        std::vector<float> b;
        for (const float base : edgeValues()) {
            for (const float exponent : edgeValues()) {
                a.push_back(base);
                b.push_back(exponent);
            }
        }
        std::mt19937 generator(3);
        std::uniform_real_distribution<float> bases(-2, 30);
        std::uniform_real_distribution<float> exponents(-30, 30);
        while (a.size() < 100000) {
            a.push_back(bases(generator));
            b.push_back(generator() % 2 == 0 ? exponents(generator) : std::nearbyint(exponents(generator)));
        }
        a.resize(100000);
        b.resize(100000);
        for (const Target& target : targetsHere()) {
            const auto y = run(mapOf(100000, 8, [](Expr i) { return binary(BinaryOp::Pow, load("A", DType::F32, {i}), load("B", DType::F32, {i})); }, 2), target, {a, b});
            VERIFY_OK(y);
            for (std::size_t i = 0; i < a.size(); ++i) {
                const long double exact = std::pow(static_cast<long double>(a[i]), static_cast<long double>(b[i]));
                const double error = ulps((*y)[i], exact);
                const std::string words = format("{}: pow({}, {}) = {}, {} ulp", target.name, a[i], b[i], (*y)[i], error);
                QVERIFY2(error <= 1.0, words.c_str());
            }
        }
    }

    void extremesPropagateNan_data()
    {
        QTest::addColumn<bool>("isMax");
        QTest::addColumn<bool>("withLiteral");
        QTest::newRow("max") << true << false;
        QTest::newRow("min") << false << false;
        QTest::newRow("max literal") << true << true;
        QTest::newRow("min literal") << false << true;
    }

    void extremesPropagateNan()
    {
        QFETCH(bool, isMax);
        QFETCH(bool, withLiteral);
        const std::vector<float> a = {1, kNan, 2, kNan, -1, kInf, -kInf, 5};
        const std::vector<float> b = withLiteral ? std::vector<float>(8, 1.5f) : std::vector<float>{kNan, 1, 3, kNan, 0, kNan, 4, -5};
        const BinaryOp op = isMax ? BinaryOp::Max : BinaryOp::Min;
        for (const Target& target : targetsHere()) {
            for (const std::int64_t lanes : {1, 8}) {
                const auto y = run(mapOf(8, lanes, [&](Expr i) {
                                       const Expr other = withLiteral ? floatImm(1.5) : load("B", DType::F32, {i});
                                       return binary(op, load("A", DType::F32, {i}), other);
                                   }, 2), target, {a, b});
                VERIFY_OK(y);
                for (std::size_t i = 0; i < 8; ++i) {
                    const float expected = std::isnan(a[i]) || std::isnan(b[i]) ? kNan : isMax ? std::max(a[i], b[i]) : std::min(a[i], b[i]);
                    QVERIFY2(ulps((*y)[i], static_cast<long double>(expected)) == 0, format("element {} is {}", i, (*y)[i]).c_str());
                }
            }
        }
    }
};

NW_TEST_MAIN(tst_math, TestMath)
#include "tst_math.moc"
