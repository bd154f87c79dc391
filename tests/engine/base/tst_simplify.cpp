#include "engine/base/expr_parse.h"
#include "engine/base/simplify.h"
#include "engine/base/text.h"
#include "tests/engine/base/sampler.h"
#include "tests/support/test.h"

#include <QElapsedTimer>
#include <QObject>

using namespace nw;

namespace {

// "i:16 j:4 m:-3..9"
Ranges parseRanges(const std::string& text)
{
    Ranges ranges;
    for (const std::string& word : splitWords(text)) {
        const std::vector<std::string> parts = splitText(word, ':');
        const std::size_t dots = parts[1].find("..");
        ranges[parts[0]] = dots == std::string::npos
            ? Interval::ofExtent(std::stoll(parts[1]))
            : Interval{std::stoll(parts[1].substr(0, dots)), std::stoll(parts[1].substr(dots + 2))};
    }
    return ranges;
}

Expr parsed(const std::string& text)
{
    ExprNames names;
    names.typeOfVar = [](const std::string& name) -> Result<DType> {
        return name == "x" || name == "y" ? DType::F32 : name == "p" || name == "q" ? DType::Bool
            : name == "w"                                                           ? DType::I32
                                                                                    : DType::I64;
    };
    names.typeOfBuffer = [](const std::string& name) -> Result<DType> { return name == "T" ? DType::I64 : DType::F32; };
    const Result<Expr> e = parseExpr(text, names);
    if (!e) {
        qFatal("%s: %s", text.c_str(), e.error().message.c_str());
    }
    return *e;
}

std::string describe(const Expr& e, const Point& point)
{
    std::string text = toText(e) + " at";
    for (const auto& [name, value] : point) {
        text += format(" {}={}", name, value);
    }
    return text;
}

} // namespace

class TestSimplify : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rewrites_data();
    void rewrites();
    void bounds_data();
    void bounds();
    void proves_data();
    void proves();
    void affine();
    void randomIndices();
    void randomConditions();
    void overflowIsLeftAlone();
    void unchangedIsShared();
    void speed();
};

void TestSimplify::rewrites_data()
{
    QTest::addColumn<std::string>("before");
    QTest::addColumn<std::string>("ranges");
    QTest::addColumn<std::string>("after");

    const auto row = [](const char* before, const char* ranges, const char* after) {
        QTest::newRow(before) << std::string(before) << std::string(ranges) << std::string(after);
    };
    row("i + 0", "", "i");
    row("i * 1 - 0", "", "i");
    row("i - i", "", "0");
    row("2 * i + 3 * i - 5 + 7", "", "i * 5 + 2");
    row("(io * 6 + ii) - io * 6", "", "ii");
    row("ii + io * 16", "", "io * 16 + ii");
    row("-(i - 3)", "", "3 - i");
    row("i / 16 * 16 + i % 16", "", "i");
    row("i - i / 16 * 16", "", "i % 16");
    row("i % 16 - i", "", "i / 16 * -16");
    row("i / 64 * 64 + i / 16 % 4 * 16 + i % 16", "", "i");
    row("i % 64 / 16 * 16 + i % 16", "", "i % 64");
    row("(o * 16 + i) / 16", "o:8 i:16", "o");
    row("(o * 16 + i) % 16", "o:8 i:16", "i");
    row("(o * 16 + i) / 16", "o:8 i:17", "o + i / 16");
    row("(a * 32 + b * 4 + c) / 4", "a:4 b:8 c:4", "a * 8 + b");
    row("(a * 32 + b * 4 + c) / 16", "a:4 b:8 c:4", "a * 2 + b / 4");
    row("(a * 32 + b * 4 + c) % 16", "a:4 b:8 c:4", "b % 4 * 4 + c");
    row("(a * 32 + b * 4 + c) / 32", "a:4 b:8 c:4", "a");
    row("i / 4 / 4", "", "i / 16");
    row("i % 16 % 4", "", "i % 4");
    row("i % 64 / 16", "", "i / 16 % 4");
    row("i / 12", "i:12", "0");
    row("i % 12", "i:12", "i");
    row("(i + 16 * k) % 16", "", "i % 16");
    row("(i + 16 * k) / 16", "", "k + i / 16");
    row("(i * 4) / 8", "", "i / 2");
    row("(i * 4 + 3) % 8", "", "i % 2 * 4 + 3");
    row("i * 0", "", "0");
    row("0 / n", "n:1..9", "0");
    row("(n * c + k) / c", "k:4 c:4..9", "n");
    row("(n * c + k) % c", "k:4 c:4..9", "k");
    row("(i * t + j) - i * t", "", "j");
    row("t * i - i * t", "", "0");
    row("(a + b) * (a + b) - a * a - b * b", "", "a * b * 2");
    row("min(i, 20)", "i:12", "i");
    row("max(i, 20)", "i:12", "20");
    row("min(i + 1, i + 3)", "", "i + 1");
    row("min(min(i, 5), min(n, 7))", "", "min(min(i, n), 5)");
    row("max(i, i)", "", "i");
    row("div(i, 4)", "i:12", "i / 4");
    row("div(n, 4)", "", "div(n, 4)");
    row("rem(i, 4)", "i:12", "i % 4");
    row("abs(i)", "i:12", "i");
    row("n / -4", "", "-n / 4");
    row("select(i < 12, n, 3)", "i:12", "n");
    row("select(i < 5, n, n)", "i:12", "n");
    row("select(i < 5, min(i, 7), i)", "i:12", "i");
    row("select(i < 5, i / 5, 9)", "i:12", "select(i < 5, 0, 9)");
    row("T[i - i + 2]", "", "T[2]");
    row("i + j", "i:1", "j");
    row("i64(i32(i))", "i:12", "i");
    row("i64(i32(n))", "", "i64(i32(n))");
    // Conditions.
    row("i < 12", "i:12", "true");
    row("i >= 12", "i:12", "false");
    row("i + 1 <= 5", "", "i < 5");
    row("3 < i", "", "i >= 4");
    row("i * 16 < 48", "", "i < 3");
    row("io * 16 + ii < 48", "ii:16", "io < 3");
    row("io * 16 + ii < 40", "ii:16", "io * 16 + ii < 40");
    row("io * 16 + ii < n", "", "io * 16 + ii < n");
    row("i / 16 < 3", "", "i < 48");
    row("i / 16 >= 3", "", "i >= 48");
    row("2 * i == 3", "", "false");
    row("2 * i == 4", "", "i == 2");
    row("i != 12", "i:12", "true");
    row("i == i", "", "true");
    row("i < j && j > i", "", "i < j");
    row("i < 5 && i < 7", "", "i < 5");
    row("i < 5 && i >= 5", "", "false");
    row("i < 5 || i >= 5", "", "true");
    row("i >= 0 && i < 8 && n < 3", "i:8", "n < 3");
    row("i < 5 || i < 7", "", "i < 7");
    row("!(i < 5)", "", "i >= 5");
    row("!(i < 5 && n == 3)", "", "i >= 5 || n != 3");
    row("i == 3 && i < 9", "", "i == 3");
    row("i == 3 && i > 9", "", "false");
    row("i < 4 && i * 2 + j < 20", "j:4", "i < 4");
    row("p && p", "", "p");
    row("p && !p", "", "false");
    row("p || !p", "", "true");
    row("p ^ p", "", "false");
    row("p == true", "", "p");
    row("!!p", "", "p");
    row("select(p, true, q)", "", "p || q");
    row("select(p, q, false)", "", "p && q");
    row("select(p, T[i] < 3, false)", "", "select(p, T[i] < 3, false)");
    row("select(p, false, true)", "", "!p");
    // Floats: nothing but literals, and what is below.
    row("x * 0.0", "", "x * 0.0");
    row("x - x", "", "x - x");
    row("x + 0.0", "", "x + 0.0");
    row("1.0 + 0.1", "", "1.1");
    row("16777216.0 + 1.0", "", "16777216.0");
    row("0.1d + 0.2d", "", "0.30000000000000004d");
    row("exp(1.0)", "", "exp(1.0)");
    row("sqrt(2.0)", "", "1.4142135");
    row("!(x < y)", "", "!(x < y)");
    row("!(x == y)", "", "x != y");
    row("1.0 < 2.0", "", "true");
    row("select(i < 12, x, 0.0)", "i:12", "x");
    row("x + X[i - i, j * 1]", "", "x + X[0, j]");
    row("f32(3)", "", "3.0");
    row("round(2.5)", "", "2.0");
    row("w + i32(0)", "", "w");
    row("w - w", "", "i32(0)");
}

void TestSimplify::rewrites()
{
    QFETCH(std::string, before);
    QFETCH(std::string, ranges);
    QFETCH(std::string, after);
    const Ranges known = parseRanges(ranges);
    const Expr once = simplify(parsed(before), known);
    QCOMPARE(toText(once), after);
    QCOMPARE(toText(simplify(once, known)), after);
}

void TestSimplify::bounds_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("ranges");
    QTest::addColumn<qint64>("low");
    QTest::addColumn<qint64>("high");

    const auto row = [](const char* text, const char* ranges, std::int64_t low, std::int64_t high) {
        QTest::newRow(text) << std::string(text) << std::string(ranges) << qint64(low) << qint64(high);
    };
    row("i - i", "", 0, 0);
    row("i * 4 + j - 3", "i:8 j:4", -3, 28);
    row("-i * 2", "i:8", -14, 0);
    row("(i - 5) / 4", "i:12", -2, 1);
    row("i % 7", "i:5", 0, 4);
    row("i % 7", "i:50", 0, 6);
    row("(i + 21) % 7", "i:3", 0, 2);
    row("n % 8", "", 0, 7);
    row("min(i, 20) - 1", "i:40", -1, 19);
    row("max(i, 20)", "i:40", 20, 39);
    row("min(i * 16 + 16, n) - i * 16", "i:4 n:50..60", 2, 16);
    row("select(i < 3, i, 7)", "i:40", 0, 7);
    row("(i * 16 + j) / 16", "i:8 j:16", 0, 7);
    row("i / 16 * 16 + i % 16", "i:40", 0, 39);
    row("i64(i < 3)", "i:40", 0, 1);
    row("n / c", "n:10..20 c:2..5", 2, 10);
    row("n % c", "n:10..20 c:2..5", 0, 4);
    row("T[i]", "i:4", Interval::kMinusInf, Interval::kPlusInf);
    row("n", "", Interval::kMinusInf, Interval::kPlusInf);
    row("n * 2 + 1", "", Interval::kMinusInf, Interval::kPlusInf);
    row("max(n, 0) * 9223372036854775807", "", 0, Interval::kPlusInf);
    row("i * j", "i:-3..4 j:-5..2", -20, 15);
    row("abs(i)", "i:-3..2", 0, 3);
}

void TestSimplify::bounds()
{
    QFETCH(std::string, text);
    QFETCH(std::string, ranges);
    QFETCH(qint64, low);
    QFETCH(qint64, high);
    const Interval found = boundsOf(parsed(text), parseRanges(ranges));
    QCOMPARE(found.low, low);
    QCOMPARE(found.high, high);
}

void TestSimplify::proves_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("ranges");
    QTest::addColumn<bool>("isTrue");
    QTest::addColumn<bool>("isFalse");

    const auto row = [](const char* text, const char* ranges, bool isTrue, bool isFalse) {
        QTest::newRow(text) << std::string(text) << std::string(ranges) << isTrue << isFalse;
    };
    row("io * 16 + ii < 64", "io:4 ii:16", true, false);
    row("io * 16 + ii < 60", "io:4 ii:16", false, false);
    row("min(io * 16 + 16, n) <= n", "", true, false);
    row("max(i, 3) < 3", "", false, true);
    row("i / 16 * 16 <= i", "", true, false);
    row("i % 16 < 16 && i % 16 >= 0", "", true, false);
    row("n < 0 || n >= 0", "", true, false);
    row("oh * 2 + kh - 1 < 112", "oh:56 kh:3", true, false);
    row("oh * 2 + kh - 1 >= 0", "oh:56 kh:3", false, false);
    row("i == 7", "i:7", false, true);
    row("x < x + 1.0", "", false, false);
}

void TestSimplify::proves()
{
    QFETCH(std::string, text);
    QFETCH(std::string, ranges);
    QFETCH(bool, isTrue);
    QFETCH(bool, isFalse);
    QCOMPARE(provedTrue(parsed(text), parseRanges(ranges)), isTrue);
    QCOMPARE(provedFalse(parsed(text), parseRanges(ranges)), isFalse);
}

void TestSimplify::affine()
{
    const std::optional<Affine> found = affineOf(parsed("(i + 2) * 3 - (j - i) - j * 0"));
    QVERIFY(found.has_value());
    QCOMPARE(found->constant, std::int64_t{6});
    QCOMPARE(found->coefficient("i"), std::int64_t{4});
    QCOMPARE(found->coefficient("j"), std::int64_t{-1});
    QCOMPARE(found->coefficient("k"), std::int64_t{0});
    QCOMPARE(toText(fromAffine(*found)), std::string("i * 4 + j * -1 + 6"));
    QVERIFY(!affineOf(parsed("i * j")).has_value());
    QVERIFY(!affineOf(parsed("i / 2")).has_value());
    QVERIFY(!affineOf(parsed("T[i]")).has_value());
    QVERIFY(affineOf(parsed("i - i"))->terms.empty());
}

// simplify() keeps the value, boundsOf() holds it: on thousands of random expressions.
void TestSimplify::randomIndices()
{
    for (std::uint64_t seed = 1; seed <= 12000; ++seed) {
        Sampler sampler(seed);
        const Expr e = sampler.index(1 + static_cast<int>(seed % 5));
        const Expr simple = simplify(e, sampler.ranges);
        const Interval range = boundsOf(e, sampler.ranges);
        for (int round = 0; round < 12; ++round) {
            const Point point = sampler.point();
            const std::optional<std::int64_t> before = evaluate(e, point);
            if (!before) {
                continue;
            }
            const std::optional<std::int64_t> after = evaluate(simple, point);
            const std::string where = format("seed {}: {} became {}", seed, describe(e, point), toText(simple));
            QVERIFY2(after.has_value(), where.c_str());
            QVERIFY2(*before == *after, format("{} ({} -> {})", where, *before, *after).c_str());
            QVERIFY2(range.low <= *before && *before <= range.high,
                     format("{}: {} not in {}..{}", where, *before, range.low, range.high).c_str());
        }
    }
}

void TestSimplify::randomConditions()
{
    int decided = 0;
    for (std::uint64_t seed = 1; seed <= 12000; ++seed) {
        Sampler sampler(seed + 500000);
        const Expr e = sampler.condition(1 + static_cast<int>(seed % 4));
        const Expr simple = simplify(e, sampler.ranges);
        decided += constInt(simple) ? 1 : 0;
        for (int round = 0; round < 16; ++round) {
            const Point point = sampler.point();
            const std::optional<std::int64_t> before = evaluate(e, point);
            if (!before) {
                continue;
            }
            const std::optional<std::int64_t> after = evaluate(simple, point);
            const std::string where = format("seed {}: {} became {}", seed, describe(e, point), toText(simple));
            QVERIFY2(after.has_value() && *before == *after, where.c_str());
        }
    }
    QVERIFY(decided > 500 && decided < 11000);
}

void TestSimplify::overflowIsLeftAlone()
{
    for (const char* text : {"n * 4611686018427387904 * 4", "n * 9223372036854775807 + n * 9223372036854775807",
                             "(n + 9223372036854775807) + 9223372036854775807", "n * -9223372036854775808 * -1",
                             "(n - 9223372036854775807 - 9) / 3", "n / 4611686018427387904 / 4611686018427387904",
                             "n - -9223372036854775808 < 0", "(n * 9223372036854775807 + n) % 7"}) {
        const Expr e = parsed(text);
        const Expr simple = simplify(e, {});
        const Point point{{"n", 0}};
        const Point other{{"n", 1}};
        for (const Point& at : {point, other}) {
            const std::optional<std::int64_t> before = evaluate(e, at);
            QVERIFY2(!before || before == evaluate(simple, at), (std::string(text) + " became " + toText(simple)).c_str());
        }
    }
}

void TestSimplify::unchangedIsShared()
{
    for (const char* text : {"io * 16 + ii", "X[i, j] * x", "select(i < 3, x, 0.0)", "i < 3 && j < 4", "i / 16"}) {
        const Expr e = parsed(text);
        QVERIFY2(simplify(e, {}) == e, text);
    }
}

// A nest's indices are simplified thousands of times while somebody waits.
void TestSimplify::speed()
{
    const Ranges ranges = parseRanges("oco:4 oci:16 oho:14 ohi:4 owo:4 owi:14 ic:64 kh:3 kw:3");
    const std::vector<Expr> typical = {
        parsed("(oco * 16 + oci) / 16"),
        parsed("(oho * 4 + ohi) * 1 + kh - 1"),
        parsed("((oco * 16 + oci) / 16 * 56 + (oho * 4 + ohi)) * 56 * 16 + (owo * 14 + owi) * 16 + (oco * 16 + oci) % 16"),
        parsed("oho * 4 + ohi + kh - 1 >= 0 && oho * 4 + ohi + kh - 1 < 56"),
        parsed("owo * 14 + owi < 56"),
    };
    QElapsedTimer timer;
    timer.start();
    constexpr int kRounds = 400;
    for (int round = 0; round < kRounds; ++round) {
        for (const Expr& e : typical) {
            QVERIFY(simplify(e, ranges) != nullptr);
        }
    }
    const double each = static_cast<double>(timer.nsecsElapsed()) / 1000 / kRounds / static_cast<double>(typical.size());
    qInfo("%.2f us for one expression", each);
    QVERIFY(each < 200);
}

NW_TEST_MAIN(tst_simplify, TestSimplify)
#include "tst_simplify.moc"
