// Searches and mutations by themselves: what they propose of a space, whoever judges it.
#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "engine/compute/definition.h"
#include "engine/tune/mutation.h"
#include "engine/tune/search.h"
#include "tests/engine/schedule/nests.h"
#include "tests/support/test.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace nw;
using namespace nw::tune;

namespace {

constexpr const char* kTiles = "knob a = 1..24\nknob b = 1..20\nknob c = 1..24\nknob d = switch\nrequire a * b <= 240\n"
                               "split m into mo:_ mi:?a\nsplit n into no:_ ni:?b\nsplit k into ko:_ ki:?c\nunroll mi when ?d\n";
constexpr const char* kRows = "knob a = 1..16\nknob e = 1..8\nsplit m into mo:_ mi:?a\nsplit k into ko:_ ki:?e\n";

Space spaceOf(const std::vector<std::pair<std::string, std::string>>& scripts)
{
    schedule::Task task;
    const Result<compute::Definition> parsed = compute::parseDefinition(schedule::test::definitionText("matmul"));
    ENSURE(parsed.has_value(), parsed.error().message);
    task.definition = std::make_shared<const compute::Definition>(*parsed);
    task.target = schedule::test::wideTarget();
    Result<Space> made = Space::make(scripts, task);
    ENSURE(made.has_value(), made.error().message);
    return *std::move(made);
}

// Points are the faster the nearer to a place; a seventh of them are refused.
class PlantedJudge : public Judge {
public:
    static bool isRefused(const Point& point) { return hashOf(point) % 7 == 0; }
    static double ns(const Point& point)
    {
        double ns = 100;
        for (std::size_t i = 0; i < point.at.size(); ++i) {
            ns += std::pow(std::abs(static_cast<double>(point.at[i]) - 5), 1.5);
        }
        return point.sketch == 0 ? ns : ns + 200;
    }
    std::vector<std::optional<double>> scores(std::span<const Point> points) override
    {
        std::vector<std::optional<double>> scores;
        for (const Point& point : points) {
            asked.insert(point);
            scores.push_back(tried.contains(point) || isRefused(point) ? std::nullopt : std::optional(-ns(point)));
        }
        return scores;
    }
    bool wasTried(const Point& point) const override { return tried.contains(point); }
    std::uint64_t identity(const Point& point) const override
    {
        Point same = point;
        same.at.back() = knobsMatter ? same.at.back() : std::uint16_t{0};
        return hashOf(same);
    }

    bool knobsMatter = true; // false: the last one of each script is of a step that is off
    std::set<Point> tried, asked;
};

struct Case {
    explicit Case(const std::vector<std::pair<std::string, std::string>>& scripts, int measured, std::uint64_t seed = 9)
        : space(spaceOf(scripts))
    {
        Random random(seed);
        for (int i = 0; i < measured; ++i) {
            if (const std::optional<Point> point = space.random(random); point && judge.tried.insert(*point).second) {
                history.push_back({*point, PlantedJudge::isRefused(*point) ? 0 : PlantedJudge::ns(*point)});
            }
        }
        input.space = &space;
        input.history = history;
        input.judge = &judge;
        input.seed = 11;
        input.round = 2;
    }
    Case(const Case&) = delete;
    Case& operator=(const Case&) = delete;

    Space space;
    PlantedJudge judge;
    std::vector<Known> history;
    SearchInput input;
};

std::string textOf(const Space& space, const std::vector<Proposal>& proposals)
{
    std::vector<std::string> lines;
    for (const Proposal& p : proposals) {
        lines.push_back(format("{} {} {} {}", p.point.sketch, space.valuesText(p.point), p.from, p.score ? shortestDouble(*p.score) : "-"));
    }
    return join(lines, "\n");
}

double meanNs(const std::vector<Proposal>& proposals)
{
    double sum = 0;
    for (const Proposal& p : proposals) {
        sum += PlantedJudge::ns(p.point);
    }
    return sum / static_cast<double>(proposals.size());
}

long countFrom(const std::vector<Proposal>& proposals, const std::string& from)
{
    return std::count_if(proposals.begin(), proposals.end(), [&](const Proposal& p) { return p.from == from; });
}

} // namespace

class TestSearch : public QObject {
    Q_OBJECT

    static void addSearches()
    {
        QTest::addColumn<const Search*>("search");
        QTest::addColumn<bool>("trusted");
        for (const Search* search : allSearches()) {
            for (const bool trusted : {true, false}) {
                QTest::newRow(format("{}{}", search->name, trusted ? "" : ", not trusted").c_str()) << search << trusted;
            }
        }
    }

private Q_SLOTS:
    void findsThemByName()
    {
        QCOMPARE(std::string(allSearches().front()->name), std::string("evolutionary"));
        for (const Search* search : allSearches()) {
            QVERIFY(findSearch(search->name) == search);
        }
        QVERIFY(findSearch("") == nullptr);
    }

    void proposesTheSameAgain_data() { addSearches(); }
    void proposesTheSameAgain()
    {
        QFETCH(const Search*, search);
        QFETCH(bool, trusted);
        Case one({{"tiles", kTiles}, {"rows", kRows}}, 60), two({{"tiles", kTiles}, {"rows", kRows}}, 60);
        one.input.trusted = two.input.trusted = trusted;
        const std::string first = textOf(one.space, search->propose(one.input));
        QCOMPARE(textOf(two.space, search->propose(two.input)), first);
        QCOMPARE(textOf(one.space, search->propose(one.input)), first); // nothing is kept in between
        two.input.round = 3;
        QVERIFY(textOf(two.space, search->propose(two.input)) != first);
        two.input.round = 2;
        two.input.seed = 12;
        QVERIFY(textOf(two.space, search->propose(two.input)) != first);
    }

    void proposesNewLegalPoints_data() { addSearches(); }
    void proposesNewLegalPoints()
    {
        QFETCH(const Search*, search);
        QFETCH(bool, trusted);
        Case over({{"tiles", kTiles}, {"rows", kRows}}, 60);
        over.input.trusted = trusted;
        for (int round = 0; round < 12; ++round) {
            over.input.round = round;
            over.input.history = over.history;
            const std::vector<Proposal> proposals = search->propose(over.input);
            QCOMPARE(proposals.size(), std::size_t{32});
            std::set<Point> distinct;
            for (const Proposal& p : proposals) {
                QVERIFY(distinct.insert(p.point).second);
                QVERIFY(over.space.satisfies(p.point));
                QVERIFY(!over.judge.tried.contains(p.point));
                QVERIFY(!PlantedJudge::isRefused(p.point));
                QVERIFY(!p.from.empty());
            }
            for (const Proposal& p : proposals) {
                over.judge.tried.insert(p.point);
                over.history.push_back({p.point, PlantedJudge::ns(p.point)});
            }
        }
    }

    void proposesAScriptOnce_data() { addSearches(); }
    void proposesAScriptOnce()
    {
        QFETCH(const Search*, search);
        QFETCH(bool, trusted);
        Case over({{"tiles", kTiles}, {"rows", kRows}}, 60);
        over.input.trusted = trusted;
        over.judge.knobsMatter = false;
        const std::vector<Proposal> proposals = search->propose(over.input);
        std::set<std::uint64_t> scripts;
        for (const Proposal& p : proposals) {
            QVERIFY(scripts.insert(over.judge.identity(p.point)).second);
        }
        QCOMPARE(proposals.size(), std::size_t{32});
    }

    // A small space is used up: fewer than asked for, then none, without end of trying.
    void smallSpaces_data() { addSearches(); }
    void smallSpaces()
    {
        QFETCH(const Search*, search);
        QFETCH(bool, trusted);
        Case over({{"few", "knob a = 1..6\nknob b = 1..4\nsplit m into mo:_ mi:?a\nsplit n into no:_ ni:?b\n"}}, 10);
        over.input.trusted = trusted;
        std::size_t legal = 0;
        const std::optional<std::vector<Point>> all = over.space.all(24);
        QVERIFY(all.has_value());
        for (const Point& point : *all) {
            legal += PlantedJudge::isRefused(point) || over.judge.tried.contains(point) ? 0 : 1;
        }
        const std::vector<Proposal> proposals = search->propose(over.input);
        QVERIFY(!proposals.empty() && proposals.size() <= legal);
        for (const Point& point : *all) {
            over.judge.tried.insert(point);
        }
        QVERIFY(search->propose(over.input).empty());
        Case none({}, 0);
        none.input.trusted = trusted;
        QVERIFY(search->propose(none.input).empty());
    }

    void keepsTheRandomShare_data() { addSearches(); }
    void keepsTheRandomShare()
    {
        QFETCH(const Search*, search);
        QFETCH(bool, trusted);
        for (const double share : {0.0, 0.25, 0.5, 1.0}) {
            Case over({{"tiles", kTiles}}, 60);
            over.input.trusted = trusted;
            over.input.randomShare = share;
            over.input.count = 40;
            const std::vector<Proposal> proposals = search->propose(over.input);
            QCOMPARE(proposals.size(), std::size_t{40});
            QVERIFY2(countFrom(proposals, "random") >= std::lround(40 * share), search->name.data());
        }
    }

    // Who is trusted is followed; who is not, is not.
    void followsTheJudge()
    {
        Case over({{"tiles", kTiles}, {"rows", kRows}}, 100);
        const double drawn = meanNs(findSearch("random")->propose(over.input));
        for (const char* name : {"evolutionary", "annealing"}) {
            over.input.trusted = true;
            over.input.randomShare = 0;
            const double followed = meanNs(findSearch(name)->propose(over.input));
            QVERIFY2(followed < 100 + 0.3 * (drawn - 100), format("{}: {} against {}", name, followed, drawn).c_str());
        }
        over.input.trusted = false;
        const std::vector<Proposal> half = findSearch("evolutionary")->propose(over.input);
        QVERIFY(countFrom(half, "random") >= 16 && countFrom(half, "random") < 32); // and around the fastest
        QCOMPARE(countFrom(findSearch("annealing")->propose(over.input), "random"), 32L);
    }

    void triesSeedsFirst()
    {
        for (const char* name : {"evolutionary", "annealing"}) {
            Case over({{"tiles", kTiles}}, 30);
            std::vector<Point> seeds;
            for (int i = 0; seeds.size() < 4; ++i) {
                const Point point{0, {static_cast<std::uint16_t>(i), 3, 3, 1}};
                if (!PlantedJudge::isRefused(point) && !over.judge.tried.contains(point)) {
                    seeds.push_back(point);
                }
            }
            seeds.push_back(over.history.front().point);  // known
            seeds.push_back({0, {23, 19, 0, 0}});         // violates
            seeds.push_back(seeds.front());               // twice
            over.input.seeds = seeds;
            const std::vector<Proposal> proposals = findSearch(name)->propose(over.input);
            QCOMPARE(countFrom(proposals, "seed"), 4L);
            for (std::size_t i = 0; i < 4; ++i) {
                QVERIFY(proposals[i].point == seeds[i]);
            }
        }
    }

    void mutations_data()
    {
        QTest::addColumn<const Mutation*>("mutation");
        std::set<std::string> names;
        for (const Mutation* mutation : allMutations()) {
            QVERIFY(names.insert(mutation->name).second);
            QVERIFY(mutation->weight > 0);
            QTest::newRow(mutation->name) << mutation;
        }
    }
    void mutations()
    {
        QFETCH(const Mutation*, mutation);
        const Space space = spaceOf({{"tiles", kTiles}, {"rows", kRows}, {"plain", "split m into mo:_ mi:4\n"}});
        Random random(21);
        std::vector<Point> parents;
        for (int i = 0; i < 20; ++i) {
            parents.push_back(*space.random(random));
        }
        int made = 0;
        std::set<Point> distinct;
        for (int i = 0; i < 400; ++i) {
            const Point& parent = parents[static_cast<std::size_t>(random.below(parents.size()))];
            Random again = random;
            const std::optional<Point> child = mutation->apply(space, parents, parent, random);
            QVERIFY(mutation->apply(space, parents, parent, again) == child);
            if (!child) {
                continue;
            }
            ++made;
            distinct.insert(*child);
            QVERIFY2(*child != parent, "nothing was changed");
            const std::vector<schedule::Knob>& knobs = space.members().at(static_cast<std::size_t>(child->sketch)).script.knobs;
            QCOMPARE(child->at.size(), knobs.size());
            int changed = 0;
            for (std::size_t k = 0; k < knobs.size(); ++k) {
                QVERIFY(child->at[k] < knobs[k].choices.size());
                changed += child->sketch == parent.sketch && child->at[k] != parent.at[k] ? 1 : 0;
            }
            const std::string name = mutation->name;
            QVERIFY2(name != "step" || changed == 1, "step");
            QVERIFY2(name != "redraw" || changed == 1, "redraw");
            QVERIFY2(name != "trade" || changed == 2, "trade");
            QCOMPARE(name == "sketch", child->sketch != parent.sketch);
        }
        QVERIFY2(made > 100, std::to_string(made).c_str());
        QVERIFY2(distinct.size() > 10, std::to_string(distinct.size()).c_str());
        // Where there is nothing to change.
        const Space one = spaceOf({{"plain", "split m into mo:_ mi:4\n"}});
        const Space fixed = spaceOf({{"fixed", "knob a = {4}\nsplit m into mo:_ mi:?a\n"}});
        for (int i = 0; i < 20; ++i) {
            QVERIFY(!mutation->apply(one, {}, {0, {}}, random));
            QVERIFY(!mutation->apply(fixed, std::vector<Point>{{0, {0}}}, {0, {0}}, random));
        }
    }
};

NW_TEST_MAIN(tst_search, TestSearch)
#include "tst_search.moc"
