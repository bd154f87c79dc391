// More than one kernel at a time: pairs, the library, and several in rounds.
#include "engine/measure/library_op.h"
#include "engine/measure/local_device_state.h"
#include "engine/measure/pair_rounds.h"
#include "engine/measure/protocols.h"

#include <algorithm>

namespace nw::measure {

using wire::Outcome;

PairResult LocalDevice::pair(const schedule::Task& task, const std::string& scriptA, const std::string& scriptB,
                             const StopToken& stop)
{
    const auto fail = [](Outcome outcome, Error error) {
        PairResult result;
        result.outcome = outcome;
        result.error = std::move(error);
        return result;
    };
    JobResult<State::Prepared> a = m_state->prepare(task, scriptA, stop);
    if (!a) {
        return fail(a.outcome, std::move(a.error));
    }
    JobResult<State::Prepared> b = m_state->prepare(task, scriptB, stop);
    if (!b) {
        return fail(b.outcome, std::move(b.error));
    }
    wire::RunJob job;
    job.sharedObject = a.value.build.path;
    job.dataSets = std::move(a.value.dataSets);
    job.symbol = State::kSymbol;
    job.rivals = {{b.value.build.path, State::kSymbol, std::move(b.value.dataSets), "", ""}};
    job.protocol = *protocolByName("pair", false);
    job.threads = task.threads;
    return pairRounds(*this, job, stop);
}

std::vector<LibraryOp> oneDnnOf(const compute::Definition& definition)
{
    const std::optional<std::string> op = libraryOpOf(definition);
    return op ? std::vector<LibraryOp>{{"onednn", *op}} : std::vector<LibraryOp>();
}

std::optional<Measurement> Together::library() const
{
    return libraries.empty() || libraries.front().outcome == Outcome::Refused ? std::nullopt : std::optional(libraries.front());
}

Measurement LocalDevice::measureLibrary(const schedule::Task& task, const LibraryOp& op, const std::string& protocol, const StopToken& stop)
{
    const auto start = std::chrono::steady_clock::now();
    Measurement m;
    m.protocol = protocol;
    const Result<wire::Protocol> numbers = protocolByName(protocol, false);
    if (!numbers) {
        m.outcome = Outcome::Refused;
        m.error = numbers.error();
        return m;
    }
    wire::RunJob job;
    job.library = op.library;
    job.libraryOp = op.op;
    job.dataSets = {{}};
    job.protocol = *numbers;
    job.threads = task.threads;
    const Result<Roofs> known = roofs(task.threads, false, stop);
    if (!known) {
        m.outcome = local::outcomeOf(known.error());
        m.error = known.error();
        return m;
    }
    JobResult<wire::RunReply> result = m_state->run(std::move(job), stop);
    m.run = std::move(result.value);
    local::take(m, result);
    if (m.outcome == Outcome::Ok) {
        local::judge(m, task, *known);
    }
    m.totalMs = local::msSince(start);
    return m;
}

namespace {

// A kernel of ours in the rounds, with where its figures go.
struct Entrant {
    std::size_t script = 0;
    std::string path;
    std::vector<std::vector<wire::PortData>> dataSets;
};

wire::RunJob roundsJob(const std::vector<Entrant>& entrants, const std::vector<LibraryOp>& libraries, const char* symbol)
{
    wire::RunJob job;
    job.sharedObject = entrants.front().path;
    job.symbol = symbol;
    job.dataSets = entrants.front().dataSets;
    for (std::size_t i = 1; i < entrants.size(); ++i) {
        job.rivals.push_back({entrants[i].path, symbol, entrants[i].dataSets, "", ""});
    }
    for (const LibraryOp& one : libraries) {
        job.rivals.push_back({"", "", {}, one.library, one.op});
    }
    return job;
}

// The reply of one of them as a measurement of its own.
void fill(Measurement& m, wire::RunReply reply, const schedule::Task& task, const Roofs& roofs)
{
    m.run = std::move(reply);
    m.run.rivals.clear();
    if (m.run.outcome != Outcome::Ok) {
        m.outcome = m.run.outcome;
        m.error = m.outcome == Outcome::Refused ? refused(m.run.failure) : failed(m.run.failure);
    } else if (m.run.verdict.checked && !m.run.verdict.correct) {
        m.outcome = Outcome::WrongResult;
        m.error = failed("wrong result: " + m.run.verdict.message);
    } else {
        local::judge(m, task, roofs);
    }
}

} // namespace

Together LocalDevice::measureTogether(const schedule::Task& task, const std::vector<std::string>& scripts,
                                      const std::vector<LibraryOp>& libraries, const std::string& protocol, const StopToken& stop)
{
    std::vector<Entry> entries;
    for (const std::string& script : scripts) {
        entries.push_back({task, script});
    }
    if (entries.empty()) { // nothing of ours to take turns with
        Together made;
        for (const LibraryOp& one : libraries) {
            made.libraries.push_back(measureLibrary(task, one, protocol, stop));
        }
        return made;
    }
    return measureTogether(entries, libraries, protocol, stop);
}

Together LocalDevice::measureTogether(const std::vector<Entry>& entries, const std::vector<LibraryOp>& libraries,
                                      const std::string& protocol, const StopToken& stop)
{
    Together made;
    if (entries.empty()) {
        return made;
    }
    const schedule::Task& first = entries.front().task;
    made.scripts.resize(entries.size());
    const auto failAll = [&made](Outcome outcome, const Error& error) {
        for (Measurement& m : made.scripts) {
            m.outcome = m.outcome == Outcome::Ok ? outcome : m.outcome;
            m.error = m.outcome == outcome ? error : m.error;
        }
        return made;
    };
    const Result<wire::Protocol> numbers = protocolByName(protocol, false);
    if (!numbers || (protocol != "quick" && protocol != "confirm")) {
        return failAll(Outcome::Refused, numbers ? refused("Several are measured together under quick or confirm only.") : numbers.error());
    }
    const auto start = std::chrono::steady_clock::now();
    std::vector<Entrant> entrants;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        Measurement& m = made.scripts[i];
        m.protocol = protocol;
        const auto began = std::chrono::steady_clock::now();
        JobResult<State::Prepared> prepared = m_state->prepare(entries[i].task, entries[i].script, stop);
        m.buildMs = local::msSince(began);
        if (prepared.outcome == Outcome::Stopped) {
            return failAll(Outcome::Stopped, prepared.error);
        }
        if (!prepared) {
            local::take(m, prepared); // left out of the rounds
            continue;
        }
        m.build = prepared.value.build;
        m.listing = m.build.kernels[0];
        entrants.push_back({i, m.build.path, std::move(prepared.value.dataSets)});
    }
    const Result<Roofs> known = roofs(first.threads, false, stop);
    if (!known) {
        return failAll(local::outcomeOf(known.error()), known.error());
    }
    for (int attempt = 0; attempt < 2 && !entrants.empty(); ++attempt) {
        wire::RunJob job = roundsJob(entrants, libraries, State::kSymbol);
        job.protocol = *numbers;
        job.threads = first.threads;
        job.timeoutMs = m_state->settings.runTimeoutMs * static_cast<std::int64_t>(1 + job.rivals.size());
        const std::size_t rivals = job.rivals.size();
        JobResult<wire::RunReply> result = m_state->run(std::move(job), stop);
        if (result.outcome == Outcome::Stopped) {
            return failAll(Outcome::Stopped, result.error);
        }
        // A fault in memory is a wrong result that ended the job before it was the others' turn.
        const bool isWhole = result.value.rivals.size() == rivals;
        if (isWhole && (result.outcome == Outcome::Ok || result.outcome == Outcome::WrongResult)) {
            made.together = true;
            for (std::size_t i = 0; i < entrants.size(); ++i) {
                Measurement& m = made.scripts[entrants[i].script];
                fill(m, i == 0 ? result.value : result.value.rivals[i - 1], entries[entrants[i].script].task, *known);
                m.logTail = result.logTail;
                m.totalMs = local::msSince(start);
            }
            for (std::size_t i = 0; i < libraries.size(); ++i) { // behind the rivals of our own
                Measurement& m = made.libraries.emplace_back();
                m.protocol = protocol;
                fill(m, result.value.rivals[entrants.size() - 1 + i], first, *known);
            }
            return made;
        }
        // Somebody ended it: each is looked at alone, and whoever fails there is left out of the next attempt.
        std::erase_if(entrants, [&](const Entrant& entrant) {
            const Measurement alone = measure(entries[entrant.script].task, entries[entrant.script].script, "none", false, stop);
            Measurement& m = made.scripts[entrant.script];
            if (alone.outcome == Outcome::Ok || alone.outcome == Outcome::Stopped) {
                return false;
            }
            m.outcome = alone.outcome;
            m.error = alone.error;
            m.logTail = alone.logTail;
            m.run = alone.run;
            return true;
        });
    }
    // Together it could not be done: one after the other, each for itself.
    for (const Entrant& entrant : entrants) {
        made.scripts[entrant.script] = measure(entries[entrant.script].task, entries[entrant.script].script, protocol, false, stop);
    }
    for (const LibraryOp& one : libraries) {
        made.libraries.push_back(measureLibrary(first, one, protocol, stop));
    }
    return made;
}

} // namespace nw::measure
