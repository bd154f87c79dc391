#pragma once

#include "engine/base/random.h"
#include "engine/base/stop.h"
#include "engine/session/fuzz/case.h"
#include "engine/session/fuzz/worker_check.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nw::session::fuzz {

// Three runs that look for what nobody thought of. Every case is drawn from (seed, index) alone, so that one can be run
// again; what is thrown in a case is that case's failure.

struct Options {
    std::uint64_t seed = 1;
    std::uint64_t first = 0; // index of the first case
    std::uint64_t count = 300;
    Primitives primitives = schedule::allPrimitives();
};
// Before each case.
using OnCase = std::function<void(std::uint64_t index)>;

struct Failure {
    std::uint64_t seed = 0, index = 0;
    Fault fault = Fault::Bug; // Wrong or Bug
    std::string message;
    std::optional<Case> input; // shrunk; nothing when even the definition could not be made
    std::string text;          // of a script run: the text that did it
};
std::string toText(const Failure& failure);

// --- schedules: random definitions under random legal steps still compute what they define ---

struct StepCounts {
    std::uint64_t applied = 0, pointless = 0, refused = 0, unproven = 0;
    void count(schedule::Verdict verdict);
};
struct ScheduleReport {
    std::uint64_t cases = 0;
    std::uint64_t run = 0;       // by the workers
    std::uint64_t limited = 0;   // nests of which the code generator refused to make code
    std::map<std::string, StepCounts> primitives;
    std::vector<Failure> failures;
};
// The nests are interpreted in several orders and lowered; with `worker` they are also built and run.
Result<ScheduleReport> fuzzSchedules(const Options& options, WorkerCheck* worker, const OnCase& onCase, const StopToken& stop);

// --- refusals: was each step refused as illegal, or not proved, really wrong? ---

struct RefusalCounts {
    std::uint64_t met = 0;
    std::uint64_t agreed = 0;     // about memory of the caller, or a hint: no result can judge it
    std::uint64_t tooLong = 0;    // the nest runs too many steps to be interpreted
    std::uint64_t impossible = 0; // the rewrite cannot do it or drops a loop's kind, or no code can be made from the nest
    std::uint64_t wrong = 0;      // other results, an access outside, steps at once that meet
    std::uint64_t needless = 0;   // the definition's results all the same, in every order tried
    std::string example;          // of a needless one: definition, script, and the step
    std::uint64_t judged() const { return met - agreed - tooLong; }
};
struct RefusalReport {
    std::uint64_t cases = 0;
    std::map<std::string, RefusalCounts> rules;    // Illegal, by rule
    std::map<std::string, RefusalCounts> unproven; // Unproven, by rule
    std::map<std::string, RefusalCounts> illegal;  // Illegal, by primitive
    std::map<std::string, StepCounts> primitives;
    std::vector<Failure> failures;
};
Result<RefusalReport> fuzzRefusals(const Options& options, const OnCase& onCase, const StopToken& stop);

// --- scripts: no text makes the parser fail otherwise than with words, and what parses prints and parses equal ---

struct ScriptReport {
    std::uint64_t texts = 0, parsed = 0, replayed = 0;
    std::vector<Failure> failures;
};
// Here a case is one mutated text.
Result<ScriptReport> fuzzScripts(const Options& options, const OnCase& onCase, const StopToken& stop);

// --- parts that the runs share ---

Random streamOf(const Options& options, std::uint64_t index);
// Definition, layouts, target and threads; no steps.
Case randomCase(Random& random);

} // namespace nw::session::fuzz
