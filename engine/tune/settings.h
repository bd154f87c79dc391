#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <string>

namespace nw::tune {

// What a person asked of a tuner; kept with its session as one line of text.
struct Settings {
    std::uint64_t seed = 1;
    std::string search = "evolutionary"; // findSearch()
    // Scripts whose knobs are searched: "template", "mine" (the operator's own script, its numbers turned into knobs),
    // "sketch" (made from the definition), "all" (the template, sketches where there is none or it leaves few choices, and a
    // person's own script where there is one).
    std::string from = "all";
    std::string fixedLoops;    // of "mine": these keep their numbers; separated by spaces
    int trials = 500;          // of the whole session; 0: no limit
    double seconds = 0;        // of tuning; 0: no limit
    int plateau = 0;           // a task is done after so many of its trials without a gain of 0.5 %; 0: never
    int batch = 32;
    double randomShare = 0.15;
    int failuresInRow = 50;    // a task is given up after so many
    int finalists = 5;         // measured again alternately in the end
    bool transfer = true;      // learn from records of the same kind of operator
    bool model = true;         // false: no cost model at all
    // How the project was opened, so that a tuner that goes on later finds the same tasks; empty or 0: as its choices say.
    int threads = 0;
    std::string target;
    std::string bind;       // "batch:2,time:16"
    std::string algorithms; // "conv.0:winograd4", ":winograd2" for all that it is for

    std::string toText() const; // "seed=1 search=evolutionary ..."
    // Refused with what is wrong: an unknown name, a number out of range.
    static Result<Settings> parse(const std::string& text);
};

} // namespace nw::tune
