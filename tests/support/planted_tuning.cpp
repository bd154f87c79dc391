#include "tests/support/planted_tuning.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace nw::test {
namespace {

constexpr int kBatch = 32;

const struct {
    const char *outcome, *cause, *message;
} kFailures[] = {
    {"illegal", "vectorize.tail", "vectorize: the loop owi has 7 steps, which are no whole vector of 8"},
    {"illegal", "vectorize.tail", "vectorize: the loop owi has 3 steps, which are no whole vector of 8"},
    {"does-not-build", "registers", "cache_write: the tile of 14 x 3 vectors needs 42 registers and this target has 16: a smaller tile is needed"},
    {"wrong-result", "wrong result", "element 12 of Y is 3.5, the oracle says 3.25"},
    {"hang", "timeout", "the kernel did not end within 2 s"},
};

} // namespace

PlantedTask plantedTask(const record::TuneTask& row, const std::string& script, const std::vector<std::string>& choices, int trials,
                        std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    const auto unit = [&random] { return static_cast<double>(random() >> 11U) / 9007199254740992.0; };
    PlantedTask made;
    made.row = row;
    made.sketches = {{0, 0, "tiles", script}};
    const double floor = row.boundNs > 0 ? row.boundNs * 1.12 : 1e5;
    const double start = row.defaultNs > 0 ? row.defaultNs : floor * 20;
    for (int number = 0; number < trials; ++number) {
        record::TuneTrial trial;
        trial.number = number;
        trial.round = number / kBatch;
        trial.values = choices.empty() ? std::string() : choices[random() % choices.size()];
        trial.from = number == 0 ? "default" : number == 1 ? "template" : unit() < 0.2 ? "random" : "step knob";
        trial.unixTime = 1764500000 + number / 8;
        trial.buildMs = 40;
        trial.runMs = 12;
        const double progress = 1 - std::exp(-number / (0.15 * std::max(trials, 200)));
        const double typical = start * std::pow(floor / start, 0.55 + 0.4 * progress);
        const double ns = number == 0 ? start : std::max(floor, typical * std::exp(std::abs(unit() + unit() - 1) * 2.2 * (1.2 - progress)));
        if (number > 1 && unit() < 0.14) {
            const auto& failure = kFailures[random() % std::size(kFailures)];
            trial.outcome = failure.outcome;
            trial.cause = failure.cause;
            trial.message = failure.message;
        } else {
            trial.outcome = "ok";
            trial.ns = ns;
            trial.spread = 0.004 + 0.02 * unit();
            trial.noisy = unit() < 0.04;
            made.row.bestNs = made.row.bestNs > 0 ? std::min(made.row.bestNs, ns) : ns;
            made.row.bestTrial = made.row.bestNs == ns ? number : made.row.bestTrial;
        }
        if (trial.round > 0) {
            trial.score = -std::log(ns / floor) + (unit() - 0.5) * (0.6 + 1.5 * std::exp(-trial.round / 4.0));
        }
        made.trials.push_back(trial);
    }
    made.row.trials = trials;
    for (int round = 0; round <= (trials - 1) / kBatch && trials > 0; ++round) {
        record::TuneRound row2;
        row2.round = round;
        row2.trained = round * kBatch;
        row2.correlation = round == 0 ? 0 : 0.85 - 0.6 * std::exp(-round / 3.0) + 0.1 * (unit() - 0.5);
        row2.recall = round == 0 ? 0 : std::round(10 * (0.75 - 0.5 * std::exp(-round / 3.0) + 0.2 * (unit() - 0.5))) / 10;
        row2.trusted = round > 0;
        row2.note = round == 0 ? "no model yet: candidates are drawn at random" : "";
        row2.importance = round == 0 ? "" : "tile=0.41 wide=0.27 rows=0.19 u=0.08 order=0.05";
        row2.refused = "vectorize.tail=" + std::to_string(12 + 3 * round) + " cache_write.registers=" + std::to_string(4 + round);
        row2.seconds = 4;
        made.rounds.push_back(row2);
    }
    return made;
}

Status plant(record::TuneJournal& journal, PlantedSession& planted)
{
    std::vector<record::TuneTask> rows;
    std::vector<std::vector<record::TuneSketch>> sketches;
    for (const PlantedTask& task : planted.tasks) {
        rows.push_back(task.row);
        sketches.push_back(task.sketches);
    }
    const Result<std::int64_t> id = journal.addSession(planted.session, rows, sketches);
    if (!id) {
        return id.error();
    }
    planted.session.id = *id;
    for (std::size_t i = 0; i < planted.tasks.size(); ++i) {
        PlantedTask& task = planted.tasks[i];
        task.row.id = rows[i].id;
        task.row.session = *id;
        if (const Status done = journal.updateTask(task.row); !done) {
            return done;
        }
        for (record::TuneTrial& trial : task.trials) {
            trial.task = rows[i].id;
            if (const Status done = journal.addTrial(trial); !done) {
                return done;
            }
        }
        for (record::TuneRound& round : task.rounds) {
            round.task = rows[i].id;
            if (const Status done = journal.addRound(round); !done) {
                return done;
            }
        }
        for (record::TuneFinal& final : task.finals) {
            final.task = rows[i].id;
            if (const Status done = journal.addFinal(final); !done) {
                return done;
            }
        }
    }
    if (planted.session.wish != record::TuneWish::Run) {
        if (const Status done = journal.setWish(*id, planted.session.wish); !done) {
            return done;
        }
    }
    if (planted.session.activeSeconds > 0) {
        if (const Status done = journal.addActiveSeconds(*id, planted.session.activeSeconds); !done) {
            return done;
        }
    }
    return planted.session.state == record::TuneState::Running ? Status(Done{})
                                                               : journal.setState(*id, planted.session.state, planted.session.message);
}

} // namespace nw::test
