// The tuner of one task on a bench whose times come of a rule.
#include "engine/base/hash.h"
#include "engine/base/text.h"
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

record::Origin originOf(TaskTuner& tuner, std::string& script)
{
    record::Origin kept = record::Origin::Library;
    const Status confirmed = tuner.confirm([&](const std::string& text, record::Origin origin, const measure::Measurement&) {
        kept = origin;
        script = text;
        return Result<std::int64_t>(7);
    }, {});
    ENSURE(confirmed.has_value(), confirmed.error().message);
    return kept;
}

} // namespace

class TestTaskTuner : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // A tuner that is killed after every batch proposes the very same as one that is not.
    void resumeChangesNothing_data()
    {
        QTest::addColumn<std::string>("search");
        for (const char* search : {"evolutionary", "annealing", "random"}) {
            QTest::newRow(search) << std::string(search);
        }
    }
    void resumeChangesNothing()
    {
        QFETCH(std::string, search);
        const auto rule = [](const std::string& script) {
            return hash64(script) % 9 == 0 ? failedRun(wire::Outcome::Hang, "limit of 2 s reached") : ran(tilesNs(script));
        };
        // A fifth of these points is refused by a rule, and two sketches are refused as they are given.
        const std::vector<std::pair<std::string, std::string>> sketches{
            {"default", ""}, {"bad", "reorder n m k\nvectorize k\n"}, {"tiles", kTiles}, {"odd", kSometimesRefused}, {"bad too", "vectorize m\n"}};
        const Settings settings = settingsFor(5, search);
        PlantedBench bench(rule), other(rule);
        TuneDesk whole(matmul(256), sketches, wideTarget()), parts(matmul(256), sketches, wideTarget());
        const std::unique_ptr<TaskTuner> tuner = whole.tuner(bench, settings);
        constexpr int kRounds = 6;
        for (int round = 0; round < kRounds; ++round) {
            QVERIFY(*tuner->round(24, {}));
            QVERIFY(*parts.tuner(other, settings)->round(24, {}));
        }
        QCOMPARE(parts.story(), whole.story());
        QVERIFY2(whole.rounds().back().refused.size() > 2, whole.rounds().back().refused.c_str());
        QVERIFY(whole.trials().size() > std::size_t{23} * kRounds); // two choices may come to one script
        QCOMPARE(parts.row().bestNs, whole.row().bestNs);
        QCOMPARE(parts.row().defaultNs, whole.row().defaultNs);
        QVERIFY(parts.row().defaultNs > 0);
    }

    // Killed within a batch: numbers go on without a gap, nothing is measured twice, and the row knows what was there.
    void goesOnWithinABatch()
    {
        const std::vector<std::pair<std::string, std::string>> sketches{{"default", ""}, {"tiles", kTiles}};
        PlantedBench bench([](const std::string& script) { return ran(tilesNs(script)); });
        TuneDesk desk(matmul(256), sketches, wideTarget());
        {
            // Its process ends after the fifth trial: no round was written, nor the row.
            PlantedBench dies([](const std::string& script) { return ran(tilesNs(script)); });
            dies.afterEach = [&] {
                if (dies.measured.size() == 5) {
                    throw std::runtime_error("killed");
                }
            };
            const std::unique_ptr<TaskTuner> tuner = desk.tuner(dies, settingsFor(3));
            QVERIFY_EXCEPTION_THROWN((void)tuner->round(32, {}).has_value(), std::runtime_error);
        }
        QCOMPARE(desk.row().trials, 0);
        QCOMPARE(desk.trials().size(), std::size_t{5});
        const std::unique_ptr<TaskTuner> tuner = desk.tuner(bench, settingsFor(3));
        QCOMPARE(tuner->row().trials, 5);
        QVERIFY(tuner->row().bestNs > 0 && tuner->row().defaultNs > 0);
        TuneDesk::tune(*tuner, 60);
        const std::vector<record::TuneTrial> trials = desk.trials();
        QCOMPARE(trials.size(), std::size_t{60});
        std::set<std::string> distinct;
        for (std::size_t i = 0; i < trials.size(); ++i) {
            QCOMPARE(trials[i].number, static_cast<int>(i));
            QVERIFY(distinct.insert(format("{} {}", trials[i].sketch, trials[i].values)).second);
        }
        QCOMPARE(trials[5].round, 1);
    }

    // Two tuners at once never write one trial twice: the second is told.
    void neverWritesATrialTwice()
    {
        PlantedBench bench([](const std::string& script) { return ran(tilesNs(script)); });
        TuneDesk desk(matmul(256), kTilesOnly, wideTarget());
        const std::unique_ptr<TaskTuner> one = desk.tuner(bench, settingsFor(3)), two = desk.tuner(bench, settingsFor(3));
        QVERIFY(one->round(4, {}).has_value());
        const Result<bool> refused = two->round(4, {});
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, Error::Kind::Failed);
        QVERIFY2(refused.error().message.find("holds this entry already") != std::string::npos, refused.error().message.c_str());
        QCOMPARE(desk.trials().size(), std::size_t{4});
    }

    void doesNotBelieveAModelOfNoise()
    {
        PlantedBench bench([](const std::string& script) { return ran(1e5 + static_cast<double>(hash64(script) % 100000)); });
        TuneDesk desk(matmul(256), kTilesOnly, wideTarget());
        TuneDesk::tune(*desk.tuner(bench, settingsFor(4)), kSanitized ? 160 : 384);
        const std::vector<record::TuneRound> rounds = desk.rounds();
        QVERIFY(!rounds.front().trusted);
        QCOMPARE(rounds.front().note, std::string("no model yet: candidates are drawn at random"));
        QVERIFY(rounds[1].trusted); // not judged yet
        int fallen = 0, drawn = 0, of = 0;
        for (const record::TuneRound& round : rounds) {
            if (round.round < 2 || round.trusted) {
                continue;
            }
            ++fallen;
            QVERIFY2(round.note.starts_with("the model ranks no better than chance: candidates are drawn at random and around the fastest"),
                     round.note.c_str());
            for (const record::TuneTrial& trial : desk.trials()) {
                of += trial.round == round.round ? 1 : 0;
                drawn += trial.round == round.round && trial.from == "random" ? 1 : 0;
            }
        }
        QVERIFY2(2 * fallen > static_cast<int>(rounds.size()) - 2, std::to_string(fallen).c_str());
        QVERIFY(2 * drawn >= of);
    }

    void withoutAModel()
    {
        PlantedBench bench([](const std::string& script) { return ran(tilesNs(script)); });
        TuneDesk desk(matmul(256), kTilesOnly, wideTarget());
        Settings settings = settingsFor(4);
        settings.model = false;
        TuneDesk::tune(*desk.tuner(bench, settings), 96);
        for (const record::TuneRound& round : desk.rounds()) {
            QVERIFY(!round.trusted && round.trained == 0);
        }
        for (const record::TuneTrial& trial : desk.trials()) {
            QVERIFY(!trial.score);
        }
    }

    // A step whose rule cannot be proved makes no candidate, however fast it would be.
    void unprovenIsNoCandidate()
    {
        PlantedBench bench([](const std::string& script) { return ran(has(script, "cache_read") ? 1 : 1000); });
        const std::string rows = schedule::test::definitionText("behind_rows");
        TuneDesk desk(rows, {{"rows", "knob copies = switch\nknob t = switch\nmerge y f.y\nmerge y add.y\nunroll f.x when ?t\n"
                                      "cache_read f at add.x in stack when ?copies\n"},
                             {"always", "merge y f.y\nmerge y add.y\ncache_read f at add.x in stack\n"}}, schedule::test::smallTarget());
        const std::unique_ptr<TaskTuner> tuner = desk.tuner(bench, settingsFor(1));
        TuneDesk::tune(*tuner, 100);
        QVERIFY(!bench.measured.empty());
        for (const std::string& script : bench.measured) {
            QVERIFY2(!has(script, "cache_read"), script.c_str());
        }
        QCOMPARE(tuner->row().bestNs, 1000.0);
        QCOMPARE(tuner->row().state, std::string("exhausted"));
        std::string winner;
        originOf(*tuner, winner);
        QVERIFY(!has(winner, "cache_read"));
    }

    // A person's script that nothing beats stays the winner, and as what it was.
    void aFasterHandWins()
    {
        const char* const hand = "split m into mo:_ mi:7\n";
        PlantedBench bench([&](const std::string& script) { return ran(script == hand ? 500 : tilesNs(script)); });
        TuneDesk desk(matmul(256), {{"default", ""}, {"hand", hand}, {"tiles", kTiles}}, wideTarget());
        const std::unique_ptr<TaskTuner> tuner = desk.tuner(bench, settingsFor(6));
        TuneDesk::tune(*tuner, 64);
        QCOMPARE(tuner->row().handNs, 500.0);
        QVERIFY(tuner->row().defaultNs > 500);
        QCOMPARE(tuner->best()->sketch, std::string("hand"));
        std::string winner;
        QVERIFY(originOf(*tuner, winner) == record::Origin::Edit);
        QCOMPARE(winner, std::string(hand));
        QCOMPARE(desk.row().confirmedNs, 500.0);
        QCOMPARE(desk.row().confirmedRecord, std::int64_t{7});
    }

    // Luck under search does not win: the best of what was there is measured beside the finalists.
    void luckDoesNotWin()
    {
        const char* const hand = "split m into mo:_ mi:7\n";
        const auto lucky = [&](const std::string& script) {
            return ran(script == hand ? 1e5 : !has(script, "nv:") ? 4e6 : 0.9e5 + static_cast<double>(hash64(script) % 1000));
        };
        PlantedBench bench(lucky);
        bench.confirmRule = [&](const std::string& script) { return ran(script == hand ? 1.01e5 : 1.3e5); };
        TuneDesk desk(matmul(256), {{"default", ""}, {"hand", hand}, {"tiles", kTiles}}, wideTarget());
        const std::unique_ptr<TaskTuner> tuner = desk.tuner(bench, settingsFor(6));
        TuneDesk::tune(*tuner, 64);
        std::string winner;
        QVERIFY(originOf(*tuner, winner) == record::Origin::Edit);
        QCOMPARE(winner, std::string(hand));
        QCOMPARE(bench.confirmed.size(), std::size_t{6}); // five finalists and the hand
    }

    void finalistsKeepBothFigures()
    {
        PlantedBench bench([](const std::string& script) { return ran(tilesNs(script)); });
        int asked = 0;
        bench.confirmRule = [&](const std::string& script) {
            // The fastest by search fails, the next is slower than it seemed.
            ++asked;
            return asked == 1 ? failedRun(wire::Outcome::Crash, "signal 11") : ran(tilesNs(script) * (asked == 2 ? 3 : 1.1));
        };
        TuneDesk desk(matmul(256), kTilesOnly, wideTarget());
        Settings settings = settingsFor(8);
        settings.finalists = 4;
        const std::unique_ptr<TaskTuner> tuner = desk.tuner(bench, settings);
        TuneDesk::tune(*tuner, 64);
        std::string winner;
        QVERIFY(originOf(*tuner, winner) == record::Origin::Tune);
        const Result<std::vector<record::TuneFinal>> finals = desk.journal().finals(desk.row().id);
        VERIFY_OK(finals);
        QCOMPARE(finals->size(), std::size_t{4});
        for (const record::TuneFinal& final : *finals) {
            const double search = tilesNs(final.script);
            QCOMPARE(final.searchNs, search);
            const double factor = final.script == bench.confirmed[0] ? 0 : final.script == bench.confirmed[1] ? 3 : 1.1;
            QCOMPARE(final.confirmNs, search * factor);
            QCOMPARE(final.outcome, std::string(factor > 0 ? "ok" : "crash"));
            QCOMPARE(final.message, std::string(factor > 0 ? "" : "signal 11"));
        }
        QCOMPARE(winner, bench.confirmed[2]);
        QCOMPARE(finals->front().script, winner);
        QCOMPARE(desk.row().confirmedNs, tilesNs(winner) * 1.1);
        QVERIFY(desk.row().bestNs < desk.row().confirmedNs);
        QCOMPARE(desk.row().bestTrial, finals->front().trial);
    }

    void nothingToConfirm()
    {
        PlantedBench bench([](const std::string&) { return failedRun(wire::Outcome::Hang, "limit reached"); });
        TuneDesk desk(matmul(256), kTilesOnly, wideTarget());
        const std::unique_ptr<TaskTuner> tuner = desk.tuner(bench, settingsFor(1));
        TuneDesk::tune(*tuner, 20);
        std::string winner;
        QVERIFY(originOf(*tuner, winner) == record::Origin::Library); // `keep` was not called
        QVERIFY(bench.confirmed.empty() && !tuner->best());
    }

    void plateau()
    {
        PlantedBench bench([](const std::string& script) { return ran(1e5 + static_cast<double>(hash64(script) % 100)); });
        TuneDesk desk(matmul(256), kTilesOnly, wideTarget());
        Settings settings = settingsFor(1);
        settings.plateau = 50;
        const std::unique_ptr<TaskTuner> tuner = desk.tuner(bench, settings);
        TuneDesk::tune(*tuner, 500);
        QVERIFY(!tuner->isOpen());
        QCOMPARE(tuner->row().state, std::string("done"));
        QVERIFY(tuner->row().trials >= 50 && tuner->row().trials <= 51 + 32);
        QCOMPARE(tuner->row().message, format("no gain in {} trials", tuner->sinceGain()));
        QCOMPARE(desk.row().message, tuner->row().message);
    }
};

NW_TEST_MAIN(tst_task_tuner, TestTaskTuner)
#include "tst_task_tuner.moc"
