#pragma once

#include "engine/session/editing.h"

#include <string>
#include <vector>

namespace nw::session {

// A line of work on one operator: the revisions of one branch, by the newest of them.
struct Branch {
    std::string name;         // "main", "main-2"
    std::int64_t tip = 0;     // its newest revision
    std::string script;       // of the tip
    int steps = 0;            // of the tip
    int leaves = 0;           // steps that it shares with the text shown: it goes its own way behind that station
    double bestNs = 0;        // best time known of any of its revisions; 0: none
    bool current = false;     // the text shown is one of its revisions
};

// In the order they were begun. `head`: the revision shown, 0 before the first.
std::vector<Branch> branchesOf(const std::vector<record::Revision>& revisions, std::int64_t head, const Editing& editing);

// The steps of a script's text, one a line; comments, knobs and constraints are none.
std::vector<std::string> stepLines(const std::string& text);
// Does `after` drop, change or insert a step before the last one of `before`? Then the older text is worth keeping as a
// branch. Adding steps, or changing the last one, goes on in the same branch.
bool changesAMiddleStep(const std::string& before, const std::string& after);

} // namespace nw::session
