// Operators with the expert's script beside oneDNN's and OpenBLAS's, timed in turns in one job: fp32, batch 1, hot caches,
// activations in the layout that the template asks for, nominal FLOPs over the peak alternated with them.
//
//   bench_operators [FILTER] [--threads N [--turns N]] [--protocol quick|confirm]
//
// FILTER: rows whose title, algorithm or layout has it. With more than one thread: what they make of one thread's time, and of
// what the probed peak grows by, medians of turns of one thread and several. Exit code 6 when a row is below its
// floor (operator_cases.cpp); with one thread, what is below it under quick is taken again by confirm first.
#include "engine/base/text.h"
#include "engine/measure/device.h"
#include "engine/measure/library_op.h"
#include "engine/schedule/templates.h"
#include "engine/session/project.h"
#include "tests/bench/median.h"
#include "tests/bench/opened_case.h"
#include "tests/bench/operator_cases.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace nw;
using measure::Measurement;
using measure::Together;
using wire::Outcome;

namespace {

namespace fs = std::filesystem;

constexpr double kGoalBuildMs = 80;

struct Options {
    std::string filter;
    std::string protocol = "quick";
    int threads = 1;
    int turns = 7; // of one thread and several
};

std::optional<Options> optionsOf(int argc, char** argv)
{
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const std::string value = i + 1 < argc ? argv[i + 1] : "";
        if (word == "--threads" && std::atoi(value.c_str()) > 0) {
            options.threads = std::atoi(argv[++i]);
        } else if (word == "--turns" && std::atoi(value.c_str()) > 0) {
            options.turns = std::atoi(argv[++i]);
        } else if (word == "--protocol" && (value == "quick" || value == "confirm")) {
            options.protocol = argv[++i];
        } else if (!word.starts_with("-") && options.filter.empty()) {
            options.filter = word;
        } else {
            return std::nullopt;
        }
    }
    return options;
}

// The case as an operator of a project, with its expert's script or the rule's.
struct Prepared {
    session::Operator op;
    std::string script, from;
};

class Bench {
public:
    Bench(measure::LocalDevice& device, const session::Folders& folders, fs::path work)
        : m_device(device)
        , m_folders(folders)
        , m_work(std::move(work))
    {}

    Result<Prepared> prepare(const bench::OperatorCase& wanted, int threads)
    {
        Result<session::Operator> op = open(wanted, wanted.choices, threads);
        if (!op) {
            return op.error();
        }
        if (wanted.algorithm != "direct") {
            const Result<session::Operator> plain = direct(wanted, threads);
            if (!plain) {
                return plain.error();
            }
            if (compute::identity(*plain->task.definition) == compute::identity(*op->task.definition)) {
                return failed(format("{} has no algorithm {}", wanted.group, wanted.algorithm));
            }
        }
        const Result<schedule::LoopNest> nest = schedule::initialNest(op->task);
        if (!nest) {
            return nest.error();
        }
        const std::optional<schedule::TemplateScript> expert = schedule::templateFor(op->task, *nest);
        const Result<std::string> script = expert ? session::plainScript(expert->script, *op) : session::defaultScript(*op);
        if (!script) {
            return script.error();
        }
        // Oracle and data first, so that the time of a build is the build's.
        if (const Status ready = m_device.prepare(op->task); !ready) {
            return ready.error();
        }
        return Prepared{*std::move(op), *script, expert ? expert->from->name : "(the plain rule)"};
    }

    // oneDNN and, for products, OpenBLAS; both do the direct algorithm whatever ours is.
    Result<std::vector<measure::LibraryOp>> librariesFor(const bench::OperatorCase& wanted, int threads)
    {
        const Result<session::Operator> op = direct(wanted, threads);
        if (!op) {
            return op.error();
        }
        std::vector<measure::LibraryOp> libraries;
        if (const std::optional<std::string> described = measure::libraryOpOf(*op->task.definition)) {
            libraries.push_back({"onednn", *described});
            if (wanted.isProduct) {
                libraries.push_back({"openblas", *described});
            }
        }
        return libraries;
    }

    Together measure(const Prepared& prepared, const std::vector<measure::LibraryOp>& libraries, const std::string& protocol)
    {
        return m_device.measureTogether(prepared.op.task, {prepared.script}, libraries, protocol);
    }

private:
    Result<session::Operator> direct(const bench::OperatorCase& wanted, int threads)
    {
        std::string choices = wanted.choices;
        if (const std::size_t at = choices.find("algorithm "); at != std::string::npos) {
            choices.erase(at, choices.find('\n', at) - at + 1);
        }
        return open(wanted, choices, threads);
    }

    Result<session::Operator> open(const bench::OperatorCase& wanted, const std::string& choices, int threads)
    {
        return bench::openCase(wanted, choices, threads, m_work, m_folders);
    }

    measure::LocalDevice& m_device;
    session::Folders m_folders;
    fs::path m_work;
};

std::string layoutText(const bench::OperatorCase& wanted)
{
    return wanted.layout + (wanted.algorithm == "direct" ? "" : " " + wanted.algorithm);
}

std::string figureText(const Measurement& m)
{
    if (m.outcome != Outcome::Ok) {
        return format("{:>30}", "-");
    }
    return format("{:9.1f} us {:5.1f} % {:5.1f} %b{}", m.medianNs / 1000, 100 * m.shareOfPeak, 100 * m.shareOfBound, m.noisy ? "~" : " ");
}

std::string rivalText(const Measurement& ours, const Measurement& rival)
{
    if (rival.outcome != Outcome::Ok) {
        return format("{:>27}", "-");
    }
    return format("{:9.1f} us {:5.1f} % x{:4.2f}{}", rival.medianNs / 1000, 100 * rival.shareOfPeak, rival.medianNs / ours.medianNs,
                  rival.noisy ? "~" : " ");
}

// The fastest of the libraries' times over ours; zero when there is none.
double overLibraries(const Together& found)
{
    double least = 0;
    for (const Measurement& library : found.libraries) {
        if (library.outcome == Outcome::Ok) {
            least = least == 0 ? library.medianNs : std::min(least, library.medianNs);
        }
    }
    return least / found.scripts.front().medianNs;
}

// Nothing when both hold; otherwise in words what does not.
std::string below(const bench::Floors& floors, const Together& found)
{
    const Measurement& ours = found.scripts.front();
    if (ours.outcome != Outcome::Ok) {
        return ours.error.message;
    }
    std::string words;
    if (ours.shareOfPeak < floors.ofPeak) {
        words += format("  BELOW {:.2f} of peak", floors.ofPeak);
    }
    if (const double ratio = overLibraries(found); ratio > 0 && ratio < floors.ofLibrary) {
        words += format("  BELOW x{:.2f} of the libraries", floors.ofLibrary);
    }
    return words;
}

class Table {
public:
    void head() const
    {
        std::printf("%-36s %-26s %-20s %-32s %-28s %-28s %s\n", "operator", "layout, algorithm", "template", "ours: time, of peak, of bound",
                    "oneDNN: time, of peak, ours x", "OpenBLAS", "build, spills");
    }

    void row(const bench::OperatorCase& wanted, const Prepared& prepared, const Together& found, const std::string& words)
    {
        const Measurement& ours = found.scripts.front();
        Measurement none;
        none.outcome = Outcome::Refused;
        const Measurement& oneDnn = !found.libraries.empty() ? found.libraries[0] : none;
        const Measurement& openBlas = found.libraries.size() > 1 ? found.libraries[1] : none;
        std::printf("%-36s %-26s %-20s %-32s %-28s %-28s %4.0f ms %d%s\n", wanted.title.c_str(),
                    layoutText(wanted).c_str(), prepared.from.c_str(),
                    figureText(ours).c_str(), rivalText(ours, oneDnn).c_str(), rivalText(ours, openBlas).c_str(), ours.buildMs,
                    ours.listing.spills, words.c_str());
        std::fflush(stdout);
        if (ours.outcome == Outcome::Ok) {
            m_builds.push_back(ours.buildMs);
            if (const double ratio = overLibraries(found); ratio > 0 && wanted.algorithm == "direct") {
                m_logs.push_back(std::log(ratio));
            }
        }
        for (std::size_t i = 0; i < found.libraries.size(); ++i) {
            const Measurement& library = found.libraries[i];
            if (library.outcome != Outcome::Ok && std::find(m_missing.begin(), m_missing.end(), library.error.message) == m_missing.end()) {
                m_missing.push_back(library.error.message);
            }
        }
    }

    void foot()
    {
        for (const std::string& words : m_missing) {
            std::printf("  %s\n", words.c_str());
        }
        if (m_builds.empty()) {
            return;
        }
        std::sort(m_builds.begin(), m_builds.end());
        std::printf("build of a template: median %.0f ms, slowest %.0f ms (goal: a median of %.0f ms)\n", m_builds[m_builds.size() / 2],
                    m_builds.back(), kGoalBuildMs);
        double sum = 0;
        for (const double one : m_logs) {
            sum += one;
        }
        if (!m_logs.empty()) {
            std::printf("the fastest library's time over ours, geometric mean of %zu direct operators: %.2f\n", m_logs.size(),
                        std::exp(sum / static_cast<double>(m_logs.size())));
        }
    }

private:
    std::vector<double> m_builds, m_logs;
    std::vector<std::string> m_missing;
};

// One thread and several in turns. A turn's figures are close to each other in time, so that a slow spell of the machine falls
// on both; the medians of the turns are what counts.
struct Scaling {
    std::vector<double> oneNs, severalNs; // ours
    std::vector<double> faster, peak, library;
    std::string from;
    bool isNoisy = false;

    double ofPeak() const { return peak.empty() ? 0 : bench::medianOf(faster) / bench::medianOf(peak); }
};

Result<Scaling> scalingOf(Bench& bench, const bench::OperatorCase& wanted, const Options& options)
{
    std::vector<Prepared> prepared;
    std::vector<std::vector<measure::LibraryOp>> libraries;
    for (const int threads : {1, options.threads}) {
        Result<Prepared> one = bench.prepare(wanted, threads);
        Result<std::vector<measure::LibraryOp>> theirs = bench.librariesFor(wanted, threads);
        if (!one || !theirs) {
            return one ? theirs.error() : one.error();
        }
        prepared.push_back(*std::move(one));
        libraries.push_back(*std::move(theirs));
    }
    Scaling scaling;
    scaling.from = prepared.back().from;
    for (int turn = 0; turn < options.turns; ++turn) {
        Together found[2];
        for (int i = 0; i < 2; ++i) {
            const int which = i ^ (turn & 1); // neither of the two is always the first
            found[which] = bench.measure(prepared[which], libraries[which], options.protocol);
            if (found[which].scripts.front().outcome != Outcome::Ok) {
                return found[which].scripts.front().error;
            }
        }
        const Measurement& one = found[0].scripts.front();
        const Measurement& several = found[1].scripts.front();
        scaling.oneNs.push_back(one.medianNs);
        scaling.severalNs.push_back(several.medianNs);
        scaling.faster.push_back(one.medianNs / several.medianNs);
        scaling.peak.push_back(several.run.shareOfPeakDenominator / one.run.shareOfPeakDenominator);
        scaling.isNoisy |= one.noisy || several.noisy;
        const bool both = !found[0].libraries.empty() && !found[1].libraries.empty() && found[0].libraries.front().outcome == Outcome::Ok
            && found[1].libraries.front().outcome == Outcome::Ok;
        if (both) {
            scaling.library.push_back(found[0].libraries.front().medianNs / found[1].libraries.front().medianNs);
        }
    }
    return scaling;
}

// The row in words, and whether it is above its floor.
bool threadsRow(Bench& bench, const bench::OperatorCase& wanted, const Options& options)
{
    const Result<Scaling> scaling = scalingOf(bench, wanted, options);
    if (!scaling) {
        std::printf("%s: %s\n", wanted.title.c_str(), scaling.error().message.c_str());
        return wanted.floors.ofThreads <= 0;
    }
    const double ofPeak = scaling->ofPeak();
    const bool isAbove = ofPeak >= wanted.floors.ofThreads;
    const auto [least, most] = std::minmax_element(scaling->faster.begin(), scaling->faster.end());
    std::printf("%s\n", format("{:<36} {:<26} {:<20} {:9.1f} -> {:9.1f} us: x{:.2f} ({:.2f} to {:.2f}), the peak x{:.2f}: {:5.1f} %   oneDNN x{:.2f}{}{}",
                               wanted.title, layoutText(wanted), scaling->from,
                               bench::medianOf(scaling->oneNs) / 1000, bench::medianOf(scaling->severalNs) / 1000, bench::medianOf(scaling->faster), *least, *most,
                               bench::medianOf(scaling->peak), 100 * ofPeak, bench::medianOf(scaling->library),
                               scaling->isNoisy ? " ~" : "", isAbove ? "" : format("  BELOW {:.2f} of the peak's growth", wanted.floors.ofThreads))
                            .c_str());
    return isAbove;
}

int run(const Options& options)
{
    const Result<session::Folders> folders = session::userFolders();
    const Result<measure::LocalDevice::Settings> settings = session::deviceSettings();
    const bench::TemporaryFolder work;
    if (!folders || !settings || work.path().empty()) {
        std::fprintf(stderr, "%s\n", !folders ? folders.error().message.c_str() : !settings ? settings.error().message.c_str() : "no temporary folder");
        return 1;
    }
    measure::LocalDevice device(*settings);
    Bench bench(device, *folders, work.path());
    Table table;
    std::printf("%s, %d thread%s, %s\n", device.native().toText().c_str(), options.threads, options.threads == 1 ? "" : "s", options.protocol.c_str());
    if (options.threads == 1) {
        table.head();
    }
    int code = 0;
    for (const bench::OperatorCase& wanted : bench::operatorCases()) {
        if ((wanted.title + " " + wanted.layout + " " + wanted.algorithm).find(options.filter) == std::string::npos) {
            continue;
        }
        if (options.threads > 1) {
            code = threadsRow(bench, wanted, options) ? code : 6;
            std::fflush(stdout);
            continue;
        }
        const Result<Prepared> prepared = bench.prepare(wanted, 1);
        const Result<std::vector<measure::LibraryOp>> libraries = bench.librariesFor(wanted, 1);
        if (!prepared || !libraries) {
            std::printf("%-36s %s\n", wanted.title.c_str(), (prepared ? libraries.error() : prepared.error()).message.c_str());
            code = wanted.floors.ofPeak > 0 || wanted.floors.ofLibrary > 0 ? 6 : code;
            continue;
        }
        Together found = bench.measure(*prepared, *libraries, options.protocol);
        std::string words = below(wanted.floors, found);
        if (!words.empty() && options.protocol == "quick" && found.scripts.front().outcome == Outcome::Ok) {
            const double buildMs = found.scripts.front().buildMs; // the second time it is there already
            found = bench.measure(*prepared, *libraries, "confirm");
            found.scripts.front().buildMs = buildMs;
            words = below(wanted.floors, found);
        }
        code = words.empty() ? code : 6;
        table.row(wanted, *prepared, found, words);
    }
    table.foot();
    return code;
}

} // namespace

int main(int argc, char** argv)
{
    const std::optional<Options> options = optionsOf(argc, argv);
    if (!options) {
        std::fprintf(stderr, "bench_operators [FILTER] [--threads N [--turns N]] [--protocol quick|confirm]\n");
        return 2;
    }
    return run(*options);
}
