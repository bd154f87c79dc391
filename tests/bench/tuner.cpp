// How good the tuner is: five operators on one thread (tuner_cases.cpp), medians of three seeds.
//
//   bench_tuner --state FILE [--only OP] [--part template|sketch|random|transfer|rate|memory] [--seeds N] [--trials N]
//               [--space template|sketch] [--report] [--best FILE]
//   bench_tuner --state FILE --update-best [--only OP] [--best FILE]
//
//   template  speed after 200 trials from the expert's template, of the best known (best.txt)
//   sketch    the same after 500 from sketches alone
//   random    trials until the tuner has what random search of the same space has after 500
//   transfer  trials to 95 % of the best known after two neighbours were tuned, over those without
//   rate      checked candidates a second in 100 trials, compile included
//   memory    growth of the process from 2,000 to 20,000 trials of a small operator
//
// Everything is kept in FILE: a run that was killed, or stopped by Ctrl+C, goes on where it was when it is started again; use
// a new file for another version of the tuner. What is not complete, or was shortened, is printed as partial and not judged.
// --report only prints what is there. --update-best takes what won in FILE, and the templates, against the best kept.
// Speeds are compared in turns in one run, never by times of two. Exit code 6 when a row does not reach what is asked.
#include "engine/base/text.h"
#include "tests/bench/opened_case.h"
#include "tests/bench/tuner_parts.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>

using namespace nw;
using bench::PartWork;
using bench::Row;
using bench::TunerCase;

namespace {

constexpr int kBelowFloor = 6, kInterrupted = 130;

struct Options {
    std::string state, only, part, best = NW_SOURCE_DIR "/tests/bench/best.txt";
    bench::PartOptions parts;
    bool isReport = false, updatesBest = false;
};

bool isPart(const std::string& name)
{
    const std::vector<bench::Part>& parts = bench::allParts();
    return std::any_of(parts.begin(), parts.end(), [&](const bench::Part& part) { return name == part.name; });
}

bool readCount(const std::string& text, int& value)
{
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && end == text.data() + text.size() && value > 0;
}

// Refused: what is wrong.
Result<Options> optionsOf(int argc, char** argv)
{
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--report" || word == "--update-best") {
            (word == "--report" ? options.isReport : options.updatesBest) = true;
            continue;
        }
        if (i + 1 == argc) {
            return refused(format("\"{}\" is no option, or lacks its value", word));
        }
        const std::string value = argv[++i];
        bool fine = true;
        if (word == "--state") {
            options.state = value;
        } else if (word == "--best") {
            options.best = value;
        } else if (word == "--only") {
            options.only = value;
        } else if (word == "--part") {
            options.part = value;
            fine = isPart(value);
        } else if (word == "--space") {
            options.parts.space = value;
            fine = value == "template" || value == "sketch";
        } else if (word == "--seeds") {
            fine = readCount(value, options.parts.seeds);
        } else if (word == "--trials") {
            fine = readCount(value, options.parts.trials);
        } else {
            return refused(format("\"{}\" is no option", word));
        }
        if (!fine) {
            return refused(format("\"{}\" is no value of {}", value, word));
        }
    }
    return options.state.empty() ? Result<Options>(refused("--state FILE says where everything is kept")) : options;
}

// One for the process, so that a signal reaches it.
const StopToken& stopOfProcess()
{
    static const StopToken stop;
    return stop;
}

void onInterrupt(int)
{
    stopOfProcess().requestStop();
}

class Table {
public:
    void head() const
    {
        std::printf("%-9s %-34s %-30s %-42s %-14s %-16s\n", "part", "operator", "space: choices", "each seed", "median", "asked");
    }

    void row(const Row& row)
    {
        const std::string verdict = !row.partial.empty() ? "partial" : !row.isAsked ? "not asked" : row.isMet ? "fine" : "BELOW";
        std::printf("%-9s %-34s %-30s %-42s %-14s %-16s %s\n", row.part.c_str(), row.title.c_str(), row.from.c_str(), join(row.seeds, "  ").c_str(),
                    row.figure.c_str(), row.asked.c_str(), verdict.c_str());
        for (const std::string& words : row.partial) {
            std::printf("          partial: %s\n", words.c_str());
        }
        for (const std::string& words : row.notes) {
            std::printf("          %s\n", words.c_str());
        }
        std::fflush(stdout);
        m_partial += row.partial.empty() ? 0 : 1;
        m_judged += row.isJudged() ? 1 : 0;
        m_below += row.isJudged() && !row.isMet ? 1 : 0;
    }

    // An operator that cannot be judged does not pass.
    void failed(const char* part, const TunerCase& wanted, const Error& error)
    {
        std::printf("%-9s %-34s FAILED: %s\n", part, wanted.op.title.c_str(), error.message.c_str());
        std::fflush(stdout);
        ++m_below;
    }

    int foot() const
    {
        std::printf("%d judged, %d below what is asked or failed, %d partial\n", m_judged, m_below, m_partial);
        return m_below > 0 ? kBelowFloor : 0;
    }

private:
    int m_judged = 0, m_below = 0, m_partial = 0;
};

bool isWanted(const Options& options, const TunerCase& one)
{
    return (one.name + " " + one.op.title).find(options.only) != std::string::npos;
}

int runParts(const Options& options, PartWork& work)
{
    Table table;
    table.head();
    for (const bench::Part& part : bench::allParts()) {
        if (!options.part.empty() && options.part != part.name) {
            continue;
        }
        for (const TunerCase& one : part.isAlone ? std::vector<TunerCase>{bench::memoryCase()} : bench::tunerCases()) {
            if (!isWanted(options, one) || (stopOfProcess().stopRequested() && !work.state->onlyReads())) {
                continue;
            }
            const Result<Row> row = part.run(work, one);
            if (row) {
                table.row(*row);
            } else {
                table.failed(part.name, one, row.error());
            }
        }
    }
    const int code = table.foot();
    return stopOfProcess().stopRequested() ? kInterrupted : code;
}

int runUpdate(const Options& options, PartWork& work)
{
    int code = 0;
    for (const TunerCase& one : bench::tunerCases()) {
        if (!isWanted(options, one)) {
            continue;
        }
        const Result<std::string> words = bench::updateBest(work, one);
        std::printf("%-34s %s\n", one.op.title.c_str(), words ? words->c_str() : words.error().message.c_str());
        std::fflush(stdout);
        code = words ? code : 1;
    }
    return code;
}

int fail(const Error& error)
{
    std::fprintf(stderr, "%s\n", error.message.c_str());
    return 1;
}

int run(const Options& options)
{
    const Result<session::Folders> folders = session::userFolders();
    Result<measure::LocalDevice::Settings> settings = folders ? session::deviceSettings() : folders.error();
    Result<bench::BestScripts> best = settings ? bench::BestScripts::read(options.best) : settings.error();
    const bench::TemporaryFolder models;
    if (!best || models.path().empty()) {
        return fail(best ? nw::failed("no temporary folder can be made") : best.error());
    }
    // As nestw tune has it: a candidate that takes so long is no candidate.
    settings->priority = measure::Priority::Tuner;
    settings->buildTimeoutMs = 20000;
    settings->runTimeoutMs = 10000;
    const Result<std::unique_ptr<bench::TunerState>> state =
        bench::TunerState::open(options.state, *folders, options.isReport, stopOfProcess());
    if (!state) {
        return fail(state.error());
    }
    measure::LocalDevice device(*settings);
    bench::Speeds speeds(device, **state);
    PartWork work{options.parts, *folders, models.path(), &device, state->get(), &*best, &speeds};
    std::printf("%s, 1 thread, %s\n", device.native().toText().c_str(), options.state.c_str());
    return options.updatesBest ? runUpdate(options, work) : runParts(options, work);
}

} // namespace

int main(int argc, char** argv)
{
    const Result<Options> options = optionsOf(argc, argv);
    if (!options) {
        std::fprintf(stderr,
                     "%s\nbench_tuner --state FILE [--only OP] [--part template|sketch|random|transfer|rate|memory] [--seeds N] [--trials N] "
                     "[--space template|sketch] [--report] [--best FILE] [--update-best]\n",
                     options.error().message.c_str());
        return 2;
    }
    (void)stopOfProcess(); // made before a signal can ask for it
    std::signal(SIGINT, &onInterrupt);
    std::signal(SIGTERM, &onInterrupt);
    return run(*options);
}
