#pragma once

#include "engine/schedule/task.h"
#include "engine/tune/hash_set.h"
#include "engine/tune/space.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace nw::tune {

// A point's script and nest, as far as they are legal.
struct Candidate {
    std::string script;          // plain
    std::string identity;        // of the script: points whose knobs do not matter share it
    std::vector<float> features; // empty when refused
    std::string cause;           // rule id of the refusal, or "constraint"; empty when legal
    std::string message;
};

// Points of one space looked at: replayed once, kept while they are in use. What was refused is remembered for good, counted
// by cause, and never replayed again.
class Candidates {
public:
    Candidates(const Space& space, const schedule::Task& task, schedule::LoopNest initial);

    // On several threads.
    void look(std::span<const Point> points);
    // look() must have seen it since the last forget(). Null: never looked at.
    const Candidate* find(const Point& point) const;
    bool isRefused(const Point& point) const;
    const std::map<std::string, int>& refusals() const { return m_refusals; } // by cause
    const std::string& firstMessage(const std::string& cause) const;
    // Drops what is kept beyond so many of those last looked at.
    void forget(std::size_t most);

private:
    Candidate made(const Point& point) const;

    const Space* m_space;
    schedule::Task m_task;
    schedule::LoopNest m_initial;
    struct Kept {
        std::unique_ptr<Candidate> candidate;
        std::uint64_t used = 0;
    };
    std::map<Point, Kept> m_kept;
    HashSet m_refused; // by hashOf(): thousands a round, for days
    std::map<std::string, int> m_refusals;
    std::map<std::string, std::string> m_messages;
    std::uint64_t m_clock = 0;
};

} // namespace nw::tune
