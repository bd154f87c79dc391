#pragma once

#include "engine/base/result.h"
#include "engine/schedule/primitive.h"
#include "engine/schedule/script_constraint.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nw::schedule {

// The one notation for schedules (DESIGN.md 1.2): a line a step, '#' comments, knobs. Parsing keeps comments, blank
// lines and alignment of unknown origin so that text -> Script -> text is the identity; a line made by a step prints
// canonically.
//
//   split   oc into oco oci:lanes(f32)
//   split   ow into owo:_ owi:?tile_ow
//   split   k  into ko ki:{4, 8, 16}      # a choice list: `nestw sweep` measures each; its first value is the default
//   knob tile_ow = divisors(56) up to 28 default 14
//   knob rows = {4, 6, 8} default 6
//   knob u = 1..16 step 3 default 4
//   knob big = switch default on          # off and on are 0 and 1; without a default it is off
//   unroll  owi when ?big                 # at the end of a step: left out where the knob is 0
//   reorder oco {kh kw ic | ic kh kw} owi # alternatives among a list of loops; the knob is the number of one, from 0
//   require tile_ow * rows * 4 <= cache(L1) # a combination for which this does not hold is no configuration
//
// A constraint compares two expressions by <= < >= > == or !=; in it a knob's name needs no '?'. The defaults must fit.

struct Knob {
    std::string name; // "tile_ow"; an inline choice list or list of alternatives is named "line<L>.<column>"
    std::vector<std::int64_t> choices; // in order, not empty
    std::int64_t defaultValue = 0;
    int line = 0;
};
using KnobValues = std::map<std::string, std::int64_t>;

// One step as written: its primitive and the words of each argument, still unevaluated.
struct ScriptStep {
    const Primitive* primitive = nullptr;
    std::string text; // the line without comment
    int line = 0;     // 1-based
    int column = 1;   // of the primitive
    struct Word {
        std::string text;
        int column = 0;
    };
    std::vector<std::vector<Word>> words; // parallel to the params
    std::string condition; // the knob behind "when"; empty: the step is always on
};

struct Script {
    std::vector<std::string> lines; // as written
    std::vector<ScriptStep> steps;
    std::vector<Knob> knobs;        // declared and inline ones
    std::vector<KnobConstraint> constraints;

    std::string toText() const;
    std::string identity() const; // contentHash of the canonical text (no comments, single spaces)
    std::string canonicalText() const;
};

// Errors carry line and column and name the nearest primitive or keyword. Knob ranges need the target (lanes...).
Result<Script> parseScript(std::string_view text, std::span<const Primitive* const> primitives, const Context& context);
// Canonical line of a step, e.g. from the window's form.
std::string stepText(const Primitive& primitive, const Args& args);
// The script with every knob replaced by a number or by the chosen loops, without steps that are off and without
// constraints: what a record keeps. Refused at the line of a constraint that the values violate.
Result<Script> bindKnobs(const Script& script, const KnobValues& values, const Context& context);
// Whether the step is there with knobs at `values` (defaults where absent).
bool isOn(const ScriptStep& step, const Script& script, const KnobValues& values);

// How many combinations of choices satisfy the constraints, counted without listing them.
struct ChoiceCount {
    std::uint64_t count = 1;
    bool exact = true; // else `count` is an upper bound, or the largest number there is when it is that
    std::string toText() const; // "12", "at most 1000000"
};
// Knobs that no constraint joins are counted apart, so that only those of one group are searched, and of them only what
// ranges of values leave open: exact when no group has more than ten million combinations, and mostly far beyond.
ChoiceCount countChoices(const Script& script);
// All of them in order, but the first being the defaults; Refused above `limit`.
Result<std::vector<KnobValues>> allChoices(const Script& script, std::size_t limit);

struct Step {
    std::string text;
    int line = 0;
    Check check;      // Legal, Pointless or (when allowed) Unproven
    LoopNest nest;    // after the step
    Forward forward;  // from the nest before it
};
struct Replay {
    LoopNest initial;
    std::vector<Step> steps;
    bool unproven = false;
    const LoopNest& nest() const { return steps.empty() ? initial : steps.back().nest; }
};
// Runs the steps with knobs at `values` (defaults where absent). Stops at the first refused step with its Error (line
// and column of the step, refusal attached). A step that is off is Pointless and leaves the nest as it is. A step may
// name the loop of an axis that has one step here and had more where the script was made (another batch): `initial`, when
// it is a plain nest, then has that loop as well.
Result<Replay> replay(const LoopNest& initial, const Script& script, const KnobValues& values, const Context& context,
                      bool allowUnproven = false);

// Keeps nests by the hash of their script prefix, so that a script whose last line changed costs one step.
class ReplayCache {
public:
    explicit ReplayCache(LoopNest initial, Context context, std::size_t capacity = 4096);
    Result<Replay> replay(const Script& script, const KnobValues& values, bool allowUnproven = false);
    // parse + replay of text, reusing the parse of unchanged lines too.
    Result<Replay> replayText(std::string_view text, bool allowUnproven = false);

private:
    struct State;
    std::shared_ptr<State> m_state;
};

// Every primitive for a loop or block with proposed arguments and their verdicts: `nestw legal`, the primitives panel.
struct Offer {
    const Primitive* primitive;
    std::string text; // the step's line
    Check check;
};
std::vector<Offer> offers(const LoopNest& nest, const std::string& loopOrBlock,
                          std::span<const Primitive* const> primitives, const Context& context);

// The frozen fallback rule of DESIGN.md 4 as a script for this nest: outer spatial loops fused and parallel when the
// work exceeds 100 us of one core's peak estimate, the innermost contiguous spatial loop split by the vector lanes and
// vectorised; nothing else.
std::string defaultScript(const LoopNest& initial, const Context& context, int threads);

} // namespace nw::schedule
