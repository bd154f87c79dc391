// The script language: round trip, canonical text, errors with their place, numbers, knobs, mutated text.

#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/schedule/script.h"
#include "engine/schedule/script_number.h"
#include "tests/engine/schedule/nests.h"
#include "tests/support/test.h"

#include <set>

using namespace nw;
using namespace nw::schedule;

namespace {

const Context kContext = test::wideContext();

const std::string kSample = "# a convolution\n"
                            "split      oc   into oco:_ oci:lanes(f32)\n"
                            "\n"
                            "  split      ow   into owo:_ owi:?tile_ow        # _ inferred, ? a knob\n"
                            "reorder    oco oh owo ic kh kw owi oci\r\n"
                            "cache_write conv at owo in registers\n"
                            "vectorize  oci\t# lanes\n"
                            "split ic into ico ici:{4, 8 , 16}\n"
                            "set_layout W as  (oc, ic, kh, kw)  -> (oc / 16, ic, kh, kw, oc % 16)\n"
                            "knob tile_ow = divisors(56)  up to 28 default 14\n";

Result<Script> parse(const std::string& text) { return parseScript(text, allPrimitives(), kContext); }

} // namespace

class TestScript : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void textIsKept_data()
    {
        QTest::addColumn<std::string>("text");
        QTest::newRow("sample") << kSample;
        QTest::newRow("empty") << std::string();
        QTest::newRow("blank lines") << std::string("\n\n  \n");
        QTest::newRow("no newline at the end") << std::string("unroll i");
        QTest::newRow("only a comment") << std::string("# unroll i");
    }

    void textIsKept()
    {
        QFETCH(std::string, text);
        const Result<Script> script = parse(text);
        VERIFY_OK(script);
        QCOMPARE(script->toText(), text);
    }

    void canonicalText()
    {
        const Result<Script> script = parse(kSample);
        VERIFY_OK(script);
        QCOMPARE(script->canonicalText(),
                 std::string("split oc into oco:_ oci:lanes(f32)\n"
                             "split ow into owo:_ owi:?tile_ow\n"
                             "reorder oco oh owo ic kh kw owi oci\n"
                             "cache_write conv at owo in registers\n"
                             "vectorize oci\n"
                             "split ic into ico ici:{4, 8, 16}\n"
                             "set_layout W as (oc, ic, kh, kw) -> (oc / 16, ic, kh, kw, oc % 16)\n"
                             "knob tile_ow = divisors(56) up to 28 default 14\n"));
        const Result<Script> again = parse(script->canonicalText());
        VERIFY_OK(again);
        QCOMPARE(again->canonicalText(), script->canonicalText());
        QCOMPARE(again->identity(), script->identity());
        QVERIFY(parse("unroll i")->identity() != parse("unroll j")->identity());
    }

    void stepsKnowTheirPlace()
    {
        const Result<Script> script = parse(kSample);
        VERIFY_OK(script);
        QCOMPARE(script->steps.size(), std::size_t{7});
        const ScriptStep& second = script->steps[1];
        QCOMPARE(second.line, 4);
        QCOMPARE(second.column, 3);
        QCOMPARE(second.words[1][1].text, std::string("owi:?tile_ow"));
        QCOMPARE(second.words[1][1].column, 30);
        QCOMPARE(script->knobs.size(), std::size_t{2});
        QCOMPARE(script->knobs[0].name, std::string("line8.23"));
        QCOMPARE(script->knobs[0].choices, (std::vector<std::int64_t>{4, 8, 16}));
        QCOMPARE(script->knobs[0].defaultValue, std::int64_t{4});
        QCOMPARE(script->knobs[1].choices, (std::vector<std::int64_t>{1, 2, 4, 7, 8, 14, 28}));
        QCOMPARE(script->knobs[1].defaultValue, std::int64_t{14});
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
        row("primitive", "unroll i\n  splt i into a b", 2, 3, "there is no primitive \"splt\"; did you mean \"split\"?");
        row("keyword", "split i int a b", 1, 9, "split has no use for \"int\"; did you mean \"into\"?");
        row("missing", "split i", 1, 8,
            "split needs \"into\" and the new loops, such as \"i.o:_ i.i:4\"");
        row("nothing behind", "split i into  # parts", 1, 13,
            "\"into\" must be followed by the new loops, such as \"i.o:_ i.i:4\"");
        row("scope", "cache_write conv at ow in regsters", 1, 27,
            "there is no scope \"regsters\"; did you mean \"registers\"?");
        row("number", "split i into a b:lanez(f32)", 1, 18, "\"lanez\" is not a number; did you mean \"lanes\"?");
        row("type", "split i into a b:lanes(f33)", 1, 24,
            "\"f33\" is no element type with a size; f32, f64, i32 and i64 are");
        row("cache", "split i into a b:cache(L4)", 1, 24, "there is no cache \"L4\"; L1, L2 and L3 are known");
        row("knob", "knob tile = {4} default 4\nsplit i into a b:?til", 2, 18,
            "there is no knob \"til\"; did you mean \"tile\"?");
        row("knob twice", "knob a = {4}\nknob a = {8}", 2, 1, "knob a is declared twice");
        row("default", "knob a = {4, 8} default 5", 1, 26, "the default 5 is not among the choices");
        row("bracket", "split i into a b:lanes(f32", 1, 27, "')' is missing");
        row("no bracket", "split i into a b:4)", 1, 19, "')' closes nothing");
        row("name", "unroll 4x", 1, 8, "\"4x\" is no name; the name of a loop (loop) is expected here");
        row("divisors", "split i into a b:divisors(4)", 1, 18, "divisors(...) stands only in a knob line");
        row("large", "split i into a b:99999999999999999999", 1, 18, "the number does not fit 64 bits");
        row("twice", "split i into a b into c d", 1, 18, "\"into\" stands twice");
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

    void numbers_data()
    {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<qint64>("value");
        QTest::newRow("product") << std::string("lanes(f32) * 2") << qint64{32};
        QTest::newRow("quotient") << std::string("cache(L1) / 4 / lanes(f64)") << qint64{1024};
        QTest::newRow("order") << std::string("2 + 3*(4 - 1)") << qint64{11};
        QTest::newRow("rounds down") << std::string("-7 / 2") << qint64{-4};
        QTest::newRow("registers") << std::string("registers(f32) - 4") << qint64{28};
        QTest::newRow("threads") << std::string("threads*threads") << qint64{16};
        QTest::newRow("caches") << std::string("cache(L3)/cache(L2)") << qint64{8};
    }

    void numbers()
    {
        QFETCH(std::string, text);
        QFETCH(qint64, value);
        const Result<std::int64_t> number = evalNumber(text, {&test::wideTarget(), {}, {}});
        VERIFY_OK(number);
        QCOMPARE(qint64{*number}, value);
    }

    void knobRanges_data()
    {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<std::string>("choices");
        QTest::addColumn<qint64>("first");
        QTest::newRow("divisors") << std::string("divisors(12)") << std::string("1 2 3 4 6 12") << qint64{1};
        QTest::newRow("up to") << std::string("divisors(lanes(f32)) up to 8 default 4") << std::string("1 2 4 8") << qint64{4};
        QTest::newRow("list") << std::string("{8,4, 2} default 2") << std::string("8 4 2") << qint64{2};
        QTest::newRow("range") << std::string("2..9 step 3 default 5") << std::string("2 5 8") << qint64{5};
    }

    void knobRanges()
    {
        QFETCH(std::string, text);
        QFETCH(std::string, choices);
        QFETCH(qint64, first);
        const Result<KnobRange> range = parseKnobRange(text, &test::wideTarget());
        VERIFY_OK(range);
        QCOMPARE(format("{}", fmt::join(range->choices, " ")), choices);
        QCOMPARE(qint64{range->defaultValue}, first);
    }

    void knobsAreBound()
    {
        const Result<Script> script = parse(kSample);
        VERIFY_OK(script);
        const Result<Script> bound = bindKnobs(*script, {{"tile_ow", 28}, {"line8.23", 16}}, kContext);
        VERIFY_OK(bound);
        QVERIFY(bound->knobs.empty());
        QCOMPARE(bound->toText(),
                 std::string("# a convolution\n"
                             "split      oc   into oco:_ oci:lanes(f32)\n"
                             "\n"
                             "  split      ow   into owo:_ owi:28        # _ inferred, ? a knob\n"
                             "reorder    oco oh owo ic kh kw owi oci\r\n"
                             "cache_write conv at owo in registers\n"
                             "vectorize  oci\t# lanes\n"
                             "split ic into ico ici:16\n"
                             "set_layout W as  (oc, ic, kh, kw)  -> (oc / 16, ic, kh, kw, oc % 16)\n"));
        const Result<Script> defaults = bindKnobs(*script, {}, kContext);
        VERIFY_OK(defaults);
        QVERIFY(defaults->toText().find("owi:14 ") != std::string::npos);
        QCOMPARE(bindKnobs(*script, {{"tile", 28}}, kContext).error().message, std::string("the script has no knob \"tile\""));
        QCOMPARE(bindKnobs(*script, {{"tile_ow", 5}}, kContext).error().message, std::string("5 is no choice of knob tile_ow"));
    }

    void knobsInsideOfExpressions()
    {
        const Result<Script> script = parse("split i into a b:(?t + {1, 2}) * {3, -4} c:?t\nknob t = {5, 6} default 6\n");
        VERIFY_OK(script);
        const Result<Script> bound = bindKnobs(*script, {{"line1.24", 2}, {"line1.34", -4}}, kContext);
        VERIFY_OK(bound);
        QCOMPARE(bound->canonicalText(), std::string("split i into a b:(6+2)*(-4) c:6\n"));
    }

    void allChoicesStartWithTheDefaults()
    {
        const Result<Script> script = parse("split i into a b:?t\nknob t = {4, 6, 8} default 6\nsplit j into c d:{1, 2}\n");
        VERIFY_OK(script);
        const Result<std::vector<KnobValues>> all = allChoices(*script, 6);
        VERIFY_OK(all);
        QCOMPARE(all->size(), std::size_t{6});
        QCOMPARE(all->front(), (KnobValues{{"t", 6}, {"line3.18", 1}}));
        QCOMPARE((*all)[1], (KnobValues{{"t", 4}, {"line3.18", 1}}));
        QCOMPARE(std::set<KnobValues>(all->begin(), all->end()).size(), std::size_t{6});
        QVERIFY(!allChoices(*script, 5));
        QCOMPARE(allChoices(*parse("unroll i"), 1)->size(), std::size_t{1});
    }

    void stepTextParsesBack()
    {
        const Result<Script> script = parse("split i into a b:7");
        VERIFY_OK(script);
        const Args args{{std::string("i"), std::vector<Part>{{"a", std::nullopt}, {"b", 7}}}};
        QCOMPARE(stepText(*script->steps[0].primitive, args), std::string("split i into a:_ b:7"));
    }

    // Whatever a text becomes by deleting, doubling and swapping bytes: an answer, never a crash, and what parses
    // survives its canonical text.
    void mutatedTextNeverCrashes()
    {
        Random random(11);
        int parsed = 0;
        for (int round = 0; round < 20'000; ++round) {
            std::string text = kSample;
            const int changes = static_cast<int>(random.between(1, 6));
            for (int i = 0; i < changes && !text.empty(); ++i) {
                const std::size_t at = random.below(text.size());
                switch (random.below(4)) {
                case 0: text.erase(at, 1 + random.below(5)); break;
                case 1: text.insert(at, text.substr(at, random.below(8))); break;
                case 2: text[at] = static_cast<char>(random.below(256)); break;
                default: std::swap(text[at], text[random.below(text.size())]); break;
                }
            }
            const Result<Script> script = parse(text);
            if (script) {
                ++parsed;
                QCOMPARE(script->toText(), text);
                const Result<Script> again = parse(script->canonicalText());
                QVERIFY2(again.has_value(), (text + "\n=>\n" + script->canonicalText()).c_str());
                QCOMPARE(again->canonicalText(), script->canonicalText());
            } else {
                QVERIFY(script.error().line > 0 && script.error().column > 0 && !script.error().message.empty());
            }
        }
        QVERIFY(parsed > 100);
        QVERIFY(!parse(std::string(100'000, '(')));
        QVERIFY(!parse("split i into a b:" + std::string(50'000, '-') + "1"));
        QVERIFY(!parse("split i into a b:" + std::string(50'000, '(') + "1" + std::string(50'000, ')')));
    }
};

NW_TEST_MAIN(tst_script, TestScript)
#include "tst_script.moc"
