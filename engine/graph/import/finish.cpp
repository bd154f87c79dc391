#include "engine/graph/import/finish.h"

#include "engine/base/text.h"
#include "engine/graph/op_table.h"

#include <algorithm>
#include <set>

namespace nw::graph {
namespace {

std::vector<bool> liveNodes(const Graph& graph)
{
    std::vector<bool> live(graph.nodes.size(), false);
    std::vector<ValueId> open = graph.outputs;
    while (!open.empty()) {
        const ValueId id = open.back();
        open.pop_back();
        const NodeId producer = id == kNoValue ? -1 : graph.values[static_cast<std::size_t>(id)].producer;
        if (producer < 0 || live[static_cast<std::size_t>(producer)]) {
            continue;
        }
        live[static_cast<std::size_t>(producer)] = true;
        const std::vector<ValueId>& inputs = graph.nodes[static_cast<std::size_t>(producer)].inputs;
        open.insert(open.end(), inputs.begin(), inputs.end());
    }
    return live;
}

Status checkTypes(const Importer& importer, const model::Model& model, const std::vector<bool>& live, std::int64_t opset)
{
    const Graph& graph = importer.graph;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        if (!live[i]) {
            continue;
        }
        std::vector<ValueId> values = graph.nodes[i].inputs;
        values.insert(values.end(), graph.nodes[i].outputs.begin(), graph.nodes[i].outputs.end());
        for (const ValueId id : values) {
            if (id != kNoValue && !isRunnable(importer.type(id).type)) {
                const model::ModelNode& node = model.nodes[static_cast<std::size_t>(importer.origins[i])];
                return failed(format("{}: element type {} cannot be computed with yet; f32, f64, i64, i32 and bool can",
                    nodeLabel(node, opset), toText(importer.type(id).type)));
            }
        }
    }
    return Done{};
}

// Copies what is reached, in order.
class Compactor {
public:
    Compactor(Graph& from, const std::vector<bool>& live)
        : m_from(from)
        , m_live(live)
        , m_new(from.values.size(), kNoValue)
    {}

    Graph run()
    {
        for (const ValueId input : m_from.inputs) {
            m_to.inputs.push_back(moved(input));
        }
        for (std::size_t i = 0; i < m_from.nodes.size(); ++i) {
            if (m_live[i]) {
                addNode(std::move(m_from.nodes[i]));
            }
        }
        for (const ValueId output : m_from.outputs) {
            m_to.outputs.push_back(moved(output));
        }
        for (const auto& [id, tensor] : m_from.defaults) {
            m_to.defaults.emplace(moved(id), tensor);
        }
        return std::move(m_to);
    }

private:
    Graph& m_from;
    const std::vector<bool>& m_live;
    std::vector<ValueId> m_new;
    Graph m_to;

    ValueId moved(ValueId id)
    {
        if (id == kNoValue) {
            return kNoValue;
        }
        ValueId& now = m_new[static_cast<std::size_t>(id)];
        if (now == kNoValue) {
            now = static_cast<ValueId>(m_to.values.size());
            m_to.values.push_back(std::move(m_from.values[static_cast<std::size_t>(id)]));
            m_to.values.back().producer = -1;
        }
        return now;
    }

    void addNode(Node node)
    {
        const auto id = static_cast<NodeId>(m_to.nodes.size());
        for (ValueId& input : node.inputs) {
            input = moved(input);
        }
        for (ValueId& output : node.outputs) {
            output = moved(output);
            m_to.values[static_cast<std::size_t>(output)].producer = id;
        }
        m_to.nodes.push_back(std::move(node));
    }
};

// Outputs that the model declares otherwise than they come out: worth a word, not a failure.
void compareOutput(Importer& importer, const model::ValueInfo& declared, ValueId id)
{
    const TensorType& type = importer.type(id);
    bool differs = declared.type != DType::Other && declared.type != type.type;
    differs = differs || (declared.hasShape && declared.shape.size() != type.shape.size());
    for (std::size_t axis = 0; axis < declared.shape.size() && !differs; ++axis) {
        const auto extent = constInt(type.shape[axis]);
        differs = extent && declared.shape[axis].value && *extent != *declared.shape[axis].value;
    }
    if (differs) {
        importer.notes.push_back(format("output '{}' is {}{}; the model declares another type or shape", declared.name,
            toText(type.type), shapeText(type.shape)));
    }
}

} // namespace

Result<std::shared_ptr<const Graph>> finishGraph(Importer& importer, const model::Model& model, std::int64_t opset)
{
    for (const model::ValueInfo& output : model.outputs) {
        const ValueId id = importer.names.at(output.name);
        if (const auto found = importer.symbolic.find(id); found != importer.symbolic.end()) {
            return failed(format("output '{}' is {}, which is only known once {} is bound", output.name,
                shapeText(found->second.values), symbolsText(found->second.values)));
        }
        compareOutput(importer, output, id);
        importer.graph.outputs.push_back(id);
    }
    const std::vector<bool> live = liveNodes(importer.graph);
    if (const Status types = checkTypes(importer, model, live, opset); !types) {
        return types.error();
    }
    auto graph = std::make_shared<Graph>(Compactor(importer.graph, live).run());
    std::set<std::string> symbols;
    for (const ValueId input : graph->inputs) {
        for (const Expr& extent : graph->values[static_cast<std::size_t>(input)].type.shape) {
            for (const std::string& name : freeVars(extent)) {
                symbols.insert(name);
            }
        }
    }
    graph->symbols.assign(symbols.begin(), symbols.end());
    return std::shared_ptr<const Graph>(std::move(graph));
}

} // namespace nw::graph
