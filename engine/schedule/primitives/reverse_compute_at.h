#pragma once

#include "engine/schedule/analysis/window.h"
#include "engine/schedule/primitive.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nw::schedule {

// How a consumer's iteration variables stand to the elements that a producer writes in a step of a loop.

struct Follower {
    Place consumer;
    Place producer;               // the last block inside of the loop whose buffer the consumer reads
    std::string at;
    std::vector<Expr> indices;    // the consumer's access of the producer's buffer, over its iteration variables
    struct Link {
        std::size_t dimension;
        std::int64_t offset; // index = iteration variable + offset
    };
    std::map<std::string, Link> links; // iteration variables that an index names
};

// The pairing, or why there is none.
struct Pairing {
    std::optional<Follower> follower;
    Check why;
};
Pairing pair(const LoopNest& nest, const std::string& consumer, const std::string& at);

// Blocks inside of the loop whose buffers the consumer reads.
std::vector<Place> producersIn(const LoopNest& nest, const Follower& follower);
// What else stands in the way; unfinished reductions are for the primitive to judge.
std::optional<Check> blocked(const LoopNest& nest, const Follower& follower);

// The producer only copies a tile that is still alive in the loop, for this consumer alone: it can be left out.
bool copyFallsAway(const LoopNest& nest, const Follower& follower);

} // namespace nw::schedule
