#pragma once

#include "app/cli/arguments.h"

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/base/stop.h"
#include "engine/measure/device.h"
#include "engine/session/project.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace nw::app {

// DESIGN.md 9.
enum ExitCode {
    Fine = 0,
    Failure = 1,
    Usage = 2,
    IllegalStep = 3,
    WrongResult = 4,
    DeviceUnavailable = 5,
    Regression = 6,
    Interrupted = 130
};

// What every verb takes.
struct CommonOptions {
    bool json = false;
    std::string model;                // M: model file, sample folder or .nest
    std::vector<std::string> bind;    // "batch=2"
    std::vector<std::string> algorithm; // "conv.0=winograd4", or "winograd4" for all that it is for
    std::string target;
    int threads = 0;
    std::uint64_t seed = 1;
    double timeoutSeconds = 0;        // 0: the verb's own
};

// One run of the program: output, project, device, stop.
class Session {
public:
    explicit Session(CommonOptions options);

    const CommonOptions& options() const { return m_options; }
    const StopToken& stop() const { return m_stop; }
    bool colour() const { return m_colour; }

    // Prints a line for people; nothing with --json.
    void say(const std::string& text) const;
    // Prints one object a line; nothing without --json. "ok" is put first when absent.
    void emit(Json object) const;
    // A step of slow work, on a terminal's last line only.
    void progress(const std::string& what) const;
    // Prints the error (with --json as an object) and gives the exit code it stands for.
    int fail(const Error& error) const;
    int fail(wire::Outcome outcome, const Error& error) const;

    Result<session::OpenOptions> openOptions() const; // --bind, --algorithm, --target, --threads
    Result<session::Project*> project(const session::OpenOptions& open); // in place of the one that was open
    Result<session::Project*> project(bool ephemeral = false, const std::map<std::string, Tensor>& boundInputs = {});
    Result<measure::LocalDevice*> device();

private:
    CommonOptions m_options;
    StopToken m_stop;
    bool m_colour = false;
    bool m_terminal = false;
    std::unique_ptr<session::Project> m_project;
    std::unique_ptr<measure::LocalDevice> m_device;
};

// Adds -j/--json, --bind, --target, --threads, --seed, --timeout and the model argument to a verb.
void addCommon(const Arguments& verb, CommonOptions& options, bool withModel = true);

// A verb: declares its arguments on the program and returns what to run when it was chosen.
using Verb = void (*)(const Arguments& program, CommonOptions& options, int& exitCode);

// The verbs, one file a family.
void addInfo(const Arguments& program, CommonOptions& options, int& exitCode);
void addGraph(const Arguments& program, CommonOptions& options, int& exitCode);
void addOps(const Arguments& program, CommonOptions& options, int& exitCode);
void addShow(const Arguments& program, CommonOptions& options, int& exitCode);
void addLegal(const Arguments& program, CommonOptions& options, int& exitCode);
void addApply(const Arguments& program, CommonOptions& options, int& exitCode);
void addReplay(const Arguments& program, CommonOptions& options, int& exitCode);
void addUndo(const Arguments& program, CommonOptions& options, int& exitCode);
void addDiff(const Arguments& program, CommonOptions& options, int& exitCode);
void addBench(const Arguments& program, CommonOptions& options, int& exitCode);
void addCompare(const Arguments& program, CommonOptions& options, int& exitCode);
void addSweep(const Arguments& program, CommonOptions& options, int& exitCode);
void addTune(const Arguments& program, CommonOptions& options, int& exitCode);
void addRun(const Arguments& program, CommonOptions& options, int& exitCode);
void addExport(const Arguments& program, CommonOptions& options, int& exitCode);
void addVerify(const Arguments& program, CommonOptions& options, int& exitCode);
void addFuzz(const Arguments& program, CommonOptions& options, int& exitCode);
void addDoctor(const Arguments& program, CommonOptions& options, int& exitCode);

// "1.23 ms": three significant digits. Columns of a table aligned, numbers to the right.
std::string timeText(double nanoseconds);
std::string percentText(double share);
std::string countText(double value); // 1.23 G
std::string bytesText(std::int64_t bytes);
std::string tableText(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows);

} // namespace nw::app
