#include "engine/base/text.h"
#include "tests/engine/code/harness.h"
#include "tests/support/test.h"

#include <array>
#include <bit>

using namespace nw;
using namespace nw::lower;
using namespace nw::test;

namespace {

Expr f32(const std::string& buffer, Expr at) { return load(buffer, DType::F32, {std::move(at)}); }
Expr product(const Expr& a, const Expr& b) { return a * b; }
LBuffer port(const std::string& name, DType type, std::int64_t elements, int index) { return {name, type, elements, Scope::Port, index}; }
LBuffer local(const std::string& name, DType type, std::int64_t elements, Scope scope) { return {name, type, elements, scope}; }

const Expr i = var("i");
const Expr j = var("j");
const Expr k = var("k");
const Expr v = var("v");

struct Case {
    std::string name;
    Lowered lowered;
};

// A register tile of `rows` x `lanes` over k, with a guard on the columns: the shape of every contraction.
Lowered matmulTile(std::int64_t m, std::int64_t n, std::int64_t depth, std::int64_t rows, std::int64_t lanes, DType type)
{
    Lowered l;
    l.buffers = {port("A", type, m * depth, 0), port("B", type, depth * n, 1), port("C", type, m * n, 2), local("acc", type, rows * lanes, Scope::Registers)};
    const std::int64_t tiles = (n + lanes - 1) / lanes;
    const Expr column = j * lanes + v;
    const Expr row = i * rows + var("r");
    const Expr slot = var("r") * lanes + v;
    const auto tile = [&](const LStmt& inner) { return loop("r", rows, LoopKind::Unrolled, {loop("v", lanes, LoopKind::Vector, {inner})}); };
    const auto guarded = [&](const LStmt& inner) { return n % lanes == 0 ? inner : when(lessThan(column, intImm(n)), {inner}); };
    const Expr a = load("A", type, {row * depth + k});
    const Expr b = load("B", type, {k * n + column});
    l.body = {loop("j", tiles, LoopKind::Parallel,
                   {loop("i", m / rows, LoopKind::Parallel,
                         {with("acc", {tile(store("acc", slot, literal(type, 0))),
                                       loop("k", depth, LoopKind::Serial, {tile(guarded(accumulate("acc", type, slot, product(a, b))))}),
                                       tile(guarded(store("C", row * n + column, load("acc", type, {slot}))))})})})};
    return l;
}

Case elementwise(const std::string& name, const std::vector<LBuffer>& buffers, LBody body, std::int64_t workspace = 0)
{
    Lowered l;
    l.buffers = buffers;
    l.body = std::move(body);
    l.workspaceBytes = workspace;
    return {name, l};
}

std::vector<Case> accessCases()
{
    using K = LoopKind;
    const auto F = DType::F32;
    std::vector<Case> c;
    for (const std::int64_t lanes : {2, 3, 4, 7, 8, 9, 14, 16, 28, 40, 100}) {
        c.push_back(elementwise(format("contiguous {}", lanes), {port("A", F, lanes, 0), port("Y", F, lanes, 1)},
                                {loop("v", lanes, K::Vector, {store("Y", v, f32("A", v) + floatImm(1.5))})}));
    }
    for (const std::int64_t stride : {2, 3, 5}) {
        c.push_back(elementwise(format("stride {}", stride), {port("A", F, stride * 7 + 1, 0), port("Y", F, stride * 7 + 1, 1)},
                                {loop("v", 8, K::Vector, {store("Y", v * stride, f32("A", v * stride))})}));
    }
    c.push_back(elementwise("reversed", {port("A", F, 8, 0), port("Y", F, 8, 1)}, {loop("v", 8, K::Vector, {store("Y", v, f32("A", intImm(7) - v))})}));
    c.push_back(elementwise("reversed store", {port("A", F, 8, 0), port("Y", F, 8, 1)}, {loop("v", 8, K::Vector, {store("Y", intImm(7) - v, f32("A", v))})}));
    c.push_back(elementwise("gather through indices", {port("A", F, 17, 0), port("I", DType::I64, 8, 1), port("Y", F, 8, 2)},
                            {loop("v", 8, K::Vector, {store("Y", v, f32("A", load("I", DType::I64, {v}) + 8))})}));
    c.push_back(elementwise("scatter", {port("A", F, 8, 0), port("Y", F, 16, 1)},
                            {loop("v", 8, K::Vector, {store("Y", floorMod(v * 5, intImm(8)) * 2, f32("A", v))})}));
    c.push_back(elementwise("blocked lane", {port("A", F, 64, 0), port("Y", F, 64, 1)},
                            {loop("i", 4, K::Serial, {loop("v", 16, K::Vector, {store("Y", i * 16 + v, f32("A", floorDiv(i * 16 + v, intImm(8)) * 8 + floorMod(v, intImm(8))))})})}));
    c.push_back(elementwise("splat of a shared load", {port("A", F, 4, 0), port("Y", F, 32, 1)},
                            {loop("i", 4, K::Serial, {loop("v", 8, K::Vector, {store("Y", i * 8 + v, f32("A", i) * castTo(F, v))})})}));
    c.push_back(elementwise("sum in place", {port("A", F, 24, 0), port("Y", F, 8, 1)},
                            {loop("k", 3, K::Serial, {loop("v", 8, K::Vector, {accumulate("Y", F, v, f32("A", k * 8 + v))})})}));
    c.push_back(elementwise("lanes that meet in one element run one by one", {port("A", F, 8, 0), port("Y", F, 1, 1)},
                            {loop("v", 8, K::Vector, {accumulate("Y", F, intImm(0), f32("A", v))})}));
    c.push_back(elementwise("vector inside vector", {port("A", F, 32, 0), port("Y", F, 32, 1)},
                            {loop("v", 8, K::Vector, {loop("j", 4, K::Vector, {store("Y", j * 8 + v, f32("A", v * 4 + j))})})}));
    c.push_back(elementwise("loop inside a vector", {port("A", F, 96, 0), port("Y", F, 8, 1)},
                            {loop("v", 8, K::Vector, {store("Y", v, floatImm(0)), loop("k", 12, K::Serial, {accumulate("Y", F, v, f32("A", v * 12 + k))})})}));
    c.push_back(elementwise("a buffer for every lane", {port("A", F, 32, 0), port("Y", F, 8, 1), local("t", F, 4, Scope::Stack)},
                            {loop("v", 8, K::Vector, {with("t", {loop("k", 4, K::Serial, {store("t", k, f32("A", v * 4 + k) * f32("A", v))}),
                                                                  store("Y", v, f32("t", intImm(1)) + f32("t", intImm(3)))})})}));
    c.push_back(elementwise("heap between two loops", {port("A", F, 40, 0), port("Y", F, 40, 1), {"h", F, 40, Scope::Heap, -1, 64}},
                            {loop("i", 5, K::Parallel, {loop("v", 8, K::Vector, {store("h", i * 8 + v, f32("A", i * 8 + v) * floatImm(2))})}),
                             loop("i", 5, K::Parallel, {loop("v", 8, K::Vector, {store("Y", i * 8 + v, f32("h", intImm(39) - (i * 8 + v)))})})},
                            64 + 160));
    c.push_back(elementwise("stack tile with a changing index", {port("A", F, 64, 0), port("Y", F, 64, 1), local("t", F, 16, Scope::Stack)},
                            {loop("i", 4, K::Parallel, {with("t", {loop("v", 16, K::Vector, {store("t", v, f32("A", i * 16 + v))}),
                                                                    loop("j", 16, K::Serial, {store("Y", i * 16 + j, f32("t", intImm(15) - j))})})})}));
    c.push_back(elementwise("parallel inside serial inside parallel", {port("A", F, 24, 0), port("Y", F, 24, 1)},
                            {loop("i", 2, K::Parallel, {loop("j", 3, K::Serial, {loop("k", 4, K::Parallel, {store("Y", i * 12 + j * 4 + k, f32("A", i * 12 + j * 4 + k))})})})}));
    c.push_back(elementwise("parallel with an outer variable", {port("A", F, 30, 0), port("Y", F, 30, 1)},
                            {loop("j", 3, K::Serial, {loop("i", 10, K::Parallel, {store("Y", j * 10 + i, f32("A", j * 10 + i) * castTo(F, j))})})}));
    c.push_back(elementwise("a register of one lane", {port("A", F, 64, 0), port("Y", F, 8, 1), local("r", F, 1, Scope::Registers)},
                            {loop("i", 8, K::Serial, {with("r", {store("r", intImm(0), floatImm(0)), loop("k", 8, K::Serial, {accumulate("r", F, intImm(0), f32("A", i * 8 + k) * f32("A", k))}),
                                                                  store("Y", i, f32("r", intImm(0)))})})}));
    c.push_back(elementwise("one lane of a vector in registers", {port("A", F, 8, 0), port("Y", F, 8, 1), local("r", F, 8, Scope::Registers)},
                            {with("r", {loop("v", 8, K::Vector, {store("r", v, f32("A", v))}), loop("j", 8, K::Unrolled, {store("Y", j, f32("r", intImm(7) - j))})})}));
    return c;
}

std::vector<Case> maskCases()
{
    using K = LoopKind;
    const auto F = DType::F32;
    std::vector<Case> c;
    for (const std::int64_t n : {1, 7, 8, 9, 15, 17, 31}) {
        const Expr at = i * 8 + v;
        c.push_back(elementwise(format("tail of {}", n), {port("A", F, n, 0), port("Y", F, n, 1)},
                                {loop("i", (n + 7) / 8, K::Serial, {loop("v", 8, K::Vector, {when(lessThan(at, intImm(n)), {store("Y", at, f32("A", at) + floatImm(1))})})})}));
    }
    const Expr inside = binary(BinaryOp::And, binary(BinaryOp::Ge, j + v - 2, intImm(0)), lessThan(j + v - 2, intImm(12)));
    c.push_back(elementwise("padding in a vector", {port("A", F, 12, 0), port("Y", F, 48, 1)},
                            {loop("j", 4, K::Serial, {loop("v", 12, K::Vector, {store("Y", j * 12 + v, select(inside, f32("A", j + v - 2), floatImm(-1)))})})}));
    const Expr row = binary(BinaryOp::And, binary(BinaryOp::Ge, j - 1, intImm(0)), lessThan(j - 1, intImm(2)));
    c.push_back(elementwise("padding shared by all lanes", {port("A", F, 16, 0), port("Y", F, 32, 1)},
                            {loop("j", 4, K::Serial, {loop("v", 8, K::Vector, {store("Y", j * 8 + v, select(row, f32("A", (j - 1) * 8 + v), floatImm(0)))})})}));
    c.push_back(elementwise("padding of a scalar", {port("A", F, 2, 0), port("Y", F, 4, 1)}, {loop("j", 4, K::Serial, {store("Y", j, select(row, f32("A", j - 1), floatImm(7)))})}));
    c.push_back(elementwise("both sides load", {port("A", F, 6, 0), port("B", F, 6, 1), port("Y", F, 12, 2)},
                            {loop("v", 12, K::Vector, {store("Y", v, select(lessThan(v, intImm(6)), f32("A", v), f32("B", v - 6)))})}));
    c.push_back(elementwise("a long side gets a branch", {port("A", F, 2, 0), port("Y", F, 4, 1)},
                            {loop("j", 4, K::Serial, {store("Y", j, select(row, unary(UnaryOp::Sqrt, unary(UnaryOp::Abs, f32("A", j - 1))) + unary(UnaryOp::Floor, f32("A", j - 1)), floatImm(7)))})}));
    c.push_back(elementwise("either side of a condition in lanes", {port("A", F, 16, 0), port("Y", F, 16, 1)},
                            {loop("v", 16, K::Vector, {when(lessThan(floorMod(v, intImm(3)), intImm(1)), {store("Y", v, f32("A", v))}, {store("Y", v, floatImm(-3))})})}));
    c.push_back(elementwise("masks within masks", {port("A", F, 11, 0), port("Y", F, 16, 1)},
                            {loop("v", 16, K::Vector, {when(lessThan(v, intImm(11)), {when(binary(BinaryOp::Gt, f32("A", v), floatImm(0)), {store("Y", v, select(binary(BinaryOp::Lt, v, intImm(9)), f32("A", v + 2), floatImm(5)))})})})}));
    c.push_back(elementwise("masked gather and scatter", {port("A", F, 24, 0), port("Y", F, 24, 1)},
                            {loop("v", 8, K::Vector, {when(lessThan(v, intImm(5)), {store("Y", v * 5, f32("A", v * 5))})})}));
    c.push_back(elementwise("no lane on, and a load that all share", {port("A", F, 4, 0), port("Y", F, 64, 1)},
                            {loop("i", 8, K::Serial, {loop("v", 8, K::Vector, {store("Y", i * 8 + v, select(lessThan(i * 8 + v, intImm(32)), f32("A", i), floatImm(0)))})})}));
    c.push_back(elementwise("masked sum in registers", {port("A", F, 40, 0), port("Y", F, 10, 1), local("r", F, 16, Scope::Registers)},
                            {with("r", {loop("v", 16, K::Vector, {store("r", v, floatImm(0))}),
                                        loop("k", 4, K::Serial, {loop("v", 16, K::Vector, {when(lessThan(v, intImm(10)), {accumulate("r", F, v, f32("A", k * 10 + v))})})}),
                                        loop("v", 16, K::Vector, {when(lessThan(v, intImm(10)), {store("Y", v, f32("r", v))})})})}));
    c.push_back(elementwise("masked bool", {port("A", DType::Bool, 9, 0), port("Y", DType::Bool, 9, 1)},
                            {loop("i", 2, K::Serial, {loop("v", 8, K::Vector, {when(lessThan(i * 8 + v, intImm(9)), {store("Y", i * 8 + v, unary(UnaryOp::Not, load("A", DType::Bool, {i * 8 + v})))})})})}));
    return c;
}

std::vector<Case> integerCases()
{
    using K = LoopKind;
    std::vector<Case> c;
    struct Named {
        const char* name;
        BinaryOp op;
    };
    const std::vector<Named> ops = {{"add", BinaryOp::Add}, {"sub", BinaryOp::Sub}, {"mul", BinaryOp::Mul}, {"div", BinaryOp::Div}, {"floordiv", BinaryOp::FloorDiv},
                                    {"floormod", BinaryOp::FloorMod}, {"truncmod", BinaryOp::TruncMod}, {"min", BinaryOp::Min}, {"max", BinaryOp::Max}};
    for (const DType type : {DType::I32, DType::I64}) {
        for (const auto& [name, op] : ops) {
            for (const std::int64_t lanes : {1, 8}) {
                const Expr at = i * lanes + v;
                c.push_back(elementwise(format("{} {} x{}", name, toText(type), lanes), {port("A", type, 64, 0), port("B", type, 64, 1), port("Y", type, 64, 2)},
                                        {loop("i", 64 / lanes, K::Serial, {loop("v", lanes, K::Vector, {store("Y", at, binary(op, load("A", type, {at}), load("B", type, {at})))})})}));
            }
        }
    }
    for (const DType from : {DType::F32, DType::F64, DType::I32, DType::I64, DType::Bool}) {
        for (const DType to : {DType::F32, DType::F64, DType::I32, DType::I64, DType::Bool}) {
            c.push_back(elementwise(format("{} to {}", toText(from), toText(to)), {port("A", from, 16, 0), port("Y", to, 16, 1)},
                                    {loop("v", 16, K::Vector, {store("Y", v, castTo(to, load("A", from, {v})))})}));
        }
    }
    c.push_back(elementwise("literal divisors", {port("A", DType::I64, 16, 0), port("Y", DType::I64, 64, 1)},
                            {loop("v", 16, K::Vector, {store("Y", v, floorDiv(load("A", DType::I64, {v}), intImm(3))), store("Y", v + 16, floorMod(load("A", DType::I64, {v}), intImm(4))),
                                                       store("Y", v + 32, binary(BinaryOp::Div, load("A", DType::I64, {v}), intImm(-3))), store("Y", v + 48, floorDiv(intImm(5) - v * 3, intImm(4)))})}));
    return c;
}

void addRows(const std::vector<Case>& cases)
{
    QTest::addColumn<int>("index");
    for (std::size_t index = 0; index < cases.size(); ++index) {
        QTest::newRow(cases[index].name.c_str()) << static_cast<int>(index);
    }
}

void check(const Case& tested)
{
    const std::string words = differences(tested.lowered, randomMemory(tested.lowered, 5));
    QVERIFY2(words.empty(), words.c_str());
}

} // namespace

class TestEmission : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void access_data() { addRows(accessCases()); }
    void access()
    {
        QFETCH(int, index);
        check(accessCases()[static_cast<std::size_t>(index)]);
    }

    void masks_data() { addRows(maskCases()); }
    void masks()
    {
        QFETCH(int, index);
        check(maskCases()[static_cast<std::size_t>(index)]);
    }

    void integers_data() { addRows(integerCases()); }
    void integers()
    {
        QFETCH(int, index);
        check(integerCases()[static_cast<std::size_t>(index)]);
    }

    void tiles_data()
    {
        QTest::addColumn<int>("n");
        QTest::addColumn<int>("depth");
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("lanes");
        QTest::addColumn<bool>("isDouble");
        QTest::newRow("6 x 16") << 32 << 32 << 6 << 16 << false;
        QTest::newRow("odd depth") << 32 << 37 << 6 << 16 << false;
        QTest::newRow("guarded columns") << 37 << 16 << 3 << 16 << false;
        QTest::newRow("narrow") << 5 << 9 << 2 << 8 << false;
        QTest::newRow("double") << 20 << 16 << 4 << 8 << true;
        QTest::newRow("odd lanes") << 28 << 24 << 4 << 7 << false;
    }

    void tiles()
    {
        QFETCH(int, n);
        QFETCH(int, depth);
        QFETCH(int, rows);
        QFETCH(int, lanes);
        QFETCH(bool, isDouble);
        check({"tile", matmulTile(rows * 3, n, depth, rows, lanes, isDouble ? DType::F64 : DType::F32)});
    }
    // Division by zero and by -1 of the smallest integer must not trap (an interpreter cannot say what the processor does).
    void divisionNeverTraps()
    {
        for (const DType type : {DType::I32, DType::I64}) {
            const std::int64_t lowest = type == DType::I32 ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int64_t>::min();
            for (const BinaryOp op : {BinaryOp::Div, BinaryOp::FloorDiv, BinaryOp::FloorMod, BinaryOp::TruncMod}) {
                const Case tested = elementwise("traps", {port("A", type, 4, 0), port("B", type, 4, 1), port("Y", type, 4, 2)},
                                                {loop("v", 4, LoopKind::Vector, {store("Y", v, binary(op, load("A", type, {v}), load("B", type, {v})))})});
                Memory memory;
                memory["A"] = {{0, lowest}, {0, 5}, {0, -7}, {0, 0}};
                memory["B"] = {{0, -1}, {0, 0}, {0, 2}, {0, 0}};
                memory["Y"].resize(4);
                const std::string words = differences(tested.lowered, memory);
                QVERIFY2(words.empty(), words.c_str());
            }
        }
    }

    void floatsSaturateToIntegers()
    {
        for (const DType to : {DType::I32, DType::I64, DType::Bool}) {
            const Case tested = elementwise("saturates", {port("A", DType::F32, 8, 0), port("Y", to, 8, 1)},
                                            {loop("v", 8, LoopKind::Vector, {store("Y", v, castTo(to, f32("A", v)))})});
            Memory memory;
            for (const double value : {1e30, -1e30, std::nan(""), 2147483648.0, -2147483648.0, 0.9, -0.9, 1e18}) {
                memory["A"].push_back({static_cast<double>(static_cast<float>(value)), 0});
            }
            memory["Y"].resize(8);
            const std::string words = differences(tested.lowered, memory);
            QVERIFY2(words.empty(), words.c_str());
        }
    }

    // How the lanes of a vector loop reach each buffer stands in the listing; registers are not told.
    void tellsAccesses()
    {
        Lowered lowered;
        lowered.buffers = {port("A", DType::F32, 8, 0), port("B", DType::F32, 64, 1), port("C", DType::F32, 64, 2), port("Y", DType::F32, 64, 3)};
        const Expr value = f32("A", j) + f32("B", v) + f32("C", v * 3) + f32("B", floorMod(v * v, intImm(64)));
        lowered.body = {loop("j", 8, LoopKind::Serial, {loop("v", 8, LoopKind::Vector, {store("Y", j * 8 + v, value)}), store("Y", j, floatImm(2))})};
        const auto compiled = code::compileKernel("kernel", lowered, targetsHere().back());
        VERIFY_OK(compiled);
        std::string told;
        for (const wire::AccessCount& access : compiled->listing.accesses) {
            told += format("{} {} {} {}; ", access.buffer, access.stores ? "stores" : "loads", wire::toText(access.kind), access.count);
        }
        QCOMPARE(told, std::string("A loads broadcast 1; B loads contiguous 1; B loads gather 1; C loads strided 1; Y stores scalar 1; Y stores contiguous 1; "));
    }

    void refuses_data()
    {
        QTest::addColumn<int>("which");
        QTest::addColumn<std::string>("message");
        QTest::newRow("variable register index") << 0 << std::string("Register buffer \"r\" is indexed by i, which is not constant once loops are unrolled. "
                                                                      "Unroll the loops that index it, or keep it on the stack.");
        QTest::newRow("element type") << 1 << std::string("Kernel kernel: there is no code for elements of type f16 yet. Cast to f32, f64, i64, i32 or bool.");
        QTest::newRow("buffer outside its scope") << 2 << std::string("Buffer \"r\" is used where it does not exist.");
    }

    void refuses()
    {
        QFETCH(int, which);
        QFETCH(std::string, message);
        const LStmt write = loop("i", 4, LoopKind::Serial, {store("r", i, floatImm(1))});
        Lowered lowered;
        lowered.buffers = {port("A", which == 1 ? DType::F16 : DType::F32, 4, 0), local("r", DType::F32, 4, Scope::Registers)};
        lowered.body = which == 0 ? LBody{with("r", {write})} : which == 1 ? LBody{store("A", intImm(0), floatImm(0))} : LBody{write};
        const auto compiled = code::compileKernel("kernel", lowered, targetsHere().back());
        QVERIFY(!compiled);
        QCOMPARE(compiled.error().kind, Error::Kind::Refused);
        QCOMPARE(compiled.error().message, message);
    }
};

NW_TEST_MAIN(tst_emission, TestEmission)
#include "tst_emission.moc"
