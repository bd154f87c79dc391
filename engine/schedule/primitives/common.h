#pragma once

#include "engine/schedule/primitive.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nw::schedule {

// What the checks of several primitives share.

Check legal();
// `words` has {0}, {1}, ... for the operands.
Check illegal(std::string rule, std::string words, std::vector<std::string> operands, std::vector<std::string> places,
              std::vector<std::string> unlocks = {});
Check pointless(std::string rule, std::string words, std::vector<std::string> operands, std::vector<std::string> places);
Check unproven(std::string rule, std::string words, std::vector<std::string> operands, std::vector<std::string> places);

// "<primitive>.no_loop" and the like, with the nearest name there is. Nothing when it exists.
std::optional<Check> loopMissing(const LoopNest& nest, const std::string& primitive, const std::string& name);
std::optional<Check> blockMissing(const LoopNest& nest, const std::string& primitive, const std::string& name);
std::optional<Check> bufferMissing(const LoopNest& nest, const std::string& primitive, const std::string& name);
// "<primitive>.name_taken" (or no name at all) for loops to be made.
std::optional<Check> namesTaken(const LoopNest& nest, const std::string& primitive, const std::vector<std::string>& names);

// The script line of a step whose arguments are all words.
std::string line(const std::string& primitive, const std::vector<std::string>& words);

// The line, when applying `step` here makes `then` legal: a promise a refusal may make.
std::vector<std::string> ifItUnlocks(const LoopNest& nest, const Context& context, const Primitive& step, const Args& stepArgs,
                                     const std::string& stepLine, const Primitive& then, const Args& thenArgs);

std::string verbOf(LoopKind kind); // "vector", "unrolled", "parallel", "serial"

// A loop of this kind stands beneath it.
bool hasInside(const LoopNest& nest, const Loop& loop, LoopKind kind);

// Refused when the loop counts steps of a reduction: "<primitive>.reduction". The words have {0} loop, {1} block, {2} axis.
std::optional<Check> walksReduction(const std::string& primitive, const Loop& loop, const char* words);
// Refused (or unproven) when iterations of the loops would meet at one element: "<primitive>.race" and so on.
std::optional<Check> iterationsMeet(const LoopNest& nest, const std::string& primitive, const std::vector<const Loop*>& loops);

// Refused when two of the block's variables move with one loop: loops made anew for each would walk more than it did.
std::optional<Check> movesTogether(const LoopNest& nest, const std::string& primitive, const Block& block);

// A term that is combined twice counts once.
bool isIdempotent(compute::Combiner combiner);

// For `reorder`: the loops from the first of the block's reduction that is not inside of `at`, such that they would
// be. Empty when `at` itself belongs to the reduction.
std::vector<std::string> reductionsInwards(const LoopNest::Path& block, const std::string& at);

// For `reorder`: the loop and those nested directly in it, itself innermost.
std::vector<std::string> outermostLast(const Loop& loop);

// What changes nothing when it is combined. A Bug for no combiner.
Expr identityOf(compute::Combiner combiner, DType type);

// Over all steps of its axes the block writes elements of its buffer. Not so where its loops or a guard leave some out
// (it was put into a write that makes more than is kept).
bool writesInside(const LoopNest& nest, const Block& block);

// Row-major in this order of dimensions, outermost first.
Layout orderedLayout(const std::vector<std::size_t>& order);
// Dimensions in the order in which the loops `inside` walk these indices, so that the innermost loop's comes last.
std::vector<std::size_t> walkedOrder(const LoopNest::Path& place, const std::set<std::string>& inside,
                                     const std::vector<Expr>& indices);
constexpr std::int64_t kMostSpread = 4; // places in memory for each element of a layout
// The layout of a kernel's own buffer that is made anew with other extents: as before, with the room between its rows.
// Row-major where that would put its elements into one place, spread them far (a block wider than what is left) or take
// more than belongs on the stack.
Layout keptLayout(const Buffer& buffer, const std::vector<std::int64_t>& shape, Scope scope);

// For buffers that primitives make.
constexpr std::int64_t kLargestStack = 64 * 1024; // bytes of one
std::optional<Scope> scopeNamed(const std::string& word); // registers, stack, heap
// "<primitive>.too_large": more registers than the target has, more bytes than belong on the stack.
std::optional<Check> tooLarge(const std::string& primitive, const std::string& whose, Scope scope, DType type,
                              std::int64_t elements, const Context& context);

} // namespace nw::schedule
