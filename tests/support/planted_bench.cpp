#include "tests/support/planted_bench.h"

#include "engine/base/text.h"
#include "engine/compute/definition.h"

#include <QDir>

#include <cstdlib>

namespace nw::test {

measure::Measurement ran(double ns)
{
    measure::Measurement m;
    m.medianNs = ns;
    m.spread = 0.01;
    m.bound = {ns / 10, "peak"};
    return m;
}

measure::Measurement failedRun(wire::Outcome outcome, const std::string& message)
{
    measure::Measurement m;
    m.outcome = outcome;
    m.error = failed(message);
    return m;
}

double numberIn(const std::string& script, const std::string& name)
{
    const std::size_t found = script.find(" " + name + ":");
    return found == std::string::npos ? 0 : std::strtod(script.c_str() + found + name.size() + 2, nullptr);
}

bool has(const std::string& script, const std::string& words)
{
    return script.find(words) != std::string::npos;
}

void PlantedBench::measureAll(const schedule::Task&, const std::vector<std::string>& scripts,
                              const std::function<bool(std::size_t, const measure::Measurement&)>& onEach, const StopToken& stop)
{
    for (std::size_t i = 0; i < scripts.size() && !stop.stopRequested(); ++i) {
        measured.push_back(scripts[i]);
        const bool goesOn = onEach(i, m_rule(scripts[i]));
        if (afterEach) {
            afterEach();
        }
        if (!goesOn) {
            return;
        }
    }
}

std::vector<measure::Measurement> PlantedBench::confirm(const schedule::Task&, const std::vector<std::string>& scripts, const StopToken&)
{
    std::vector<measure::Measurement> all;
    for (const std::string& script : scripts) {
        confirmed.push_back(script);
        all.push_back(confirmRule ? confirmRule(script) : m_rule(script));
    }
    return all;
}

TuneDesk::TuneDesk(const std::string& definition, const std::vector<std::pair<std::string, std::string>>& sketches, const Target& target)
    : m_folder(QDir(QStringLiteral("/dev/shm")).exists() ? QStringLiteral("/dev/shm/nestwright-desk-XXXXXX")
                                                      : QDir::tempPath() + QStringLiteral("/nestwright-desk-XXXXXX"))
{
    const Result<compute::Definition> parsed = compute::parseDefinition(definition);
    ENSURE(parsed.has_value(), parsed.error().message);
    m_task.definition = std::make_shared<const compute::Definition>(*parsed);
    m_task.layouts.resize(parsed->ports.size());
    m_task.target = target;
    Result<std::unique_ptr<record::Database>> database = record::Database::open(m_folder.filePath("desk.nest").toStdString());
    ENSURE(database.has_value(), database.error().message);
    m_database = *std::move(database);
    record::TuneTask row;
    row.task = m_task.identity();
    row.anchor = m_task.anchorIdentity();
    row.group = "matmul.0";
    for (const auto& [name, script] : sketches) {
        m_sketches.push_back({0, static_cast<int>(m_sketches.size()), name, script});
    }
    std::vector<record::TuneTask> rows{row};
    const Result<std::int64_t> session = journal().addSession({}, rows, {m_sketches});
    ENSURE(session.has_value(), session.error().message);
    m_session = *session;
}

record::TuneTask TuneDesk::row()
{
    const Result<std::vector<record::TuneTask>> rows = journal().tasks(m_session);
    ENSURE(rows.has_value() && rows->size() == 1, "the desk has one task");
    return rows->front();
}

std::unique_ptr<tune::TaskTuner> TuneDesk::tuner(tune::Bench& bench, const tune::Settings& settings, const std::vector<record::TuneKin>& kin)
{
    Result<std::unique_ptr<tune::TaskTuner>> made = tune::TaskTuner::make({row(), m_task, m_sketches, kin}, settings, journal(), bench);
    ENSURE(made.has_value(), made.error().message);
    return *std::move(made);
}

void TuneDesk::tune(tune::TaskTuner& tuner, int trials)
{
    while (tuner.isOpen() && tuner.row().trials < trials) {
        const Result<bool> more = tuner.round(trials - tuner.row().trials, {});
        ENSURE(more.has_value(), more.error().message);
        if (!*more) {
            return;
        }
    }
}

std::vector<record::TuneTrial> TuneDesk::trials()
{
    Result<std::vector<record::TuneTrial>> trials = journal().trials(row().id);
    ENSURE(trials.has_value(), trials.error().message);
    return *std::move(trials);
}

std::vector<record::TuneRound> TuneDesk::rounds()
{
    Result<std::vector<record::TuneRound>> rounds = journal().rounds(row().id);
    ENSURE(rounds.has_value(), rounds.error().message);
    return *std::move(rounds);
}

std::string TuneDesk::story(std::size_t from)
{
    std::vector<std::string> lines;
    for (const record::TuneTrial& t : trials()) {
        if (static_cast<std::size_t>(t.number) >= from) {
            lines.push_back(format("{} round {} sketch {} {} by {}: {} {} score {}", t.number, t.round, t.sketch, t.values, t.from, t.outcome,
                                   shortestDouble(t.ns), t.score ? shortestDouble(*t.score) : "none"));
        }
    }
    return join(lines, "\n");
}

int TuneDesk::trialsTo(double ns)
{
    for (const record::TuneTrial& trial : trials()) {
        if (trial.ns > 0 && trial.ns <= ns) {
            return trial.number + 1;
        }
    }
    return 0;
}

} // namespace nw::test
