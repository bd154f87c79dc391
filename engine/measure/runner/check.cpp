#include "engine/measure/runner/check.h"

#include "engine/base/text.h"
#include "engine/measure/runner/guarded_buffer.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>

namespace nw::runner {
namespace {

bool isRead(wire::PortRole role)
{
    return role == wire::PortRole::Input || role == wire::PortRole::Constant;
}

std::string_view word(wire::PortRole role)
{
    switch (role) {
    case wire::PortRole::Input: return "input";
    case wire::PortRole::Constant: return "constant";
    case wire::PortRole::Output: return "output";
    case wire::PortRole::Scratch: return "workspace";
    }
    return "";
}

class Checker {
public:
    Checker(const LoadedCode& code, bool isModel, std::int64_t threads, RegionPool& pool, FaultReport& faults)
        : m_code(code)
        , m_isModel(isModel)
        , m_threads(threads)
        , m_pool(pool)
        , m_faults(faults)
    {}
    ~Checker()
    {
        for (GuardedBuffer& buffer : m_buffers) {
            m_pool.giveBack(std::move(buffer).release());
        }
    }
    Checker(const Checker&) = delete;
    Checker& operator=(const Checker&) = delete;

    Status makeBuffers(const LoadedSet& set);
    void runOnce(const LoadedSet& set, Edge edge, const std::string& where);
    Status saveOutputs(const LoadedSet& set) const;
    const CheckReport& report() const { return m_report; }

private:
    void fill(const LoadedSet& set, Edge edge);
    std::vector<GuardRange> guards() const;
    void judge(const LoadedPort& port, std::size_t index, const std::string& where);
    void blame(const LoadedPort& port, std::size_t index, const std::string& where, const std::string& words);

    const LoadedCode& m_code;
    bool m_isModel;
    std::int64_t m_threads;
    RegionPool& m_pool;
    FaultReport& m_faults;
    std::vector<GuardedBuffer> m_buffers;
    CheckReport m_report;
};

Status Checker::makeBuffers(const LoadedSet& set)
{
    for (const LoadedPort& port : set) {
        Result<GuardedBuffer> buffer = GuardedBuffer::create(m_pool, port.bytes, port.alignment());
        if (!buffer) {
            return buffer.error();
        }
        m_buffers.push_back(*std::move(buffer));
    }
    return Done{};
}

void Checker::fill(const LoadedSet& set, Edge edge)
{
    for (std::size_t i = 0; i < set.size(); ++i) {
        m_buffers[i].place(edge);
        const std::span<std::byte> bytes = m_buffers[i].bytes();
        if (isRead(set[i].role)) {
            std::copy(set[i].contents.begin(), set[i].contents.end(), bytes.begin());
        } else {
            fillWithMarks(bytes); // an element that is never written, or a workspace read before, shows as NaN
        }
    }
}

std::vector<GuardRange> Checker::guards() const
{
    std::vector<GuardRange> ranges;
    for (std::size_t i = 0; i < m_buffers.size(); ++i) {
        const GuardedBuffer& buffer = m_buffers[i];
        const int port = static_cast<int>(i);
        ranges.push_back({buffer.guardBefore() - Region::kGuardBytes, buffer.guardBefore(), buffer.data(), false, port});
        ranges.push_back({buffer.guardBehind(), buffer.guardBehind() + Region::kGuardBytes,
                          buffer.data() + buffer.bytes().size(), true, port});
    }
    return ranges;
}

void Checker::blame(const LoadedPort& port, std::size_t index, const std::string& where, const std::string& words)
{
    if (m_report.verdict.correct) {
        m_report.verdict.correct = false;
        m_report.verdict.message = format("{} port {} ({}): {}", word(port.role), index, where, words);
    }
}

void Checker::judge(const LoadedPort& port, std::size_t index, const std::string& where)
{
    const std::span<const std::byte> bytes = m_buffers[index].bytes();
    if (isRead(port.role)) {
        if (!std::equal(bytes.begin(), bytes.end(), port.contents.begin())) {
            const auto changed = std::mismatch(bytes.begin(), bytes.end(), port.contents.begin()).first - bytes.begin();
            blame(port, index, where, format("was written to, at byte {}", changed));
        }
    } else if (port.isChecked) {
        const Difference difference = compareOutput(bytes, port.type, port.expectation, port.mustBeZero);
        m_report.verdict.checked = true;
        m_report.verdict.maxAbsDiff = std::max(m_report.verdict.maxAbsDiff, difference.maxAbs);
        m_report.verdict.maxRelDiff = std::max(m_report.verdict.maxRelDiff, difference.maxRel);
        if (!difference.correct) {
            blame(port, index, where, difference.message);
        }
    }
    if (const std::string words = m_buffers[index].disturbed(); !words.empty()) {
        blame(port, index, where, words);
    }
}

void Checker::runOnce(const LoadedSet& set, Edge edge, const std::string& where)
{
    fill(set, edge);
    std::vector<void*> pointers;
    std::vector<wire::PortRole> roles;
    for (std::size_t i = 0; i < set.size(); ++i) {
        pointers.push_back(m_buffers[i].bytes().data());
        roles.push_back(set[i].role);
    }
    Call call(m_code, m_isModel, roles, std::move(pointers), m_threads);
    const pid_t self = ::getpid();
    m_faults.watch(guards(), where);
    const auto begin = std::chrono::steady_clock::now();
    call.run(1);
    const auto end = std::chrono::steady_clock::now();
    m_faults.unwatch();
    if (::getpid() != self) {
        ::_exit(0); // the kernel forked, and this is the copy
    }
    m_report.slowestRunNs = std::max(m_report.slowestRunNs, std::chrono::duration<double, std::nano>(end - begin).count());
    ++m_report.runs;
    m_report.verdict.checked = true;
    for (std::size_t i = 0; i < set.size(); ++i) {
        judge(set[i], i, where);
    }
}

Status Checker::saveOutputs(const LoadedSet& set) const
{
    for (std::size_t i = 0; i < set.size(); ++i) {
        if (set[i].saveFile.empty()) {
            continue;
        }
        const std::span<const std::byte> bytes = m_buffers[i].bytes();
        std::ofstream file(set[i].saveFile, std::ios::binary | std::ios::trunc);
        file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        file.close();
        if (!file) {
            return failed(format("cannot write {}", set[i].saveFile));
        }
    }
    return Done{};
}

} // namespace

Result<CheckReport> check(const LoadedCode& code, bool isModel, const LoadedData& data, std::int64_t threads,
                          RegionPool& pool, FaultReport& faults)
{
    if (data.sets.empty()) {
        return failed("a job without data");
    }
    Checker checker(code, isModel, threads, pool, faults);
    if (const Status made = checker.makeBuffers(data.sets.front()); !made) {
        return made.error();
    }
    for (std::size_t s = 0; s < data.sets.size() && checker.report().verdict.correct; ++s) {
        const LoadedSet& set = data.sets[s];
        for (const Edge edge : {Edge::Shifted, Edge::Left, Edge::Right}) {
            if ((edge == Edge::Shifted && s > 0) || !checker.report().verdict.correct) {
                continue;
            }
            checker.runOnce(set, edge, format("data set {}, {}", s + 1, toText(edge)));
        }
        if (const Status saved = checker.saveOutputs(set); !saved) {
            return saved.error();
        }
    }
    return checker.report();
}

} // namespace nw::runner
