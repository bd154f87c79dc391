#pragma once

#include "engine/schedule/loop_nest.h"

#include <set>
#include <string>
#include <vector>

namespace nw::schedule {

// One read or write of a block, its indices over loop variables. A reduction's own read of what it writes is not
// listed: its write stands for both.
struct Access {
    const Block* block = nullptr;
    std::string buffer;
    std::vector<Expr> indices;
    bool isWrite = false;
};
std::vector<Access> accessesOf(const Block& block);

// Names of the buffers that the block's value loads, each once, in order.
std::vector<std::string> buffersRead(const Block& block);
bool readsBuffer(const Block& block, const std::string& buffer);
// Indices of the loads of a buffer in the block's value, over iteration variables.
std::vector<std::vector<Expr>> readsOf(const Block& block, const std::string& buffer);
// Another block that writes the same buffer, the first in program order; null when it alone makes the buffer.
const Block* otherWriter(const LoopNest& nest, const Block& block);
// The outermost of the loops around the block that its reduction is bound to: where its initial value is stored.
const Loop* outermostReduction(const LoopNest::Path& block);

// Blocks beneath the statements, in program order.
std::vector<const Block*> blocksIn(const std::vector<Stmt>& statements);

// Loop variables in the bindings of the block's reduction (or spatial) iteration variables.
std::vector<std::string> boundLoops(const Block& block, bool reduction);
// Does one of these variables stand in the expression?
bool usesAny(const Expr& e, const std::set<std::string>& names);

} // namespace nw::schedule
