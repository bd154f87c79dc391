// Convolutions by tiles: their matrices, that they compute what the direct convolution does, and what they lose.

#include "engine/base/random.h"
#include "engine/compute/interpret.h"
#include "engine/compute/winograd.h"
#include "tests/engine/compute/group_maker.h"
#include "tests/engine/compute/naive.h"
#include "tests/support/test.h"

#include <QObject>

#include <cmath>

using namespace nw;
using namespace nw::compute;
using test::Extents;

namespace {

// A 3x3 convolution with what may follow it.
struct Case {
    std::int64_t n = 1, ic = 3, h = 8, w = 8, oc = 4;
    std::vector<std::int64_t> pads{1, 1, 1, 1};
    bool bias = true;
    std::string epilogue = "relu"; // "", "relu", "add", "swish": reads the sum twice
    DType type = DType::F32;

    Extents out() const { return {n, oc, h + pads[0] + pads[2] - 2, w + pads[1] + pads[3] - 2}; }
};

graph::ValueId epilogueOf(test::GroupMaker& maker, const Case& c, graph::ValueId y)
{
    if (c.epilogue == "relu") {
        return maker.node("Relu", {y}, c.type, c.out());
    }
    if (c.epilogue == "add") {
        return maker.node("Add", {y, maker.input(c.type, c.out())}, c.type, c.out());
    }
    if (c.epilogue == "swish") {
        return maker.node("Mul", {y, maker.node("Sigmoid", {y}, c.type, c.out())}, c.type, c.out());
    }
    return y;
}

// tile 0: the direct convolution.
Definition definitionOf(const Case& c, std::int64_t tile)
{
    test::GroupMaker maker;
    std::vector<graph::ValueId> inputs{maker.input(c.type, {c.n, c.ic, c.h, c.w})};
    inputs.push_back(maker.constant(c.type, tile == 0 ? Extents{c.oc, c.ic, 3, 3} : Extents{tile + 2, tile + 2, c.oc, c.ic}));
    if (c.bias) {
        inputs.push_back(maker.constant(c.type, {c.oc}));
    }
    const std::vector<std::int64_t> ones{1, 1};
    const graph::ValueId y = tile == 0
        ? maker.node("Conv", inputs, c.type, c.out(), {{"pads", c.pads}, {"strides", ones}, {"dilations", ones}, {"group", std::int64_t{1}}})
        : maker.node("WinogradConv", inputs, c.type, c.out(), {{"pads", c.pads}, {"tile", tile}});
    const Result<Definition> made = maker.define({epilogueOf(maker, c, y)});
    ENSURE(made.has_value(), made ? "" : made.error().message);
    return *made;
}

// The direct definition's data, and the same with transformed weights.
struct Data {
    std::vector<Tensor> direct, tiles;
};
Data dataOf(const Case& c, std::int64_t tile, std::uint64_t seed)
{
    const Result<std::vector<Tensor>> made = makeTestData(definitionOf(c, 0), DataKind::Uniform, seed);
    ENSURE(made.has_value(), made ? "" : made.error().message);
    Data data{*made, *made};
    data.tiles[1] = graph::winogradWeights(*graph::winograd(tile), data.direct[1]);
    return data;
}

std::vector<Case> someCases(DType type)
{
    std::vector<Case> cases;
    for (const std::string epilogue : {"", "relu", "add", "swish"}) {
        for (const auto& [h, w] : {std::pair<std::int64_t, std::int64_t>{8, 8}, {7, 9}, {3, 5}, {6, 3}}) {
            for (const auto& pads : {std::vector<std::int64_t>{1, 1, 1, 1}, {0, 0, 0, 0}, {0, 1, 2, 0}}) {
                cases.push_back({1, 3, h, w, 4, pads, epilogue != "relu", epilogue, type});
            }
        }
    }
    cases.push_back({2, 5, 11, 4, 3, {1, 1, 1, 1}, true, "relu", type});
    return cases;
}

std::string nameOf(const Case& c, std::int64_t tile)
{
    return "F(" + std::to_string(tile) + ",3) " + std::to_string(c.h) + "x" + std::to_string(c.w) + " pad "
        + std::to_string(c.pads[0]) + " " + c.epilogue;
}

double largestDifference(const std::vector<double>& a, const std::vector<double>& b)
{
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(a[i] - b[i]));
    }
    return largest;
}

std::vector<double> valuesOf(const Tensor& tensor)
{
    std::vector<double> values;
    for (std::int64_t i = 0; i < tensor.count(); ++i) {
        values.push_back(tensor.asDouble(i));
    }
    return values;
}

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    const std::size_t at = text.find(from);
    ENSURE(at != std::string::npos, "no \"" + from + "\" in " + text);
    return text.replace(at, from.size(), to);
}

} // namespace

class TestWinograd : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tiles_data()
    {
        QTest::addColumn<qint64>("tile");
        QTest::newRow("F(2,3)") << qint64{2};
        QTest::newRow("F(4,3)") << qint64{4};
    }

    // Of every pair of unit vectors d and g: y_i = sum over k of d_{i + k} g_k.
    void tiles()
    {
        QFETCH(qint64, tile);
        const graph::Winograd from = *graph::winograd(tile);
        for (std::size_t at = 0; at < from.data.size(); ++at) {
            for (std::size_t tap = 0; tap < 3; ++tap) {
                for (std::size_t i = 0; i < from.result.size(); ++i) {
                    double y = 0;
                    for (std::size_t j = 0; j < from.data.size(); ++j) {
                        y += from.result[i][j] * from.weights[j][tap] * from.data[j][at];
                    }
                    QVERIFY(std::abs(y - (at == i + tap ? 1 : 0)) < 1e-14);
                }
            }
        }
        QVERIFY(!graph::winograd(3) && !graph::winograd(0) && !graph::winograd(6));
    }

    void errorsAreDeclared()
    {
        const graph::WinogradError small = graph::winogradError(*graph::winograd(2));
        const graph::WinogradError large = graph::winogradError(*graph::winograd(4));
        QCOMPARE(small.worst, 64.0 / 9);
        QCOMPARE(large.worst, 256.0); // 48 squared over 9
        QVERIFY(std::abs(small.typical - 5.0 / 3) < 1e-12);
        QVERIFY(large.typical > 31 && large.typical < 32);
    }

    void agreesWithDirect_data() { tiles_data(); }
    void agreesWithDirect()
    {
        QFETCH(qint64, tile);
        for (const Case& c : someCases(DType::F64)) {
            const Data data = dataOf(c, tile, 11);
            const auto direct = interpret(definitionOf(c, 0), data.direct);
            const auto tiles = interpret(definitionOf(c, tile), data.tiles);
            VERIFY_OK(direct);
            VERIFY_OK(tiles);
            QCOMPARE((*tiles)[0].shape, (*direct)[0].shape);
            QVERIFY2(largestDifference((*direct)[0].values, (*tiles)[0].values) < 1e-12, nameOf(c, tile).c_str());
        }
    }

    // A float program stays inside of the oracle's bound, that inside of the declared one, and both say something.
    void losesNoMoreThanDeclared_data() { tiles_data(); }
    void losesNoMoreThanDeclared()
    {
        QFETCH(qint64, tile);
        double worst = 0;
        double beside = 0;
        double worstDirect = 0; // the same of the direct convolution's bound
        for (Case c : someCases(DType::F32)) {
            if (c.epilogue != "" && c.epilogue != "add") {
                continue; // what follows only adds its own
            }
            c.epilogue = "";
            c.bias = false;
            for (const std::int64_t channels : {1, 3, 16}) {
                c.ic = channels;
                const Data data = dataOf(c, tile, 5);
                const Definition definition = definitionOf(c, tile);
                const auto direct = interpret(definitionOf(c, 0), data.direct);
                const auto expected = interpret(definition, data.tiles);
                VERIFY_OK(direct);
                VERIFY_OK(expected);
                const std::vector<Tensor> got = test::evaluateNaively(definition, data.tiles);
                QVERIFY2(!firstOutside((*expected)[0], got[0]), nameOf(c, tile).c_str());
                const double declared = winogradErrorBound(*winogradOf(definition), 1, 1);
                const double lost = largestDifference((*direct)[0].values, valuesOf(got[0]));
                const double bound = *std::max_element((*expected)[0].bounds.begin(), (*expected)[0].bounds.end());
                QVERIFY2(lost <= declared, nameOf(c, tile).c_str());
                QVERIFY2(bound <= declared, nameOf(c, tile).c_str());
                const double lostDirect
                    = largestDifference((*direct)[0].values, valuesOf(test::evaluateNaively(definitionOf(c, 0), data.direct)[0]));
                worst = std::max(worst, bound / lost);
                worstDirect = std::max(worstDirect, *std::max_element((*direct)[0].bounds.begin(), (*direct)[0].bounds.end()) / lostDirect);
                beside = std::max(beside, lost / lostDirect);
            }
        }
        qInfo("F(%d,3): the oracle allows at most %.0f times what is lost (direct: %.0f), which is at most %.1f times what direct loses",
              static_cast<int>(tile), worst, worstDirect, beside);
        QVERIFY(beside < graph::winogradError(*graph::winograd(tile)).worst);
        QVERIFY(worst < 8 * worstDirect); // as strict, up to the terms that four transforms add
    }

    // A matrix with one wrong number is seen, by the oracle's bound and by the declared one.
    void wrongConstantsAreSeen_data()
    {
        QTest::addColumn<qint64>("tile");
        QTest::addColumn<std::string>("from");
        QTest::addColumn<std::string>("to");
        QTest::newRow("data") << qint64{4} << std::string("5.0 * rows[n, ic, th, a, tw * 4 + 2]") << std::string("4.0 * rows[n, ic, th, a, tw * 4 + 2]");
        QTest::newRow("result") << qint64{4} << std::string("8.0 * (conv") << std::string("7.0 * (conv");
        QTest::newRow("small") << qint64{2} << std::string("rows[n, ic, th, a, tw * 2 + 2] - rows[n, ic, th, a, tw * 2]")
                               << std::string("rows[n, ic, th, a, tw * 2 + 2] - 1.5 * rows[n, ic, th, a, tw * 2]");
    }
    void wrongConstantsAreSeen()
    {
        QFETCH(qint64, tile);
        QFETCH(std::string, from);
        QFETCH(std::string, to);
        Case c;
        c.ic = 16;
        c.bias = false;
        c.epilogue = "";
        const Definition right = definitionOf(c, tile);
        const auto wrong = parseDefinition(replaced(toText(right), from, to));
        VERIFY_OK(wrong);
        const Data data = dataOf(c, tile, 9);
        const auto expected = interpret(right, data.tiles);
        VERIFY_OK(expected);
        const std::vector<Tensor> got = test::evaluateNaively(*wrong, data.tiles);
        QVERIFY(firstOutside((*expected)[0], got[0]));
        QVERIFY(largestDifference((*expected)[0].values, valuesOf(got[0])) > winogradErrorBound(*winogradOf(right), 1, 1));
    }

    // Wrong weights too: what the plan hands over is tried against the direct convolution.
    void integersAreExact()
    {
        for (const std::int64_t tile : graph::kWinogradTiles) {
            const Definition definition = definitionOf({1, 16, 9, 10, 5, {1, 1, 1, 1}, true, "relu", DType::F32}, tile);
            QVERIFY(isExactOnIntegers(definition));
            const auto data = makeTestData(definition, DataKind::SmallIntegers, 1);
            VERIFY_OK(data);
            const auto expected = interpret(definition, *data);
            VERIFY_OK(expected);
            for (const double bound : (*expected)[0].bounds) {
                QCOMPARE(bound, 0.0);
            }
            QCOMPARE(valuesOf(test::evaluateNaively(definition, *data)[0]), (*expected)[0].values);
        }
    }

    void workIsItsOwn()
    {
        Case c{1, 64, 56, 56, 64, {1, 1, 1, 1}, true, "relu", DType::F32};
        const Work direct = workOf(definitionOf(c, 0));
        for (const std::int64_t tile : graph::kWinogradTiles) {
            const Work work = workOf(definitionOf(c, tile));
            QCOMPARE(work.nominalFlops, direct.nominalFlops);
            const double places = static_cast<double>((tile + 2) * (tile + 2)) / static_cast<double>(tile * tile);
            const double sums = 2.0 * 64 * 64 * 56 * 56 * places;
            QVERIFY(work.flops > sums && work.flops < 1.25 * sums);
            QCOMPARE(work.constantBytes, 4 * ((tile + 2) * (tile + 2) * 64 * 64 + 64));
        }
    }
};

NW_TEST_MAIN(tst_winograd, TestWinograd)
#include "tst_winograd.moc"
