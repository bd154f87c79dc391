#pragma once

#include "engine/session/project.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace nw::session {

// The algorithms that each group of the model may be computed by ("direct" first), of those that have more than one.
Result<std::map<std::string, std::vector<std::string>>> algorithmsOf(const Project& project);
// The operator by another algorithm than the project's choices say: its task, bound and scripts are its own.
Result<Operator> operatorBy(Project& project, const Operator& op, const std::string& algorithm);

// Scripts of tasks that compute one thing in several ways, beside operators of libraries: in alternating rounds where the
// protocol knows them; a search's minimum of single runs is taken of each for itself.
measure::Together measureEach(measure::LocalDevice& device, const std::vector<measure::LocalDevice::Entry>& entries,
                              const std::vector<measure::LibraryOp>& libraries, const std::string& protocol, const StopToken& stop);

// Where a script that was chosen for an operator comes from, as its record says.
record::Origin originOf(const Project::Chosen& chosen);
// One algorithm of a task as it was measured: with the best confirmed script that the project knows, an expert's template
// or the fallback rule, as a model ships it.
struct AlgorithmTrial {
    std::string algorithm;
    Project::Chosen chosen;
    measure::Measurement measurement;
};
// A task that can be computed in several ways, and the way that was fastest; empty where none could be measured.
struct AlgorithmSweep {
    std::vector<std::string> groups; // with the same task
    std::vector<AlgorithmTrial> trials;
    std::string best;
};
using OnAlgorithm = std::function<void(const std::string& group, const AlgorithmTrial& trial)>;
// Measures every algorithm of every task that has a choice, each task once and its algorithms in alternating rounds; each
// measurement is kept as a record.
Result<std::vector<AlgorithmSweep>> sweepAlgorithms(Project& project, measure::LocalDevice& device, const std::string& protocol,
                                                    const OnAlgorithm& onTrial, const StopToken& stop);
// The project's choices with the fastest algorithm of each of those groups.
plan::Choices withBest(const plan::Choices& choices, const std::vector<AlgorithmSweep>& sweeps);

} // namespace nw::session
