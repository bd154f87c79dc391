// Spaces: how many points, which of them satisfy, and points as text.
#include "engine/base/text.h"
#include "engine/compute/definition.h"
#include "engine/tune/space.h"
#include "tests/engine/schedule/nests.h"
#include "tests/support/test.h"

#include <map>
#include <set>

using namespace nw;
using namespace nw::tune;

namespace {

constexpr const char* kSmall = "knob a = {4, 8, 16}\nknob b = {16, 32, 64} default 32\nknob deep = switch\n"
                               "require a * b <= 512\nsplit m into mo:_ mi:?a\nsplit n into no:_ ni:?b\nunroll mi when ?deep\n";
constexpr const char* kPlain = "split m into mo:_ mi:4\n";
// Few of very many points satisfy: drawing without a thought would hardly ever meet one.
constexpr const char* kNarrow = "knob a = 1..64 default 24\nknob b = 1..64 default 12\nknob c = 1..64 default 5\nrequire a == 2 * b\nrequire b == c + 7\n"
                                "require c >= 5\nknob d = 16..26 step 2 default 24\nsplit m into mo:_ mi:?a\n";

schedule::Task matmul()
{
    schedule::Task task;
    const Result<compute::Definition> parsed = compute::parseDefinition(schedule::test::definitionText("matmul"));
    ENSURE(parsed.has_value(), parsed.error().message);
    task.definition = std::make_shared<const compute::Definition>(*parsed);
    task.layouts.resize(3);
    task.target = schedule::test::wideTarget();
    return task;
}

Space spaceOf(const std::vector<std::pair<std::string, std::string>>& scripts)
{
    Result<Space> space = Space::make(scripts, matmul());
    ENSURE(space.has_value(), space.error().message);
    return *std::move(space);
}

} // namespace

class TestSpace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void counts()
    {
        // a * b <= 512 leaves 8 of 9, each with the switch on and off; a script without knobs is one.
        QCOMPARE(spaceOf({{"s", kSmall}}).count().toText(), std::string("16"));
        QCOMPARE(spaceOf({{"s", kSmall}, {"p", kPlain}}).count().toText(), std::string("17"));
        QCOMPARE(spaceOf({}).count().toText(), std::string("0"));
        if (kSanitized) {
            return; // it counts millions
        }
        const Space broad = spaceOf({{"b", "knob a = 1..1000\nknob b = 1..1000\nknob c = 1..1000\nknob d = 1..1000\nrequire a * b != c * d + 3\n"
                                           "split m into mo:_ mi:?a\n"}});
        QVERIFY(!broad.count().exact);
        QVERIFY(!broad.all(4096));
    }

    void saysWhatDoesNotParse()
    {
        const Result<Space> space = Space::make({{"good", kPlain}, {"bad", "split m into mo mi:4\nunrol mi\n"}}, matmul());
        QVERIFY(!space);
        QCOMPARE(space.error().kind, Error::Kind::Refused);
        QCOMPARE(space.error().line, 2);
        QVERIFY2(space.error().message.find("unrol") != std::string::npos, space.error().message.c_str());
    }

    void listsEveryPointOnce()
    {
        const Space space = spaceOf({{"s", kSmall}, {"p", kPlain}});
        const std::optional<std::vector<Point>> all = space.all(100);
        QVERIFY(all.has_value());
        QCOMPARE(all->size(), std::size_t{17});
        const std::set<Point> distinct(all->begin(), all->end());
        QCOMPARE(distinct.size(), std::size_t{17});
        std::set<std::uint64_t> hashes;
        for (const Point& point : *all) {
            QVERIFY(space.satisfies(point));
            hashes.insert(hashOf(point));
        }
        QCOMPARE(hashes.size(), std::size_t{17});
        QVERIFY(space.all(17).has_value());
        QVERIFY(!space.all(16).has_value());
        Point violates = all->front();
        violates.at = {2, 2, 0};
        QVERIFY(!space.satisfies(violates));
    }

    void randomPointsSatisfy()
    {
        const Space space = spaceOf({{"s", kSmall}, {"n", kNarrow}});
        Random random(5);
        std::map<int, int> drawn;
        std::set<Point> distinct;
        for (int i = 0; i < 2000; ++i) {
            const std::optional<Point> point = space.random(random);
            if (point) {
                QVERIFY2(space.satisfies(*point), space.valuesText(*point).c_str());
                ++drawn[point->sketch];
                distinct.insert(*point);
            }
        }
        QVERIFY2(drawn[0] + drawn[1] > 1500, std::to_string(drawn[0] + drawn[1]).c_str());
        // Each point of the small one comes up, and most of the 21 * 6 of the narrow one.
        QVERIFY2(distinct.size() >= 100, std::to_string(distinct.size()).c_str());
        QVERIFY(drawn[0] > 50 && drawn[1] > 50);
        Random again(5), same(5);
        QVERIFY(space.random(again) == space.random(same));
    }

    void pointsAsText()
    {
        const Space space = spaceOf({{"s", kSmall}, {"p", kPlain}});
        const std::optional<std::vector<Point>> all = space.all(100);
        QVERIFY(all.has_value());
        std::set<std::string> texts;
        for (const Point& point : *all) {
            const std::string text = space.valuesText(point);
            texts.insert(text);
            const std::optional<Point> read = space.parse(point.sketch, text);
            QVERIFY2(read == point, text.c_str());
            const Result<schedule::Script> script = space.script(point);
            VERIFY_OK(script);
            QVERIFY(script->knobs.empty() && script->constraints.empty());
        }
        QCOMPARE(texts.size(), std::size_t{17});
        QCOMPARE(space.valuesText(*space.defaults(0)), std::string("a=4 b=32 deep=0"));
        QCOMPARE(space.valuesText(*space.defaults(1)), std::string());
        for (const char* bad : {"a=4 b=32", "a=4 b=32 deep=0 more=1", "a=5 b=32 deep=0", "a=4 b=x deep=0", "a=4b=32 deep=0", ""}) {
            QVERIFY2(!space.parse(0, bad), bad);
        }
        QVERIFY(!space.parse(2, "") && !space.parse(-1, "") && space.parse(1, ""));
    }

    // What another task found takes the nearest choices here; unknown names do not matter, absent ones keep their default.
    void nearest()
    {
        const Space space = spaceOf({{"s", kSmall}});
        const auto near = [&](const schedule::KnobValues& values) { return space.valuesText(space.nearest(0, values)); };
        QCOMPARE(near({}), std::string("a=4 b=32 deep=0"));
        QCOMPARE(near({{"a", 7}, {"b", 1000}, {"deep", 1}}), std::string("a=8 b=64 deep=1"));
        QCOMPARE(near({{"a", -3}, {"c", 9}}), std::string("a=4 b=32 deep=0"));
        const Point point = space.nearest(0, {{"a", 16}, {"b", 64}});
        QVERIFY(!space.satisfies(point)); // allowed to violate
        QVERIFY(space.nearest(0, space.values(point)) == point);
    }

    // Defaults that violate a constraint cannot be written.
    void defaultsSatisfy()
    {
        const Result<Space> space = Space::make({{"s", "knob a = {4, 8} default 8\nrequire a < 8\nsplit m into mo:_ mi:?a\n"}}, matmul());
        QVERIFY(!space);
        QVERIFY2(space.error().message.find("with the default values, a < 8 does not hold") != std::string::npos, space.error().message.c_str());
    }
};

NW_TEST_MAIN(tst_space, TestSpace)
#include "tst_space.moc"
