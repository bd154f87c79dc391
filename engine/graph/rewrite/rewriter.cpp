#include "engine/graph/rewrite/rewriter.h"

#include "engine/base/ensure.h"
#include "engine/base/text.h"
#include "engine/graph/op_table.h"

#include <algorithm>
#include <set>

namespace nw::graph {
namespace {

constexpr std::size_t kFiringsPerNode = 20;
constexpr std::size_t kLastFirings = 50; // what the message of a cycle looks at

bool sameTensor(const Tensor& a, const Tensor& b)
{
    return a.type() == b.type() && a.shape() == b.shape()
           && (a.bytes().data() == b.bytes().data() || std::ranges::equal(a.bytes(), b.bytes()));
}

bool sameValue(const Value& a, const Value& b)
{
    const bool sameExtents = std::ranges::equal(a.type.shape, b.type.shape,
                                                [](const Expr& x, const Expr& y) { return equal(x, y); });
    return sameExtents && a.type.type == b.type.type && a.producer == b.producer
           && a.constant.has_value() == b.constant.has_value() && (!a.constant || sameTensor(*a.constant, *b.constant));
}

bool sameNode(const Node& a, const Node& b)
{
    return a.op == b.op && a.inputs == b.inputs && a.outputs == b.outputs && a.attributes.values == b.attributes.values;
}

// Whether two graphs say the same, names apart: a rule that gives this back has not fired.
bool sameGraph(const Graph& a, const Graph& b)
{
    return a.inputs == b.inputs && a.outputs == b.outputs && std::ranges::equal(a.nodes, b.nodes, sameNode)
           && std::ranges::equal(a.values, b.values, sameValue);
}

Error cycle(const std::vector<Firing>& firings, std::size_t nodes)
{
    std::set<std::string> names;
    for (std::size_t i = firings.size() - std::min(firings.size(), kLastFirings); i < firings.size(); ++i) {
        names.insert(firings[i].rule);
    }
    return failed(format("The rewrite rules come to no end: {} fired {} times on {} nodes. Leave one of them out.",
                         join({names.begin(), names.end()}, ", "), firings.size(), nodes));
}

void checkAfter(const Graph& graph, const Firing& firing)
{
#ifndef NDEBUG
    const std::string problem = verify(graph);
    ENSURE(problem.empty(), format("rule {} at {}: {}", firing.rule, firing.where, problem));
#else
    static_cast<void>(graph);
    static_cast<void>(firing);
#endif
}

std::string placeOf(const Node& node)
{
    return node.name.empty() ? std::string(node.op->name) : node.name;
}

} // namespace

Result<Rewritten> rewrite(std::shared_ptr<const Graph> graph, std::span<const Rule> rules)
{
    ENSURE(graph != nullptr, "rewrite without a graph");
    Rewritten done{std::move(graph), {}};
    const std::size_t limit = kFiringsPerNode * std::max<std::size_t>(done.graph->nodes.size(), 1);
    // A rule has its turn when none before it fires any more: what one rule leaves behind, an earlier one tidies first.
    for (std::size_t r = 0; r < rules.size();) {
        bool fired = false;
        for (NodeId n = 0; n < static_cast<NodeId>(done.graph->nodes.size());) {
            std::optional<Graph> next = rules[r].apply(*done.graph, n);
            if (!next || sameGraph(*next, *done.graph)) {
                ++n;
                continue;
            }
            done.firings.push_back({std::string(rules[r].name), placeOf(done.graph->nodes[static_cast<std::size_t>(n)])});
            if (done.firings.size() > limit) {
                return cycle(done.firings, done.graph->nodes.size());
            }
            checkAfter(*next, done.firings.back());
            done.graph = std::make_shared<const Graph>(*std::move(next));
            fired = true; // and the same place again, where another node may stand now
        }
        r = fired ? 0 : r + 1;
    }
    return done;
}

} // namespace nw::graph
