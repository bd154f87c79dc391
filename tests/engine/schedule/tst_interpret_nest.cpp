// The interpreter of nests: right answers under any order, and planted faults that it must name.

#include "engine/base/text.h"
#include "engine/compute/interpret.h"
#include "engine/schedule/interpret_nest.h"
#include "engine/schedule/scalar_program.h"
#include "engine/schedule/script.h"
#include "tests/support/test.h"

#include <cmath>
#include <functional>
#include <limits>

using namespace nw;
using namespace nw::schedule;

namespace {

Target fixedTarget()
{
    Target target;
    target.name = "test";
    target.vectorBytes = 16;
    target.vectorRegisters = 16;
    return target;
}

const Target kTarget = fixedTarget();
const Context kContext{&kTarget};

const std::string kMatmul = "definition matmul\ninput A f32 [5, 6]\nconstant B f32 [6, 7]\noutput Y f32 [5, 7]\n"
                            "stage matmul f32 [m:5, n:7] sum [k:6] from 0.0 =\n    A[m, k] * B[k, n]\n"
                            "stage relu -> Y f32 [m:5, n:7] =\n    max(matmul[m, n], 0.0)\n";

LoopNest nestOf(const std::string& text, const std::string& script = {}, const std::vector<std::string>& layouts = {})
{
    const Result<compute::Definition> parsed = compute::parseDefinition(text);
    ENSURE(parsed.has_value(), parsed ? "" : parsed.error().message);
    const auto definition = std::make_shared<const compute::Definition>(*parsed);
    std::vector<Layout> parsedLayouts(definition->ports.size());
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        parsedLayouts[i] = *parseLayout(layouts[i]);
    }
    const Result<LoopNest> nest = initialNest(definition, parsedLayouts);
    ENSURE(nest.has_value(), nest ? "" : nest.error().message);
    const Result<Script> steps = parseScript(script, allPrimitives(), kContext);
    ENSURE(steps.has_value(), steps ? "" : steps.error().message);
    const Result<Replay> done = replay(*nest, *steps, {}, kContext);
    ENSURE(done.has_value(), done ? "" : done.error().message);
    return done->nest();
}

// A copy of the nest with every statement changed.
Stmt changed(const Stmt& statement, const std::function<void(Loop&)>& loops, const std::function<void(Block&)>& blocks)
{
    if (statement->loop() != nullptr) {
        Loop loop = *statement->loop();
        loops(loop);
        for (Stmt& child : loop.body) {
            child = changed(child, loops, blocks);
        }
        return makeStmt(std::move(loop));
    }
    Block block = *statement->block();
    blocks(block);
    return makeStmt(std::move(block));
}

LoopNest changed(LoopNest nest, const std::function<void(Loop&)>& loops, const std::function<void(Block&)>& blocks)
{
    for (Stmt& root : nest.roots) {
        root = changed(root, loops, blocks);
    }
    return nest;
}

std::string outcome(const LoopNest& nest, std::uint64_t orderSeed = 0)
{
    const Result<std::vector<Tensor>> inputs
        = compute::makeTestData(*nest.definition, compute::DataKind::SmallIntegers, 3);
    const Result<std::vector<compute::OracleOutput>> oracle = compute::interpret(*nest.definition, *inputs);
    const Result<std::vector<Tensor>> outputs = interpretNest(nest, *inputs, orderSeed);
    if (!outputs) {
        return outputs.error().message;
    }
    for (std::size_t o = 0; o < outputs->size(); ++o) {
        for (std::int64_t i = 0; i < (*outputs)[o].count(); ++i) {
            if ((*outputs)[o].asDouble(i) != (*oracle)[o].values[static_cast<std::size_t>(i)]) {
                return "wrong";
            }
        }
    }
    return "right";
}

} // namespace

class TestInterpretNest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rightAnswers_data()
    {
        QTest::addColumn<std::string>("definition");
        QTest::addColumn<std::string>("script");
        const auto row = [](const char* name, const std::string& definition, const char* script) {
            QTest::newRow(name) << definition << std::string(script);
        };
        row("plain", kMatmul, "");
        row("tails", kMatmul, "split n into n.o n.i:4\nsplit m into m.o m.i:3\nsplit k into k.o k.i:4\n");
        row("order", kMatmul, "reorder k n m\n");
        row("vector and parallel", kMatmul, "split n into n.o n.i:4\nreorder k n.i\nvectorize n.i\nparallel m n.o\n");
        row("tile", kMatmul,
            "split n into n.o n.i:4\nreorder n.o k n.i\ncache_write matmul at n.o in registers\nunroll n.i\n");
        row("ones", "definition add\ninput X f32 [1]\noutput Y f32 [1]\nstage add -> Y f32 [d0:1] =\n    X[d0] + 1.0\n", "");
    }

    void rightAnswers()
    {
        QFETCH(std::string, definition);
        QFETCH(std::string, script);
        const LoopNest nest = nestOf(definition, script);
        for (const std::uint64_t seed : {0u, 1u, 2u}) {
            QCOMPARE(outcome(nest, seed), std::string("right"));
        }
    }

    void bordersAreReadAsZeros()
    {
        const std::string shifted = "definition pad\ninput X f32 [6]\noutput Y f32 [8]\nstage pad -> Y f32 [d0:8] =\n"
                                    "    select(d0 >= 1 && d0 < 7, X[d0 - 1], 0.0)\n";
        QCOMPARE(outcome(nestOf(shifted)), std::string("right"));
        const LoopNest bordered = nestOf(shifted, "", {"plain border 1"});
        QVERIFY2(toText(bordered).find("select") == std::string::npos, toText(bordered).c_str());
        QCOMPARE(outcome(bordered), std::string("right"));
        const LoopNest narrow = changed(nestOf(shifted), [](Loop&) {},
                                        [](Block& block) { block.value = block.value->as<Select>()->yes; });
        QCOMPARE(outcome(narrow), std::string("block pad reads X[-1], which is outside"));
    }

    void faultsAreNamed()
    {
        const auto noLoop = [](Loop&) {};
        const LoopNest tails = nestOf(kMatmul, "split n into n.o n.i:4\n");
        QCOMPARE(outcome(changed(tails, noLoop, [](Block& block) { block.predicate = boolImm(true); })),
                 std::string("block matmul runs with n = 7, which is outside"));
        QCOMPARE(outcome(changed(tails, [](Loop& loop) { loop.extent = loop.name == "n.o" ? intImm(1) : loop.extent; },
                                 [](Block&) {})),
                 std::string("block relu reads matmul[0, 4], which was never written"));
        const LoopNest plain = nestOf(kMatmul);
        QCOMPARE(outcome(changed(plain, [](Loop& loop) { loop.extent = loop.name == "relu.m" ? intImm(4) : loop.extent; },
                                 [](Block&) {})),
                 std::string("element [4, 0] of output Y was never written"));
        QCOMPARE(outcome(changed(plain, noLoop, [](Block& block) {
                     block.indices[0] = block.name == "relu" ? block.indices[0] + 1 : block.indices[0];
                 })),
                 std::string("block relu writes Y[5, 0], which is outside"));
        QCOMPARE(outcome(changed(plain, noLoop, [](Block& block) {
                     block.init = block.isReduction() ? floatImm(1.0) : block.init;
                 })),
                 std::string("wrong"));
    }

    // Steps of a parallel loop that carry a sum into each other: right in one order, wrong in another.
    void badParallelLoopsShowInSomeOrder()
    {
        const std::string scan = "definition copy\ninput X f32 [9]\noutput Y f32 [9]\nstage copy -> Y f32 [d0:9] =\n    X[d0]\n";
        const LoopNest chained = changed(nestOf(scan), [](Loop& loop) { loop.kind = LoopKind::Parallel; },
                                         [](Block& block) {
                                             block.value = select(lessThan(var("d0"), intImm(1)), block.value,
                                                                  load("Y", DType::F32, {var("d0") - 1}));
                                         });
        QCOMPARE(outcome(chained, 0), std::string("wrong")); // it copies the first element everywhere
        bool seen = false;
        for (std::uint64_t seed = 1; seed < 6; ++seed) {
            seen = seen || outcome(chained, seed).find("was never written") != std::string::npos;
        }
        QVERIFY(seen);
    }

    // A sum over steps that run at once, or a tile that they share: right in every order, wrong when they do.
    void stepsAtOnceThatMeetAreNamed()
    {
        const auto made = [](const LoopNest& nest, const std::string& name, LoopKind kind) {
            return changed(nest, [&](Loop& loop) { loop.kind = loop.name == name ? kind : loop.kind; }, [](Block&) {});
        };
        const std::string met = "steps that run at once meet at matmul[";
        for (const LoopKind kind : {LoopKind::Parallel, LoopKind::Vector}) {
            const LoopNest summed = made(nestOf(kMatmul), "k", kind);
            QCOMPARE(outcome(summed, 0), std::string("right"));
            QVERIFY2(outcome(summed, 1).starts_with(met), outcome(summed, 1).c_str());
        }
        const LoopNest tiled = nestOf(kMatmul, "cache_write matmul at m in heap\n");
        QVERIFY2(outcome(made(tiled, "m", LoopKind::Parallel), 1).find("meet at matmul.heap[") != std::string::npos,
                 outcome(made(tiled, "m", LoopKind::Parallel), 1).c_str());
        const LoopNest own = nestOf(kMatmul, "cache_write matmul at m in stack\nparallel m\n");
        for (const std::uint64_t seed : {1u, 2u, 3u}) {
            QCOMPARE(outcome(own, seed), std::string("right"));
        }
    }

    void wrongInputsAreRefused()
    {
        const LoopNest nest = nestOf(kMatmul);
        QCOMPARE(interpretNest(nest, {}).error().message, std::string("a tensor for port A is missing"));
        const Tensor small = *Tensor::create(DType::F32, {5, 5});
        QCOMPARE(interpretNest(nest, {small, small}).error().message,
                 std::string("the tensor for A has another type or shape"));
    }

    void scalarsComputeAsTheirTypes()
    {
        const auto binaryOf = [](BinaryOp op, DType type, double a, double b) {
            return applyBinary(op, type, {a, static_cast<std::int64_t>(a)}, {b, static_cast<std::int64_t>(b)});
        };
        QCOMPARE(binaryOf(BinaryOp::Add, DType::F32, 16777216.0, 1.0).real, 16777216.0);
        QCOMPARE(binaryOf(BinaryOp::FloorDiv, DType::I64, -7, 2).integer, std::int64_t{-4});
        QCOMPARE(binaryOf(BinaryOp::FloorMod, DType::I64, -7, 2).integer, std::int64_t{1});
        QCOMPARE(binaryOf(BinaryOp::Div, DType::I64, -7, 2).integer, std::int64_t{-3});
        QCOMPARE(binaryOf(BinaryOp::TruncMod, DType::I64, -7, 2).integer, std::int64_t{-1});
        QCOMPARE(binaryOf(BinaryOp::Div, DType::I64, 7, 0).integer, std::int64_t{0});
        QCOMPARE(binaryOf(BinaryOp::Mul, DType::I32, 65536, 65536).integer, std::int64_t{0});
        QVERIFY(std::isnan(binaryOf(BinaryOp::Max, DType::F32, 1.0, std::numeric_limits<double>::quiet_NaN()).real));
        QCOMPARE(binaryOf(BinaryOp::Lt, DType::F32, 1.0, 2.0).integer, std::int64_t{1});
        QCOMPARE(applyUnary(UnaryOp::Round, DType::F32, {2.5, 0}).real, 2.0);
        QCOMPARE(convertScalar(DType::F32, DType::I64, {-2.7, 0}).integer, std::int64_t{-2});
        QCOMPARE(convertScalar(DType::F32, DType::Bool, {0.5, 0}).integer, std::int64_t{1});
    }
};

NW_TEST_MAIN(tst_interpret_nest, TestInterpretNest)
#include "tst_interpret_nest.moc"
