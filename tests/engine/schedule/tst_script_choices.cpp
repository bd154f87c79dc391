// How many configurations a script has, counted against listing and filtering them, and where that is out of reach.

#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/schedule/script.h"
#include "tests/engine/schedule/nests.h"
#include "tests/support/test.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

using namespace nw;
using namespace nw::schedule;

namespace {

const Context kContext = test::wideContext();

Result<Script> parse(const std::string& text) { return parseScript(text, allPrimitives(), kContext); }

// Every combination of choices, whether it is allowed or not.
std::vector<KnobValues> rawChoices(const Script& script)
{
    std::vector<KnobValues> all{{}};
    for (const Knob& knob : script.knobs) {
        std::vector<KnobValues> longer;
        for (const KnobValues& one : all) {
            for (const std::int64_t choice : knob.choices) {
                longer.push_back(one);
                longer.back()[knob.name] = choice;
            }
        }
        all = std::move(longer);
    }
    return all;
}

// The constraint lines judged by the evaluator of numbers, one combination at a time.
bool allowed(const std::string& text, const KnobValues& values)
{
    for (const std::string& line : splitText(text, '\n')) {
        if (!line.starts_with("require ")) {
            continue;
        }
        const std::size_t at = line.find_first_of("<>=!");
        const std::size_t end = line.find_first_not_of("<>=!", at);
        const auto side = [&](const std::string& words) {
            return evalNumber(words, {&test::wideTarget(), [&](int, std::string_view name) {
                                          return Result<std::int64_t>(values.at(std::string(name)));
                                      }, {}});
        };
        const Result<std::int64_t> left = side(line.substr(8, at - 8));
        const Result<std::int64_t> right = side(line.substr(end));
        const std::string mark = line.substr(at, end - at);
        const bool holds = left && right
            && (mark == "<=" ? *left <= *right : mark == "<" ? *left < *right
                    : mark == ">=" ? *left >= *right : mark == ">" ? *left > *right
                    : mark == "==" ? *left == *right : *left != *right);
        if (!holds) {
            return false;
        }
    }
    return true;
}

std::string randomExpression(Random& random, int knobs, int depth)
{
    const std::size_t kind = random.below(depth > 0 ? 4 : 2);
    if (kind == 0) {
        return format("?k{}", random.below(static_cast<std::uint64_t>(knobs)));
    }
    if (kind == 1) {
        return std::to_string(random.between(-6, 12));
    }
    const std::string left = randomExpression(random, knobs, depth - 1);
    const std::string right = randomExpression(random, knobs, depth - 1);
    const char* const marks[] = {"+", "-", "*", "/"};
    return format("({} {} {})", left, marks[random.below(4)], right);
}

} // namespace

class TestScriptChoices : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Random knobs and constraints: the count, the list and a plain filter over every combination agree.
    void countsAgreeWithListing()
    {
        Random random(5);
        int scripts = 0;
        int partly = 0;
        while (scripts < static_cast<int>(draws(1000))) {
            const int knobs = static_cast<int>(random.between(1, 5));
            std::string text;
            for (int k = 0; k < knobs; ++k) {
                std::vector<std::string> values;
                for (std::int64_t i = random.between(0, 4); i >= 0; --i) {
                    values.push_back(std::to_string(random.between(-3, 9)));
                }
                text += format("knob k{} = {{{}}}\n", k, join(values, ", "));
            }
            const char* const marks[] = {"<=", "<", ">=", ">", "==", "!="};
            for (std::int64_t i = random.between(0, 3); i > 0; --i) {
                const std::string left = randomExpression(random, knobs, 2);
                text += format("require {} {} {}\n", left, marks[random.below(6)], randomExpression(random, knobs, 2));
            }
            const Result<Script> script = parse(text);
            if (!script) {
                continue; // the defaults do not fit
            }
            ++scripts;
            std::set<KnobValues> expected;
            const std::vector<KnobValues> raw = rawChoices(*script);
            std::copy_if(raw.begin(), raw.end(), std::inserter(expected, expected.end()),
                         [&](const KnobValues& values) { return allowed(text, values); });
            const ChoiceCount count = countChoices(*script);
            QVERIFY(count.exact);
            QVERIFY2(count.count == expected.size(), format("{}\n{} of {}", text, count.count, expected.size()).c_str());
            const Result<std::vector<KnobValues>> all = allChoices(*script, 100'000);
            VERIFY_OK(all);
            QCOMPARE(all->size(), expected.size());
            QVERIFY(std::set<KnobValues>(all->begin(), all->end()) == expected);
            QVERIFY(allowed(text, all->front()));
            partly += expected.size() > 1 && expected.size() < raw.size() ? 1 : 0;
        }
        QVERIFY2(partly > static_cast<int>(draws(100)), std::to_string(partly).c_str());
    }

    // 64^8 combinations whose product is bounded: the count is known by adding up products.
    void largeSpacesAreCounted()
    {
        if (draws(3) < 3) {
            QSKIP("minutes under the sanitizers");
        }
        std::string text;
        std::string product = "k0";
        std::vector<std::uint64_t> ways(1001, 0); // by product
        ways[1] = 1;
        for (int k = 0; k < 8; ++k) {
            text += format("knob k{} = 1..64\n", k);
            product += k > 0 ? format(" * k{}", k) : "";
            std::vector<std::uint64_t> next(1001, 0);
            for (std::size_t p = 1; p <= 1000; ++p) {
                for (std::size_t factor = 1; factor <= 64 && p * factor <= 1000; ++factor) {
                    next[p * factor] += ways[p];
                }
            }
            ways = std::move(next);
        }
        std::uint64_t expected = 0;
        for (const std::uint64_t count : ways) {
            expected += count;
        }
        const Result<Script> script = parse(text + "require " + product + " <= 1000\nknob free = 1..1000\nsplit i into a b:{1, 2}\n");
        VERIFY_OK(script);
        const ChoiceCount count = countChoices(*script);
        QVERIFY(count.exact);
        QCOMPARE(count.count, expected * 2000);
        QCOMPARE(count.toText(), std::to_string(expected * 2000));
        const Error tooMany = allChoices(*script, 1000).error();
        QVERIFY2(tooMany.message.find(count.toText() + " combinations") != std::string::npos, tooMany.message.c_str());
    }

    void hopelessSpacesHaveABound()
    {
        if (draws(3) < 3) {
            QSKIP("minutes under the sanitizers");
        }
        std::string text;
        std::string sum = "k0";
        for (int k = 0; k < 9; ++k) {
            text += format("knob k{} = 1..60 default 30\n", k);
            sum += k > 0 ? format(" + k{}", k) : "";
        }
        const Result<Script> script = parse(text + "require " + sum + " == 270\n");
        VERIFY_OK(script);
        const ChoiceCount count = countChoices(*script);
        QVERIFY(!count.exact);
        // Coefficient of x^270 in (x + ... + x^60)^9.
        std::vector<std::uint64_t> ways(541, 0);
        ways[0] = 1;
        for (int k = 0; k < 9; ++k) {
            std::vector<std::uint64_t> next(541, 0);
            for (std::size_t s = 0; s <= 540; ++s) {
                for (std::size_t value = 1; value <= 60 && s + value <= 540; ++value) {
                    next[s + value] += ways[s];
                }
            }
            ways = std::move(next);
        }
        QVERIFY(count.count >= ways[270]);
        QCOMPARE(count.toText(), format("at most {}", count.count));
        QVERIFY(!allChoices(*script, 1'000'000));
    }

    void countsSaturate()
    {
        std::string text;
        for (int k = 0; k < 6; ++k) {
            text += format("knob k{} = 1..4096\n", k);
        }
        const ChoiceCount count = countChoices(*parse(text));
        QCOMPARE(count.count, std::numeric_limits<std::uint64_t>::max());
        QVERIFY(!count.exact);
        QCOMPARE(count.toText(), std::string("more than 18446744073709551614"));
        QCOMPARE(countChoices(*parse("unroll i")).count, std::uint64_t{1});
        QCOMPARE(countChoices(*parse("knob a = 1..4096\nknob b = 1..4096\n")).count, std::uint64_t{4096 * 4096});
    }
};

NW_TEST_MAIN(tst_script_choices, TestScriptChoices)
#include "tst_script_choices.moc"
