// CASES.md 40: a search always ends: without a valid point, with fewer points than trials, with one, with none to choose.
#include "engine/base/text.h"
#include "engine/tune/space.h"
#include "tests/engine/schedule/nests.h"
#include "tests/engine/tune/planted_tiles.h"
#include "tests/support/test.h"

#include <QElapsedTimer>

#include <set>

using namespace nw;
using namespace nw::test;
using namespace nw::tune;
using schedule::test::wideTarget;

namespace {

Settings wanted(const std::string& search)
{
    Settings settings;
    settings.search = search;
    settings.trials = 1000;
    settings.batch = 64;
    return settings;
}

measure::Measurement tiles(const std::string& script)
{
    return ran(tilesNs(script));
}

} // namespace

class TestCase40 : public QObject {
    Q_OBJECT

    static void addSearches()
    {
        QTest::addColumn<std::string>("search");
        for (const char* search : {"evolutionary", "annealing", "random"}) {
            QTest::newRow(search) << std::string(search);
        }
    }
    // All that a tuner does of these scripts.
    static record::TuneTask ended(TuneDesk& desk, PlantedBench& bench, const std::string& search)
    {
        const std::unique_ptr<TaskTuner> tuner = desk.tuner(bench, wanted(search));
        TuneDesk::tune(*tuner, 1000);
        return tuner->row();
    }

private Q_SLOTS:
    // (a) The axis has 3 steps, and a vector of any of these widths does not fit: 384 points, and again 10^7.
    void case_40_a_data() { addSearches(); }
    void case_40_a()
    {
        QFETCH(std::string, search);
        for (const char* more : {"", "knob c = 1..200\nknob d = 1..200\nsplit k into ka:_ kb:?c kc:?d\n"}) {
            PlantedBench bench(tiles);
            TuneDesk desk(matmul(256, 3), {{"tiles", "knob a = 1..32\nknob w = 1..12\nsplit m into mo:_ mi:?a\nsplit m into mp:_ mq:?w\n"
                                                     + std::string(more) + "vectorize n\n"}}, wideTarget());
            const record::TuneTask row = ended(desk, bench, search);
            QCOMPARE(row.state, std::string("none valid"));
            QVERIFY2(row.message.starts_with("no valid schedule among the choices: "), row.message.c_str());
            QVERIFY2(row.message.find('=') != std::string::npos, row.message.c_str());
            QVERIFY(bench.measured.empty() && desk.trials().empty());
            QCOMPARE(desk.row().state, row.state);
        }
        // A constraint that nothing satisfies is refused as it is written.
        const Result<Space> none = Space::make({{"s", "knob w = {16, 32}\nrequire w <= 3\nsplit n into no:_ ni:?w\n"}}, schedule::Task());
        QVERIFY(!none);
        QVERIFY2(none.error().message.find("does not hold") != std::string::npos, none.error().message.c_str());
    }

    // (b) Five points, a thousand trials.
    void case_40_b_data() { addSearches(); }
    void case_40_b()
    {
        QFETCH(std::string, search);
        PlantedBench bench(tiles);
        TuneDesk desk(matmul(256), {{"tiles", "knob a = {2, 3, 4, 5, 6}\nsplit m into mo:_ mi:?a\n"}}, wideTarget());
        const record::TuneTask row = ended(desk, bench, search);
        QCOMPARE(std::set<std::string>(bench.measured.begin(), bench.measured.end()).size(), std::size_t{5});
        QCOMPARE(bench.measured.size(), std::size_t{5});
        QCOMPARE(row.trials, 5);
        QCOMPARE(row.state, std::string("exhausted"));
        QCOMPARE(row.message, std::string("every choice was tried: 5 measured"));
        const Result<Space> space = Space::make({{"tiles", "knob a = {2, 3, 4, 5, 6}\nsplit m into mo:_ mi:?a\n"}}, desk.task());
        VERIFY_OK(space);
        QCOMPARE(space->count().toText(), std::string("5")); // what the window's bar counts to
        // Whoever asks again is told the same, and nothing is measured again.
        const record::TuneTask again = ended(desk, bench, search);
        QCOMPARE(again.state, std::string("exhausted"));
        QCOMPARE(bench.measured.size(), std::size_t{5});
    }

    // Choices that come to the same script are one.
    void case_40_b_equal_scripts()
    {
        PlantedBench bench(tiles);
        TuneDesk desk(matmul(256), {{"tiles", "knob a = {2, 3}\nknob b = 1..50\nknob on = switch\nsplit m into mo:_ mi:?a\n"
                                              "split k into ko:_ ki:?b when ?on\n"}, {"same", "split m into mo:_ mi:3\n"}}, wideTarget());
        const record::TuneTask row = ended(desk, bench, "evolutionary");
        QCOMPARE(bench.measured.size(), std::size_t{102});
        QCOMPARE(std::set<std::string>(bench.measured.begin(), bench.measured.end()).size(), std::size_t{102});
        QCOMPARE(row.state, std::string("exhausted"));
    }

    // (c) One point; (d) no knob at all, and no step.
    void case_40_c_data() { addSearches(); }
    void case_40_c()
    {
        QFETCH(std::string, search);
        for (const char* script : {"knob a = {4}\nsplit m into mo:_ mi:?a\n", "split m into mo:_ mi:4\n", ""}) {
            PlantedBench bench(tiles);
            TuneDesk desk(matmul(256), {{"only", script}}, wideTarget());
            const record::TuneTask row = ended(desk, bench, search);
            QCOMPARE(bench.measured.size(), std::size_t{1});
            QCOMPARE(row.state, std::string("exhausted"));
            QCOMPARE(row.message, std::string("every choice was tried: 1 measured"));
        }
    }

    // A stop is heard after the trial in hand, whatever the state of the search.
    void case_40_stops()
    {
        for (const char* script : {kTiles, "split m into mo:_ mi:4\n", "knob a = 1..200\nknob b = 1..200\nsplit k into ka:_ kb:?a kc:?b\nvectorize m\n"}) {
            StopToken stop;
            PlantedBench bench(tiles);
            bench.afterEach = [&] { stop.requestStop(); };
            TuneDesk desk(matmul(256), {{"tiles", script}}, wideTarget());
            const std::unique_ptr<TaskTuner> tuner = desk.tuner(bench, wanted("evolutionary"));
            VERIFY_OK(tuner->round(64, stop));
            QVERIFY(bench.measured.size() <= 1);
            const std::size_t before = bench.measured.size();
            VERIFY_OK(tuner->round(64, stop));
            QCOMPARE(bench.measured.size(), before);
            QCOMPARE(desk.trials().size(), before);
        }
    }
};

NW_TEST_MAIN(tst_case_40, TestCase40)
#include "tst_case_40.moc"
