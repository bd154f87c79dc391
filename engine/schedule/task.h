#pragma once

#include "engine/base/target.h"
#include "engine/compute/definition.h"
#include "engine/schedule/loop_nest.h"

#include <memory>
#include <string>
#include <vector>

namespace nw::schedule {

// What is scheduled and measured, and what a record is about (DESIGN.md 2).
struct Task {
    std::shared_ptr<const compute::Definition> definition;
    std::vector<Layout> layouts; // parallel to the definition's ports
    std::string algorithm = "direct";
    Target target;
    int threads = 1;

    // Hash of definition, layouts, algorithm, target text and threads.
    std::string identity() const;
    // The same for the definition without its element-wise epilogue stage (and without the ports only that reads).
    std::string anchorIdentity() const;
};
Result<LoopNest> initialNest(const Task& task);

} // namespace nw::schedule
