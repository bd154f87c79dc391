#pragma once

#include "engine/schedule/primitive.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace nw::schedule {

// A second set of the same statements beside the first: loops, blocks and buffers that belong to a step of those loops
// get fresh names and ids from the nest ("oh.2", "conv.2"). The buffers are added to the nest, the statements are not.
struct StatementCopy {
    std::vector<Stmt> statements;
    Forward forward; // each loop and block to itself and its copy
};
// `inside` names the loop around the statements and its copy: buffers that belong to its steps are copied, too.
StatementCopy copyStatements(LoopNest& nest, const std::vector<Stmt>& statements, const std::string& inside,
                             const std::string& insideCopy);
// The same for a copy that stands in the same loop: its own buffers stay shared.
StatementCopy copyStatements(LoopNest& nest, const std::vector<Stmt>& statements);

// What is known of a block when loops run over less than they did: guards that always hold go, and so do the
// conditions of its value.
std::vector<Stmt> tightened(const std::vector<Stmt>& statements, const Ranges& ranges);

// No loop counts as one with a tail by whose steps nothing beneath is guarded.
std::vector<Stmt> withoutSpentTails(const std::vector<Stmt>& statements);

// A guard or a condition of the block's value depends on the step of the loop.
bool testsSteps(const Block& block, const std::string& loop);

} // namespace nw::schedule
