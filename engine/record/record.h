#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nw::record {

enum class Origin { Default, Edit, Template, Sweep, Tune, Library };
std::string_view toText(Origin origin); // "default", "edit", "template", "sweep", "tune", "library"

// One measurement, as kept (DESIGN.md 2). Times in nanoseconds.
struct Record {
    std::int64_t id = 0;
    std::string task;     // Task::identity()
    std::string anchor;   // Task::anchorIdentity()
    std::string group;    // "conv.0", for people
    std::string script;   // knob-free text
    Origin origin = Origin::Edit;
    std::string algorithm = "direct";
    std::string protocol; // "quick", "search", "confirm"
    bool cold = false;
    std::vector<double> samplesNs; // every sample, clean ones first `clean`
    int clean = 0;
    double medianNs = 0;
    double spread = 0; // relative
    bool noisy = false;
    bool unproven = false;
    std::string outcome = "ok"; // wire::toText(Outcome)
    std::string message;        // words for any other outcome
    double maxAbsDiff = 0, maxRelDiff = 0;
    double shareOfPeak = 0, shareOfBound = 0;
    double boundNs = 0;
    std::string boundBy;
    std::string device = "local";
    std::string deviceState; // JSON: clock share, run delay, other processes
    std::string compiler;    // "nestwright 0.1.0"
    std::string llvm;        // "22.1.8"
    std::int64_t unixTime = 0;
};

} // namespace nw::record
