#pragma once

#include "engine/lower/lowered.h"

#include <functional>
#include <map>
#include <set>
#include <string>

namespace nw::lower {

// Walking and rebuilding statement trees.

// Every statement, outer before inner; a false return skips what is inside.
void walkBody(const LBody& body, const std::function<bool(const LStmt&)>& visit);
// Copies of statements whose bodies (not the bodies below those) went through `change`.
LStmt withBodies(const LStmt& statement, const std::function<LBody(const LBody&)>& change);
// Every expression changed.
LBody mapExprs(const LBody& body, const std::function<Expr(const Expr&)>& change);
bool usesBuffer(const LStmt& statement, const std::string& buffer);

// Stores after unrolling, a vector loop counting as one step; saturates.
std::int64_t unrolledStores(const LBody& body);
bool containsRuntimeLoop(const LBody& body); // a serial or parallel loop
bool isRuntime(LoopKind kind);               // its variable has no constant value in the code

} // namespace nw::lower
