#include "app/cli/command.h"

#include "engine/base/text.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace nw::app {
namespace {

// Control characters as "\x1b": names come from models and files, and a terminal obeys what it is sent.
std::string printable(const std::string& text)
{
    std::string shown;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f) {
            shown += format("\\x{:02x}", byte);
        } else {
            shown += c;
        }
    }
    return shown;
}

// The signal handler may only touch this; the token outlives every job of the process.
StopToken& stopOfProcess()
{
    static StopToken token;
    return token;
}
void onInterrupt(int)
{
    stopOfProcess().requestStop();
}

int exitCodeOf(wire::Outcome outcome)
{
    switch (outcome) {
    case wire::Outcome::Ok:
        return Fine;
    case wire::Outcome::WrongResult:
        return WrongResult;
    case wire::Outcome::Refused:
        return IllegalStep;
    case wire::Outcome::DeviceUnavailable:
        return DeviceUnavailable;
    case wire::Outcome::Stopped:
        return Interrupted;
    case wire::Outcome::DoesNotBuild:
    case wire::Outcome::Crash:
    case wire::Outcome::Hang:
    case wire::Outcome::OutOfMemory:
    case wire::Outcome::EndedEarly:
    case wire::Outcome::ProtocolError:
        return Failure;
    }
    return Failure;
}

} // namespace

Session::Session(CommonOptions options)
    : m_options(std::move(options))
    , m_stop(stopOfProcess())
    , m_colour(isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr)
    , m_terminal(isatty(STDERR_FILENO) == 1)
{
    std::signal(SIGINT, &onInterrupt);
    std::signal(SIGTERM, &onInterrupt);
    std::signal(SIGPIPE, SIG_IGN);
}

void Session::say(const std::string& text) const
{
    if (!m_options.json) {
        std::printf("%s%s", printable(text).c_str(), text.ends_with('\n') ? "" : "\n");
    }
}

void Session::emit(Json object) const
{
    if (m_options.json) {
        Json line;
        line["ok"] = object.value("ok", true);
        for (auto& [key, value] : object.items()) {
            line[key] = value;
        }
        std::printf("%s\n", jsonLine(line).c_str());
        std::fflush(stdout);
    }
}

void Session::progress(const std::string& what) const
{
    if (m_terminal && !m_options.json) {
        std::fprintf(stderr, "\r\033[K%s", what.c_str());
        std::fflush(stderr);
    }
}

int Session::fail(const Error& error) const
{
    progress("");
    std::string place;
    if (error.line > 0) {
        place = format("line {}, column {}: ", error.line, error.column);
    }
    if (m_options.json) {
        Json object{{"ok", false}, {"error", place + error.message}};
        if (error.refusal) {
            object["rule"] = error.refusal->rule;
            object["places"] = error.refusal->places;
            object["unlocks"] = error.refusal->unlocks;
        }
        emit(std::move(object));
    } else {
        std::fprintf(stderr, "nestw: %s%s\n", place.c_str(), printable(error.message).c_str());
        if (error.refusal) {
            for (const std::string& unlock : error.refusal->unlocks) {
                std::fprintf(stderr, "  possible after: %s\n", unlock.c_str());
            }
        }
    }
    switch (error.kind) {
    case Error::Kind::Refused:
        return error.refusal ? IllegalStep : Failure;
    case Error::Kind::Stopped:
        return Interrupted;
    case Error::Kind::Failed:
        return Failure;
    }
    return Failure;
}

int Session::fail(wire::Outcome outcome, const Error& error) const
{
    Error worded = error;
    worded.message = format("{}: {}", wire::toText(outcome), error.message);
    fail(worded);
    return exitCodeOf(outcome);
}

Result<session::OpenOptions> Session::openOptions() const
{
    session::OpenOptions open;
    for (const std::string& text : m_options.bind) {
        const auto equals = text.find('=');
        char* end = nullptr;
        const long long value = equals == std::string::npos ? 0 : std::strtoll(text.c_str() + equals + 1, &end, 10);
        if (equals == std::string::npos || equals == 0 || end == text.c_str() + equals + 1 || *end != '\0') {
            return failed("--bind takes NAME=NUMBER, not '" + text + "'.");
        }
        open.bind[text.substr(0, equals)] = value;
    }
    for (const std::string& text : m_options.algorithm) {
        const auto equals = text.find('=');
        open.algorithms[equals == std::string::npos ? "" : text.substr(0, equals)] =
            equals == std::string::npos ? text : text.substr(equals + 1);
    }
    open.target = m_options.target;
    open.threads = m_options.threads;
    return open;
}

Result<session::Project*> Session::project(bool ephemeral, const std::map<std::string, Tensor>& boundInputs)
{
    Result<session::OpenOptions> open = openOptions();
    if (!open) {
        return open.error();
    }
    open->boundInputs = boundInputs;
    open->ephemeral = ephemeral;
    return project(*open);
}

Result<session::Project*> Session::project(const session::OpenOptions& open)
{
    const Result<session::Folders> folders = session::userFolders();
    if (!folders) {
        return folders.error();
    }
    Result<std::unique_ptr<session::Project>> opened = session::Project::open(m_options.model, open, *folders);
    if (!opened) {
        return opened.error();
    }
    m_project = *std::move(opened);
    return m_project.get();
}

Result<measure::LocalDevice*> Session::device()
{
    if (!m_device) {
        Result<measure::LocalDevice::Settings> settings = session::deviceSettings();
        if (!settings) {
            return settings.error();
        }
        if (m_options.timeoutSeconds > 0) {
            settings->runTimeoutMs = static_cast<std::int64_t>(m_options.timeoutSeconds * 1000);
            settings->buildTimeoutMs = settings->runTimeoutMs;
        }
        m_device = std::make_unique<measure::LocalDevice>(*std::move(settings));
    }
    return m_device.get();
}

void addCommon(const Arguments& verb, CommonOptions& options, bool withModel)
{
    if (withModel) {
        verb.option("M", options.model, "a model (.onnx, .onnxtxt), a sample folder or a project (.nest)").required();
        verb.option("--algorithm", options.algorithm,
                    "direct, winograd2 or winograd4 for the operators that it is for, or GROUP=ALGORITHM").oneEach();
        verb.option("--bind", options.bind, "extent of a symbolic dimension: NAME=NUMBER").oneEach();
    }
    verb.flag("--json", options.json, "one JSON object a line");
    verb.option("--target", options.target, "native, x86-64-v2, x86-64-v3 or x86-64-v4");
    verb.option("--threads", options.threads, "threads of parallel loops").between(1, 1024);
    verb.option("--seed", options.seed, "of random data and of what a search draws");
    verb.option("--timeout", options.timeoutSeconds, "seconds a build or a run may take").notNegative();
}

} // namespace nw::app
