#pragma once

#include "engine/measure/runner/repeats.h"
#include "engine/measure/runner/rig.h"
#include "engine/wire/messages.h"

#include <cstdint>
#include <vector>

namespace nw::runner {

// One stretch of runs and what was around it.
struct Taken {
    double ns = 0; // one run
    Surroundings around;
};

// The samples of one subject and what they say (MEASURING.md 5). Which of them are clean is judged against the best that
// was seen until now, so that it may change.
class Samples {
public:
    Samples(const wire::Protocol& protocol, int threads)
        : m_protocol(protocol)
        , m_threads(threads)
    {}

    void add(const Taken& taken) { m_taken.push_back(taken); }
    // Enough by the protocol.
    bool isDone(const Best& best) const;
    // Fills in samples and figures, and raises what the rig has seen.
    void report(const Best& best, const Repeats& repeats, Rig& rig, wire::RunReply& reply) const;

private:
    bool clean(const Taken& taken, const Best& best) const { return isClean(taken.around, best, m_threads); }
    std::int64_t countClean(const Best& best) const;
    // A search needs no more of one that is out already.
    bool isOut(const Best& best) const;
    std::vector<double> normalized(const Best& best, bool cleanOnly, double& peak) const;

    const wire::Protocol& m_protocol;
    int m_threads;
    std::vector<Taken> m_taken;
};

// A subject that there is no time to run: the time of the check stands for it, marked noisy.
void reportGuess(Rig& rig, double guessNs, wire::RunReply& reply);

// Appends with "; " between.
void addNote(wire::RunReply& reply, const std::string& note);

} // namespace nw::runner
