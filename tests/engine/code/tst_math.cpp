// Functions that go through libm, exact ones, and the special values of all.
#include "engine/base/text.h"
#include "tests/engine/code/harness.h"
#include "tests/engine/code/math_maps.h"
#include "tests/support/test.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace nw;
using namespace nw::test;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

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
    {"tan", UnaryOp::Tan, [](long double x) { return std::tan(x); }, -10, 10, 1},
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
        std::vector<Exact> exact;
        for (const float one : x) {
            exact.push_back(exactly(r.exact(static_cast<long double>(one))));
        }
        for (const Target& target : targetsHere()) {
            for (const std::int64_t lanes : {1, 16}) {
                const auto y = runMap(mapOf(n, lanes, [&](Expr i) { return unary(r.op, load("A", DType::F32, {i})); }, 1), target, {x});
                VERIFY_OK(y);
                double worst = 0;
                std::size_t at = 0;
                for (std::size_t i = 0; i < x.size(); ++i) {
                    const double error = ulps((*y)[i], exact[i]);
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
            const auto y = runMap(mapOf(2, 2, [&](Expr i) { return unary(static_cast<UnaryOp>(op), load("A", DType::F32, {i})); }, 1), target, {{-0.0f, 0.0f}});
            VERIFY_OK(y);
            QVERIFY((*y)[0] == 0.0f && std::signbit((*y)[0]));
            QVERIFY((*y)[1] == 0.0f && !std::signbit((*y)[1]));
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
                const auto y = runMap(mapOf(8, lanes, [&](Expr i) {
                                       const Expr other = withLiteral ? floatImm(1.5) : load("B", DType::F32, {i});
                                       return binary(op, load("A", DType::F32, {i}), other);
                                   }, 2), target, {a, b});
                VERIFY_OK(y);
                for (std::size_t i = 0; i < 8; ++i) {
                    const float expected = std::isnan(a[i]) || std::isnan(b[i]) ? kNan : isMax ? std::max(a[i], b[i]) : std::min(a[i], b[i]);
                    QVERIFY2(ulps((*y)[i], exactly(static_cast<long double>(expected))) == 0, format("element {} is {}", i, (*y)[i]).c_str());
                }
            }
        }
    }
};

NW_TEST_MAIN(tst_math, TestMath)
#include "tst_math.moc"
