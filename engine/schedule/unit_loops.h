#pragma once

#include "engine/schedule/primitive.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nw::schedule {

// An axis of one step has no loop in the plain nest. A script that was made where the axis had more of them (another
// batch) may name its loop all the same: while such a script is replayed the loop is there from the start, with its one
// step, and every step that takes it does so as it did where the script was made.

// Loops that the step takes and that the nest does not have.
std::set<std::string> missingLoops(const LoopNest& nest, const Primitive& primitive, const Args& args);

// The plain nest, in which the axes of one step whose loops would go by one of the names have these loops. A stage that
// gets one needs no loop that stands there only so that it has any.
Result<LoopNest> plainNest(const std::shared_ptr<const compute::Definition>& definition, const std::vector<Layout>& layouts,
                           const std::set<std::string>& unitLoops);

// Starts of one script: from the plain nest to one with every loop of one step that the script names.
class UnitLoops {
public:
    // Nothing is added to a nest that is not the plain one of its definition.
    explicit UnitLoops(const LoopNest& start)
        : m_plain(start)
        , m_start(start)
    {}

    const LoopNest& start() const { return m_start; }
    const std::set<std::string>& names() const { return m_names; } // of the loops that were added
    // Whether one of the missing loops is there now that was not.
    bool add(const std::set<std::string>& missing);

private:
    const LoopNest& m_plain;
    LoopNest m_start;
    std::set<std::string> m_names;
};

} // namespace nw::schedule
