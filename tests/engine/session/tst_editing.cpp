// A person's way through a script: steps, places, what is refused, what was measured.
#include "engine/session/editing.h"
#include "tests/engine/session/matmul.h"
#include "tests/support/test.h"

using namespace nw;
using namespace nw::session;
using test::editing;

namespace {

std::string lines(const Editing& editing)
{
    std::string text;
    for (const Station& station : editing.stations()) {
        text += station.text + (station.reached ? "" : " (not reached)") + "\n";
    }
    return text;
}

record::Record recordOf(const std::string& script, const std::string& protocol, double ns)
{
    record::Record record;
    record.script = script;
    record.protocol = protocol;
    record.medianNs = ns;
    record.spread = 0.01;
    record.clean = 15;
    return record;
}

const std::string kThree = "split n into no ni:8\nreorder m no k ni\nvectorize ni\n";

} // namespace

class TestEditing : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stationsFollowTheText()
    {
        const auto e = editing(kThree);
        QCOMPARE(lines(*e), std::string("\nsplit n into no ni:8\nreorder m no k ni\nvectorize ni\n"));
        QCOMPARE(e->cursor(), 3);
        QCOMPARE(e->stations()[2].script, std::string("split n into no ni:8\nreorder m no k ni\n"));
        QCOMPARE(e->stations()[3].primitive, std::string("vectorize"));
        QVERIFY(!e->error());
        e->jump(1);
        QVERIFY(e->nest().findLoop("ni"));
        QCOMPARE(e->nest().findLoop("ni").loop->kind, schedule::LoopKind::Serial);
        e->jump(99);
        QCOMPARE(e->cursor(), 3);
    }

    void aWrongStepStopsThere_data()
    {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<std::string>("shown");
        QTest::addColumn<int>("line");
        QTest::newRow("refused") << std::string("split n into no ni:8\nvectorize gone\nvectorize ni\n")
                                 << std::string("\nsplit n into no ni:8\nvectorize gone (not reached)\nvectorize ni (not reached)\n") << 2;
        QTest::newRow("unreadable") << std::string("split n into no ni:8\n# words\nfrobnicate ni\nvectorize ni\n")
                                    << std::string("\nsplit n into no ni:8\nfrobnicate ni (not reached)\nvectorize ni (not reached)\n") << 3;
        QTest::newRow("first line") << std::string("nonsense\n") << std::string("\nnonsense (not reached)\n") << 1;
    }
    void aWrongStepStopsThere()
    {
        QFETCH(std::string, text);
        QFETCH(std::string, shown);
        QFETCH(int, line);
        const auto e = editing(text);
        QCOMPARE(lines(*e), shown);
        QVERIFY(e->error());
        QCOMPARE(e->error()->line, line);
        QVERIFY(!e->stations().back().failure.empty());
        e->jump(99); // no further than what was reached
        QVERIFY(e->stations()[static_cast<std::size_t>(e->cursor())].reached);
    }

    void stepsAreAddedReplacedAndTaken()
    {
        const auto e = editing("# the beginning\n" + kThree);
        e->jump(1);
        QCOMPARE(e->textWith("unroll no", true), "# the beginning\nsplit n into no ni:8\nunroll no\nreorder m no k ni\nvectorize ni\n");
        QCOMPARE(e->textWith("unroll no", false), std::string("# the beginning\nsplit n into no ni:8\nunroll no\n"));
        e->jump(0);
        QCOMPARE(e->textWith("unroll m", true), "# the beginning\nunroll m\n" + kThree);
        QCOMPARE(e->textWithout(2), std::string("# the beginning\nsplit n into no ni:8\nvectorize ni\n"));
        QCOMPARE(e->textReplacing(1, "split n into no ni:16"),
                 std::string("# the beginning\nsplit n into no ni:16\nreorder m no k ni\nvectorize ni\n"));
        QCOMPARE(editing()->textWith("unroll m", true), std::string("unroll m\n"));
    }

    void judges()
    {
        const auto e = editing();
        const Editing::Judged legal = e->judge("split n into no ni:8");
        QVERIFY(legal.check.verdict == schedule::Verdict::Legal);
        QVERIFY(legal.nest && legal.nest->findLoop("ni"));
        const Editing::Judged illegal = e->judge("vectorize k");
        QVERIFY(illegal.check.verdict == schedule::Verdict::Illegal);
        QVERIFY(!illegal.check.why.rule.empty());
        QVERIFY(!illegal.nest);
        const Editing::Judged unreadable = e->judge("split n sideways");
        QVERIFY(!unreadable.error.empty());
        QCOMPARE(e->text(), std::string()); // asking changes nothing
    }

    void selectionsGoForwardAndBack()
    {
        const auto e = editing(kThree);
        e->jump(1);
        QCOMPARE(e->forwarded({"n", "m"}, 0), (std::vector<std::string>{"no", "ni", "m"}));
        e->jump(0);
        QCOMPARE(e->forwarded({"no", "m"}, 1), (std::vector<std::string>{"m"}));
    }

    void timingsFindTheirStation()
    {
        const auto e = editing("split n into no ni:{8, 16}\nvectorize ni\n");
        // Knobs at their defaults, other spacing and comments: the same script.
        e->setTimings({recordOf("split n   into no ni:8  # first\n", "quick", 2000), recordOf("split n into no ni:8\n", "confirm", 1900),
                       recordOf("split n into no ni:16\n", "confirm", 5)});
        QVERIFY(!e->stations()[0].best());
        QCOMPARE(e->stations()[1].quick->ns, 2000.0);
        QCOMPARE(e->stations()[1].best()->ns, 1900.0);
        QVERIFY(!e->stations()[2].best());
        Timing wrong;
        wrong.protocol = "quick";
        wrong.outcome = "wrong-result";
        e->addTiming("split n into no ni:8\nvectorize ni\n", wrong);
        QVERIFY(e->stations()[2].quick && !e->stations()[2].quick->ok());
    }

    // A step that is off has a station of its own, and what is measured there is the script without it.
    void stepsThatAreOffAreNotMeasured()
    {
        const auto e = editing("knob big = switch\nknob t = {8, 16}\nsplit n into no ni:?t\nunroll ni when ?big\n"
                               "reorder m no {k ni | ni k}\nrequire t * 4 <= 64\nvectorize ni\n");
        QVERIFY(!e->error());
        QCOMPARE(e->stations().size(), std::size_t{5});
        QCOMPARE(e->stations()[2].text, std::string("unroll ni when ?big"));
        QCOMPARE(e->stations()[2].check.verdict, schedule::Verdict::Pointless);
        QCOMPARE(e->stations()[2].script, std::string("split n into no ni:8\n"));
        QCOMPARE(e->stations()[4].script, std::string("split n into no ni:8\nreorder m no k ni\nvectorize ni\n"));
        QCOMPARE(e->nest().findLoop("ni").loop->kind, schedule::LoopKind::Vector);
    }

    // Knobs above a step that does not fit are declared once in what is replayed before it.
    void knobsAboveARefusedStepDoNoHarm()
    {
        const auto e = editing("knob t = {8, 16}\nsplit n into no ni:?t\nunroll zz\nvectorize ni when ?on\nknob on = switch\n");
        QVERIFY(e->error());
        QCOMPARE(e->error()->line, 3);
        QVERIFY(e->stations()[1].reached);
        QVERIFY(!e->stations()[2].reached);
        QVERIFY(e->nest().findLoop("ni"));
    }

    // Whoever measures it: a script with a step that was not proved is recorded as such.
    void unprovenScriptsAreMarked()
    {
        const schedule::Primitive hope{
            "hope", "does nothing and proves nothing", {{"loop", schedule::ParamKind::Loop, "", false}},
            [](const schedule::LoopNest&, const schedule::Args&, const schedule::Context&) {
                return schedule::Check{schedule::Verdict::Unproven, {"hope.unknown", "hope: not known", {}, {}, {}}};
            },
            [](const schedule::LoopNest& nest, const schedule::Args&, const schedule::Context&) {
                return schedule::Applied{nest, {}};
            },
            [](const schedule::LoopNest&, const std::string&, const schedule::Context&) { return std::vector<schedule::Args>(); }};
        std::vector<const schedule::Primitive*> primitives(schedule::allPrimitives().begin(), schedule::allPrimitives().end());
        primitives.push_back(&hope);
        QVERIFY(isUnproven(test::matmulOperator(), kThree + "hope no\n", primitives));
        QVERIFY(!isUnproven(test::matmulOperator(), kThree, primitives));
        QVERIFY(!isUnproven(test::matmulOperator(), "hope no\n")); // does not replay
        QVERIFY(!toRecord(test::matmulOperator(), kThree, record::Origin::Edit, {}).unproven);
    }

    void changesWithinNoiseAreNone()
    {
        Timing a{"quick", 100, 0.01, 15};
        Timing b{"quick", 101, 0.01, 15};
        QVERIFY(!differs(a, b));
        b.ns = 104;
        QVERIFY(differs(a, b));
        a.spread = 0.04;
        QVERIFY(!differs(a, b));
        b.ns = 50;
        b.outcome = "wrong-result";
        QVERIFY(!differs(a, b)); // no speed, no difference
    }
};

NW_TEST_MAIN(tst_editing, TestEditing)
#include "tst_editing.moc"
