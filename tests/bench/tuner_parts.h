#pragma once

#include "tests/bench/best_known.h"
#include "tests/bench/tuner_cases.h"
#include "tests/bench/tuner_speeds.h"

#include <filesystem>
#include <string>
#include <vector>

namespace nw::bench {

// A line of the table.
struct Row {
    std::string part, title;
    std::string from;                // which space, and how many choices
    std::vector<std::string> seeds;  // a figure of each
    std::string figure, asked;       // over the seeds
    std::vector<std::string> partial; // what is not there yet, or was shortened: it is not judged then
    std::vector<std::string> notes;
    bool isAsked = true; // false: a figure for people
    bool isMet = false;
    bool isJudged() const { return isAsked && partial.empty(); }
};

struct PartOptions {
    int seeds = 3;
    int trials = 0;    // of every session; 0: as many as the part is judged by
    std::string space; // of random, transfer, rate: "template", "sketch"; empty: as the part says
};

// What the parts share.
struct PartWork {
    PartOptions options;
    session::Folders folders;
    std::filesystem::path work; // for model files
    measure::LocalDevice* device = nullptr;
    TunerState* state = nullptr;
    BestScripts* best = nullptr;
    Speeds* speeds = nullptr;

    Result<session::Operator> open(const OperatorCase& wanted) const;
};

Row begunRow(const char* part, const TunerCase& wanted);
// Notes in `partial` what keeps the row from being judged: fewer seeds or trials than it is judged by.
int trialsOf(const PartWork& work, int asked, int seeds, Row& row);
// The space that is searched where a part does not say so: the template's where it has 10,000 points, else the sketches'.
Result<std::string> largeSpace(const PartWork& work, const session::Operator& op, Row& row);

// Within 200 trials from the expert's template; within 500 from sketches without one.
Result<Row> templatePart(PartWork& work, const TunerCase& wanted);
Result<Row> sketchPart(PartWork& work, const TunerCase& wanted);
// Trials until the tuner has what random search of the same space has after 500.
Result<Row> randomPart(PartWork& work, const TunerCase& wanted);
// Trials to 95 % of the best known after its neighbours were tuned, over those without.
Result<Row> transferPart(PartWork& work, const TunerCase& wanted);
// Checked candidates a second, compile included.
Result<Row> ratePart(PartWork& work, const TunerCase& wanted);
// How much larger the process is after 20,000 trials than after a tenth of them.
Result<Row> memoryPart(PartWork& work, const TunerCase& wanted);

inline constexpr double kAlike = 0.99; // what turns can tell apart on one thread

struct Part {
    const char* name;
    Result<Row> (*run)(PartWork& work, const TunerCase& wanted);
    bool isAlone; // looks at memoryCase() instead of every operator
};
const std::vector<Part>& allParts();

// Measures what won in the state, and the expert's template, beside the best that is kept, and keeps the fastest where it is
// the faster one in each of three runs. In words, what came of it.
Result<std::string> updateBest(PartWork& work, const TunerCase& wanted);

} // namespace nw::bench
