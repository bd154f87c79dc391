#include "tests/support/test.h"
#include "tests/views/graph/pictures.h"
#include "views/graph/graph_search.h"
#include "views/graph/repeated_blocks.h"
#include "views/graph/visible_graph.h"

#include <algorithm>
#include <set>

using namespace nw::views;

class TestPicture : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void layersOfATransformerAreOneBlock()
    {
        const auto picture = pictures::transformer(12);
        QCOMPARE(picture->blocks.size(), std::size_t{1});
        QCOMPARE(picture->blocks[0].occurrences.size(), std::size_t{12});
        for (const std::vector<int>& occurrence : picture->blocks[0].occurrences) {
            QCOMPARE(occurrence.size(), std::size_t{39});
        }
        // Cut where only the layer's result crosses, not in the middle of a layer.
        QCOMPARE(picture->blocks[0].occurrences[0].front(), 3);
        QCOMPARE(picture->blocks[0].title, std::string("matmul + mean + softmax block"));
    }

    void equalNeighboursAreNoBlock()
    {
        QVERIFY(pictures::chain(20)->blocks.empty());
    }

    void anotherEdgeInsideIsAnotherBlock()
    {
        // a b c a b c a b c, where the last c reads a as well.
        std::vector<GraphNode> nodes;
        std::vector<GraphEdge> edges;
        for (int i = 0; i < 9; ++i) {
            GraphNode node;
            node.title = std::string(1, static_cast<char>('a' + i % 3));
            nodes.push_back(node);
            if (i > 0) {
                edges.push_back({i - 1, i, {}, std::to_string(i)});
            }
        }
        QCOMPARE(repeatedBlocks(nodes, edges).at(0).occurrences.size(), std::size_t{3});
        edges.push_back({6, 8, {}, "extra"});
        const auto blocks = repeatedBlocks(nodes, edges);
        QCOMPARE(blocks.size(), std::size_t{1});
        QCOMPARE(blocks[0].occurrences.size(), std::size_t{2});
    }

    void aSharedMaskIsNamedAtItsReaders()
    {
        const GraphFolding folding = foldingOf(pictures::transformer(12), false);
        const VisibleGraph visible = visibleGraph(folding);
        QCOMPARE(visible.nodes.size(), std::size_t{3 + 12 + 1});
        const auto stubs = std::count_if(visible.nodes.begin(), visible.nodes.end(), [](const VisibleGraph::Node& node) {
            return node.stubs.size() == 1 && node.stubs[0].tensor == "mask" && node.stubs[0].from == 1;
        });
        QCOMPARE(stubs, 12);
        QVERIFY(std::none_of(visible.edges.begin(), visible.edges.end(), [](const auto& edge) { return edge.from == 1; }));
    }

    void fewReadersGetEdges()
    {
        const VisibleGraph visible = visibleGraph(foldingOf(pictures::transformer(kMostRoutedReaders), false));
        QCOMPARE(std::count_if(visible.edges.begin(), visible.edges.end(), [](const auto& edge) { return edge.from == 1; }),
            kMostRoutedReaders);
    }

    void valuesThatGoTheSameWayAreOneEdge()
    {
        auto picture = std::make_shared<GraphPicture>(*pictures::diamond());
        picture->edges.push_back({3, 4, "8", "second"});
        const VisibleGraph visible = visibleGraph(foldingOf(picture, true));
        const auto edge = std::find_if(visible.edges.begin(), visible.edges.end(), [](const auto& e) { return e.from == 3 && e.to == 4; });
        QVERIFY(edge != visible.edges.end());
        QCOMPARE(edge->carried.size(), std::size_t{2});
        QCOMPARE(edge->carried[1]->tensor, std::string("second"));
        QCOMPARE(visible.edges.size(), std::size_t{5});
    }

    void anOpenBlockShowsItsMembersInAFrame()
    {
        GraphFolding folding = foldingOf(pictures::transformer(12), false);
        folding.open[4] = true;
        const VisibleGraph visible = visibleGraph(folding);
        QCOMPARE(visible.nodes.size(), std::size_t{3 + 11 + 39 + 1});
        QCOMPARE(visible.frames.size(), std::size_t{1});
        QCOMPARE(visible.frames[0].block, 4);
        QCOMPARE(visible.frames[0].members.size(), std::size_t{39});
        for (const VisibleGraph::Edge& edge : visible.edges) {
            QVERIFY(edge.from < edge.to);
        }
    }

    void aRealModelHasTitlesShapesAndEdges()
    {
        const auto picture = pictures::resnet18();
        QVERIFY(picture != nullptr);
        const auto find = [&](const std::string& id) {
            return std::find_if(picture->nodes.begin(), picture->nodes.end(), [&](const GraphNode& n) { return n.id == id; });
        };
        const auto first = find("conv.0");
        QVERIFY(first != picture->nodes.end());
        QCOMPARE(first->title, std::string("conv 7×7 + bias + relu"));
        QCOMPARE(first->subtitle, std::string("64×112×112"));
        QVERIFY(find("input.image") != picture->nodes.end());
        QCOMPARE(find("maxpool.0")->title, std::string("maxpool 3×3"));
        std::set<std::string> labels;
        for (const GraphEdge& edge : picture->edges) {
            QVERIFY(edge.from < edge.to);
            labels.insert(edge.label);
        }
        QVERIFY(labels.contains("1×64×56×56"));
        for (const GraphEdge& edge : picture->edges) {
            QCOMPARE(edge.type, std::string("f32"));
            QVERIFY(edge.bytes > 0);
            if (edge.label == "1×64×56×56") {
                QCOMPARE(edge.shape, edge.label);
                QCOMPARE(edge.layout, std::string());
                QCOMPARE(edge.bytes, std::int64_t{64} * 56 * 56 * 4);
            }
        }
        // Everything but inputs is reached.
        std::set<int> reached;
        for (const GraphEdge& edge : picture->edges) {
            reached.insert(edge.to);
        }
        for (std::size_t i = 0; i < picture->nodes.size(); ++i) {
            QVERIFY2(picture->nodes[i].kind == GraphNode::Kind::Input || reached.contains(static_cast<int>(i)),
                picture->nodes[i].id.c_str());
        }
    }

    void searchTakesAllWords_data()
    {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<int>("found");
        QTest::newRow("nothing") << std::string(" ") << 0;
        QTest::newRow("op name, any case") << std::string("CONV") << 6;
        QTest::newRow("typed sign") << std::string("128x56") << 2;
        QTest::newRow("two words") << std::string("3x3 128x56x56") << 2;
        QTest::newRow("one does not occur") << std::string("conv pool") << 0;
        QTest::newRow("id") << std::string("conv.5") << 1;
        QTest::newRow("layout") << std::string("nchw16c") << 6;
    }
    void searchTakesAllWords()
    {
        QFETCH(std::string, text);
        QFETCH(int, found);
        QCOMPARE(static_cast<int>(GraphSearch(*pictures::chain(6)).find(text).size()), found);
    }
};

NW_TEST_MAIN(tst_picture, TestPicture)
#include "tst_picture.moc"
