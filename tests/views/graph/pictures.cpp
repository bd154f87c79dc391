#include "tests/views/graph/pictures.h"

#include "engine/graph/from_model.h"
#include "engine/graph/rewrite/rewriter.h"
#include "engine/model/onnx_file.h"
#include "engine/plan/plan.h"
#include "views/graph/repeated_blocks.h"

namespace nw::views::pictures {
namespace {

class Builder {
public:
    int add(GraphNode::Kind kind, const std::string& id, const std::string& title, const std::string& op)
    {
        GraphNode node;
        node.id = id;
        node.title = title;
        node.subtitle = "1×128×1024";
        node.kind = kind;
        node.ops = {op};
        m_picture.nodes.push_back(std::move(node));
        return static_cast<int>(m_picture.nodes.size()) - 1;
    }
    int group(const std::string& op, const std::string& title, const std::vector<int>& reads)
    {
        const int node = add(GraphNode::Kind::Group, title.substr(0, title.find(' ')) + "." + std::to_string(m_picture.nodes.size()), title, op);
        for (const int from : reads) {
            connect(from, node);
        }
        return node;
    }
    void connect(int from, int to)
    {
        m_picture.edges.push_back({from, to, "1×128×1024", "v" + std::to_string(from)});
    }
    GraphNode& node(int index) { return m_picture.nodes[static_cast<std::size_t>(index)]; }
    std::vector<GraphEdge>& edges() { return m_picture.edges; }
    std::shared_ptr<const GraphPicture> done()
    {
        m_picture.blocks = repeatedBlocks(m_picture.nodes, m_picture.edges);
        return std::make_shared<const GraphPicture>(std::move(m_picture));
    }

private:
    GraphPicture m_picture;
};

// 39 groups: a normalization spelled out, attention, a second one, the two dense layers, with filler between.
int layer(Builder& b, int x, int mask)
{
    const auto norm = [&](int from) {
        const int mean = b.group("ReduceMean", "mean", {from});
        const int centred = b.group("Sub", "sub", {from, mean});
        const int squared = b.group("Pow", "pow", {centred});
        const int variance = b.group("ReduceMean", "mean + add + sqrt", {squared});
        const int divided = b.group("Div", "div", {centred, variance});
        return b.group("Mul", "mul + add", {divided});
    };
    const int first = norm(x);
    std::vector<int> heads;
    for (int i = 0; i < 3; ++i) {
        const int projected = b.group("MatMul", "matmul + bias", {first});
        const int moved = b.group("Transpose", "transpose", {projected});
        const int scaled = b.group("Mul", "mul", {moved});
        heads.push_back(b.group("Cast", "cast", {scaled}));
    }
    const int scores = b.group("MatMul", "matmul + div", {heads[0], heads[1]});
    const int masked = b.group("Where", "where", {scores});
    b.connect(mask, masked);
    b.edges().back().tensor = "mask";
    const int weights = b.group("Softmax", "softmax", {masked});
    const int mixed = b.group("MatMul", "matmul", {weights, heads[2]});
    const int back = b.group("Transpose", "transpose", {mixed});
    const int out = b.group("MatMul", "matmul + bias + add", {back, x});
    const int second = norm(out);
    int last = b.group("MatMul", "matmul + bias + gelu", {second});
    for (int i = 0; i < 7; ++i) {
        last = b.group("Mul", "mul", {last});
    }
    return b.group("MatMul", "matmul + bias + add", {last, out});
}

} // namespace

std::shared_ptr<const GraphPicture> transformer(int layers)
{
    Builder b;
    int x = b.add(GraphNode::Kind::Input, "input.x", "x", "input");
    const int mask = b.add(GraphNode::Kind::Input, "input.mask", "mask", "input");
    x = b.group("Gather", "gather + add", {x});
    for (int i = 0; i < layers; ++i) {
        x = layer(b, x, mask);
    }
    const int out = b.add(GraphNode::Kind::Output, "output.y", "y", "output");
    b.connect(x, out);
    return b.done();
}

std::shared_ptr<const GraphPicture> chain(int count)
{
    Builder b;
    int x = b.add(GraphNode::Kind::Input, "input.x", "x", "input");
    for (int i = 0; i < count; ++i) {
        x = b.group("Conv", "conv 3×3 + relu", {x});
        b.node(x).id = "conv." + std::to_string(i);
        b.node(x).subtitle = std::to_string(64 << (i % 3)) + "×56×56";
        b.node(x).badges = {"NCHW16c"};
    }
    const int out = b.add(GraphNode::Kind::Output, "output.y", "y", "output");
    b.connect(x, out);
    return b.done();
}

std::shared_ptr<const GraphPicture> diamond()
{
    Builder b;
    const int x = b.add(GraphNode::Kind::Input, "input.x", "x", "input");
    const auto named = [&](const char* id, const char* op, const std::vector<int>& reads) {
        const int node = b.group(op, id, reads);
        b.node(node).id = id;
        return node;
    };
    const int a = named("relu.0", "Relu", {x});
    const int left = named("conv.0", "Conv", {a});
    const int right = named("conv.1", "Conv", {a});
    named("add.0", "Add", {left, right});
    return b.done();
}

std::shared_ptr<const GraphPicture> resnet18()
{
    const auto model = model::readModel(std::filesystem::path(NW_SOURCE_DIR) / "projects/resnet18/model.onnxtxt");
    const auto imported = model ? graph::importModel(*model, {}) : Result<graph::Imported>(model.error());
    const auto rewritten = imported ? graph::rewrite(imported->graph, graph::allRules()) : Result<graph::Rewritten>(imported.error());
    const auto plan = rewritten ? plan::makePlan(rewritten->graph, {}) : Result<plan::Plan>(rewritten.error());
    if (!plan) {
        qWarning("%s", plan.error().message.c_str());
        return nullptr;
    }
    return std::make_shared<const GraphPicture>(pictureOf(*plan));
}

} // namespace nw::views::pictures
