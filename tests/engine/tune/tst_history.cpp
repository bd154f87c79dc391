// What was measured, as the search and the model are told of it.
#include "engine/compute/definition.h"
#include "engine/tune/history.h"
#include "tests/engine/schedule/nests.h"
#include "tests/support/test.h"

using namespace nw;
using namespace nw::tune;

namespace {

// Of the knobs `a` decides the time, `b` hardly, `c` not at all.
constexpr const char* kScript = "knob a = 1..8\nknob b = 1..4\nknob c = 1..4\nsplit m into mo:_ mi:?a\nsplit n into no:_ ni:?b\n"
                                "split k into ko:_ ki:?c\n";

Space space()
{
    schedule::Task task;
    const Result<compute::Definition> parsed = compute::parseDefinition(schedule::test::definitionText("matmul"));
    ENSURE(parsed.has_value(), parsed.error().message);
    task.definition = std::make_shared<const compute::Definition>(*parsed);
    task.target = schedule::test::wideTarget();
    Result<Space> made = Space::make({{"s", kScript}, {"p", ""}}, task);
    ENSURE(made.has_value(), made.error().message);
    return *std::move(made);
}

record::TuneTrial trial(double ns, const std::string& cause = "", const std::string& message = "")
{
    record::TuneTrial made;
    made.ns = ns;
    made.outcome = ns > 0 ? "ok" : "hang";
    made.cause = cause;
    made.message = message;
    return made;
}

Point at(int a, int b = 0, int c = 0)
{
    return {0, {static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b), static_cast<std::uint16_t>(c)}};
}

} // namespace

class TestHistory : public QObject {
    Q_OBJECT

    Space m_space = space();

private Q_SLOTS:
    void knowsTheBest()
    {
        History history(m_space);
        QCOMPARE(history.best(), -1);
        QCOMPARE(history.bestNs(), 0.0);
        QVERIFY(history.fastest(5).empty() && history.importance().empty() && history.failures().empty());
        history.add(trial(0, "timeout", "too slow"), at(0), "zero");
        QCOMPARE(history.best(), -1);
        history.add(trial(100), at(1), "one");
        history.add(trial(50), at(2), "two");
        history.add(trial(80), at(3), "three");
        QCOMPARE(history.best(), 2);
        QCOMPARE(history.bestNs(), 50.0);
        QCOMPARE(history.trials(), 4);
        QCOMPARE(history.fastest(2), (std::vector<int>{2, 3}));
        QCOMPARE(history.fastest(9), (std::vector<int>{2, 3, 1}));
        QVERIFY(history.wasTried(at(0)) && history.wasTried(at(3)) && !history.wasTried(at(4)));
        QVERIFY(history.wasScriptTried("three") && !history.wasScriptTried("four"));
        // Of a time that was never taken no figure may come, whatever it says.
        record::TuneTrial wrong = trial(1);
        wrong.outcome = "wrong-result";
        history.add(wrong, at(5), "five");
        QCOMPARE(history.best(), 2);
    }

    // Half a percent is a gain, less is luck.
    void countsTrialsWithoutAGain()
    {
        History history(m_space);
        history.add(trial(0), at(0), "");
        QCOMPARE(history.sinceGain(), 1);
        history.add(trial(1000), at(1), "");
        QCOMPARE(history.sinceGain(), 0);
        history.add(trial(996), at(2), "");
        history.add(trial(995.5), at(3), "");
        QCOMPARE(history.sinceGain(), 2);
        QCOMPARE(history.bestNs(), 995.5);
        history.add(trial(994), at(4), ""); // against the last gain, so that small steps add up
        QCOMPARE(history.sinceGain(), 0);
    }

    void countsFailures()
    {
        History history(m_space);
        const auto fail = [&](const char* cause, const char* message) { history.add(trial(0, cause, message), at(history.trials()), ""); };
        fail("timeout", "limit of 2 s reached");
        fail("link", "ld said no");
        fail("timeout", "limit of 3 s reached");
        QCOMPARE(history.failuresInRow(), 3);
        QCOMPARE(history.failures(), std::string("2 x timeout, 1 x link; the first said: limit of 2 s reached"));
        history.add(trial(10), at(6), "");
        QCOMPARE(history.failuresInRow(), 0);
        fail("crash", "signal 11");
        QCOMPARE(history.failuresInRow(), 1);
        QCOMPARE(history.failures(), std::string("2 x timeout, 1 x link, 1 x crash; the first said: limit of 2 s reached"));
        history.forgive();
        QCOMPARE(history.failuresInRow(), 0);
        QVERIFY(!history.failures().empty());
    }

    void knowsWhichKnobDecides()
    {
        History history(m_space);
        Random random(3);
        for (int i = 0; i < 400; ++i) {
            const Point point = at(i % 8, static_cast<int>(random.below(4)), static_cast<int>(random.below(4)));
            history.add(trial(1000.0 * (1 << point.at[0]) * (1 + 0.3 * point.at[1])), point, "");
        }
        const std::string said = history.importance();
        QVERIFY2(said.starts_with("a=0.9"), said.c_str());
        QVERIFY2(said.find("b=0.0") != std::string::npos, said.c_str());
        // Of the script with the best point alone: another one's trials say nothing of these knobs.
        history.add(trial(1), {1, {}}, "");
        QCOMPARE(history.importance(), std::string());
    }
};

NW_TEST_MAIN(tst_history, TestHistory)
#include "tst_history.moc"
