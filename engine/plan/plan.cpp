#include "engine/plan/plan.h"

#include "engine/base/text.h"
#include "engine/plan/algorithms.h"
#include "engine/plan/aliases.h"
#include "engine/plan/arena.h"
#include "engine/plan/blocking.h"
#include "engine/plan/find_group.h"
#include "engine/plan/joined.h"

#include <algorithm>
#include <map>
#include <set>

namespace nw::plan {
namespace {

using graph::Graph;
using graph::ValueId;

Layout normalized(const Layout& layout)
{
    return layout.isPlain() ? Layout{} : layout;
}

// A value in one layout at one place. A view has no plain instance of its own: its root's serves.
struct Instance {
    ValueId value = 0;
    Layout layout;
    Place place;
    Lifetime life;   // of arena places
    int whole = -1;  // the instance that it is a part of, `place.offset` bytes from its beginning
};

// Walks the groups in order, giving every port an instance in the layout that it asks for and putting copies in front
// of a group whose input stands in another layout only.
class Planner {
public:
    Planner(std::shared_ptr<const Graph> graph, std::vector<Group> groups)
        : m_graph(*graph)
        , m_fused(std::move(groups))
    {
        m_plan.graph = std::move(graph);
        m_joined = joinedConcats(m_graph, m_fused);
    }

    Result<Plan> run()
    {
        for (std::size_t i = 0; i < m_graph.inputs.size(); ++i) {
            const Result<int> made = add(m_graph.inputs[i], Layout{}, Space::Input, static_cast<int>(i));
            if (!made) {
                return made.error();
            }
        }
        claimOutputs();
        for (const Group& group : m_fused) {
            if (const Status status = place(group); !status) {
                return status.error();
            }
        }
        if (const Status status = finishOutputs(); !status) {
            return status.error();
        }
        packMemory();
        return std::move(m_plan);
    }

private:
    const Graph& m_graph;
    std::vector<Group> m_fused;
    Joined m_joined;
    Plan m_plan;
    std::vector<Instance> m_instances;
    std::map<std::pair<ValueId, std::string>, int> m_byLayout; // value and layout text -> instance
    std::map<ValueId, int> m_produced;                         // root -> the instance that its producer writes
    std::map<ValueId, int> m_claimed;                          // root -> graph output in whose place it is written
    std::vector<std::vector<int>> m_callInstances;             // parallel to calls, then to ports
    int m_copies = 0;

    Instance& instance(int i) { return m_instances[static_cast<std::size_t>(i)]; }

    // The first graph output that shows a computed value gets the value written in its place.
    void claimOutputs()
    {
        for (std::size_t i = 0; i < m_graph.outputs.size(); ++i) {
            const ValueId root = rootOf(m_graph, m_graph.outputs[i]);
            if (valueAt(m_graph, root).producer >= 0) {
                m_claimed.emplace(root, static_cast<int>(i));
            }
        }
    }

    Result<int> add(ValueId value, const Layout& layout, Space space, int index)
    {
        const DType type = valueAt(m_graph, value).type.type;
        const Result<std::vector<std::int64_t>> shape = layout.memoryShape(literalShape(m_graph, value));
        const Result<std::int64_t> count = shape ? elementCount(*shape) : Result<std::int64_t>(shape.error());
        if (!count) {
            return count.error();
        }
        const auto width = static_cast<std::int64_t>(byteSize(type));
        if (width > 0 && *count > (std::int64_t{1} << 62) / width) {
            return failed(format("the value '{}' has more bytes than can be counted", valueAt(m_graph, value).name));
        }
        const int made = static_cast<int>(m_instances.size());
        Instance instance{value, layout, {space, index, 0, *count * width}, {}};
        instance.life = {instance.place.bytes, static_cast<int>(m_plan.calls.size()), static_cast<int>(m_plan.calls.size())};
        m_instances.push_back(std::move(instance));
        m_byLayout[{value, layout.toText()}] = made;
        return made;
    }

    // An instance that a group or copy writes: a plain one of a claimed root goes where the graph output is, an operand of
    // a concatenation that falls away into its result.
    Result<int> addComputed(ValueId value, const Layout& layout)
    {
        const auto part = m_joined.parts.find(value);
        if (part != m_joined.parts.end() && m_joined.wholes.at(part->second.whole) == layout && !existing(value, layout)) {
            return addPart(value, layout, part->second);
        }
        const auto claim = m_claimed.find(value);
        if (claim != m_claimed.end() && layout.isPlain()) {
            const int output = claim->second;
            m_claimed.erase(claim);
            return add(value, layout, Space::Output, output);
        }
        return add(value, layout, Space::Arena, 0);
    }

    Result<int> addPart(ValueId value, const Layout& layout, const Joined::Part& part)
    {
        const std::optional<int> known = existing(part.whole, layout);
        const Result<int> whole = known ? Result<int>(*known) : addComputed(part.whole, layout);
        const Result<int> made = whole ? add(value, layout, Space::Arena, 0) : whole;
        if (made) {
            instance(*made).whole = *whole;
            instance(*made).place.offset = part.offset;
        }
        return made;
    }

    std::optional<int> existing(ValueId value, const Layout& layout) const
    {
        const auto found = m_byLayout.find({layout.isPlain() ? rootOf(m_graph, value) : value, layout.toText()});
        return found == m_byLayout.end() ? std::nullopt : std::optional(found->second);
    }

    // The instance of a value in a layout, made by a copy when there is none.
    Result<int> ensure(ValueId value, const Layout& layout)
    {
        if (const std::optional<int> found = existing(value, layout)) {
            return *found;
        }
        const ValueId root = rootOf(m_graph, value);
        if (valueAt(m_graph, root).constant && !existing(root, Layout{})) {
            const Result<int> made = add(root, Layout{}, Space::Constant, constantIndex(root));
            if (!made || layout.isPlain()) {
                return made;
            }
        }
        if (layout.isPlain()) {
            const auto produced = m_produced.find(root);
            ENSURE(produced != m_produced.end(), "a value is used before it is computed");
            return copy(root, produced->second, layout);
        }
        if (value != root) {
            const Result<int> plain = ensure(root, Layout{});
            return plain ? copy(value, *plain, layout) : plain;
        }
        const std::optional<int> plain = existing(root, Layout{});
        const auto produced = m_produced.find(root);
        ENSURE(plain || produced != m_produced.end(), "a value is used before it is computed");
        return copy(root, plain ? *plain : produced->second, layout);
    }

    int constantIndex(ValueId value)
    {
        const auto found = std::ranges::find(m_plan.constants, value);
        if (found != m_plan.constants.end()) {
            return static_cast<int>(found - m_plan.constants.begin());
        }
        m_plan.constants.push_back(value);
        return static_cast<int>(m_plan.constants.size()) - 1;
    }

    // A group without nodes that brings `value` from one instance to a new one.
    Result<int> copy(ValueId value, int from, const Layout& to)
    {
        const Result<int> made = addComputed(value, to);
        if (!made) {
            return made;
        }
        appendCopy(value, from, *made);
        return made;
    }

    void appendCopy(ValueId value, int from, int to)
    {
        Group group;
        group.name = format("copy.{}", m_copies++);
        const bool isConstant = instance(from).place.space == Space::Constant;
        group.ports = {{"X", isConstant ? PortKind::Constant : PortKind::Input, value, instance(from).layout},
                       {"Y", PortKind::Output, value, instance(to).layout}};
        append(std::move(group), {from, to});
    }

    void append(Group group, std::vector<int> instances)
    {
        const int call = static_cast<int>(m_plan.calls.size());
        for (const int i : instances) {
            instance(i).life.end = call;
        }
        m_plan.calls.push_back({static_cast<int>(m_plan.groups.size()), {}});
        m_plan.groups.push_back(std::move(group));
        m_callInstances.push_back(std::move(instances));
    }

    Status place(const Group& group)
    {
        if (m_joined.groups.contains(group.name)) {
            const GroupPort& result = group.ports.back();
            m_produced[result.value] = *existing(result.value, result.layout);
            return Done{};
        }
        std::vector<int> instances;
        for (const GroupPort& port : group.ports) {
            if (port.kind == PortKind::Output) {
                continue;
            }
            const Result<int> found = ensure(port.value, port.layout);
            if (!found) {
                return found.error();
            }
            instances.push_back(*found);
        }
        for (const GroupPort& port : group.ports) {
            if (port.kind != PortKind::Output) {
                continue;
            }
            const Result<int> made = addComputed(port.value, port.layout);
            if (!made) {
                return made.error();
            }
            m_produced[port.value] = *made;
            instances.push_back(*made);
        }
        append(group, std::move(instances));
        return Done{};
    }

    // Outputs that no group wrote in place: other layouts, inputs and constants passed through, values shown twice.
    Status finishOutputs()
    {
        for (std::size_t i = 0; i < m_graph.outputs.size(); ++i) {
            const ValueId value = m_graph.outputs[i];
            const Result<int> plain = ensure(value, Layout{});
            if (!plain) {
                return plain.error();
            }
            const Place& at = instance(*plain).place;
            if (at.space == Space::Output && at.index == static_cast<int>(i)) {
                continue;
            }
            Instance result{value, Layout{}, {Space::Output, static_cast<int>(i), 0, at.bytes}, {}};
            m_instances.push_back(std::move(result));
            appendCopy(value, *plain, static_cast<int>(m_instances.size()) - 1);
        }
        return Done{};
    }

    void packMemory()
    {
        for (const Instance& part : m_instances) {
            for (int whole = part.whole; whole >= 0; whole = instance(whole).whole) {
                instance(whole).life.end = std::max(instance(whole).life.end, part.life.end);
            }
        }
        std::vector<int> inArena;
        std::vector<Lifetime> lives;
        for (std::size_t i = 0; i < m_instances.size(); ++i) {
            if (m_instances[i].place.space == Space::Arena && m_instances[i].whole < 0) {
                inArena.push_back(static_cast<int>(i));
                lives.push_back(m_instances[i].life);
            }
        }
        const Packing packing = packArena(lives);
        for (std::size_t i = 0; i < inArena.size(); ++i) {
            instance(inArena[i]).place.offset = packing.offsets[i];
        }
        for (Instance& part : m_instances) { // wholes come before their parts
            part.place.offset += part.whole >= 0 ? instance(part.whole).place.offset : 0;
        }
        m_plan.arenaBytes = packing.bytes;
        for (std::size_t call = 0; call < m_plan.calls.size(); ++call) {
            for (const int i : m_callInstances[call]) {
                m_plan.calls[call].places.push_back(instance(i).place);
            }
        }
    }
};

Status checkStatic(const Graph& graph)
{
    std::set<std::string> symbols(graph.symbols.begin(), graph.symbols.end());
    const auto collect = [&](ValueId value) {
        for (const Expr& extent : value == graph::kNoValue ? std::vector<Expr>{} : valueAt(graph, value).type.shape) {
            for (std::string& name : freeVars(extent)) {
                symbols.insert(std::move(name));
            }
        }
    };
    std::ranges::for_each(graph.inputs, collect);
    for (const graph::Node& node : graph.nodes) {
        std::ranges::for_each(node.outputs, collect);
    }
    if (symbols.empty()) {
        return Done{};
    }
    const std::vector<std::string> names(symbols.begin(), symbols.end());
    return failed(format("The plan needs every extent. Bind {} (for example --bind {}=1).", join(names, ", "), names.front()));
}

Status applyLayouts(const Graph& graph, std::vector<Group>& groups, const Choices& choices)
{
    for (const Choices::LayoutChoice& choice : choices.layouts) {
        const Result<std::size_t> at = findGroup(groups, choice.group);
        if (!at) {
            return at.error();
        }
        std::vector<GroupPort>& ports = groups[*at].ports;
        const auto port = std::ranges::find(ports, choice.port, &GroupPort::name);
        if (port == ports.end()) {
            std::vector<std::string> names;
            std::ranges::transform(ports, std::back_inserter(names), &GroupPort::name);
            return refused(format("The group {} has no port {}; it has {}.", choice.group, choice.port, join(names, ", ")));
        }
        if (port->kind == PortKind::Constant) {
            return refused(format("{} {} is a constant, which the plan leaves plain. Pack it in the group's script: "
                                  "set_layout.",
                                  choice.group, choice.port));
        }
        if (const Status fits = choice.layout.checkInvertible(literalShape(graph, port->value)); !fits) {
            return refused(format("{} {}: {}", choice.group, choice.port, fits.error().message));
        }
        port->layout = normalized(choice.layout);
    }
    return Done{};
}

} // namespace

const Group* Plan::find(const std::string& name) const
{
    const auto found = std::ranges::find(groups, name, &Group::name);
    return found == groups.end() ? nullptr : &*found;
}

Result<Plan> makePlan(std::shared_ptr<const graph::Graph> graph, const Choices& choices)
{
    ENSURE(graph != nullptr, "makePlan without a graph");
    if (const Status status = checkStatic(*graph); !status) {
        return status.error();
    }
    Result<std::vector<Group>> groups = fuseGroups(*graph);
    if (!groups) {
        return groups.error();
    }
    if (choices.block.value_or(0) > 0) {
        layInBlocks(*graph, *groups, *choices.block);
    }
    if (const Status status = applyLayouts(*graph, *groups, choices); !status) {
        return status.error();
    }
    Result<WithAlgorithms> computed = withAlgorithms(std::move(graph), *std::move(groups), choices.algorithms);
    if (!computed) {
        return computed.error();
    }
    return Planner(computed->graph, computed->groups).run();
}

} // namespace nw::plan
