#pragma once

#include "engine/plan/plan.h"

#include <string>
#include <vector>

namespace nw::plan {

// How a group's anchor may be computed: "direct" always; "winograd2" and "winograd4" (by tiles of 2x2 and 4x4 outputs,
// engine/graph/winograd.h) for 3x3 convolutions with stride 1, no dilation, one group, constant weights and floats.
std::vector<std::string> algorithmsOf(const graph::Graph& graph, const Group& group);

// The graph in which each group computes by the algorithm that the choices name, and the groups with the ports that this
// takes: a convolution by tiles becomes WinogradConv with its weights transformed. Nodes and values keep their ids. Refused:
// unknown groups and words, and groups that an algorithm is not for. The graph itself where all is direct.
struct WithAlgorithms {
    std::shared_ptr<const graph::Graph> graph;
    std::vector<Group> groups;
};
Result<WithAlgorithms> withAlgorithms(std::shared_ptr<const graph::Graph> graph, std::vector<Group> groups,
                                      const std::map<std::string, std::string>& algorithms);

} // namespace nw::plan
