#include "engine/base/text.h"
#include "engine/schedule/analysis/access.h"
#include "engine/schedule/footprint.h"
#include "tests/engine/schedule/nests.h"
#include "tests/support/test.h"

#include <QElapsedTimer>
#include <QObject>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

using namespace nw;
using namespace nw::schedule;
using test::after;
using test::definitionText;
using test::nestOf;

namespace {

// "Y 4 A 96 B 96 = 196", registers in brackets.
std::string footprintText(const LoopNest& nest, const std::string& loop)
{
    for (const LoopFootprint& each : footprintsOf(nest)) {
        if (each.loop == loop) {
            std::string text;
            for (const LoopFootprint::Part& part : each.parts) {
                const std::string words = format("{} {}", part.buffer, part.bytes);
                text += part.isMemory ? words + " " : "[" + words + "] ";
            }
            return text + format("= {}", each.bytes);
        }
    }
    return "no such loop";
}

// Each element that a run of a loop touches, found by walking it: for a loop and the steps of those around it.
class Walked {
public:
    explicit Walked(const LoopNest& nest)
        : m_nest(nest)
    {
        walk(nest.roots);
    }
    // The largest of all runs.
    std::int64_t bytes(const std::string& loop, const std::string& buffer) const
    {
        std::size_t most = 0;
        for (const auto& [key, elements] : m_touched) {
            if (key.starts_with(loop + "|" + buffer + "|")) {
                most = std::max(most, elements.size());
            }
        }
        return static_cast<std::int64_t>(most * byteSize(m_nest.buffer(buffer)->type));
    }

private:
    void walk(const std::vector<Stmt>& statements)
    {
        for (const Stmt& statement : statements) {
            if (const Block* block = statement->block()) {
                touch(*block);
                continue;
            }
            const Loop& loop = *statement->loop();
            const std::int64_t extent = *constantExtent(loop);
            m_around.emplace_back(loop.name, "");
            for (std::int64_t step = 0; step < extent; ++step) {
                m_around.back().second = std::to_string(step);
                m_steps.insert_or_assign(loop.name, intImm(step));
                walk(loop.body);
            }
            m_around.pop_back();
            m_steps.erase(loop.name);
        }
    }

    void touch(const Block& block)
    {
        if (!isConst(simplify(substitute(block.predicate, m_steps)), 1)) {
            return;
        }
        for (const Access& access : accessesOf(block)) {
            const Buffer& buffer = *m_nest.buffer(access.buffer);
            std::vector<std::int64_t> element;
            bool isInside = true;
            for (std::size_t d = 0; d < access.indices.size(); ++d) {
                element.push_back(*constInt(simplify(substitute(access.indices[d], m_steps))));
                isInside = isInside && element.back() >= 0 && element.back() < buffer.shape[d];
            }
            std::string outer;
            for (const auto& [loop, step] : m_around) {
                if (isInside) {
                    m_touched[loop + "|" + buffer.name + "|" + outer].insert(element);
                }
                outer += loop + "=" + step + " ";
            }
        }
    }

    const LoopNest& m_nest;
    Substitution m_steps;
    std::vector<std::pair<std::string, std::string>> m_around;
    std::map<std::string, std::set<std::vector<std::int64_t>>> m_touched;
};

} // namespace

class TestFootprint : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void counted_data()
    {
        QTest::addColumn<std::string>("definition");
        QTest::addColumn<std::string>("script");
        QTest::addColumn<std::string>("loop");
        QTest::addColumn<std::string>("text");
        const auto row = [](const char* name, const std::string& definition, const std::string& script, const char* loop,
                            const char* text) {
            QTest::newRow(name) << definition << script << std::string(loop) << std::string(text);
        };
        const std::string matmul = definitionText("matmul");
        row("a row by a column", matmul, "", "k", "Y 4 A 96 B 96 = 196");
        row("a row by all of B", matmul, "", "n", "Y 80 A 96 B 1920 = 2096");
        row("everything", matmul, "", "m", "Y 2400 A 2880 B 1920 = 7200");

        const std::string tiles = "split m into mo:_ mi:5\nsplit n into no:_ ni:4\nsplit k into ko:_ ki:6\nreorder mo no ko mi ni ki";
        row("tile: innermost", matmul, tiles, "ki", "Y 4 A 24 B 24 = 52");
        row("tile: a row", matmul, tiles, "ni", "Y 16 A 24 B 96 = 136");
        row("tile", matmul, tiles, "mi", "Y 80 A 120 B 96 = 296");
        row("panels of k", matmul, tiles, "ko", "Y 80 A 480 B 384 = 944");
        row("panel of m", matmul, tiles, "no", "Y 400 A 480 B 1920 = 2800");
        row("all tiles", matmul, tiles, "mo", "Y 2400 A 2880 B 1920 = 7200");

        const std::string tail = "split m into mo:_ mi:8";
        row("a tail reaches no further than the buffer", matmul, tail, "mo", "Y 2400 A 2880 B 1920 = 7200");
        row("eight rows", matmul, tail, "mi", "Y 640 A 768 B 1920 = 3328");

        const std::string cached = "split n into no:_ ni:4\nreorder m no k ni\ncache_write matmul at no in registers";
        row("registers are no memory", matmul, cached, "k", "[matmul.reg 16] A 96 B 384 = 480");

        const std::string every = "definition conv\ninput X f32 [40]\noutput Y f32 [10]\nstage conv -> Y f32 [i:10] =\n    ";
        row("strided: only what is used", every + "X[i * 3]\n", "", "i", "Y 40 X 40 = 80");
        row("strided: two of each three", every + "X[i * 3] + X[i * 3 + 1]\n", "", "i", "Y 40 X 80 = 120");
        row("neighbours overlap", every + "X[i] + X[i + 1] + X[i + 2]\n", "", "i", "Y 40 X 48 = 88");
        row("far apart", every + "X[i] + X[i + 30]\n", "", "i", "Y 40 X 80 = 120");
        row("backwards", every + "X[9 - i] + X[i]\n", "", "i", "Y 40 X 40 = 80");

        const std::string window = "definition conv\ninput X f32 [12]\nconstant W f32 [3]\noutput Y f32 [10]\n"
                                   "stage conv -> Y f32 [o:10] sum [k:3] from 0.0 =\n    X[o + k] * W[k]\n";
        row("one window", window, "", "k", "Y 4 X 12 W 12 = 28");
        row("windows overlap", window, "", "o", "Y 40 X 48 W 12 = 100");
        row("windows of a tile", window, "split o into oo:_ oi:5", "oi", "Y 20 X 28 W 12 = 60");
        const std::string strided = "definition conv\ninput X f32 [21]\nconstant W f32 [3]\noutput Y f32 [10]\n"
                                    "stage conv -> Y f32 [o:10] sum [k:3] from 0.0 =\n    X[o * 2 + k] * W[k]\n";
        row("windows with stride 2", strided, "", "o", "Y 40 X 84 W 12 = 136");
        row("the same of a tile", strided, "split o into oo:_ oi:5", "oi", "Y 20 X 44 W 12 = 76");

        row("padding is no memory", definitionText("conv"), "", "oh", "conv 360 X 2160 W 216 = 2736");
        row("three rows of each channel", definitionText("conv"), "", "ow", "conv 40 X 720 W 216 = 976");

        row("a digit of a fused loop", matmul, "fuse m n into mn", "mn", "Y 2400 A 2880 B 1920 = 7200");
        row("two statements in one loop", definitionText("chain"), "compute_at add at mul.d0", "mul.d0", "add 40 X 1320 Y 1320 = 2680");
    }

    void counted()
    {
        QFETCH(std::string, definition);
        QFETCH(std::string, script);
        QFETCH(std::string, loop);
        QFETCH(std::string, text);
        const LoopNest plain = nestOf(definition);
        QCOMPARE(footprintText(script.empty() ? plain : after(plain, script), loop), text);
    }

    void aBorderIsMemory()
    {
        // The same window over an input that lies in memory with a zero on each side.
        const std::string text = "definition conv\ninput X f32 [10]\nconstant W f32 [3]\noutput Y f32 [10]\n"
                                 "stage conv -> Y f32 [o:10] sum [k:3] from 0.0 =\n"
                                 "    select(o + k >= 1 && o + k < 11, X[o + k - 1], 0.0) * W[k]\n";
        QCOMPARE(footprintText(nestOf(text), "o"), std::string("Y 40 X 40 W 12 = 92"));
        QCOMPARE(footprintText(nestOf(text, {"plain border 1"}), "o"), std::string("Y 40 X 48 W 12 = 100"));
    }

    void neverTooFew_data()
    {
        QTest::addColumn<std::string>("definition");
        QTest::addColumn<std::string>("script");
        const auto row = [](const char* definition, const char* script) {
            QTest::addRow("%s: %s", definition, script) << std::string(definition) << std::string(script);
        };
        row("tiny_matmul", "");
        row("tiny_matmul", "split m into mo:_ mi:3\nsplit k into ko:_ ki:2\nreorder mo ko n mi ki");
        row("tiny_matmul", "fuse m n into mn\nsplit mn into a:_ b:4");
        row("tiny_conv", "");
        row("tiny_conv", "split ow into owo:_ owi:2\nsplit oc into oco:_ oci:2\nreorder oco oh owo ic kh kw owi oci");
        row("tiny_conv", "fuse oh ow into p\nsplit p into po:_ pi:4");
        row("tiny_stencil", "");
        row("tiny_branches", "");
    }

    void neverTooFew()
    {
        QFETCH(std::string, definition);
        QFETCH(std::string, script);
        const LoopNest plain = nestOf(definitionText(definition));
        const LoopNest nest = script.empty() ? plain : after(plain, script);
        const Walked walked(nest);
        int compared = 0;
        for (const LoopFootprint& each : footprintsOf(nest)) {
            for (const LoopFootprint::Part& part : each.parts) {
                const std::int64_t found = walked.bytes(each.loop, part.buffer);
                QVERIFY2(found > 0 && part.bytes >= found,
                         format("{} of {}: {}, found {}", part.buffer, each.loop, part.bytes, found).c_str());
                ++compared;
            }
        }
        QVERIFY(compared > 5);
    }

    void everyLoopInProgramOrder()
    {
        const LoopNest nest = nestOf(definitionText("softmax"));
        const std::vector<LoopFootprint> footprints = footprintsOf(nest);
        const std::vector<const Loop*> loops = nest.allLoops();
        QCOMPARE(footprints.size(), loops.size());
        for (std::size_t i = 0; i < loops.size(); ++i) {
            QCOMPARE(footprints[i].loop, loops[i]->name);
        }
    }

    void cachesOfTheTarget()
    {
        Target target;
        target.l1Bytes = 1000;
        target.l2Bytes = 5000;
        target.l3Bytes = 20000;
        QCOMPARE(smallestCache(1000, target), 1);
        QCOMPARE(smallestCache(1001, target), 2);
        QCOMPARE(smallestCache(20000, target), 3);
        QCOMPARE(smallestCache(20001, target), 0);
        QCOMPARE(cacheBytes(2, target), std::int64_t{5000});
    }

    void manyLoopsAreQuick()
    {
        std::string text = "definition add\ninput X f32 [8, 8, 8]\noutput Y f32 [8, 8, 8]\n";
        std::string last = "X";
        for (int stage = 0; stage < 14; ++stage) {
            const std::string name = format("s{}", stage);
            text += format("stage {}{} f32 [a:8, b:8, c:8] =\n    {}[a, b, c] + 1.0\n", name, stage == 13 ? " -> Y" : "", last);
            last = name;
        }
        const LoopNest nest = nestOf(text);
        QCOMPARE(nest.allLoops().size(), std::size_t{42});
        qint64 best = std::numeric_limits<qint64>::max();
        for (int run = 0; run < 20; ++run) {
            QElapsedTimer clock;
            clock.start();
            QCOMPARE(footprintsOf(nest).size(), std::size_t{42});
            best = std::min(best, clock.nsecsElapsed());
        }
        // Far above what it takes: the window asks for it at every step.
        QVERIFY2(best < 10'000'000, format("{} ns", best).c_str());
    }
};

NW_TEST_MAIN(tst_footprint, TestFootprint)
#include "tst_footprint.moc"
