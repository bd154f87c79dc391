#include "engine/measure/child_process.h"

#include "engine/base/text.h"
#include "engine/measure/log_tail.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <future>
#include <thread>

#include <linux/close_range.h>

namespace nw::measure {
namespace {

constexpr int kChannelDescriptor = 3;

// A descriptor that closes itself. Numbers below 10 are avoided, so that the child can put its own in place without
// running over one of ours.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int fd)
        : m_fd(fd >= 0 && fd < 10 ? ::fcntl(fd, F_DUPFD_CLOEXEC, 10) : fd)
    {
        if (m_fd != fd) {
            ::close(fd);
        }
    }
    ~Descriptor() { reset(); }
    Descriptor(Descriptor&& other) noexcept
        : m_fd(std::exchange(other.m_fd, -1))
    {}
    Descriptor& operator=(Descriptor&& other) noexcept
    {
        std::swap(m_fd, other.m_fd);
        return *this;
    }
    int get() const { return m_fd; }
    int release() { return std::exchange(m_fd, -1); }
    void reset()
    {
        if (m_fd >= 0) {
            ::close(std::exchange(m_fd, -1));
        }
    }

private:
    int m_fd = -1;
};

struct Ends {
    Descriptor ours, theirs;
};

Result<Ends> socketPair()
{
    int fds[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
        return failed(format("no socket pair for a worker: {}", std::strerror(errno)));
    }
    return Ends{Descriptor(fds[0]), Descriptor(fds[1])};
}

// Read end is ours.
Result<Ends> pipePair()
{
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) {
        return failed(format("no pipe for a worker: {}", std::strerror(errno)));
    }
    return Ends{Descriptor(fds[0]), Descriptor(fds[1])};
}

// What the child needs between fork and exec, prepared before: there, only system calls are allowed.
struct Launch {
    std::string program;
    std::vector<std::string> texts;
    std::vector<char*> arguments;
    int channel = -1, output = -1, failure = -1, nullInput = -1;
    rlim_t memoryLimit = RLIM_INFINITY;
    pid_t parent = 0;
};

[[noreturn]] void becomeWorker(const Launch& launch)
{
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != launch.parent) {
        ::_exit(127); // the parent died before the line above
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, SIGUSR1, SIGUSR2}) {
        ::signal(number, SIG_DFL);
    }
    const rlimit noCore{0, 0};
    ::setrlimit(RLIMIT_CORE, &noCore);
    if (launch.memoryLimit != RLIM_INFINITY) {
        const rlimit limit{launch.memoryLimit, launch.memoryLimit};
        ::setrlimit(RLIMIT_AS, &limit);
    }
    ::dup2(launch.nullInput, 0);
    ::dup2(launch.output, 1);
    ::dup2(launch.output, 2);
    ::dup2(launch.channel, kChannelDescriptor);
    ::close_range(kChannelDescriptor + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    ::execv(launch.program.c_str(), launch.arguments.data());
    const int code = errno;
    [[maybe_unused]] const ssize_t written = ::write(launch.failure, &code, sizeof code);
    ::_exit(127);
}

// The process id, or minus the error number.
pid_t launchProcess(const Launch& launch, Descriptor& failureReader, Descriptor& failureWriter)
{
    const pid_t child = ::fork();
    if (child == 0) {
        becomeWorker(launch);
    }
    if (child < 0) {
        return -errno;
    }
    ::setpgid(child, child);
    failureWriter.reset();
    int code = 0;
    ssize_t count;
    do {
        count = ::read(failureReader.get(), &code, sizeof code);
    } while (count < 0 && errno == EINTR);
    if (count == static_cast<ssize_t>(sizeof code)) {
        ::waitpid(child, nullptr, 0);
        return -code;
    }
    return child;
}

// Reads all that is there; false at the end of the stream.
bool drain(int fd, LogTail& log)
{
    std::array<char, 1 << 16> chunk;
    while (true) {
        const ssize_t count = ::read(fd, chunk.data(), chunk.size());
        if (count > 0) {
            log.append({chunk.data(), static_cast<std::size_t>(count)});
        } else if (count == 0) {
            return false;
        } else if (errno != EINTR) {
            return errno == EAGAIN || errno == EWOULDBLOCK;
        }
    }
}

// Until `stopFd` is signalled, whatever becomes of the output.
void drainUntilStopped(int outputFd, int stopFd, LogTail& log)
{
    bool open = true;
    while (true) {
        std::array<pollfd, 2> entries{pollfd{stopFd, POLLIN, 0}, pollfd{open ? outputFd : -1, POLLIN, 0}};
        if (::poll(entries.data(), entries.size(), -1) < 0 && errno != EINTR) {
            return;
        }
        if (entries[0].revents != 0) {
            drain(outputFd, log);
            return;
        }
        if (entries[1].revents != 0) {
            open = drain(outputFd, log);
        }
    }
}

} // namespace

struct ChildProcess::State {
    pid_t pid = 0;
    bool reaped = false;
    std::optional<wire::Channel> channel;
    Descriptor output, stopper;
    LogTail log;
    std::uint64_t logStart = 0;
    // Makes the child and then reads its output. The same thread must live as long as the child: the kernel sends the
    // parent-death signal when the *thread* that forked ends.
    std::thread thread;
};

ChildProcess::ChildProcess()
    : m_state(std::make_unique<State>())
{}

ChildProcess::~ChildProcess()
{
    finish(0);
}

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const Settings& settings)
{
    Result<Ends> socket = socketPair();
    Result<Ends> output = pipePair();
    Result<Ends> failure = pipePair();
    Descriptor nullInput(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    Descriptor stopper(::eventfd(0, EFD_CLOEXEC));
    for (const Result<Ends>* made : {&socket, &output, &failure}) {
        if (!*made) {
            return made->error();
        }
    }
    ::fcntl(output->ours.get(), F_SETFL, O_NONBLOCK);

    Launch launch;
    launch.program = settings.program.string();
    launch.texts = {launch.program, std::to_string(kChannelDescriptor)};
    launch.texts.insert(launch.texts.end(), settings.arguments.begin(), settings.arguments.end());
    for (std::string& text : launch.texts) {
        launch.arguments.push_back(text.data());
    }
    launch.arguments.push_back(nullptr);
    launch.channel = socket->theirs.get();
    launch.output = output->theirs.get();
    launch.failure = failure->theirs.get();
    launch.nullInput = nullInput.get();
    launch.parent = ::getpid();
    if (settings.memoryLimitBytes > 0) {
        launch.memoryLimit = static_cast<rlim_t>(settings.memoryLimitBytes);
    }

    std::unique_ptr<ChildProcess> child(new ChildProcess);
    State& state = *child->m_state;
    state.channel.emplace(socket->ours.release());
    state.output = std::move(output->ours);
    state.stopper = std::move(stopper);
    std::promise<pid_t> promise;
    std::future<pid_t> answer = promise.get_future();
    // What belongs to this function is used before the promise is kept, and nothing of it afterwards.
    state.thread = std::thread([&launch, &failure, owned = &state, promise = std::move(promise)]() mutable {
        promise.set_value(launchProcess(launch, failure->ours, failure->theirs));
        drainUntilStopped(owned->output.get(), owned->stopper.get(), owned->log);
    });
    const pid_t pid = answer.get();
    if (pid < 0) {
        state.reaped = true;
        return failed(format("cannot start {}: {}", launch.program, std::strerror(-pid)));
    }
    state.pid = pid;
    return child;
}

int ChildProcess::id() const
{
    return m_state->pid;
}

wire::Channel& ChildProcess::channel()
{
    return *m_state->channel;
}

bool ChildProcess::hasEnded() const
{
    if (m_state->reaped) {
        return true;
    }
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(m_state->pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

std::optional<ProcessEnd> ChildProcess::finish(std::int64_t timeoutMs)
{
    State& state = *m_state;
    std::optional<ProcessEnd> end;
    if (!state.reaped) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeoutMs);
        bool byItself = hasEnded();
        while (!byItself && std::chrono::steady_clock::now() < deadline) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            byItself = hasEnded();
        }
        // Before reaping: afterwards the number could belong to another group.
        ::kill(-state.pid, SIGKILL);
        int status = 0;
        while (::waitpid(state.pid, &status, 0) < 0 && errno == EINTR) {
        }
        state.reaped = true;
        if (byItself) {
            end = WIFSIGNALED(status) ? ProcessEnd{true, WTERMSIG(status)} : ProcessEnd{false, WEXITSTATUS(status)};
        }
    }
    if (state.thread.joinable()) {
        const std::uint64_t one = 1;
        [[maybe_unused]] const ssize_t written = ::write(state.stopper.get(), &one, sizeof one);
        state.thread.join();
    }
    return end;
}

void ChildProcess::beginLog()
{
    m_state->logStart = m_state->log.total();
}

std::string ChildProcess::logTail(std::size_t limit) const
{
    return m_state->log.since(m_state->logStart, limit);
}

} // namespace nw::measure
