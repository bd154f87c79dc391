#pragma once

#include "engine/schedule/primitive.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nw::schedule {

// Building a changed nest from an old one: only the statements on the way from the root to the change are copied,
// the rest is shared. A Bug when the named loop or block is not there.

using Replacement = std::function<std::vector<Stmt>(const StmtNode&)>;
// The loop (or block) with what stands beneath it replaced by a list of statements, which may be empty.
void replaceLoop(LoopNest& nest, LoopId id, const Replacement& by);
void replaceBlock(LoopNest& nest, BlockId id, const Replacement& by);
// The loop with another body or kind.
void changeLoop(LoopNest& nest, LoopId id, const std::function<void(Loop&)>& change);

// The statements with blocks changed; a block for which `change` gives nothing is shared, and so are loops above none
// but such.
using BlockChange = std::function<std::optional<Block>(const Block&)>;
std::vector<Stmt> mapBlocks(const std::vector<Stmt>& statements, const BlockChange& change);

// Replaces loop variables in the bindings and the predicate of every block beneath, simplified under `ranges` (of the
// new loops), and adds a conjunct to the predicate unless it is the literal true.
std::vector<Stmt> substituteLoops(const std::vector<Stmt>& statements, const Substitution& loops, const Expr& guard,
                                  const Ranges& ranges);

// Takes a block out, and every loop that this leaves empty. Names of the loops that went.
std::vector<const Loop*> removeBlock(LoopNest& nest, const std::string& name);

// Puts statements into the body of loop `at`: behind the last of its statements that hold one of the blocks, or
// before the first.
void insertBeside(LoopNest& nest, const std::string& at, const std::set<std::string>& blocks, const std::vector<Stmt>& added,
                  bool behind);

// Loops that follow `leader` follow the part with their own extent from now on, or none.
void refollow(LoopNest& nest, const std::string& leader, const std::vector<Loop>& parts);
// Buffers that belong to an iteration of `from` belong to one of `to`.
void moveBuffers(LoopNest& nest, const std::string& from, const std::string& to);

Buffer* findBuffer(LoopNest& nest, const std::string& name);
void eraseBuffer(LoopNest& nest, const std::string& name);

// For a block whose loops were made anew: each loop that went is followed to those that walk the same axes now.
void forwardByAxis(Forward& forward, const Block& before, const Block& after, const std::vector<Loop>& made,
                   const std::vector<const Loop*>& gone);

// Loops from `top` inwards while each holds exactly one statement that is a loop; includes `top`.
std::vector<const Loop*> chainFrom(const Loop& top);
// Puts `loops` around `body`, first is outermost.
std::vector<Stmt> wrap(const std::vector<Loop>& loops, std::vector<Stmt> body);

// Names of the loops on a path, and of those of them that stand inside the loop `at` (without it).
std::set<std::string> namesOf(const std::vector<const Loop*>& loops);
std::set<std::string> loopsInside(const std::vector<const Loop*>& loops, const std::string& at);
bool contains(const LoopNest::Path& path, const std::string& loop); // one of its enclosing loops

} // namespace nw::schedule
