#include "app/cli/command.h"

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/session/fuzz/fuzz.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <random>

namespace nw::app {
namespace {

namespace fuzz = session::fuzz;

struct Options {
    std::string what, keep, file;
    std::uint64_t count = 0;
    std::int64_t only = -1;
    bool noWorker = false, fresh = false;
};

std::string shareText(std::uint64_t part, std::uint64_t whole)
{
    return whole == 0 ? "-" : percentText(static_cast<double>(part) / static_cast<double>(whole));
}

class FuzzVerb {
public:
    FuzzVerb(const CommonOptions& options, const Options& wanted)
        : m_session(options)
        , m_wanted(wanted)
    {
        m_options.seed = options.seed;
        if (wanted.fresh) {
            std::random_device device;
            m_options.seed = device();
        }
        const std::uint64_t usual = wanted.what == "scripts" ? 5000 : wanted.what == "refusals" ? 200 : 300;
        m_options.count = wanted.only >= 0 ? 1 : wanted.count > 0 ? wanted.count : usual;
        m_options.first = static_cast<std::uint64_t>(std::max<std::int64_t>(wanted.only, 0));
    }

    int run()
    {
        if (!m_wanted.file.empty()) {
            return again();
        }
        m_session.say(format("seed {}, {} cases from {}", m_options.seed, m_options.count, m_options.first));
        const int code = m_wanted.what == "scripts" ? scripts() : m_wanted.what == "refusals" ? refusals() : schedules();
        m_session.progress("");
        return m_session.stop().stopRequested() ? Interrupted : code;
    }

private:
    fuzz::OnCase onCase()
    {
        return [this](std::uint64_t index) { m_session.progress(format("case {} of {}", index, m_options.first + m_options.count)); };
    }

    Result<std::unique_ptr<fuzz::WorkerCheck>> worker() const
    {
        if (m_wanted.noWorker) {
            return std::unique_ptr<fuzz::WorkerCheck>();
        }
        const Result<measure::Programs> programs = measure::findPrograms();
        if (!programs) {
            return programs.error();
        }
        const Result<std::filesystem::path> folder = runtimeFolder();
        if (!folder) {
            return folder.error();
        }
        return std::make_unique<fuzz::WorkerCheck>(*programs, *folder / format("fuzz-{}", getpid()));
    }

    // A kept case once more.
    // What the steps make of it, as far as they may be taken.
    static std::string nestText(const fuzz::Case& one)
    {
        const Result<schedule::Task> task = one.task();
        const Result<schedule::LoopNest> initial = task ? schedule::initialNest(*task) : Result<schedule::LoopNest>(task.error());
        const schedule::Context context{task ? &task->target : nullptr};
        const Result<schedule::Script> script = schedule::parseScript(one.script, schedule::allPrimitives(), context);
        if (!initial || !script) {
            return {};
        }
        const Result<schedule::Replay> replayed = schedule::replay(*initial, *script, {}, context);
        return replayed ? schedule::toText(replayed->nest()) : std::string();
    }

    int again()
    {
        const Result<std::string> text = readFile(m_wanted.file);
        if (!text) {
            return m_session.fail(text.error());
        }
        const Result<fuzz::Case> one = fuzz::parseCase(*text);
        if (!one) {
            return m_session.fail(one.error());
        }
        const Result<fuzz::Judge> rules = fuzz::Judge::create(one->definition);
        const Result<std::unique_ptr<fuzz::WorkerCheck>> workers = worker();
        if (!rules || !workers) {
            return m_session.fail(rules ? workers.error() : rules.error());
        }
        fuzz::Finding finding = fuzz::judge(*one, *rules, m_options.primitives);
        if (finding.fault == fuzz::Fault::None && *workers != nullptr && fuzz::WorkerCheck::canRun(*one)) {
            finding = (*workers)->check(*one, m_session.stop());
        }
        if (const std::string nest = nestText(*one); !nest.empty()) {
            m_session.say(nest);
        }
        m_session.say(finding.message.empty() ? "correct" : finding.message);
        m_session.emit({{"ok", finding.fault == fuzz::Fault::None}, {"message", finding.message}});
        switch (finding.fault) {
        case fuzz::Fault::None:
        case fuzz::Fault::Limit: return Fine;
        case fuzz::Fault::Illegal: return IllegalStep;
        case fuzz::Fault::Wrong: return WrongResult;
        case fuzz::Fault::Device: return DeviceUnavailable;
        case fuzz::Fault::Bug: return Failure;
        }
        return Failure;
    }

    int schedules()
    {
        const Result<std::unique_ptr<fuzz::WorkerCheck>> workers = worker();
        if (!workers) {
            return m_session.fail(workers.error());
        }
        const Result<fuzz::ScheduleReport> report = fuzz::fuzzSchedules(m_options, workers->get(), onCase(), m_session.stop());
        if (!report) {
            return m_session.fail(report.error());
        }
        m_session.progress("");
        sayPrimitives(report->primitives);
        m_session.say(format("{} cases, {} run by the workers, {} beyond the code generator, {} failures", report->cases, report->run,
                             report->limited, report->failures.size()));
        const int code = tell(report->failures);
        m_session.emit({{"ok", report->failures.empty()}, {"run", "schedules"}, {"seed", m_options.seed}, {"cases", report->cases},
                        {"run_by_workers", report->run}, {"limited", report->limited}, {"failures", report->failures.size()}});
        return code;
    }

    int refusals()
    {
        const Result<fuzz::RefusalReport> report = fuzz::fuzzRefusals(m_options, onCase(), m_session.stop());
        if (!report) {
            return m_session.fail(report.error());
        }
        m_session.progress("");
        sayRules("illegal", report->rules);
        sayRules("unproven", report->unproven);
        sayRules("illegal by primitive", report->illegal);
        sayPrimitives(report->primitives);
        const int code = tell(report->failures);
        m_session.emit({{"ok", report->failures.empty()}, {"run", "refusals"}, {"seed", m_options.seed}, {"cases", report->cases},
                        {"failures", report->failures.size()}});
        return code;
    }

    int scripts()
    {
        const Result<fuzz::ScriptReport> report = fuzz::fuzzScripts(m_options, onCase(), m_session.stop());
        if (!report) {
            return m_session.fail(report.error());
        }
        m_session.progress("");
        m_session.say(format("{} texts, {} parsed, {} replayed to their end, {} failures", report->texts, report->parsed,
                             report->replayed, report->failures.size()));
        const int code = tell(report->failures);
        m_session.emit({{"ok", report->failures.empty()}, {"run", "scripts"}, {"seed", m_options.seed}, {"texts", report->texts},
                        {"parsed", report->parsed}, {"replayed", report->replayed}, {"failures", report->failures.size()}});
        return code;
    }

    void sayPrimitives(const std::map<std::string, fuzz::StepCounts>& primitives) const
    {
        std::vector<std::vector<std::string>> rows;
        for (const auto& [name, counts] : primitives) {
            const std::uint64_t all = counts.applied + counts.pointless + counts.refused + counts.unproven;
            rows.push_back({name, std::to_string(counts.applied), std::to_string(counts.pointless), std::to_string(counts.refused),
                            std::to_string(counts.unproven), shareText(counts.unproven, all)});
            m_session.emit({{"primitive", name}, {"applied", counts.applied}, {"pointless", counts.pointless},
                            {"refused", counts.refused}, {"unproven", counts.unproven}});
        }
        m_session.say(tableText({"primitive", "applied", "pointless", "refused", "unproven", "share unproven"}, rows));
    }

    // By rule, or by primitive. The share is that of the refusals that could be judged.
    void sayRules(const std::string& what, const std::map<std::string, fuzz::RefusalCounts>& refusals) const
    {
        const bool byPrimitive = what == "illegal by primitive";
        std::vector<std::vector<std::string>> rows;
        for (const auto& [name, counts] : refusals) {
            rows.push_back({name, std::to_string(counts.met), std::to_string(counts.agreed), std::to_string(counts.tooLong),
                            std::to_string(counts.judged()), std::to_string(counts.impossible), std::to_string(counts.wrong),
                            std::to_string(counts.needless), shareText(counts.needless, counts.judged())});
            m_session.emit({{"verdict", byPrimitive ? "illegal" : what}, {byPrimitive ? "primitive" : "rule", name}, {"met", counts.met},
                            {"agreed", counts.agreed}, {"too_long", counts.tooLong}, {"judged", counts.judged()},
                            {"impossible", counts.impossible}, {"wrong", counts.wrong}, {"needless", counts.needless},
                            {"example", counts.example}});
        }
        if (!rows.empty()) {
            m_session.say(tableText({what, "refused", "agreed", "too long", "judged", "impossible", "wrong", "needless", "share needless"},
                                    rows));
        }
    }

    // Prints and keeps the failures; what the program ends with.
    int tell(const std::vector<fuzz::Failure>& failures) const
    {
        int code = Fine;
        for (const fuzz::Failure& failure : failures) {
            const bool isWrong = failure.fault == fuzz::Fault::Wrong;
            code = isWrong && code != Failure ? WrongResult : Failure;
            const std::string text = fuzz::toText(failure);
            m_session.say(text);
            m_session.emit({{"ok", false}, {"seed", failure.seed}, {"case", failure.index}, {"fault", isWrong ? "wrong" : "bug"},
                            {"message", failure.message},
                            {"definition", failure.input ? compute::toText(*failure.input->definition) : ""},
                            {"script", failure.input ? failure.input->script : failure.text}, {"text", text}});
            if (!m_wanted.keep.empty()) {
                const std::filesystem::path file =
                    std::filesystem::path(m_wanted.keep) / format("{}-{}-{}.case", m_wanted.what, failure.seed, failure.index);
                std::error_code ignored; // writing says what is wrong
                std::filesystem::create_directories(file.parent_path(), ignored);
                if (const Status kept = writeFile(file, text); !kept) {
                    m_session.say(kept.error().message);
                }
            }
        }
        return code;
    }

    Session m_session;
    const Options& m_wanted;
    fuzz::Options m_options;
};

} // namespace

void addFuzz(const Arguments& program, CommonOptions& options, int& exitCode)
{
    const Arguments verb = program.verb("fuzz", "look for faults: random schedules, needless refusals, spoiled scripts");
    addCommon(verb, options, false);
    const auto wanted = std::make_shared<Options>();
    wanted->what = "schedules";
    verb.option("WHAT", wanted->what, "schedules: random definitions under random legal steps; refusals: how many were needed; "
                                      "scripts: mutated text")
        .oneOf({"schedules", "refusals", "scripts"});
    verb.option("--count", wanted->count, "cases (0: 300 schedules, 200 refusals, 5000 scripts)");
    verb.option("--case", wanted->only, "only this one, as printed with a failure");
    verb.flag("--fresh", wanted->fresh, "draw the seed, and print it");
    verb.flag("--no-worker", wanted->noWorker, "interpret and lower only, run no code");
    verb.option("--keep", wanted->keep, "write each failure, shrunk, into this folder");
    verb.option("--again", wanted->file, "judge a kept case once more");
    verb.run([&options, &exitCode, wanted] { exitCode = FuzzVerb(options, *wanted).run(); });
}

} // namespace nw::app
