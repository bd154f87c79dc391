#pragma once

#include "engine/base/target.h"
#include "engine/schedule/loop_nest.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nw::schedule {

// What a template's marks say of a nest as the lines above them left it: names that stand in place of the mark. None: the
// nest has nothing of the kind, and the line goes.
using MarkWords = std::vector<std::string>;

// How the loops directly nested around one block walk memory.
class BlockWalk {
public:
    BlockWalk(const LoopNest& nest, const std::string& block, const Target& target);

    // The block's loops in the order of the memory that it writes, outermost first; nothing when no loop of it goes from one
    // element there to the next.
    std::optional<MarkWords> inMemoryOrder() const;
    // Two neighbouring loops that walk every buffer as one loop would.
    MarkWords oneWalk() const;
    MarkWords innermost() const;
    MarkWords innermostLong() const; // when it has more steps than a vector has lanes
    MarkWords fewAround() const;     // the loop around the innermost one, when it has at most four steps
    MarkWords around() const;        // the loop around the innermost one
    MarkWords turned() const;        // all loops, across() moved to just around the innermost one
    // The loop that goes from one element to the next of what is read where the one that does so in what is written does not.
    MarkWords across() const;
    // Of the loops along some axes the one that goes from one element to the next in what is written, and in all that is read along it.
    MarkWords beside(const std::set<std::string>& axes) const;
    MarkWords along(const std::set<std::string>& axes) const;    // the loops along other axes
    MarkWords sideways(const std::set<std::string>& axes) const; // all loops: the others, beside(), along()
    // The loop that counts along the axis that lies in blocks, and the blocks' width.
    struct Blocked {
        std::string loop;
        std::int64_t width = 0;
    };
    std::optional<Blocked> blocked() const;
    std::string elementType() const;

private:
    struct Access {
        const Buffer* buffer = nullptr;
        std::vector<Expr> indices; // over loop variables
        bool isWrite = false;
        std::vector<std::optional<std::int64_t>> strides; // in elements, one for each loop
    };
    std::optional<std::int64_t> strideOf(const Access& access, const Loop& loop) const;
    bool isOneWalk(std::size_t outer) const;
    const Access& written() const;

    const LoopNest& m_nest;
    const Target& m_target;
    LoopNest::Path m_path;
    std::vector<const Loop*> m_loops; // directly nested, outermost first
    std::vector<Access> m_accesses;
    Ranges m_ranges;
};

// A loop some of whose steps meet another side of a condition than the others, and after how many steps that begins. Blocks
// of an axis stay whole.
struct Cut {
    std::string loop;
    std::int64_t steps = 0;
};
std::optional<Cut> firstCut(const LoopNest& nest, const Target& target);

// The outer loops of a block whose steps may be shared out: as few as give every thread several.
MarkWords outerLoops(const LoopNest& nest, const std::string& block, int threads);

} // namespace nw::schedule
