// How fast what the tuner finds is, and after how many trials.
#include "tests/bench/tuner_parts.h"

#include "engine/base/text.h"
#include "engine/tune/task_tuner.h"
#include "tests/bench/opened_case.h"

#include <algorithm>
#include <limits>

namespace nw::bench {
namespace {

constexpr int kSeeds = 3;
constexpr int kFromTemplate = 200, kFromSketches = 500, kRandom = 500, kNeighbour = 200; // trials
constexpr double kTemplateSpeed = 0.97, kSketchSpeed = 0.85;
constexpr double kTransferSpeed = 0.95;
constexpr int kLikeRandom = 150; // trials
constexpr double kHalf = 0.5;
constexpr double kNever = std::numeric_limits<double>::infinity();

// The worse of the two in the middle where their number is even.
double medianOf(std::vector<double> values, bool lowIsGood)
{
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[lowIsGood ? values.size() / 2 : (values.size() - 1) / 2];
}

std::string trialsText(double trials, int most)
{
    return trials == kNever ? format("> {}", most) : format("{:.0f}", trials);
}

Result<Tuned> search(PartWork& work, const session::Operator& op, Wanted wanted)
{
    tune::DeviceBench bench(*work.device);
    wanted.purpose = wanted.purpose.empty() ? "search" : wanted.purpose;
    return work.state->tuned(op, wanted, bench);
}

// The tuner's own search. Parts that ask for the same share its session.
Wanted evolution(const std::string& from, std::uint64_t seed, int trials)
{
    Wanted wanted;
    wanted.from = from;
    wanted.seed = seed;
    wanted.trials = trials;
    wanted.confirms = true;
    return wanted;
}

// Whether it is there as a whole; else the row says what is missing.
bool isWhole(const Tuned& tuned, const char* what, std::uint64_t seed, Row& row)
{
    if (!tuned.row.choices.empty()) {
        row.from = row.from.substr(0, row.from.find(':')) + ": " + tuned.row.choices;
    }
    if (!tuned.isWhole) {
        const bool isAll = static_cast<int>(tuned.trials.size()) >= tuned.wanted;
        row.partial.push_back(format("{} seed {}: {}", what, seed, isAll ? "not confirmed" : tuned.progress()));
        row.seeds.push_back("-");
    } else if (static_cast<int>(tuned.trials.size()) < tuned.wanted) {
        row.notes.push_back(format("{} seed {}: {}", what, seed, tuned.progress()));
    }
    return tuned.isWhole;
}

const BestKnown* bestOf(const PartWork& work, const session::Operator& op, Row& row)
{
    const BestKnown* best = work.best->find(op.taskId);
    if (best == nullptr) {
        row.partial.push_back("no best is known on this target: bench_tuner --update-best");
    }
    return best;
}

Result<Row> speedPart(PartWork& work, const TunerCase& wanted, const char* part, const std::string& from, int asked, double floor)
{
    const Result<session::Operator> op = work.open(wanted.op);
    if (!op) {
        return op.error();
    }
    Row row = begunRow(part, wanted);
    row.from = from;
    row.asked = format(">= {:.0f} %", 100 * floor);
    const int trials = trialsOf(work, asked, kSeeds, row);
    const BestKnown* best = bestOf(work, *op, row);
    std::vector<double> speeds;
    for (int seed = 1; seed <= work.options.seeds; ++seed) {
        const Result<Tuned> tuned = search(work, *op, evolution(from, static_cast<std::uint64_t>(seed), trials));
        if (!tuned) {
            return tuned.error();
        }
        if (!isWhole(*tuned, "tuning", static_cast<std::uint64_t>(seed), row)) {
            continue;
        }
        if (best == nullptr) {
            row.seeds.push_back(format("{:.1f} us", tuned->row.confirmedNs / 1000));
            continue;
        }
        std::optional<double> speed = 0;
        if (!tuned->winner.empty()) {
            const Result<std::vector<std::optional<double>>> found = work.speeds->of(*op, {tuned->winner}, best->script);
            if (!found) {
                return found.error();
            }
            speed = found->front();
        }
        if (!speed) {
            row.partial.push_back(format("seed {}: not compared", seed));
            row.seeds.push_back("-");
            continue;
        }
        speeds.push_back(*speed);
        row.seeds.push_back(format("{:.1f} %", 100 * *speed));
        if (*speed > 2 - kAlike) {
            row.notes.push_back(format("seed {} is faster than the best known: --update-best", seed));
        }
    }
    const double median = medianOf(speeds, false);
    row.figure = speeds.empty() ? "-" : format("{:.1f} %", 100 * median);
    row.isMet = median >= floor;
    return row;
}

int trialsFrom(const std::string& from)
{
    return from == "template" ? kFromTemplate : kFromSketches;
}

// In place of a cell and a value where it is known; false: not, and the row says so.
bool takeTrials(const Speeds::Reached& reached, std::uint64_t seed, std::vector<double>& values, Row& row)
{
    if (!reached.isKnown) {
        row.partial.push_back(format("seed {}: not compared", seed));
        return false;
    }
    values.push_back(reached.trials ? *reached.trials : kNever);
    return true;
}

} // namespace

Result<session::Operator> PartWork::open(const OperatorCase& wanted) const
{
    constexpr int kThreads = 1;
    return openCase(wanted, wanted.choices, kThreads, work, folders);
}

Row begunRow(const char* part, const TunerCase& wanted)
{
    Row row;
    row.part = part;
    row.title = wanted.op.title;
    return row;
}

int trialsOf(const PartWork& work, int asked, int seeds, Row& row)
{
    if (work.options.seeds < seeds) {
        row.partial.push_back(format("{} of {} seeds", work.options.seeds, seeds));
    }
    if (work.options.trials > 0 && work.options.trials != asked) {
        row.partial.push_back(format("{} trials instead of {}", work.options.trials, asked));
    }
    return work.options.trials > 0 ? work.options.trials : asked;
}

Result<std::string> largeSpace(const PartWork& work, const session::Operator& op, Row& row)
{
    constexpr std::uint64_t kLarge = 10000;
    const auto countOf = [&](const std::string& from) -> Result<schedule::ChoiceCount> {
        const Result<std::vector<record::TuneSketch>> scripts = scriptsFrom(from, op);
        const Result<tune::Space> space = scripts ? spaceOf(*scripts, op.task) : scripts.error();
        return space ? Result<schedule::ChoiceCount>(space->count()) : space.error();
    };
    std::string from = work.options.space;
    if (from.empty()) {
        const Result<schedule::ChoiceCount> expert = countOf("template");
        if (!expert && expert.error().kind != Error::Kind::Refused) {
            return expert.error();
        }
        from = expert && expert->count >= kLarge ? "template" : "sketch";
    }
    const Result<schedule::ChoiceCount> count = countOf(from);
    if (!count) {
        return count.error();
    }
    if (count->count < kLarge) {
        row.partial.push_back(format("the space has only {} points", count->toText()));
    }
    return from;
}

Result<Row> templatePart(PartWork& work, const TunerCase& wanted)
{
    return speedPart(work, wanted, "template", "template", kFromTemplate, kTemplateSpeed);
}

Result<Row> sketchPart(PartWork& work, const TunerCase& wanted)
{
    return speedPart(work, wanted, "sketch", "sketch", kFromSketches, kSketchSpeed);
}

Result<Row> randomPart(PartWork& work, const TunerCase& wanted)
{
    const Result<session::Operator> op = work.open(wanted.op);
    if (!op) {
        return op.error();
    }
    Row row = begunRow("random", wanted);
    row.asked = format("<= {}", kLikeRandom);
    const Result<std::string> from = largeSpace(work, *op, row);
    if (!from) {
        return from.error();
    }
    row.from = *from;
    const int drawn = trialsOf(work, kRandom, kSeeds, row);
    const int most = work.options.trials > 0 ? work.options.trials : trialsFrom(*from);
    std::vector<double> values;
    for (int i = 1; i <= work.options.seeds; ++i) {
        const auto seed = static_cast<std::uint64_t>(i);
        Wanted random = evolution(*from, seed, drawn);
        random.search = "random";
        random.model = false;
        const Result<Tuned> chance = search(work, *op, random);
        const Result<Tuned> tuned = chance ? search(work, *op, evolution(*from, seed, most)) : chance.error();
        if (!tuned) {
            return tuned.error();
        }
        if (!isWhole(*chance, "random", seed, row) || !isWhole(*tuned, "tuning", seed, row)) {
            continue;
        }
        if (chance->winner.empty()) {
            return failed("random search found nothing that runs");
        }
        const Result<Speeds::Reached> reached = work.speeds->trialsTo(*op, *tuned, kAlike, chance->winner);
        if (!reached) {
            return reached.error();
        }
        const bool isKnown = takeTrials(*reached, seed, values, row);
        row.seeds.push_back(isKnown ? trialsText(values.back(), most) : "-");
    }
    const double median = medianOf(values, true);
    row.figure = values.empty() ? "-" : trialsText(median, most);
    row.isMet = !values.empty() && median <= kLikeRandom;
    return row;
}

namespace {

// What tuning the neighbours taught, with the same seed. Nothing: they are not whole, and the row says so.
Result<std::optional<std::vector<record::TuneKin>>> kinOfNeighbours(PartWork& work, const TunerCase& wanted, const session::Operator& op,
                                                                    const std::string& from, std::uint64_t seed, int trials, Row& row)
{
    std::vector<session::Operator> neighbours;
    std::vector<std::string> tasks;
    for (const OperatorCase& one : wanted.neighbours) {
        const Result<session::Operator> neighbour = work.open(one);
        if (!neighbour) {
            return neighbour.error();
        }
        if (tune::kindOf(neighbour->task) != tune::kindOf(op.task)) {
            return failed(format("{} is not of the same kind", one.title));
        }
        neighbours.push_back(*neighbour);
        tasks.push_back(neighbour->taskId);
    }
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
        Wanted tuning = evolution(from, seed, trials);
        tuning.purpose = "neighbour";
        tuning.confirms = false;
        tuning.keepsKin = true;
        const Result<Tuned> tuned = search(work, neighbours[i], tuning);
        if (!tuned) {
            return tuned.error();
        }
        const std::string space = row.from;
        const bool isThere = isWhole(*tuned, wanted.neighbours[i].title.c_str(), seed, row);
        row.from = space;
        if (!isThere) {
            return std::optional<std::vector<record::TuneKin>>();
        }
    }
    const Result<std::vector<record::TuneKin>> kin = work.state->kinOf(op, tasks);
    if (!kin) {
        return kin.error();
    }
    return kin->empty() ? Result<std::optional<std::vector<record::TuneKin>>>(failed("the neighbours taught nothing")) : std::optional(*kin);
}

} // namespace

Result<Row> transferPart(PartWork& work, const TunerCase& wanted)
{
    const Result<session::Operator> op = work.open(wanted.op);
    if (!op) {
        return op.error();
    }
    Row row = begunRow("transfer", wanted);
    row.asked = format("<= {:.0f} %", 100 * kHalf);
    const std::string from = work.options.space.empty() ? "sketch" : work.options.space;
    row.from = from;
    const int trials = trialsOf(work, trialsFrom(from), kSeeds, row);
    const BestKnown* best = bestOf(work, *op, row);
    std::vector<double> alone, helped;
    std::size_t scripts = 0;
    for (int i = 1; i <= work.options.seeds; ++i) {
        const auto seed = static_cast<std::uint64_t>(i);
        const Result<std::optional<std::vector<record::TuneKin>>> kin =
            kinOfNeighbours(work, wanted, *op, from, seed, std::min(trials, kNeighbour), row);
        if (!kin) {
            return kin.error();
        }
        if (!*kin) {
            continue;
        }
        Wanted taught = evolution(from, seed, trials);
        taught.purpose = "kin";
        taught.kin = **kin;
        taught.confirms = false;
        const Result<Tuned> with = search(work, *op, taught);
        const Result<Tuned> without = with ? search(work, *op, evolution(from, seed, trials)) : with.error();
        if (!without) {
            return without.error();
        }
        const bool isThere = isWhole(*with, "with kin", seed, row) && isWhole(*without, "without kin", seed, row);
        if (!isThere || best == nullptr) {
            continue;
        }
        scripts = without->sketches.size();
        const Result<Speeds::Reached> first = work.speeds->trialsTo(*op, *with, kTransferSpeed, best->script);
        const Result<Speeds::Reached> second = first ? work.speeds->trialsTo(*op, *without, kTransferSpeed, best->script) : first.error();
        if (!second) {
            return second.error();
        }
        const bool isKnown = first->isKnown && second->isKnown;
        if (!isKnown) {
            row.partial.push_back(format("seed {}: not compared", seed));
            row.seeds.push_back("-");
            continue;
        }
        takeTrials(*first, seed, helped, row);
        takeTrials(*second, seed, alone, row);
        row.seeds.push_back(format("{} for {}", trialsText(helped.back(), trials), trialsText(alone.back(), trials)));
    }
    if (helped.empty()) {
        row.figure = "-";
        return row;
    }
    const double with = medianOf(helped, true);
    // Where the search alone never got there it is at least as many as it had.
    const double without = std::min<double>(medianOf(alone, true), trials);
    row.figure = with == kNever ? "never" : format("{:.0f} %", 100 * with / without);
    row.isMet = with <= kHalf * without;
    if (without <= static_cast<double>(scripts)) {
        row.isAsked = false;
        row.notes.push_back("the scripts as they were made are that fast: there is nothing to gain");
    }
    return row;
}

const std::vector<Part>& allParts()
{
    static const std::vector<Part> parts{
        {"template", &templatePart, false}, {"sketch", &sketchPart, false}, {"random", &randomPart, false},
        {"transfer", &transferPart, false}, {"rate", &ratePart, false},     {"memory", &memoryPart, true},
    };
    return parts;
}

} // namespace nw::bench
