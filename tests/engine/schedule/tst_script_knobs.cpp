// Knobs beyond numbers: switches, alternative orders, constraints; a script made at one batch at another.

#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/schedule/script.h"
#include "tests/engine/schedule/nests.h"
#include "tests/support/test.h"

using namespace nw;
using namespace nw::schedule;

namespace {

const Context kContext = test::wideContext();

const std::string kSample = "# a template\n"
                            "knob  a = divisors(64) up to 16   default 8\n"
                            "knob b = 4..64 step 12 default 16\r\n"
                            "knob big =  switch default on\n"
                            "require  ?a*b * 4<= cache(L1) / 2   # both tiles\n"
                            "\trequire a != 3\n"
                            "split m into mo:_ mi:?a\n"
                            "split n into no ni:?b  when   ?big  # c\n"
                            "reorder mo { k mi|mi k } no\n"
                            "unroll mi when ?big\n"
                            "split k into ko:_ ki:{4, 8, 4} when ?big\n";

Result<Script> parse(const std::string& text) { return parseScript(text, allPrimitives(), kContext); }

LoopNest matmul(int batch)
{
    const Result<compute::Definition> parsed
        = compute::parseDefinition(format("definition matmul\ninput A f32 [{0}, 40]\nconstant B f32 [40, 64]\n"
                                          "output Y f32 [{0}, 64]\n"
                                          "stage matmul -> Y f32 [m:{0}, n:64] sum [k:40] from 0.0 =\n  A[m, k] * B[k, n]\n",
                                          batch));
    ENSURE(parsed.has_value(), parsed ? "" : parsed.error().message);
    const auto definition = std::make_shared<const compute::Definition>(*parsed);
    const Result<LoopNest> nest = initialNest(definition, std::vector<Layout>(definition->ports.size()));
    ENSURE(nest.has_value(), nest ? "" : nest.error().message);
    return *nest;
}

Result<Replay> replayed(const LoopNest& nest, const std::string& text, const KnobValues& values = {})
{
    const Result<Script> script = parse(text);
    return script ? replay(nest, *script, values, kContext) : Result<Replay>(script.error());
}

std::string boundText(const Script& script, const KnobValues& values)
{
    const Result<Script> bound = bindKnobs(script, values, kContext);
    return bound ? bound->toText() : "error: " + bound.error().message;
}

} // namespace

class TestScriptKnobs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void textRoundTrips()
    {
        const Result<Script> script = parse(kSample);
        VERIFY_OK(script);
        QCOMPARE(script->toText(), kSample);
        QCOMPARE(script->canonicalText(),
                 std::string("knob a = divisors(64) up to 16 default 8\n"
                             "knob b = 4..64 step 12 default 16\n"
                             "knob big = switch default on\n"
                             "require ?a*b*4 <= cache(L1)/2\n"
                             "require a != 3\n"
                             "split m into mo:_ mi:?a\n"
                             "split n into no ni:?b when ?big\n"
                             "reorder mo {k mi | mi k} no\n"
                             "unroll mi when ?big\n"
                             "split k into ko:_ ki:{4, 8, 4} when ?big\n"));
        const Result<Script> again = parse(script->canonicalText());
        VERIFY_OK(again);
        QCOMPARE(again->canonicalText(), script->canonicalText());
        QCOMPARE(script->steps[1].condition, std::string("big"));
        QCOMPARE(script->knobs[2].choices, (std::vector<std::int64_t>{0, 1}));
        QCOMPARE(script->knobs[2].defaultValue, std::int64_t{1});
        QCOMPARE(script->knobs[3].name, std::string("line9.12"));
        QCOMPARE(script->knobs[3].choices, (std::vector<std::int64_t>{0, 1}));
        QCOMPARE(script->knobs[4].choices, (std::vector<std::int64_t>{4, 8})); // a doubled choice is one
        QCOMPARE(parse("knob s = switch\n")->knobs[0].defaultValue, std::int64_t{0});
    }

    void refuses_data()
    {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        QTest::addColumn<std::string>("message");
        const auto row = [](const char* name, const char* text, int line, int column, const char* message) {
            QTest::newRow(name) << std::string(text) << line << column << std::string(message);
        };
        row("switch", "knob s = switch default up", 1, 25, "\"on\" or \"off\" is expected here, not \"up\"");
        row("unknown switch", "knob big = switch\nunroll i when  ?bog", 2, 16,
            "there is no knob \"bog\"; did you mean \"big\"?");
        row("when without a knob", "unroll i when big", 1, 10, "\"when\" stands at the end of a step and before a knob: when ?NAME");
        row("when in the middle", "split i when ?b into x y", 1, 9,
            "\"when\" stands at the end of a step and before a knob: when ?NAME");
        row("empty alternative", "reorder {a b | }", 1, 15, "an alternative needs the names of loops: {kh kw | kw kh}");
        row("no alternative", "reorder i {}", 1, 12, "an alternative needs the names of loops: {kh kw | kw kh}");
        row("alternative of numbers", "reorder {a | 4}", 1, 14,
            "\"4\" is no name; alternatives are names of loops: {kh kw | kw kh}");
        row("glued", "reorder {a | b}c", 1, 14, "\"b}c\" is no name; alternatives are names of loops: {kh kw | kw kh}");
        row("alternatives of one loop", "unroll {a | b}", 1, 8, "\"{a | b}\" is no name; the name of a loop (loop) is expected here");
        row("no comparison", "knob a = {1}\nrequire a * 2", 2, 14, "a comparison (<=, <, >=, >, == or !=) is missing at the end of the line");
        row("other comparison", "knob a = {1}\nrequire a = 2", 2, 11,
            "a comparison (<=, <, >=, >, == or !=) is expected here, not \"= 2\"");
        row("two comparisons", "knob a = {1}\nrequire 1 <= a <= 4", 2, 16,
            "an operator or the end of the line is expected here, not \"<= 4\"");
        row("empty constraint", "  require", 1, 10, "a number is missing at the end of the line");
        row("unknown knob", "knob tile = {1}\nrequire tale <= 4", 2, 9, "there is no knob \"tale\"; did you mean \"tile\"?");
        row("list in a constraint", "require {1, 2} <= 4", 1, 9, "a choice list cannot stand here");
        row("quantity", "require lanez(f32) <= 4", 1, 9, "\"lanez\" is not a number; did you mean \"lanes\"?");
        row("word", "requir 1 <= 2", 1, 1, "there is no primitive \"requir\"; did you mean \"require\"?");
        row("defaults", "knob a = {4, 8} default 8\nsplit i into x y:?a\n  require a * 4096 <  cache(L1)\n", 3, 11,
            "with the default values, a * 4096 < cache(L1) does not hold: 32768 < 32768");
        row("target alone", "require lanes(f32) >= 32", 1, 9, "with the default values, lanes(f32) >= 32 does not hold: 16 >= 32");
        row("division", "knob a = {4}\nrequire 8 / (a - 4) > 1", 2, 9,
            "with the default values, 8 / (a - 4) > 1 cannot be computed: a division by zero, or a number beyond 64 bits");
    }

    void refuses()
    {
        QFETCH(std::string, text);
        QFETCH(int, line);
        QFETCH(int, column);
        QFETCH(std::string, message);
        const Result<Script> script = parse(text);
        QVERIFY(!script);
        QCOMPARE(script.error().message, message);
        QCOMPARE(script.error().line, line);
        QCOMPARE(script.error().column, column);
    }

    // A loop may still be called "when".
    void whenIsNoReservedWord()
    {
        const Result<Script> script = parse("split i into when x\nreorder x when\nunroll when\n");
        VERIFY_OK(script);
        QCOMPARE(script->steps[1].words[0].size(), std::size_t{2});
        QVERIFY(script->steps[1].condition.empty());
    }

    void bindingChoosesStepsAndOrders()
    {
        const Result<Script> script = parse(kSample);
        VERIFY_OK(script);
        QCOMPARE(boundText(*script, {}),
                 std::string("# a template\nsplit m into mo:_ mi:8\nsplit n into no ni:16  # c\nreorder mo k mi no\n"
                             "unroll mi\nsplit k into ko:_ ki:4\n"));
        QCOMPARE(boundText(*script, {{"big", 0}, {"line9.12", 1}, {"a", 2}}),
                 std::string("# a template\nsplit m into mo:_ mi:2\nreorder mo mi k no\n"));
        QVERIFY(bindKnobs(*script, {}, kContext)->knobs.empty());
        QVERIFY(isOn(script->steps[1], *script, {}) && !isOn(script->steps[1], *script, {{"big", 0}})
                && isOn(script->steps[0], *script, {{"big", 0}}));
        // A number may switch, too, and have its place in the step.
        const Result<Script> number = parse("knob t = {0, 4} default 4\nsplit i into a b:?t when ?t\n");
        VERIFY_OK(number);
        QCOMPARE(boundText(*number, {}), std::string("split i into a b:4\n"));
        QCOMPARE(boundText(*number, {{"t", 0}}), std::string(""));
    }

    void stepsThatAreOffAreLeftOut()
    {
        const std::string text = "knob big = switch default on\nsplit n into no ni:8\nunroll ni when ?big\nunroll zz when ?odd\n"
                                 "knob odd = switch\nreorder m no {k ni | ni k}\n";
        const Result<Script> script = parse(text);
        VERIFY_OK(script);
        ReplayCache cache(matmul(48), kContext);
        for (const std::int64_t big : {0, 1, 0}) {
            for (const std::int64_t order : {0, 1}) {
                const KnobValues values{{"big", big}, {"line6.14", order}};
                const Result<Replay> done = replay(matmul(48), *script, values, kContext);
                VERIFY_OK(done);
                QCOMPARE(done->steps.size(), std::size_t{4}); // parallel to the script's
                const Result<Script> bound = bindKnobs(*script, values, kContext);
                VERIFY_OK(bound);
                QCOMPARE(bound->steps.size(), big != 0 ? std::size_t{3} : std::size_t{2});
                const Result<Replay> plain = replay(matmul(48), *bound, {}, kContext);
                VERIFY_OK(plain);
                QCOMPARE(toText(done->nest()), toText(plain->nest()));
                QCOMPARE(done->nest().findLoop("ni").loop->kind, big != 0 ? LoopKind::Unrolled : LoopKind::Serial);
                const Result<Replay> cached = cache.replay(*script, values);
                VERIFY_OK(cached);
                QCOMPARE(toText(cached->nest()), toText(plain->nest()));
                for (const Step& off : {done->steps[2], cached->steps[2]}) {
                    QCOMPARE(off.check.verdict, Verdict::Pointless);
                    QCOMPARE(fillWords(off.check.why.words, off.check.why.operands), std::string("this step is off: odd is 0"));
                    QCOMPARE(off.text, std::string("unroll zz when ?odd"));
                    QCOMPARE(off.line, 4);
                }
            }
        }
        const Result<Replay> on = replay(matmul(48), *script, {{"odd", 1}}, kContext);
        QVERIFY(!on);
        QCOMPARE(on.error().line, 4);
    }

    void violatedConstraintsRefuse()
    {
        const std::string text = "knob a = {4, 8, 16}\nknob b = {16, 32, 64}\nsplit m into mo mi:?a\nsplit n into no ni:?b\n"
                                 "require a * b * 4 <= cache(L1) / 16\nrequire b >= a * lanes(f32) / 8\n";
        const Result<Script> script = parse(text);
        VERIFY_OK(script);
        VERIFY_OK(bindKnobs(*script, {{"a", 8}, {"b", 64}}, kContext));
        const KnobValues large{{"a", 16}, {"b", 64}};
        const std::string why = "a * b * 4 <= cache(L1) / 16 does not hold: 4096 <= 2048";
        const Error bound = bindKnobs(*script, large, kContext).error();
        const Error run = replay(matmul(48), *script, large, kContext).error();
        ReplayCache cache(matmul(48), kContext);
        const Error cached = cache.replay(*script, large).error();
        for (const Error& error : {bound, run, cached}) {
            QCOMPARE(error.kind, Error::Kind::Refused);
            QCOMPARE(error.message, why);
            QCOMPARE(error.line, 5);
            QCOMPARE(error.column, 9);
        }
        const Error narrow = bindKnobs(*script, {{"a", 16}, {"b", 16}}, kContext).error();
        QCOMPARE(narrow.message, std::string("b >= a * lanes(f32) / 8 does not hold: 16 >= 32"));
        QCOMPARE(narrow.line, 6);
        QCOMPARE(countChoices(*script).count, std::uint64_t{7});
        const Result<std::vector<KnobValues>> all = allChoices(*script, 7);
        VERIFY_OK(all);
        QCOMPARE(all->size(), std::size_t{7});
        QCOMPARE(all->front(), (KnobValues{{"a", 4}, {"b", 16}}));
        QCOMPARE((*all)[1], (KnobValues{{"a", 4}, {"b", 32}}));
        QCOMPARE(all->back(), (KnobValues{{"a", 16}, {"b", 32}}));
        QCOMPARE(allChoices(*script, 6).error().message,
                 std::string("the knobs of this script have 7 combinations and 6 are allowed; narrow their ranges"));
    }

    // Steps made at one batch fit another; those that do not say so at their line. A loop of one step is none.
    void scriptsMoveToAnotherBatch()
    {
        const std::string free = "split n into no ni:lanes(f32)\nreorder no {k ni | ni k}\nvectorize ni\n";
        const std::string batched = "split m into mo:_ mi:2\n" + free + "\n  parallel mo # the batch\n";
        VERIFY_OK(replayed(matmul(1), free));
        for (const int batch : {1, 2, 4, 7}) { // at 1 the step brings back the loop that it names
            VERIFY_OK(replayed(matmul(batch), free));
            const Result<Replay> done = replayed(matmul(batch), batched);
            VERIFY_OK(done);
            QCOMPARE(constantExtent(*done->nest().findLoop("mo").loop), std::optional<std::int64_t>((batch + 1) / 2));
        }
        const std::string narrow = free + "\n  split m into mo:2 mi:2 # four rows\nunroll mi\n";
        VERIFY_OK(replayed(matmul(4), narrow));
        const Result<Replay> seven = replayed(matmul(7), narrow);
        QVERIFY(!seven);
        QCOMPARE(seven.error().message, std::string("split: 4 steps do not cover the 7 of m; enlarge a part or leave one inferred"));
        QCOMPARE(seven.error().line, 5);
        QCOMPARE(seven.error().column, 3);
        QVERIFY(seven.error().refusal != nullptr);
    }

    // Whatever a text becomes by deleting, doubling and swapping bytes: an answer, never a crash, and what parses
    // survives its canonical text and can be bound.
    void mutatedTextNeverCrashes()
    {
        Random random(23);
        const std::vector<std::string> pieces{" when ?big", "require ", "{k mi | mi k}", " <= ", "switch", " default off", "?a",
                                              " | ", "}", "{", " == 8\n", "knob c = switch\n", "cache(L2)", "-", "/ 0"};
        int parsed = 0;
        for (int round = 0; round < 20'000; ++round) {
            std::string text = kSample;
            const int changes = static_cast<int>(random.between(1, 4));
            for (int i = 0; i < changes && !text.empty(); ++i) {
                const std::size_t at = random.below(text.size());
                switch (random.below(5)) {
                case 0: text.erase(at, 1 + random.below(5)); break;
                case 1: text.insert(at, text.substr(at, random.below(8))); break;
                case 2: text[at] = static_cast<char>(random.below(256)); break;
                case 3: text.insert(at, pieces[random.below(pieces.size())]); break;
                default: std::swap(text[at], text[random.below(text.size())]); break;
                }
            }
            const Result<Script> script = parse(text);
            if (!script) {
                QVERIFY2(script.error().line > 0 && script.error().column > 0 && !script.error().message.empty(), text.c_str());
                continue;
            }
            ++parsed;
            QCOMPARE(script->toText(), text);
            const Result<Script> again = parse(script->canonicalText());
            QVERIFY2(again.has_value(), (text + "\n=>\n" + script->canonicalText()).c_str());
            QCOMPARE(again->canonicalText(), script->canonicalText());
            QCOMPARE(again->steps.size(), script->steps.size());
            QCOMPARE(again->constraints.size(), script->constraints.size());
            const Result<Script> bound = bindKnobs(*script, {}, kContext);
            QVERIFY2(bound.has_value(), (text + "\n=>\n" + (bound ? "" : bound.error().message)).c_str());
            QVERIFY(bound->knobs.empty() && bound->constraints.empty());
            QVERIFY(bound->toText().find(" when ?") == std::string::npos || bound->toText().find('#') != std::string::npos);
        }
        QVERIFY2(parsed > 1000, std::to_string(parsed).c_str());
        QVERIFY(!parse("require " + std::string(50'000, '(') + "1 <= 2"));
        QVERIFY(!parse("require " + std::string(50'000, '-') + "1 <= 2"));
        QVERIFY(!parse("reorder " + std::string(50'000, '{')));
        VERIFY_OK(parse("require 1" + std::string(50'000, ' ') + "<= 2"));
    }
};

NW_TEST_MAIN(tst_script_knobs, TestScriptKnobs)
#include "tst_script_knobs.moc"
