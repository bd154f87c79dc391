#include "engine/measure/runner/fault.h"

#include "engine/wire/messages.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>

namespace nw::runner {
namespace {

constexpr std::size_t kTextBytes = 200;
constexpr char kPlaceholder = '\x16';

// A signal handler can reach nothing but static memory; it may only use system calls.
struct Shared {
    std::atomic<bool> active{false};
    std::atomic<bool> handling{false};
    int descriptor = -1;
    pid_t process = 0;
    std::string frame; // complete, with its length; the message's text is a run of placeholders
    std::size_t textAt = 0;
    std::vector<GuardRange> ranges;
    std::array<char, 64> where{};
};
Shared shared;

class Text {
public:
    explicit Text(char* to)
        : m_to(to)
    {}
    void add(const char* text)
    {
        while (*text != '\0' && m_count < kTextBytes) {
            m_to[m_count++] = *text++;
        }
    }
    void add(std::uint64_t number)
    {
        std::array<char, 24> digits{};
        std::size_t at = digits.size() - 1;
        do {
            digits[--at] = static_cast<char>('0' + number % 10);
            number /= 10;
        } while (number > 0);
        add(&digits[at]);
    }
    void pad() { std::fill(m_to + m_count, m_to + kTextBytes, ' '); }

private:
    char* m_to;
    std::size_t m_count = 0;
};

void report(const GuardRange& range, const std::byte* address)
{
    Text text(shared.frame.data() + shared.textAt);
    text.add("touched memory that is not its own: ");
    const std::ptrdiff_t distance = range.behind ? address - range.buffer + 1 : range.buffer - address;
    text.add(static_cast<std::uint64_t>(distance));
    text.add(range.behind ? " bytes behind the end of port " : " bytes before the start of port ");
    text.add(static_cast<std::uint64_t>(range.port));
    text.add(" (");
    text.add(shared.where.data());
    text.add(")");
    text.pad();
    std::size_t sent = 0;
    while (sent < shared.frame.size()) {
        const ssize_t count = ::write(shared.descriptor, shared.frame.data() + sent, shared.frame.size() - sent);
        if (count <= 0) {
            break;
        }
        sent += static_cast<std::size_t>(count);
    }
    ::_exit(0);
}

void onFault(int number, siginfo_t* info, void*)
{
    if (shared.active.load() && ::getpid() == shared.process) {
        const std::byte* const address = static_cast<const std::byte*>(info->si_addr);
        for (const GuardRange& range : shared.ranges) {
            if (address >= range.begin && address < range.end) {
                while (shared.handling.exchange(true)) {
                    ::pause(); // another thread reports and ends the process
                }
                report(range, address);
            }
        }
    }
    std::signal(number, SIG_DFL); // and fault again
}

} // namespace

FaultReport::FaultReport(int channelDescriptor, std::uint64_t jobId)
{
    shared.active.store(false);
    shared.descriptor = channelDescriptor;
    shared.process = ::getpid();
    wire::RunReply reply;
    reply.verdict = {true, false, 0, 0, std::string(kTextBytes, kPlaceholder)};
    wire::Frame frame;
    frame.kind = wire::Frame::Kind::RunDone;
    frame.id = jobId;
    frame.last = true;
    frame.body = wire::encode(reply);
    const std::string body = wire::encode(frame);
    shared.frame.clear();
    for (int i = 0; i < 4; ++i) {
        shared.frame.push_back(static_cast<char>(body.size() >> (8 * i) & 0xff));
    }
    shared.frame += body;
    shared.textAt = shared.frame.find(std::string(kTextBytes, kPlaceholder));
    ENSURE(shared.textAt != std::string::npos, "fault report: the message's text is not plain in its frame");

    struct sigaction action {};
    action.sa_sigaction = &onFault;
    action.sa_flags = SA_SIGINFO;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGSEGV, &action, nullptr);
    ::sigaction(SIGBUS, &action, nullptr);
}

FaultReport::~FaultReport()
{
    unwatch();
    std::signal(SIGSEGV, SIG_DFL);
    std::signal(SIGBUS, SIG_DFL);
}

void FaultReport::watch(std::vector<GuardRange> ranges, const std::string& where)
{
    shared.active.store(false);
    shared.ranges = std::move(ranges);
    const std::size_t count = std::min<std::size_t>(where.size(), 60);
    std::memcpy(shared.where.data(), where.data(), count);
    shared.where[count] = '\0';
    shared.active.store(true);
}

void FaultReport::unwatch()
{
    shared.active.store(false);
    shared.ranges.clear();
}

} // namespace nw::runner
