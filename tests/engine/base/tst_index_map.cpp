#include "engine/base/index_map.h"
#include "engine/base/injective.h"
#include "engine/base/text.h"
#include "tests/engine/base/sampler.h"
#include "tests/support/test.h"

#include <QObject>

#include <set>

using namespace nw;

namespace {

using Shape = std::vector<std::int64_t>;

Shape shapeOf(const std::string& text)
{
    Shape shape;
    for (const std::string& word : splitWords(text)) {
        shape.push_back(std::stoll(word));
    }
    return shape;
}

} // namespace

class TestIndexMap : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void roundTrips_data();
    void roundTrips();
    void refuses_data();
    void refuses();
    void memory_data();
    void memory();
    void offsets_data();
    void offsets();
    void identity();
    void injectiveAgreesWithTrying();
};

void TestIndexMap::roundTrips_data()
{
    QTest::addColumn<std::string>("text");
    for (const char* text : {"plain", "plain border 0 0 1 1", "(n, c, h, w) -> (n, c / 16, h, w, c % 16)",
                             "(n, c, h, w) -> (n, c / 16, h, w, c % 16) border 0 0 1 1:2", "(k, n) -> (n / 16, k, n % 16)",
                             "(a, b) -> (b, a)", "(a) -> (a * 2 + 1)"}) {
        QTest::newRow(text) << std::string(text);
    }
}

void TestIndexMap::roundTrips()
{
    QFETCH(std::string, text);
    const Result<Layout> layout = parseLayout(text);
    VERIFY_OK(layout);
    QCOMPARE(layout->toText(), text);
    QVERIFY(*layout == *parseLayout("  " + text + " "));
}

void TestIndexMap::refuses_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("message");
    QTest::addColumn<int>("column");
    const auto row = [](const char* text, const char* message, int column) {
        QTest::newRow(text) << std::string(text) << std::string(message) << column;
    };
    row("n -> n", "Expected \"(\". An index map is written (n, c) -> (c, n).", 1);
    row("(n -> (n)", "The bracket opened here is never closed.", 1);
    row("(n, n) -> (n)", "The axis n is named twice.", 5);
    row("(n) (n)", "Expected \"->\" after the axes.", 5);
    row("(n, 3) -> (n)", "\"3\" is no name of an axis.", 5);
    row("(n, c) -> (n, d)", "There is no axis d. The axes are n, c.", 15);
    row("(n) -> (n +)", "Expected a value, but the text ends.", 12);
    row("(n) -> (n < 3)", "A memory index must be an integer.", 9);
    row("(n) -> (T[n])", "An index map reads no buffer.", 9);
    row("(n) -> (n) more", "The index map should end here.", 12);
    row("(n, c) -> (n, c) border 1", "The border has 1 numbers for 2 axes.", 0);
    row("(n) -> (n) border -1", "\"-1\" is no border. Write one number per axis, or before:after.", 0);
    row("plain border", "After \"border\" stands one number per axis.", 0);
}

void TestIndexMap::refuses()
{
    QFETCH(std::string, text);
    QFETCH(std::string, message);
    QFETCH(int, column);
    const Result<Layout> layout = parseLayout(text);
    QVERIFY(!layout);
    QCOMPARE(layout.error().message, message);
    QCOMPARE(layout.error().column, column);
}

void TestIndexMap::memory_data()
{
    QTest::addColumn<std::string>("layout");
    QTest::addColumn<std::string>("logical");
    QTest::addColumn<std::string>("memory"); // empty: refused by checkInvertible
    const auto row = [](const char* name, const char* layout, const char* logical, const char* memory) {
        QTest::newRow(name) << std::string(layout) << std::string(logical) << std::string(memory);
    };
    row("plain", "plain", "2 3", "2 3");
    row("plain with border", "plain border 0 1", "2 3", "2 5");
    row("blocked", "(n, c, h, w) -> (n, c / 16, h, w, c % 16)", "1 64 56 56", "1 4 56 56 16");
    row("not dividing", "(n, c, h, w) -> (n, c / 16, h, w, c % 16)", "1 20 5 5", "1 2 5 5 16");
    row("smaller than a block", "(n, c, h, w) -> (n, c / 16, h, w, c % 16)", "1 3 5 5", "1 1 5 5 16");
    row("border", "(n, c, h, w) -> (n, c / 16, h, w, c % 16) border 0 0 1 1:2", "1 32 5 5", "1 2 7 8 16");
    row("transposed", "(a, b) -> (b, a)", "2 3", "3 2");
    row("three digits", "(a) -> (a / 32, a % 4, a / 4 % 8)", "100", "4 4 8");
    row("gaps", "(a, b) -> (a * 8 + b)", "4 5", "29");
    row("overlap", "(a, b) -> (a * 4 + b)", "4 5", "");
    row("lost axis", "(a, b) -> (a)", "4 5", "");
    row("lost axis of one element", "(a, b) -> (a)", "4 1", "4");
    row("lost digit", "(a) -> (a % 16)", "20", "");
    row("wrapped", "(a) -> (a % 16)", "16", "16");
    row("skewed", "(a, b) -> (a, (a + b) % 5)", "4 5", "4 5");
    row("not skewed enough", "(a, b) -> (a + b, b % 2)", "4 5", "");
    row("sum and difference", "(a, b) -> (a + b, a - b + 4)", "4 5", "8 8");
    row("negative", "(a) -> (a - 3)", "4", "4");
    row("reversed", "(a) -> (7 - a)", "4", "8");
    row("reversed below 0", "(a, b) -> (-a, b)", "4 5", "4 5");
    row("skewed by another", "(a, b) -> (a + b, b)", "4 5", "8 5");
    row("skewed below 0", "(a, b) -> (b - a, a)", "4 5", "8 4");
    row("skewed twice", "(a, b, c) -> (a + b, b + c, c * 2)", "2 3 4", "4 6 7");
    row("rotated both ways", "(a, b) -> (a, (b - 3 * a) % 8)", "40 8", "40 8");
    row("rotated by a factor", "(a, b) -> (a, (3 * b + a) % 8)", "40 8", "40 8");
    row("rotated too far", "(a, b) -> (a, (2 * b + a) % 8)", "40 8", "");
    row("too large to try, skewed", "(a, b) -> (a + b, b)", "100000 1000", "100999 1000");
    row("too large to try, rotated", "(a, b) -> (a, (a + b) % 65536)", "65536 65536", "65536 65536");
    row("too large to try", "(a, b) -> (a, (b + b / 2) % 65536)", "65536 65536", "");
    row("empty", "(a, b) -> (b, a)", "0 3", "0 0");
    row("rank", "(a, b) -> (b, a)", "3", "");
}

void TestIndexMap::memory()
{
    QFETCH(std::string, layout);
    QFETCH(std::string, logical);
    QFETCH(std::string, memory);
    const Result<Layout> parsed = parseLayout(layout);
    VERIFY_OK(parsed);
    const Shape shape = shapeOf(logical);
    const Status status = parsed->checkInvertible(shape);
    QCOMPARE(status.has_value(), !memory.empty());
    if (memory.empty()) {
        QCOMPARE(status.error().kind, Error::Kind::Refused);
        return;
    }
    const Result<Shape> found = parsed->memoryShape(shape);
    VERIFY_OK(found);
    QCOMPARE(*found, shapeOf(memory));
}

void TestIndexMap::offsets_data()
{
    QTest::addColumn<std::string>("layout");
    QTest::addColumn<std::string>("logical");
    QTest::addColumn<std::string>("offset"); // at (i, j, ...)
    const auto row = [](const char* layout, const char* logical, const char* offset) {
        QTest::newRow(layout) << std::string(layout) << std::string(logical) << std::string(offset);
    };
    row("plain", "4 5", "i * 5 + j");
    row("plain border 0 1", "4 5", "i * 7 + j + 1");
    row("(a, b) -> (b, a)", "4 5", "j * 4 + i");
    row("(a, b) -> (a, b / 16, b % 16)", "4 32", "i * 32 + j");
    row("(a, b) -> (b / 16, a, b % 16)", "4 32", "j / 16 * 64 + i * 16 + j % 16");
    row("(a, b) -> (b / 16, a, b % 16) border 1:1 0", "4 32", "j / 16 * 96 + i * 16 + j % 16 + 16");
    row("(a, b) -> (a + b, b)", "4 32", "j * 33 + i * 32");
    row("(a, b) -> (b - a, a)", "4 32", "j * 4 - i * 3 + 12");
    row("(a, b) -> (a * 8 + b)", "4 5", "i * 8 + j");
    row("(a, b) -> (a, (a + b) % 32)", "4 32", "i * 32 + (i + j) % 32");
    row("(a, b) -> (a + 2, b)", "4 32", "i * 32 + j + 64");
}

void TestIndexMap::offsets()
{
    QFETCH(std::string, layout);
    QFETCH(std::string, logical);
    QFETCH(std::string, offset);
    const Result<Layout> parsed = parseLayout(layout);
    VERIFY_OK(parsed);
    const Shape shape = shapeOf(logical);
    const Ranges ranges = {{"i", Interval::ofExtent(shape[0])}, {"j", Interval::ofExtent(shape[1])}};
    const Expr found = parsed->offset({var("i"), var("j")}, shape, ranges);
    QCOMPARE(toText(found), offset);
    // Every point of the box has a place of its own inside the memory.
    std::int64_t count = 1;
    for (const std::int64_t extent : *parsed->memoryShape(shape)) {
        count *= extent;
    }
    std::set<std::int64_t> places;
    for (std::int64_t i = 0; i < shape[0]; ++i) {
        for (std::int64_t j = 0; j < shape[1]; ++j) {
            const std::optional<std::int64_t> place = evaluate(found, {{"i", i}, {"j", j}});
            QVERIFY(place && *place >= 0 && *place < count);
            QVERIFY(places.insert(*place).second);
        }
    }
}

void TestIndexMap::identity()
{
    const IndexMap map = IndexMap::identity(3);
    QVERIFY(map.isIdentity());
    QCOMPARE(map.toText(), std::string("(a0, a1, a2) -> (a0, a1, a2)"));
    Layout layout;
    layout.map = map;
    QVERIFY(layout.isPlain());
    QVERIFY(layout == Layout());
    const std::vector<Expr> mapped = (*parseIndexMap("(a, b) -> (b, a / 4)")).apply({var("b") * 4, var("a")});
    QCOMPARE(toText(mapped[0]), std::string("a"));
    QCOMPARE(toText(mapped[1]), std::string("b"));
}

// The answer that looks at digits or tries points is the one that a plain set of places gives.
void TestIndexMap::injectiveAgreesWithTrying()
{
    Random random(3);
    const char* const parts[] = {"a", "b", "a / 2", "a % 2", "a / 4", "a % 4", "b / 3", "b % 3", "a / 2 % 3", "b / 2 % 2",
                                 "a * 6 + b", "b * 2 + a % 2", "a + b", "a % 4 / 2", "a * 12 + b * 3 + a % 3",
                                 "a - b", "(a + b) % 5", "(b - 3 * a) % 7", "(a * 2 + b) % 9 * 4 + a % 4", "9 - a", "(a + b) / 2"};
    int yes = 0;
    for (int round = 0; round < 3000; ++round) {
        std::vector<std::string> out;
        for (std::uint64_t i = 0; i <= random.below(4); ++i) {
            out.emplace_back(parts[random.below(std::size(parts))]);
        }
        const Result<Layout> layout = parseLayout("(a, b) -> (" + join(out, ", ") + ")");
        VERIFY_OK(layout);
        const Shape shape = {random.between(1, 9), random.between(1, 7)};
        std::set<std::vector<std::int64_t>> places;
        bool isInjective = true;
        for (std::int64_t a = 0; a < shape[0]; ++a) {
            for (std::int64_t b = 0; b < shape[1]; ++b) {
                std::vector<std::int64_t> place;
                for (const Expr& e : layout->map.out) {
                    place.push_back(evaluate(e, {{"a", a}, {"b", b}}).value());
                }
                isInjective = places.insert(place).second && isInjective;
            }
        }
        const Result<Shape> memory = layout->memoryShape(shape);
        VERIFY_OK(memory);
        for (std::size_t i = 0; i < layout->map.out.size(); ++i) {
            std::int64_t low = 0, high = 0;
            for (const std::vector<std::int64_t>& place : places) {
                low = std::min(low, place[i]);
                high = std::max(high, place[i]);
            }
            QVERIFY(high - low < (*memory)[i]);
        }
        const std::optional<SamePlace> met = samePlace(layout->map, shape);
        QCOMPARE(met.has_value(), !isInjective);
        if (met) {
            QVERIFY(met->first != met->second);
            for (const Expr& e : layout->map.out) {
                QVERIFY(evaluate(e, {{"a", met->first[0]}, {"b", met->first[1]}}) == evaluate(e, {{"a", met->second[0]}, {"b", met->second[1]}}));
            }
        }
        QVERIFY2(layout->checkInvertible(shape).has_value() == isInjective,
                 format("{} on [{}]", layout->toText(), fmt::join(shape, ", ")).c_str());
        yes += isInjective ? 1 : 0;
    }
    QVERIFY(yes > 100 && yes < 2900);
}

NW_TEST_MAIN(tst_index_map, TestIndexMap)
#include "tst_index_map.moc"
