#pragma once

#include "engine/schedule/primitive.h"

#include <optional>
#include <string>
#include <vector>

namespace nw::schedule {

// Kinds of loops where a step changes them, or makes loops that take over the kind of another.

LoopNest asSerial(const LoopNest& nest, LoopId loop);

// A parallel loop that stands directly inside of one and directly around another: without it the two would be apart.
bool linksParallel(const LoopNest& nest, const Loop& loop);

// A parallel loop that holds another one: nothing else can stand in it.
bool startsChain(const LoopNest& nest, const Loop& loop);

struct Kinded {
    std::string loop;
    LoopKind kind = LoopKind::Serial;
};
// What is in the way of giving these serial loops, outermost first, their kinds; nothing when there is nothing.
std::optional<Check> kindForbidden(LoopNest nest, const std::vector<Kinded>& wanted, const Context& context);

// The kind of one loop made of several: what one of them is, all are then. Nothing when two are of different kinds and
// neither is serial.
std::optional<LoopKind> jointKind(const std::vector<LoopKind>& kinds);

} // namespace nw::schedule
