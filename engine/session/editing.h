#pragma once

#include "engine/measure/device.h"
#include "engine/record/record.h"
#include "engine/schedule/script.h"
#include "engine/session/project.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nw::session {

// What a measurement said about one script, as a station of the history shows it. Times in nanoseconds.
struct Timing {
    std::string protocol;       // "quick" (drawn hollow), "search", "confirm" (filled)
    double ns = 0, spread = 0;  // spread: relative half-width
    int n = 0;                  // clean samples
    bool noisy = false, unproven = false;
    std::string outcome = "ok"; // wire::toText(Outcome); a wrong result has no speed
    std::string message;        // words for any other outcome
    double shareOfPeak = 0, shareOfBound = 0;
    std::int64_t unixTime = 0;
    bool ok() const { return outcome == "ok"; }
};
Timing timingOf(const record::Record& record);

// One station of the history: the nest after the script's first `k` steps. Station 0 is the plain nest.
struct Station {
    std::string text;        // the step's canonical line; empty for station 0
    std::string primitive;   // "split"; empty for station 0
    int line = 0;            // of the step in the script
    schedule::Check check;   // Legal, Pointless or Unproven
    bool reached = true;     // false: this step or one before it does not fit; `failure` says why
    std::string failure;
    std::string script;      // knob-free canonical text of the steps so far: what is measured
    std::optional<Timing> quick, confirmed;
    const Timing* best() const { return confirmed ? &*confirmed : quick ? &*quick : nullptr; }
};
// Is the change from `before` to `after` larger than what noise could make? Both must be ok.
bool differs(const Timing& before, const Timing& after);

// One operator under a person's hands: the text of its script, the nest after every step, and where the person stands.
// All in memory and quick (a step costs well under a millisecond); keeping revisions and measuring are the caller's.
class Editing {
public:
    static Result<std::unique_ptr<Editing>> create(const Operator& op, std::span<const schedule::Primitive* const> primitives);

    const Operator& op() const;
    const std::string& text() const;
    // Takes the text whatever it says. What does not parse or replay is told by error(), the steps before it still stand.
    void setText(const std::string& text);
    const std::optional<Error>& error() const; // with line and column
    const std::vector<Station>& stations() const; // at least station 0
    int cursor() const;                           // the station shown
    void jump(int station);                       // clamped to the last station that was reached
    const schedule::LoopNest& nest() const;       // at the cursor
    const schedule::LoopNest& nestAt(int station) const; // of a reached station

    // The text with `step` put behind the cursor's station. With steps after the cursor they follow when they still fit
    // (`keepRest`), else they are left to the branch that the older revision becomes.
    std::string textWith(const std::string& step, bool keepRest) const;
    std::string textWithout(int station) const;                          // one step removed
    std::string textReplacing(int station, const std::string& step) const;
    // Is this step allowed at the cursor, and what would the nest be? Errors of words carry no refusal.
    struct Judged {
        schedule::Check check;
        std::optional<schedule::LoopNest> nest; // when it may be applied
        std::string error;                      // the words could not be read
    };
    Judged judge(const std::string& step) const;
    std::vector<schedule::Offer> offers(const std::string& loopOrBlock) const;
    // Selected names after the cursor's step (through the forward map).
    std::vector<std::string> forwarded(const std::vector<std::string>& names, int fromStation) const;

    // Records of the task, or a new measurement: stations take what belongs to their script.
    void setTimings(const std::vector<record::Record>& records);
    void addTiming(const std::string& script, const Timing& timing);
    // The best kind of measurement known of a script, whether it is shown or not; nullptr: none.
    const Timing* timingOfScript(const std::string& script) const;

private:
    struct State;
    explicit Editing(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;

public:
    ~Editing();
};

} // namespace nw::session
