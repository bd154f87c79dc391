#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/measure/worker.h"
#include "tests/emulated/jobs.h"

#include <cstdio>

namespace nw::elsewhere {

namespace {

// Empty: the kernel does what it must.
std::string faultOf(const std::filesystem::path& folder, const std::string& number, measure::Worker& worker)
{
    const Result<std::string> bytes = readFile(folder / (number + ".job"));
    if (!bytes) {
        return bytes.error().message;
    }
    Result<wire::RunJob> job = wire::decodeRunJob(*bytes);
    if (!job) {
        return job.error().message;
    }
    forEachFile(*job, [&](std::string& file) { file = (folder / file).string(); });
    const measure::JobResult<wire::RunReply> ran = worker.run(*job);
    if (!ran) {
        return format("{}: {} {}", wire::toText(ran.outcome), ran.error.message, trim(ran.logTail));
    }
    return ran.value.verdict.checked ? "" : "nothing was checked";
}

struct Tally {
    std::string from; // template
    int passed = 0;
    std::vector<std::string> faults;

    void print() const
    {
        const int all = passed + static_cast<int>(faults.size());
        std::printf("%-28s %s, %d of %d\n", from.c_str(), faults.empty() ? "passed" : "FAILED", passed, all);
        for (const std::string& fault : faults) {
            std::printf("    %s\n", fault.c_str());
        }
        std::fflush(stdout);
    }
};

} // namespace

Result<bool> runJobs(const std::filesystem::path& folder, const std::filesystem::path& runner)
{
    std::error_code code;
    const std::filesystem::path root = std::filesystem::canonical(folder, code);
    const Result<std::string> list = readFile(root / kList);
    if (code || !list) {
        return failed(format("{} holds no {}: `write` makes such a folder", folder.string(), kList));
    }
    measure::Worker worker({runner, 0, 0, {}});
    if (const Status started = worker.start(); !started) {
        return started.error();
    }
    std::vector<Tally> tallies;
    for (const std::string& line : splitText(trim(*list), '\n')) {
        const std::vector<std::string> parts = splitText(line, '\t');
        if (parts.size() != 3) {
            return failed(format("\"{}\" is no line of a list of jobs", line));
        }
        if (tallies.empty() || tallies.back().from != parts[1]) {
            if (!tallies.empty()) {
                tallies.back().print();
            }
            tallies.push_back({parts[1], 0, {}});
        }
        const std::string fault = faultOf(root, parts[0], worker);
        if (fault.empty()) {
            ++tallies.back().passed;
        } else {
            tallies.back().faults.push_back(format("{} {}: {}", parts[0], parts[2], fault));
        }
    }
    tallies.back().print();
    int passed = 0, failures = 0;
    for (const Tally& tally : tallies) {
        passed += tally.passed;
        failures += static_cast<int>(tally.faults.size());
    }
    std::printf("%s: %d kernels of %zu templates passed, %d failed\n", failures == 0 ? "ALL PASSED" : "FAILED", passed, tallies.size(), failures);
    return failures == 0;
}

} // namespace nw::elsewhere
