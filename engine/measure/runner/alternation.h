#pragma once

#include "engine/measure/runner/disturbance.h"
#include "engine/measure/runner/kernel.h"
#include "engine/measure/runner/repeats.h"
#include "engine/measure/runner/samples.h"

#include <cstddef>
#include <vector>

namespace nw::runner {

// Several subjects that take turns, a batch of runs each, with the probes between the batches. Pairs and rounds of many
// are both made of it; they differ in the order of the turns and in what is read out of them.
class Alternation {
public:
    Alternation(Rig& rig, std::vector<Subject*> subjects, double sampleNs);

    // How often each runs in a batch of `sampleNs`. Once, before the first turn.
    void chooseCounts();
    // The counts again, from the shortest of a few batches each, taken in turn; nearly equal subjects get equal ones.
    void balance();
    // A batch of each in this order. `warm`: the subject runs once before its clock starts, since another one had the caches.
    std::vector<Taken> takeTurns(const std::vector<std::size_t>& order, bool warm);

    // What such turns take, with their probes.
    double turnsNs(const std::vector<std::size_t>& order, bool warm) const;
    const Repeats& repeats(std::size_t subject) const { return m_repeats[subject]; }
    const Best& best() const { return m_best; }

private:
    Probe probe();

    Rig& m_rig;
    std::vector<Subject*> m_subjects;
    double m_sampleNs;
    RunDelay m_delay;
    Best m_best;
    std::vector<Repeats> m_repeats;
    bool m_hasProbe = false;
    Probe m_last;
};

} // namespace nw::runner
