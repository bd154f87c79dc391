// The first nest of a definition, its text, what verify finds, identities of tasks.

#include "engine/base/text.h"
#include "engine/schedule/rewrite_nest.h"
#include "engine/schedule/task.h"
#include "tests/engine/schedule/nests.h"
#include "tests/support/test.h"

#include <functional>

using namespace nw;
using namespace nw::schedule;
using namespace nw::schedule::test;

Q_DECLARE_METATYPE(std::function<nw::schedule::LoopNest(nw::schedule::LoopNest)>)

namespace {

const std::string kConvBordered = "plain border 0 0 1 1";

LoopNest withBlock(LoopNest nest, const std::string& name, const std::function<void(Block&)>& change)
{
    const int id = nest.findBlock(name).block->id;
    replaceBlock(nest, id, [&](const StmtNode& node) {
        Block block = *node.block();
        change(block);
        return std::vector<Stmt>{makeStmt(std::move(block))};
    });
    return nest;
}

Task taskOf(const std::string& text)
{
    Task task;
    task.definition = std::make_shared<const compute::Definition>(*compute::parseDefinition(text));
    task.layouts.resize(task.definition->ports.size());
    task.target = smallTarget();
    return task;
}

} // namespace

class TestNest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initial_data()
    {
        QTest::addColumn<std::string>("definition");
        QTest::addColumn<std::string>("layout");
        QTest::addColumn<std::string>("text");

        const std::string plainRead = "conv: conv[0, oc, oh, ow] += select(kh + oh >= 1 && kh + oh < 10 && kw + ow >= 1 && "
                                      "kw + ow < 11, X[0, ic, kh + oh - 1, kw + ow - 1], 0.0) * W[oc, ic, kh, kw]\n";
        const std::string borderRead = "conv: conv[0, oc, oh, ow] += X[0, ic, kh + oh - 1, kw + ow - 1] * W[oc, ic, kh, kw]\n";
        const std::string loops = "oc in 0..8\n  oh in 0..9\n    ow in 0..10\n      ic in 0..6\n        kh in 0..3\n"
                                  "          kw in 0..3\n            ";
        const std::string relu = "relu.oc in 0..8\n  relu.oh in 0..9\n    relu.ow in 0..10\n"
                                 "      relu: Y[0, relu.oc, relu.oh, relu.ow] = max(conv[0, relu.oc, relu.oh, relu.ow] + B[relu.oc], 0.0)\n";
        const std::string conv = definitionText("conv");
        QTest::newRow("matmul") << definitionText("matmul") << std::string("plain")
                                << std::string("m in 0..30\n  n in 0..20\n    k in 0..24\n      matmul: Y[m, n] += A[m, k] * B[k, n]\n");
        QTest::newRow("conv, padding by selects") << conv << std::string("plain") << loops + plainRead + relu;
        QTest::newRow("conv, padding by the border") << conv << kConvBordered << loops + borderRead + relu;
        QTest::newRow("conv, border too narrow") << conv << std::string("plain border 0 0 1 0") << loops + plainRead + relu;
        QTest::newRow("all axes of one step")
            << std::string("definition add\ninput X f32 [1, 1]\noutput Y f32 [1, 1]\n"
                           "stage add -> Y f32 [d0:1, d1:1] =\n    X[d0, d1] + 1.0\n")
            << std::string("plain") << std::string("d1 in 0..1\n  add: Y[0, 0] = X[0, 0] + 1.0\n");
        QTest::newRow("no axes") << std::string("definition add\ninput X f32 []\noutput Y f32 []\nstage add -> Y f32 [] =\n    X[] + 1.0\n")
                                 << std::string("plain") << std::string("add: Y[] = X[] + 1.0\n");
        QTest::newRow("an initial value that is not neutral")
            << std::string("definition pool\ninput X f32 [4, 3]\noutput Y f32 [4]\n"
                           "stage pool -> Y f32 [c:4] max [k:3] from 0.0 =\n    X[c, k]\n")
            << std::string("plain") << std::string("c in 0..4\n  k in 0..3\n    pool: Y[c] max= X[c, k] from 0.0\n");
    }

    void initial()
    {
        QFETCH(std::string, definition);
        QFETCH(std::string, layout);
        QFETCH(std::string, text);
        const LoopNest nest = nestOf(definition, {layout});
        QCOMPARE(toText(nest), text);
        QCOMPARE(verify(nest), std::string());
        QCOMPARE(differs(nest, nest, 1), std::string());
    }

    // A select whose condition says more than the border is kept, and one that yields another value than 0.
    void keepsOtherSelects()
    {
        const auto read = [](const std::string& select) {
            const LoopNest nest = nestOf("definition pool\ninput X f32 [8]\noutput Y f32 [8]\n"
                                         "stage pool -> Y f32 [w:8] sum [k:3] from 0.0 =\n    " + select + "\n",
                                         {"plain border 1"});
            return toText(nest.blocks().front().block->value);
        };
        const std::string inside = "w + k >= 1 && w + k < 9";
        QCOMPARE(read("select(" + inside + ", X[w + k - 1], 0.0)"), std::string("X[w + k - 1]"));
        QCOMPARE(read("2.0 * select(" + inside + ", X[w + k - 1], 0.0)"), std::string("2.0 * X[w + k - 1]"));
        const std::string other = "select(" + inside + ", X[w + k - 1], 1.0)";
        QCOMPARE(read(other), other);
        const std::string odd = "select(" + inside + " && k != 1, X[w + k - 1], 0.0)";
        QCOMPARE(read(odd), odd);
        const std::string narrow = "select(w + k >= 1 && w + k < 8, X[w + k - 1], 0.0)";
        QCOMPARE(read(narrow), narrow);
    }

    void unbound()
    {
        const Result<compute::Definition> parsed = compute::parseDefinition(
            "definition add\ninput X f32 [n]\noutput Y f32 [n]\nstage add -> Y f32 [d0:n] =\n    X[d0] + 1.0\n");
        VERIFY_OK(parsed);
        const auto nest = initialNest(std::make_shared<const compute::Definition>(*parsed), {{}, {}});
        QVERIFY(!nest);
        QCOMPARE(nest.error().message, std::string("the shape of X in add still depends on unbound symbols: bind them first"));
    }

    void verifyFinds_data()
    {
        QTest::addColumn<std::function<LoopNest(LoopNest)>>("fault");
        QTest::addColumn<std::string>("words");
        using Change = std::function<LoopNest(LoopNest)>;

        QTest::newRow("unknown loop in a binding") << Change([](LoopNest nest) {
            return withBlock(nest, "matmul", [](Block& b) { b.iters[0].binding = var("zz"); });
        }) << std::string("block matmul uses zz, which it does not know: zz");
        QTest::newRow("binding too far") << Change([](LoopNest nest) {
            return withBlock(nest, "matmul", [](Block& b) { b.iters[0].binding = var("m") + 1; });
        }) << std::string("block matmul: m = m + 1 may leave 0 .. 30 and nothing guards it");
        QTest::newRow("missing buffer") << Change([](LoopNest nest) {
            eraseBuffer(nest, "A");
            return nest;
        }) << std::string("block matmul uses A, which is not there");
        QTest::newRow("a name twice") << Change([](LoopNest nest) {
            changeLoop(nest, nest.findLoop("n").loop->id, [](Loop& loop) { loop.name = "m"; });
            return nest;
        }) << std::string("the name m is used twice");
        QTest::newRow("vector around a loop") << Change([](LoopNest nest) {
            changeLoop(nest, nest.findLoop("n").loop->id, [](Loop& loop) { loop.kind = LoopKind::Vector; });
            return nest;
        }) << std::string("vector loop n has a loop in it");
        QTest::newRow("private buffer used outside") << Change([](LoopNest nest) {
            nest.buffers.push_back({"T", DType::F32, {30}, Scope::Stack, {}, -1, "relu.n"});
            return withBlock(nest, "matmul", [](Block& b) {
                b.buffer = "T";
                b.indices = {var("m")};
            });
        }) << std::string("block matmul uses T outside of loop relu.n, to which it belongs");
        QTest::newRow("rank") << Change([](LoopNest nest) {
            return withBlock(nest, "matmul", [](Block& b) { b.indices.pop_back(); });
        }) << std::string("block matmul gives 1 indices to matmul, which has 2");
    }

    void verifyFinds()
    {
        QFETCH(std::function<LoopNest(LoopNest)>, fault);
        QFETCH(std::string, words);
        const LoopNest nest = fault(nestOf(definitionText("matmul_relu")));
        const std::string found = verify(nest);
        QVERIFY2(found.find(words) != std::string::npos, found.c_str());
    }

    // What a step does not touch is shared with the nest before it.
    void sharesWhatStays()
    {
        const LoopNest before = nestOf(definitionText("matmul_relu"));
        const LoopNest now = after(before, "split m into mo mi:8\n");
        QVERIFY(now.roots[1] == before.roots[1]);
        QVERIFY(now.roots[0] != before.roots[0]);
        const LoopNest unrolled = after(before, "unroll m\n");
        QVERIFY(unrolled.findLoop("m").loop->body.front() == before.findLoop("m").loop->body.front());
    }

    void identities()
    {
        const Task plain = taskOf(definitionText("matmul"));
        const Task fused = taskOf(definitionText("matmul_relu"));
        QVERIFY(plain.identity() != fused.identity());
        QCOMPARE(plain.anchorIdentity(), plain.identity());
        QCOMPARE(fused.anchorIdentity(), plain.identity());
        Task threads = plain;
        threads.threads = 2;
        QVERIFY(threads.identity() != plain.identity());
        Task packed = plain;
        packed.layouts[1] = *parseLayout("(k, n) -> (n / 4, k, n % 4)");
        QVERIFY(packed.identity() != plain.identity());
        // Neither the difference of a row from its sum nor a reduction is an epilogue.
        const Task softmax = taskOf(definitionText("softmax"));
        QCOMPARE(softmax.anchorIdentity(), softmax.identity());
    }
};

NW_TEST_MAIN(tst_nest, TestNest)
#include "tst_nest.moc"
