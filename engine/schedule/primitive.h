#pragma once

#include "engine/base/result.h"
#include "engine/base/target.h"
#include "engine/schedule/loop_nest.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace nw::schedule {

// What a primitive takes, declared once: the parser, the complaints, the form of the window and the sampler follow it.
enum class ParamKind {
    Loop,     // name of an existing loop
    Loops,    // one or more
    Block,    // name of an existing block
    Buffer,   // name of a buffer
    Parts,    // new loops with extents: "owo:_ owi:14" ("_" is inferred, at most one); a bare name means "_"
    NewName,  // one new loop name
    ScopeName, // registers, stack, heap
    Map,      // an index map "(k, n) -> (n / 16, k, n % 16)"
    Choice,   // one of a few words, which the param lists
    Number    // an expression: 4, lanes(f32), registers(f32), cache(L2), threads, products and quotients of them, ?knob
};
struct Param {
    std::string name;    // for messages and forms: "loop", "factors"
    ParamKind kind;
    std::string keyword; // word that stands before it in the script ("into", "at", "in", "as"); empty: positional
    bool optional = false;
    std::vector<std::string> choices = {}; // of a Choice; the first is meant when none is given
};

struct Part {
    std::string name;
    std::optional<std::int64_t> extent; // nothing: inferred
};
using ArgValue = std::variant<std::monostate, std::string, std::vector<std::string>, std::vector<Part>, IndexMap, std::int64_t>;
// Values parallel to the primitive's params; numbers already evaluated for the target and knobs.
struct Args {
    std::vector<ArgValue> values;
    const std::string& name(std::size_t index) const;
    const std::vector<std::string>& names(std::size_t index) const;
    const std::vector<Part>& parts(std::size_t index) const;
    std::int64_t number(std::size_t index) const;
    bool given(std::size_t index) const;
};

enum class Verdict {
    Legal,
    Pointless, // legal, changes nothing or cannot help
    Unproven,  // may be applied only with a visible mark
    Illegal
};
struct Check {
    Verdict verdict = Verdict::Legal;
    Refusal why; // empty rule when Legal
};

// Where each old loop and block went. An id that is absent went to itself (if it is still there).
struct Forward {
    std::map<LoopId, std::vector<LoopId>> loops;
    std::map<BlockId, std::vector<BlockId>> blocks;
};
struct Applied {
    LoopNest nest;
    Forward forward;
};

struct Context {
    const Target* target = nullptr;
};

// Where a window lists it.
enum class PrimitiveGroup { Loop, Parallel, Data, Structure, Layout, Other };

struct Primitive {
    std::string name;
    std::string summary; // one line
    std::vector<Param> params;
    // Is the step allowed here? Cheap; changes nothing. Args have the declared kinds, but names may not exist.
    Check (*check)(const LoopNest& nest, const Args& args, const Context& context);
    // Does it, without judging: a Bug when asked for the impossible (a loop that is not there).
    Applied (*rewrite)(const LoopNest& nest, const Args& args, const Context& context);
    // Argument lists worth offering for a loop or block (the window's and `nestw legal`'s default form).
    std::vector<Args> (*propose)(const LoopNest& nest, const std::string& loopOrBlock, const Context& context);
    PrimitiveGroup group = PrimitiveGroup::Other;
    char key = 0; // the key that applies it in a window; 0: none
};

// The list (primitives/all.cpp).
std::span<const Primitive* const> allPrimitives();

// check, then rewrite. Refused with the check's refusal when Illegal; Unproven is applied only with `allowUnproven`.
Result<Applied> apply(const Primitive& primitive, const LoopNest& nest, const Args& args, const Context& context,
                      bool allowUnproven = false);

} // namespace nw::schedule
