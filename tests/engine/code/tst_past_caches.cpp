// Stores past the caches, lines fetched ahead and what loops tell the code generator, in the code and in what it computes.

#include "engine/base/text.h"
#include "tests/engine/code/harness.h"
#include "tests/support/test.h"

#include <algorithm>

using namespace nw;
using namespace nw::lower;
using namespace nw::test;

namespace {

const Expr i = var("i");
const Expr v = var("v");

LBuffer port(const std::string& name, DType type, std::int64_t elements, int index)
{
    return {name, type, elements, Scope::Port, index};
}

LStmt streamed(const std::string& buffer, Expr offset, Expr value)
{
    return makeLStmt(LStore{buffer, std::move(offset), std::move(value), false, "block", true});
}

Lowered program(const std::vector<LBuffer>& buffers, LBody body)
{
    Lowered made;
    made.buffers = buffers;
    made.body = std::move(body);
    return made;
}

// Y[i * lanes + v] = A[i * lanes + v] + A[i * lanes + v] over `rows` rows, `shift` elements into Y.
Lowered rows(DType type, std::int64_t count, std::int64_t lanes, LoopKind kind, std::int64_t shift = 0)
{
    const Expr at = i * lanes + v;
    const Expr a = load("A", type, {at});
    return program({port("A", type, count * lanes, 0), port("Y", type, count * lanes + shift, 1)},
                   {loop("i", count, kind, {loop("v", lanes, LoopKind::Vector, {streamed("Y", at + shift, a + a)})})});
}

std::string assembly(const Lowered& lowered, const Target& target)
{
    code::CompileOptions options;
    options.listings = true;
    const Result<code::CompiledObject> compiled = code::compileKernel("kernel", lowered, target, options);
    return compiled ? compiled->listing.assembly : "refused: " + compiled.error().message;
}

int count(const std::string& text, const std::string& word)
{
    int found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        ++found;
    }
    return found;
}

std::optional<Target> targetNamed(const std::string& name)
{
    const std::vector<Target> here = targetsHere();
    const auto found = std::find_if(here.begin(), here.end(), [&](const Target& target) { return target.name == name; });
    return found == here.end() ? std::nullopt : std::optional(*found);
}

} // namespace

class TestPastCaches : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // At both edges of a page the vectors lie aligned or not, on each target: what is stored is the same.
    void answers_data()
    {
        QTest::addColumn<int>("which");
        for (int which = 0; which < 9; ++which) {
            QTest::addRow("%d", which) << which;
        }
    }
    void answers()
    {
        QFETCH(int, which);
        const Lowered tested = [&] {
            switch (which) {
            case 0: return rows(DType::F32, 16, 16, LoopKind::Serial);
            case 1: return rows(DType::F32, 16, 16, LoopKind::Parallel);
            case 2: return rows(DType::F32, 9, 7, LoopKind::Parallel);        // too odd for a vector store
            case 3: return rows(DType::F32, 9, 12, LoopKind::Serial);         // two pieces
            case 4: return rows(DType::F64, 8, 8, LoopKind::Serial, 1);       // never aligned
            case 5: return rows(DType::I32, 5, 64, LoopKind::Serial, 4);
            case 6: return program({port("A", DType::F32, 40, 0), port("Y", DType::F32, 40, 1)},
                                   {loop("i", 40, LoopKind::Parallel, {streamed("Y", i, load("A", DType::F32, {i}))})});
            case 7: return program({port("A", DType::Bool, 64, 0), port("Y", DType::Bool, 64, 1)},
                                   {loop("v", 64, LoopKind::Vector, {streamed("Y", v, unary(UnaryOp::Not, load("A", DType::Bool, {v})))})});
            default: // under a mask, and a stride
                return program({port("A", DType::F32, 32, 0), port("Y", DType::F32, 64, 1)},
                               {loop("v", 32, LoopKind::Vector,
                                     {when(lessThan(v, intImm(27)), {streamed("Y", v * 2, load("A", DType::F32, {v}))}),
                                      when(lessThan(v, intImm(29)), {streamed("Y", v * 2 + 1, load("A", DType::F32, {v}))})})});
            }
        }();
        const std::string words = differences(tested, randomMemory(tested, 3));
        QVERIFY2(words.empty(), words.c_str());
    }

    // The stores are there, and each function that has some waits for them before it returns.
    void storesInTheCode()
    {
        for (const auto& [name, wanted] : {std::pair("x86-64-v2", "movntps"), std::pair("x86-64-v3", "vmovntps"), std::pair("x86-64-v4", "vmovntps")}) {
            const std::optional<Target> target = targetNamed(name);
            if (!target) {
                continue;
            }
            for (const LoopKind kind : {LoopKind::Serial, LoopKind::Parallel}) {
                const std::string text = assembly(rows(DType::F32, 64, 16, kind), *target);
                QVERIFY2(text.find(wanted) != std::string::npos, text.c_str());
                // The task waits, and so does the one that starts it before it does.
                QCOMPARE(count(text, "sfence"), kind == LoopKind::Serial ? 1 : 2);
                QVERIFY2(text.find("movnti") == std::string::npos, text.c_str()); // what unaligned vectors would become
            }
            const std::string words = assembly(program({port("A", DType::F32, 40, 0), port("Y", DType::F32, 40, 1)},
                                                       {loop("i", 40, LoopKind::Serial, {streamed("Y", i, load("A", DType::F32, {i}))})}),
                                               *target);
            QVERIFY2(words.find("movnti") != std::string::npos, words.c_str());
            const std::string none = assembly(program({port("A", DType::F32, 40, 0), port("Y", DType::F32, 40, 1)},
                                                      {loop("i", 40, LoopKind::Serial, {store("Y", i, load("A", DType::F32, {i}))})}),
                                              *target);
            QVERIFY(none.find("movnt") == std::string::npos && none.find("sfence") == std::string::npos);
        }
    }

    // Addresses far outside on both sides, beside pages without access.
    void prefetchesAnywhere()
    {
        for (const LoopKind kind : {LoopKind::Serial, LoopKind::Parallel, LoopKind::Unrolled}) {
            Lowered tested = rows(DType::F32, 16, 16, kind);
            const auto* outer = std::get_if<LFor>(&tested.body.front()->kind());
            LFor changed = *outer;
            for (const Expr& offset : {i * 16 + 64, i * -100000 - 1, i * 1000000 + 4096, floorDiv(i * 16 + 64, intImm(5))}) {
                changed.body.insert(changed.body.begin(), makeLStmt(LPrefetch{"A", offset}));
            }
            tested.body = {makeLStmt(changed)};
            const std::string words = differences(tested, randomMemory(tested, 3));
            QVERIFY2(words.empty(), words.c_str());
            for (const Target& target : targetsHere()) {
                const std::string text = assembly(tested, target);
                QCOMPARE(count(text, "prefetcht0"), kind == LoopKind::Unrolled ? 64 : 4);
            }
        }
    }

    // Turns and what is left over.
    void unrollHints()
    {
        for (const std::int64_t hint : {1, 2, 3, 5, 7, 16, 64}) {
            for (const std::int64_t extent : {1, 2, 13, 16}) {
                Lowered tested = program({port("A", DType::F32, extent * 3, 0), port("Y", DType::F32, extent * 3, 1)}, {});
                LFor outer{"i", 0, extent, LoopKind::Serial, {loop("v", 3, LoopKind::Serial, {store("Y", i * 3 + v, load("A", DType::F32, {i * 3 + v}))})}};
                outer.unroll = hint;
                tested.body = {makeLStmt(outer)};
                const std::string words = differences(tested, randomMemory(tested, 7));
                QVERIFY2(words.empty(), format("{} of {}: {}", hint, extent, words).c_str());
            }
        }
        // An element's store for each copy of the body.
        LFor one{"i", 0, 1000, LoopKind::Serial, {store("Y", i, load("A", DType::F32, {i}) + load("A", DType::F32, {i}))}};
        const std::vector<LBuffer> ports{port("A", DType::F32, 1000, 0), port("Y", DType::F32, 1000, 1)};
        const Target target = targetsHere().back();
        for (const std::int64_t hint : {1, 4}) {
            one.unroll = hint;
            QCOMPARE(count(assembly(program(ports, {makeLStmt(one)}), target), "addss"), static_cast<int>(hint));
        }
        // 1 keeps a reduction's loop in registers from being unrolled.
        const auto sum = [&](std::int64_t hint) {
            LFor inner{"i", 0, 1000, LoopKind::Serial, {accumulate("r", DType::F32, intImm(0), load("A", DType::F32, {i}))}};
            inner.unroll = hint;
            Lowered made = program({port("A", DType::F32, 1000, 0), port("Y", DType::F32, 1, 1), {"r", DType::F32, 1, Scope::Registers}}, {});
            made.body = {with("r", {store("r", intImm(0), floatImm(0)), makeLStmt(inner), store("Y", intImm(0), load("r", DType::F32, {intImm(0)}))})};
            return made;
        };
        QCOMPARE(count(assembly(sum(1), target), "addss"), 1);
        QCOMPARE(count(assembly(sum(0), target), "addss"), 8);
        const std::string words = differences(sum(3), randomMemory(sum(3), 7));
        QVERIFY2(words.empty(), words.c_str());
    }

    void alignedLoops()
    {
        const Target target = targetsHere().back();
        for (const LoopKind kind : {LoopKind::Serial, LoopKind::Parallel}) {
            Lowered tested = rows(DType::F32, 64, 16, kind);
            LFor changed = *std::get_if<LFor>(&tested.body.front()->kind());
            changed.align = 128;
            tested.body = {makeLStmt(changed)};
            const std::string text = assembly(tested, target);
            QVERIFY2(text.find(".p2align\t7") != std::string::npos, text.c_str());
            QVERIFY2(differences(tested, randomMemory(tested, 3)).empty(), "differs");
        }
    }

    // Fewer threads where each would take too few steps; a grain of all steps starts none.
    void grain()
    {
        for (const std::int64_t grain : {1, 3, 8, 9, 16, 1000}) {
            Lowered tested = rows(DType::F32, 16, 16, LoopKind::Parallel);
            LFor changed = *std::get_if<LFor>(&tested.body.front()->kind());
            changed.grain = grain;
            tested.body = {makeLStmt(changed)};
            QVERIFY2(differences(tested, randomMemory(tested, 3)).empty(), "differs");
            const Target target = targetsHere().back();
            const bool calls = assembly(tested, target).find("nw_parallel") != std::string::npos;
            QCOMPARE(calls, grain <= 8);
        }
    }
};

NW_TEST_MAIN(tst_past_caches, TestPastCaches)
#include "tst_past_caches.moc"
