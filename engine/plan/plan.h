#pragma once

#include "engine/base/index_map.h"
#include "engine/base/result.h"
#include "engine/graph/graph.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nw::plan {

enum class PortKind { Input, Constant, Output };

// One tensor that a group reads or writes. Names come from the operators' formal names, never from the model: the
// anchor's (first node's) own ports are "X", "W", "B", "Y" as op_table says; the extra input of a later node is
// "<op>.<formal>" in lower case for the op ("add.B", "mul.B"), with ".2", ".3" when taken.
struct GroupPort {
    std::string name;
    PortKind kind;
    graph::ValueId value;
    Layout layout; // plain unless a choice says otherwise; of constants always plain (scripts pack them)
};

// Nodes that become one kernel: an anchor, or a chain of element-wise operators, with its element-wise epilogue.
// An empty node list is a layout conversion from its one input port to its one output port.
struct Group {
    std::string name; // "<kind>.<ordinal>", e.g. "conv.0": kind is the anchor's op in lower case, ordinal per kind
    std::vector<graph::NodeId> nodes; // topological
    std::vector<GroupPort> ports;     // inputs and constants in order of first use, then outputs
};

enum class Space { Input, Output, Constant, Arena };
// Where a value's bytes are. Views share the place of what they view.
struct Place {
    Space space = Space::Arena;
    int index = 0;           // which graph input / output / constant
    std::int64_t offset = 0; // bytes into the arena
    std::int64_t bytes = 0;
};

// One call of a group's kernel; places are parallel to the group's ports. The same value may stand in two layouts at
// two places.
struct Call {
    int group = 0;
    std::vector<Place> places;
};

struct Choices {
    std::map<std::string, std::int64_t> bind;
    struct LayoutChoice {
        std::string group, port;
        Layout layout;
    };
    std::vector<LayoutChoice> layouts;
    std::map<std::string, std::string> algorithms; // group -> one of algorithms.h
    // Channels in a block of the activations between operators (blocking.h); 0: all plain, nothing: as the caller likes.
    std::optional<std::int64_t> block;
    std::string target = "native";
    int threads = 1;
};
// "bind batch = 2", "layouts blocked 16" or "layouts plain", "layout conv.0 X (n, c, h, w) -> (...) border 0 0 1 1" or a
// short name ("NCHW16c", "NHWC", "NCHW16c border 1 1": the numbers go to the last axes), "algorithm conv.0 winograd4",
// "target native", "threads 2"; '#' comments. Errors carry line and column.
Result<Choices> parseChoices(const std::string& text);
std::string toText(const Choices& choices);

struct Plan {
    std::shared_ptr<const graph::Graph> graph;
    std::vector<Group> groups; // in execution order
    std::vector<Call> calls;   // same order, one a group
    std::vector<graph::ValueId> constants; // by Place::index
    std::int64_t arenaBytes = 0;           // static arena with reuse by lifetime, offsets 64-byte aligned
    const Group* find(const std::string& name) const;
};

// Fuses, places and plans memory. Every shape must be static (Failed names the unbound symbols). Activations lie in the
// blocks that the choices ask for, else plain; then single layout choices apply. Those on an unknown group or port are
// errors; conversions are inserted where producer and consumer disagree, and at graph inputs and outputs, which are
// always plain row-major.
Result<Plan> makePlan(std::shared_ptr<const graph::Graph> graph, const Choices& choices);
// Groups with their nodes, ports, shapes, layouts, places: what `nestw graph` prints. Works while shapes are symbolic.
Result<std::vector<Group>> fuseGroups(const graph::Graph& graph);
std::string toText(const Plan& plan);
// The same without places, for groups alone.
std::string toText(const graph::Graph& graph, const std::vector<Group>& groups);

} // namespace nw::plan
