#include "views/code/loop_forest.h"

#include "views/code/line_links.h"

namespace nw::views {
namespace {

struct Node {
    OpenedLoop loop;
    std::vector<Node> inside;
    bool isAlone = true; // nothing else stands in the body around it
};

// The statements from `at` on that stand deeper than `outside`.
std::vector<Node> readBody(const std::vector<std::string_view>& lines, std::size_t& at, std::size_t outside)
{
    std::vector<Node> loops;
    std::size_t statements = 0;
    std::size_t level = outside;
    while (at < lines.size()) {
        const std::string_view line = lines[at];
        const std::size_t indent = indentOf(line);
        if (indent == line.size()) {
            ++at;
            continue;
        }
        if (level == outside) {
            level = indent;
        }
        if (indent < level || (outside != std::string_view::npos && indent <= outside)) {
            break;
        }
        ++at;
        statements += indent == level ? 1 : 0;
        if (OpenedLoop opened = openedLoop(line); !opened.name.empty()) {
            loops.push_back({std::move(opened), readBody(lines, at, indent), true});
        }
    }
    for (Node& node : loops) {
        node.isAlone = statements == 1;
    }
    return loops;
}

class Cutter {
public:
    std::map<std::string, LoopForest> functions;

    void cut(const std::vector<Node>& nodes, LoopForest& into)
    {
        for (const Node& node : nodes) {
            if (node.loop.kind == "parallel" && node.loop.extent > 1) {
                cutTask(node);
            } else if (node.loop.kind == "for" && node.loop.extent > 1) {
                LoopTree tree{{node.loop.name}, {}};
                cut(node.inside, tree.inside);
                into.push_back(std::move(tree));
            } else {
                cut(node.inside, into);
            }
        }
    }

private:
    // Parallel loops that hold nothing but each other are one loop of one task.
    void cutTask(const Node& first)
    {
        const std::string name = "task" + std::to_string(m_tasks++);
        LoopTree tree{{first.loop.name}, {}};
        const Node* node = &first;
        while (node->inside.size() == 1 && node->inside.front().isAlone && node->inside.front().loop.kind == "parallel") {
            node = &node->inside.front();
            tree.names.push_back(node->loop.name);
        }
        cut(node->inside, tree.inside);
        functions[name].push_back(std::move(tree));
    }

    int m_tasks = 0;
};

} // namespace

std::map<std::string, LoopForest> compiledLoops(std::string_view lowered)
{
    const std::vector<std::string_view> lines = linesOf(lowered);
    std::size_t at = 0;
    const std::vector<Node> nodes = readBody(lines, at, std::string_view::npos);
    Cutter cutter;
    LoopForest body;
    cutter.cut(nodes, body);
    cutter.functions["body"] = std::move(body);
    return std::move(cutter.functions);
}

} // namespace nw::views
