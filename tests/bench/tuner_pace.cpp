// How many candidates the tuner checks in a second, and what memory it takes.
#include "engine/base/text.h"
#include "tests/bench/tuner_parts.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

namespace nw::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kPaceTrials = 100, kPaceSeeds = 3;
constexpr double kPace = 10, kShortNs = 1e6;
constexpr int kMemoryTrials = 20000, kSamples = 20; // samples of the memory in all trials
constexpr double kFlat = 0.10;

// Resident kilobytes of a process; 0: it is gone.
long residentOf(const fs::path& process)
{
    std::ifstream status(process / "status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmRSS:")) {
            return std::atol(line.c_str() + std::string_view("VmRSS:").size());
        }
    }
    return 0;
}

// Of the workers, which are this process's children.
long residentOfWorkers()
{
    long sum = 0;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator("/proc", code)) {
        std::ifstream status(entry.path() / "status");
        for (std::string line; std::getline(status, line);) {
            if (line.starts_with("PPid:")) {
                sum += std::atoi(line.c_str() + std::string_view("PPid:").size()) == ::getpid() ? residentOf(entry.path()) : 0;
                break;
            }
        }
    }
    return sum;
}

// The memory after so many trials, and of which process: a run that was killed goes on in another.
struct Sample {
    int trials = 0;
    long process = 0, own = 0, workers = 0; // kilobytes
};

std::vector<Sample> readSamples(const std::string& text)
{
    std::vector<Sample> samples;
    for (const std::string& line : splitText(text, '\n')) {
        const std::vector<std::string> words = splitWords(line);
        if (words.size() == 4) {
            samples.push_back({std::atoi(words[0].c_str()), std::atol(words[1].c_str()), std::atol(words[2].c_str()), std::atol(words[3].c_str())});
        }
    }
    return samples;
}

// What the last sample has over the first that stands `warm` trials behind where its process began: the largest of all
// processes, and from the first of them to the last.
double growthOf(const std::vector<Sample>& samples, int warm, long Sample::* which)
{
    struct Span {
        int begun = 0;
        const Sample* first = nullptr;
        const Sample* last = nullptr;
    };
    std::map<long, Span> spans;
    Span all;
    int before = 0;
    for (const Sample& sample : samples) {
        Span& span = spans.try_emplace(sample.process, Span{before}).first->second;
        before = sample.trials;
        for (Span* one : {&span, &all}) {
            if (sample.trials - span.begun >= warm) {
                one->first = one->first == nullptr ? &sample : one->first;
                one->last = &sample;
            }
        }
    }
    spans.emplace(0, all);
    double growth = 0;
    for (const auto& [process, span] : spans) {
        if (span.first != nullptr && span.first->*which > 0) {
            growth = std::max(growth, static_cast<double>(span.last->*which) / static_cast<double>(span.first->*which) - 1);
        }
    }
    return growth;
}

} // namespace

Result<Row> ratePart(PartWork& work, const TunerCase& wanted)
{
    const Result<session::Operator> op = work.open(wanted.op);
    if (!op) {
        return op.error();
    }
    Row row = begunRow("rate", wanted);
    row.asked = format(">= {:.0f} a second", kPace);
    const Result<std::string> from = largeSpace(work, *op, row);
    if (!from) {
        return from.error();
    }
    row.from = *from;
    Wanted tuning;
    tuning.purpose = "rate";
    tuning.from = *from;
    tuning.trials = trialsOf(work, kPaceTrials, kPaceSeeds, row);
    std::vector<double> rates;
    double bestNs = 0;
    for (int i = 1; i <= work.options.seeds; ++i) {
        tuning.seed = static_cast<std::uint64_t>(i);
        // Of its own: what other parts had built would be there already. The oracle is made once for a task, not per candidate.
        measure::LocalDevice device(work.device->settings());
        if (const Status ready = work.state->onlyReads() ? Status(Done{}) : device.prepare(op->task, work.state->stop()); !ready) {
            if (ready.error().kind != Error::Kind::Stopped) {
                return ready.error();
            }
        }
        tune::DeviceBench bench(device);
        const Result<Tuned> tuned = work.state->tuned(*op, tuning, bench);
        if (!tuned) {
            return tuned.error();
        }
        row.from = *from + (tuned->row.choices.empty() ? "" : ": " + tuned->row.choices);
        if (!tuned->isWhole || tuned->row.trials < tuning.trials / 2) {
            row.partial.push_back(format("seed {}: {}", i, tuned->progress()));
        }
        // A round that a kill cut short has trials but no time.
        std::set<int> rounds;
        double seconds = 0;
        for (const record::TuneRound& round : tuned->rounds) {
            rounds.insert(round.round);
            seconds += round.seconds;
        }
        const auto checked = std::count_if(tuned->trials.begin(), tuned->trials.end(), [&](const record::TuneTrial& trial) {
            return trial.outcome == "ok" && rounds.contains(trial.round);
        });
        bestNs = tuned->row.bestNs > 0 ? tuned->row.bestNs : bestNs;
        if (seconds > 0) {
            rates.push_back(static_cast<double>(checked) / seconds);
            row.seeds.push_back(format("{:.1f}", rates.back()));
        } else {
            row.seeds.push_back("-");
        }
    }
    std::sort(rates.begin(), rates.end());
    const double median = rates.empty() ? 0 : rates[(rates.size() - 1) / 2];
    row.figure = rates.empty() ? "-" : format("{:.1f} a second", median);
    row.isMet = median >= kPace;
    if (bestNs > kShortNs) {
        row.isAsked = false;
        row.notes.push_back(format("asked up to {:.0f} ms only, and this takes {:.1f}", kShortNs / 1e6, bestNs / 1e6));
    }
    return row;
}

Result<Row> memoryPart(PartWork& work, const TunerCase& wanted)
{
    const Result<session::Operator> op = work.open(wanted.op);
    if (!op) {
        return op.error();
    }
    Row row = begunRow("memory", wanted);
    row.asked = format("<= {:.0f} % more", 100 * kFlat);
    row.from = "sketch";
    Wanted tuning;
    tuning.purpose = "memory";
    tuning.from = row.from;
    tuning.trials = trialsOf(work, kMemoryTrials, 1, row);
    const int step = std::max(1, tuning.trials / kSamples);
    record::Database& database = work.state->database();
    std::vector<Sample> samples;
    const auto keyOf = [](const record::TuneTask& task) { return format("memory {}", task.id); };
    Status kept = Done{};
    const auto read = [&](const record::TuneTask& task) {
        const Result<std::optional<std::string>> text = database.text(keyOf(task));
        kept = text ? kept : text.error();
        samples = readSamples(text && *text ? **text : std::string());
    };
    const auto look = [&](const record::TuneTask& task) {
        if (samples.empty()) {
            read(task);
        }
        const bool isLast = task.trials >= tuning.trials;
        if (!isLast && !samples.empty() && task.trials < samples.back().trials + step) {
            return;
        }
        samples.push_back({task.trials, ::getpid(), residentOf("/proc/self"), residentOfWorkers()});
        std::string text;
        for (const Sample& one : samples) {
            text += format("{} {} {} {}\n", one.trials, one.process, one.own, one.workers);
        }
        kept = kept ? database.setText(keyOf(task), text) : kept;
    };
    tune::DeviceBench bench(*work.device);
    const Result<Tuned> tuned = work.state->tuned(*op, tuning, bench, look);
    if (!tuned || !kept) {
        return tuned ? kept.error() : tuned.error();
    }
    row.from += tuned->row.choices.empty() ? "" : ": " + tuned->row.choices;
    if (static_cast<int>(tuned->trials.size()) < tuning.trials) {
        row.partial.push_back(tuned->progress());
    }
    read(tuned->row);
    if (!kept) {
        return kept.error();
    }
    const int warm = tuning.trials / 10;
    const double own = growthOf(samples, warm, &Sample::own);
    const double workers = growthOf(samples, warm, &Sample::workers);
    for (const Sample& sample : samples) {
        const bool isShown = &sample == &samples.back() || (row.seeds.empty() && sample.trials >= warm);
        if (isShown) {
            row.seeds.push_back(format("{} + {} MB", sample.own / 1024, sample.workers / 1024));
        }
    }
    std::set<long> processes;
    for (const Sample& sample : samples) {
        processes.insert(sample.process);
    }
    row.notes.push_back(format("the tuner + its workers, which grew by {:.0f} %; in {} process{}", 100 * workers, processes.size(),
                               processes.size() == 1 ? "" : "es"));
    row.figure = samples.empty() ? "-" : format("{:.1f} % more", 100 * own);
    row.isMet = !samples.empty() && own <= kFlat && workers <= kFlat;
    return row;
}

} // namespace nw::bench
