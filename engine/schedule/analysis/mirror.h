#pragma once

#include "engine/schedule/loop_nest.h"

#include <optional>
#include <string>
#include <vector>

namespace nw::schedule {

// Loops for a block that shall meet exactly the elements which another one wrote in an iteration of a loop: copies of
// the writer's loops inside of it that move the written element, in the same order, without those of its reduction.
struct Mirror {
    std::vector<Loop> loops;              // ids and names set, bodies empty
    std::vector<const Loop*> of;          // the writer's loops, parallel to `loops`
    Substitution renamed;                 // writer's loop variable -> its copy
    Expr guard;                           // the writer's predicate over the copies, without guards of its reduction
    const Loop* copyOf(const std::string& writerLoop) const;
};
// Takes names ("<prefix>.<axis>" where one loop walks the axis, else "<prefix>.<loop>") and ids from the nest. Nothing
// when a loop moves both the element and a reduction, or a guard ties the two together.
std::optional<Mirror> mirrorOf(LoopNest& nest, const LoopNest::Path& writer, const std::string& at, const std::string& prefix,
                               const std::vector<std::string>& axisNames);
// Why there is none: the writer's loop at fault, or empty when it is the guard.
std::optional<std::string> cannotMirror(const LoopNest::Path& writer, const std::string& at);
// "m" of "relu.m" for the prefix "relu"; another name as it is.
std::string stripped(const std::string& name, const std::string& prefix);

} // namespace nw::schedule
