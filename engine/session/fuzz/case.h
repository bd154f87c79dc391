#pragma once

#include "engine/base/result.h"
#include "engine/base/tensor.h"
#include "engine/compute/interpret.h"
#include "engine/schedule/loop_nest.h"
#include "engine/schedule/script.h"
#include "engine/schedule/task.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nw::session::fuzz {

using Primitives = std::span<const schedule::Primitive* const>;

// One schedule of one definition: what is judged, shrunk and kept as a test.
struct Case {
    std::string target = "x86-64-v3";
    int threads = 1;
    std::shared_ptr<const compute::Definition> definition;
    std::vector<Layout> layouts; // parallel to the definition's ports
    std::string script;          // knob-free

    Result<schedule::Task> task() const;
};
// Lines "target", "threads", "layout PORT ..." where it is not plain, the definition's canonical text, a line "script" and
// the script. Lines before the definition that begin with '#' are notes.
std::string toText(const Case& one);
Result<Case> parseCase(std::string_view text);

// How a case ended.
enum class Fault {
    None,
    Limit,   // the code generator refused what the nest allows, and said which rule
    Illegal, // a step of the script is refused (not a fault of a program, but a kept case should not be)
    Wrong,   // other results, an access outside, a nest that is not sound, steps at once that meet
    Bug,     // a broken promise, a crash, no answer
    Device   // the workers cannot be used
};
struct Finding {
    Fault fault = Fault::None;
    std::string message;
    bool isFailure() const { return fault == Fault::Wrong || fault == Fault::Bug; }
};

// A definition's data and what its outputs must be.
class Judge {
public:
    static Result<Judge> create(std::shared_ptr<const compute::Definition> definition);

    // Interprets the nest in ascending and in drawn orders of its parallel and vector loops, on whole numbers and on
    // others. Empty when all is as the definition says.
    std::string faultOf(const schedule::LoopNest& nest, int drawnOrders = 2) const;

private:
    struct Set {
        std::vector<Tensor> inputs;
        std::vector<compute::OracleOutput> expected;
    };
    std::string differs(const schedule::LoopNest& nest, const Set& set, std::uint64_t orderSeed) const;

    std::vector<Set> m_sets;
};

// Replays and judges without running code; what is lowered is verified. Catches what is thrown.
Finding judge(const Case& one, const Judge& rules, Primitives primitives);

} // namespace nw::session::fuzz
