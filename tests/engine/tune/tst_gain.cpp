// How much a tuner gains by its model and by its kin, on a bench whose times come of a rule.
#include "engine/base/text.h"
#include "engine/tune/features.h"
#include "tests/engine/schedule/nests.h"
#include "tests/engine/tune/planted_tiles.h"
#include "tests/support/planted_bench.h"
#include "tests/support/test.h"

#include <algorithm>
#include <set>

using namespace nw;
using namespace nw::test;
using namespace nw::tune;
using schedule::test::wideTarget;

namespace {

constexpr int kBudget = 200;

int medianOf(std::vector<int> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

} // namespace

class TestGain : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Of 147,456 points one is the best; 200 trials find it, and chance does not come near.
    void findsThePlantedOptimum()
    {
        std::vector<int> found, asDrawn;
        // Under the sanitizers a replay takes many times as long.
        for (const std::uint64_t seed : kSanitized ? std::vector<std::uint64_t>{1} : std::vector<std::uint64_t>{1, 2, 3, 4, 5}) {
            PlantedBench bench([](const std::string& script) { return ran(tilesNs(script)); }), same = bench;
            TuneDesk desk(matmul(256), kTilesOnly, wideTarget()), drawn(matmul(256), kTilesOnly, wideTarget());
            const std::unique_ptr<TaskTuner> tuner = desk.tuner(bench, settingsFor(seed));
            TuneDesk::tune(*tuner, kBudget);
            TuneDesk::tune(*drawn.tuner(same, settingsFor(seed, "random")), kBudget);
            const auto trialsTo = [&](double ns) { return desk.trialsTo(ns) > 0 ? desk.trialsTo(ns) : kBudget + 1; };
            found.push_back(trialsTo(kTilesBestNs * 1.0001));
            asDrawn.push_back(trialsTo(drawn.row().bestNs));
            QVERIFY2(tuner->row().bestNs < drawn.row().bestNs, shortestDouble(drawn.row().bestNs).c_str());
            // The model that did it is followed, and its rounds say how well it ranks.
            const std::vector<record::TuneRound> rounds = desk.rounds();
            QVERIFY(rounds.back().trusted && rounds.back().trained > 0);
            QVERIFY2(rounds.back().importance.find("=0.") != std::string::npos, rounds.back().importance.c_str());
            QVERIFY(std::any_of(rounds.begin(), rounds.end(), [](const auto& round) { return round.correlation > 0.3 && round.recall > 0; }));
            QCOMPARE(desk.row().trials, kBudget);
            QCOMPARE(desk.row().bestNs, tuner->row().bestNs);
            QCOMPARE(std::set<std::string>(bench.measured.begin(), bench.measured.end()).size(), bench.measured.size());
        }
        if (!kSanitized) {
            QVERIFY2(medianOf(found) <= kBudget, std::to_string(medianOf(found)).c_str());
            // What 200 random draws found.
            QVERIFY2(medianOf(asDrawn) <= kBudget / 2, std::to_string(medianOf(asDrawn)).c_str());
        }
    }

    // Tuning a neighbouring shape helps, and the note says by how much the model ranks better for it.
    void kinHelp()
    {
        const auto rule = [](const std::string& script) { return ran(tilesNs(script)); };
        PlantedBench bench(rule), with(rule), without(rule);
        TuneDesk neighbour(matmul(192), kTilesOnly, wideTarget());
        const std::unique_ptr<TaskTuner> tuned = neighbour.tuner(bench, settingsFor(2));
        TuneDesk::tune(*tuned, kBudget);
        const std::vector<record::TuneKin> kin = tuned->kin(64);
        QVERIFY2(kin.size() > 48 && kin.size() <= 64, std::to_string(kin.size()).c_str());
        const int count = static_cast<int>(kin.size());
        TuneDesk helped(matmul(256), kTilesOnly, wideTarget()), alone(matmul(256), kTilesOnly, wideTarget());
        QCOMPARE(kin.front().kind, kindOf(helped.task()));
        QVERIFY(kin.front().task != helped.task().identity());
        QCOMPARE(kin.front().featureVersion, kFeatureVersion);
        TuneDesk chain(schedule::test::definitionText("chain"), {{"default", ""}}, wideTarget());
        QVERIFY(kindOf(chain.task()) != kindOf(helped.task()));

        TuneDesk::tune(*helped.tuner(with, settingsFor(3), kin), 96);
        TuneDesk::tune(*alone.tuner(without, settingsFor(3)), 96);
        const double near = 1.05 * kTilesBestNs;
        QVERIFY2(helped.trialsTo(near) > 0 && (alone.trialsTo(near) == 0 || 2 * helped.trialsTo(near) <= alone.trialsTo(near)),
                 format("{} and {}", helped.trialsTo(near), alone.trialsTo(near)).c_str());
        const std::vector<record::TuneTrial> trials = helped.trials();
        // The fastest few of the neighbour come first, before the sketch as it is given.
        const auto seeds = std::find_if(trials.begin(), trials.end(), [](const auto& trial) { return trial.from != "seed"; }) - trials.begin();
        QVERIFY2(seeds >= 2 && seeds <= 4, std::to_string(seeds).c_str());
        QCOMPARE(trials[static_cast<std::size_t>(seeds)].from, std::string("start"));
        QVERIFY(std::none_of(trials.begin() + seeds, trials.end(), [](const auto& trial) { return trial.from == "seed"; }));
        const std::vector<record::TuneRound> rounds = helped.rounds();
        QCOMPARE(rounds[0].kin, count);
        QVERIFY(rounds[0].trusted && trials.front().score); // there is a model before the first trial
        QCOMPARE(rounds[1].trained, count + 32);
        QVERIFY2(rounds[1].note.starts_with(format("with {} samples of other tasks of this kind: rank correlation ", count))
                     && rounds[1].note.find(", without them ") != std::string::npos, rounds[1].note.c_str());
        for (const record::TuneRound& round : alone.rounds()) {
            QCOMPARE(round.kin, 0);
            QVERIFY2(round.note.find("other tasks") == std::string::npos, round.note.c_str());
        }
    }
};

NW_TEST_MAIN(tst_gain, TestGain)
#include "tst_gain.moc"
