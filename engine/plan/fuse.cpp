#include "engine/base/text.h"
#include "engine/graph/op_table.h"
#include "engine/plan/aliases.h"
#include "engine/plan/plan.h"
#include "engine/plan/ports.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <queue>
#include <set>

namespace nw::plan {
namespace {

using graph::Graph;
using graph::NodeId;
using graph::OpClass;
using graph::ValueId;

constexpr std::size_t kLongestStep = 32; // nodes looked at for the next place where one value leaves
constexpr int kNoGroup = -1;

bool sameShape(const Graph& graph, ValueId a, ValueId b)
{
    const std::vector<Expr>& x = valueAt(graph, a).type.shape;
    const std::vector<Expr>& y = valueAt(graph, b).type.shape;
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const Expr& p, const Expr& q) { return equal(p, q); });
}

// Puts every node but the views into a group. A group grows from its anchor along element-wise consumers, by steps
// that end where a single value leaves again, so that nothing inside is seen from outside: whatever hangs on the group
// hangs on that value, and no path leads out of the group and back.
class Fuser {
public:
    explicit Fuser(const Graph& graph)
        : m_graph(graph)
        , m_uses(graph.uses())
        , m_groupOf(graph.nodes.size(), kNoGroup)
        , m_isOutput(graph.values.size(), false)
    {
        for (const ValueId output : graph.outputs) {
            m_isOutput[static_cast<std::size_t>(output)] = true;
        }
    }

    std::vector<Group> run()
    {
        const auto count = static_cast<NodeId>(m_graph.nodes.size());
        // Later anchors first: of two contractions that meet in an addition the later one takes it.
        for (NodeId n = count - 1; n >= 0; --n) {
            if (!isView(m_graph, n) && !isElementwise(n)) {
                start(n);
            }
        }
        for (NodeId n = 0; n < count; ++n) {
            if (isElementwise(n) && groupOf(n) == kNoGroup) {
                start(n);
            }
        }
        return ordered();
    }

private:
    struct Members {
        NodeId anchor = 0;
        std::set<NodeId> nodes;
        ValueId exit = graph::kNoValue;
    };

    const Graph& m_graph;
    std::vector<std::vector<NodeId>> m_uses;
    std::vector<int> m_groupOf;
    std::vector<bool> m_isOutput;
    std::vector<Members> m_members;

    bool isElementwise(NodeId n) const { return nodeAt(m_graph, n).op->opClass == OpClass::Elementwise; }
    int groupOf(NodeId n) const { return m_groupOf[static_cast<std::size_t>(n)]; }
    const std::vector<NodeId>& usesOf(ValueId v) const { return m_uses[static_cast<std::size_t>(v)]; }
    bool isOutput(ValueId v) const { return m_isOutput[static_cast<std::size_t>(v)]; }

    void start(NodeId anchor)
    {
        Members members{anchor, {anchor}, nodeAt(m_graph, anchor).outputs.at(0)};
        while (step(members)) {
        }
        if (isElementwise(anchor)) {
            takeProducers(members);
        }
        const int group = static_cast<int>(m_members.size());
        for (const NodeId n : members.nodes) {
            m_groupOf[static_cast<std::size_t>(n)] = group;
        }
        m_members.push_back(std::move(members));
    }

    // True when nobody outside `nodes` sees the value.
    bool isClosed(ValueId value, const std::set<NodeId>& nodes) const
    {
        const std::vector<NodeId>& users = usesOf(value);
        return !isOutput(value) && !users.empty()
               && std::ranges::all_of(users, [&](NodeId user) { return nodes.contains(user); });
    }

    // Extends the group to the next value through which all of its result flows; false when there is none.
    bool step(Members& members) const
    {
        std::set<NodeId> nodes = members.nodes;
        std::set<ValueId> open{members.exit};
        while (nodes.size() <= members.nodes.size() + kLongestStep) {
            const std::optional<NodeId> next = earliestUser(open, nodes);
            if (!next || !mayJoin(*next, members)) {
                return false;
            }
            nodes.insert(*next);
            const ValueId result = nodeAt(m_graph, *next).outputs[0];
            open.insert(result);
            std::erase_if(open, [&](ValueId value) { return isClosed(value, nodes); });
            if (open.size() == 1 && *open.begin() == result) {
                members.nodes = std::move(nodes);
                members.exit = result;
                return true;
            }
        }
        return false;
    }

    std::optional<NodeId> earliestUser(const std::set<ValueId>& open, const std::set<NodeId>& nodes) const
    {
        std::optional<NodeId> earliest;
        for (const ValueId value : open) {
            for (const NodeId user : usesOf(value)) {
                if (!nodes.contains(user) && (!earliest || user < *earliest)) {
                    earliest = user;
                }
            }
        }
        return earliest;
    }

    bool mayJoin(NodeId n, const Members& members) const
    {
        return isElementwise(n) && groupOf(n) == kNoGroup && nodeAt(m_graph, n).outputs.size() == 1
               && sameShape(m_graph, nodeAt(m_graph, n).outputs[0], members.exit) && !needsSideOutput(n, members);
    }

    // Whether an input of `n` hangs on another output of the anchor than the one that the group grows from.
    bool needsSideOutput(NodeId n, const Members& members) const
    {
        const std::vector<ValueId>& outputs = nodeAt(m_graph, members.anchor).outputs;
        const std::set<ValueId> side(outputs.begin() + 1, outputs.end());
        if (std::ranges::none_of(side, [&](ValueId v) { return v != graph::kNoValue && !usesOf(v).empty(); })) {
            return false;
        }
        std::vector<NodeId> pending{n};
        std::set<NodeId> seen{n};
        while (!pending.empty()) {
            const NodeId current = pending.back();
            pending.pop_back();
            for (const ValueId input : nodeAt(m_graph, current).inputs) {
                if (input == graph::kNoValue) {
                    continue;
                }
                if (side.contains(input)) {
                    return true;
                }
                const NodeId producer = valueAt(m_graph, input).producer;
                if (producer > members.anchor && seen.insert(producer).second) {
                    pending.push_back(producer);
                }
            }
        }
        return false;
    }

    // Element-wise nodes that compute operands of an element-wise group and are seen by it alone.
    void takeProducers(Members& members) const
    {
        std::vector<NodeId> pending(members.nodes.begin(), members.nodes.end());
        while (!pending.empty()) {
            const NodeId n = pending.back();
            pending.pop_back();
            for (const ValueId input : nodeAt(m_graph, n).inputs) {
                const NodeId producer = input == graph::kNoValue ? -1 : valueAt(m_graph, input).producer;
                if (producer >= 0 && isElementwise(producer) && groupOf(producer) == kNoGroup
                    && !members.nodes.contains(producer) && isClosed(input, members.nodes)
                    && sameShape(m_graph, input, members.exit)) {
                    members.nodes.insert(producer);
                    pending.push_back(producer);
                }
            }
        }
    }

    // Groups that the inputs of a group come from, through views.
    std::set<int> sourcesOf(const Members& members) const
    {
        std::set<int> sources;
        for (const NodeId n : members.nodes) {
            for (const ValueId input : nodeAt(m_graph, n).inputs) {
                if (input == graph::kNoValue) {
                    continue;
                }
                const NodeId producer = valueAt(m_graph, rootOf(m_graph, input)).producer;
                if (producer >= 0 && !members.nodes.contains(producer)) {
                    sources.insert(groupOf(producer));
                }
            }
        }
        return sources;
    }

    // Execution order: a group runs when its sources have, of those ready the one whose last node comes first.
    std::vector<Group> ordered() const
    {
        const std::size_t count = m_members.size();
        std::vector<std::size_t> missing(count, 0);
        std::vector<std::vector<int>> targets(count);
        using Ready = std::pair<NodeId, int>;
        std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
        for (std::size_t g = 0; g < count; ++g) {
            const std::set<int> sources = sourcesOf(m_members[g]);
            missing[g] = sources.size();
            for (const int source : sources) {
                targets[static_cast<std::size_t>(source)].push_back(static_cast<int>(g));
            }
            if (sources.empty()) {
                ready.emplace(*m_members[g].nodes.rbegin(), static_cast<int>(g));
            }
        }
        std::vector<Group> groups;
        std::map<std::string, int> ordinals;
        while (!ready.empty()) {
            const int g = ready.top().second;
            ready.pop();
            groups.push_back(finished(m_members[static_cast<std::size_t>(g)], ordinals));
            for (const int target : targets[static_cast<std::size_t>(g)]) {
                if (--missing[static_cast<std::size_t>(target)] == 0) {
                    ready.emplace(*m_members[static_cast<std::size_t>(target)].nodes.rbegin(), target);
                }
            }
        }
        ENSURE(groups.size() == count, "fused groups need one another in a circle");
        return groups;
    }

    Group finished(const Members& members, std::map<std::string, int>& ordinals) const
    {
        Group group;
        group.nodes.assign(members.nodes.begin(), members.nodes.end());
        // An element-wise group is called after its first node, which producers taken in may have moved.
        const NodeId anchor = isElementwise(members.anchor) ? group.nodes.front() : members.anchor;
        std::string kind(nodeAt(m_graph, anchor).op->name);
        std::ranges::transform(kind, kind.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        group.name = format("{}.{}", kind, ordinals[kind]++);
        group.ports = portsOf(m_graph, group.nodes, anchor, m_uses);
        return group;
    }
};

} // namespace

Result<std::vector<Group>> fuseGroups(const graph::Graph& graph)
{
    return Fuser(graph).run();
}

} // namespace nw::plan
