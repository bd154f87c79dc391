#include "tests/support/test.h"
#include "views/graph/layered_layout.h"

#include <random>

using namespace nw::views;

namespace {

LayoutRequest randomRequest(int count, unsigned seed)
{
    std::mt19937 random(seed);
    LayoutRequest request;
    for (int i = 0; i < count; ++i) {
        request.sizes.emplace_back(60 + random() % 100, 30 + random() % 20);
        for (unsigned k = 0; i > 0 && k < 1 + random() % 2; ++k) {
            const std::pair<int, int> edge(i - 1 - static_cast<int>(random() % std::min(i, 9)), i);
            if (std::find(request.edges.begin(), request.edges.end(), edge) == request.edges.end()) {
                request.edges.push_back(edge);
            }
        }
    }
    return request;
}

bool overlap(const LayoutBox& a, const LayoutBox& b)
{
    return a.x < b.x + b.width - 0.5 && b.x < a.x + a.width - 0.5 && a.y < b.y + b.height - 0.5 && b.y < a.y + a.height - 0.5;
}

} // namespace

class TestLayeredLayout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void boxesStandApartAndEdgesLeadDown()
    {
        const std::atomic<bool> go{false};
        for (const unsigned seed : {1U, 2U, 3U}) {
            const LayoutRequest request = randomRequest(120, seed);
            const auto result = layeredLayout(request, go);
            QVERIFY(result.has_value());
            QCOMPARE(result->boxes.size(), request.sizes.size());
            QCOMPARE(result->lines.size(), request.edges.size());
            for (std::size_t i = 0; i < result->boxes.size(); ++i) {
                const LayoutBox& box = result->boxes[i];
                QCOMPARE(box.width, request.sizes[i].first);
                QVERIFY(box.x >= -0.01 && box.x + box.width <= result->width + 0.01);
                QVERIFY(box.y >= -0.01 && box.y + box.height <= result->height + 0.01);
                for (std::size_t j = 0; j < i; ++j) {
                    QVERIFY(!overlap(box, result->boxes[j]));
                }
            }
            for (std::size_t e = 0; e < request.edges.size(); ++e) {
                const auto [from, to] = request.edges[e];
                const LayoutBox& upper = result->boxes[static_cast<std::size_t>(from)];
                const LayoutBox& lower = result->boxes[static_cast<std::size_t>(to)];
                QVERIFY(upper.y + upper.height < lower.y);
                QVERIFY(qAbs(result->lines[e].points.front().y - (upper.y + upper.height)) < 0.01);
                QVERIFY(qAbs(result->lines[e].points.back().y - lower.y) < 0.01);
            }
        }
    }

    void aBoxWithoutEdgesStandsBesideTheOthers()
    {
        const std::atomic<bool> go{false};
        LayoutRequest request = randomRequest(60, 4);
        request.sizes.emplace_back(80, 30);
        const auto result = layeredLayout(request, go);
        QVERIFY(result.has_value());
        const LayoutBox& first = result->boxes.front();
        const LayoutBox& alone = result->boxes.back();
        QCOMPARE(alone.y + alone.height / 2, first.y + first.height / 2);
        QVERIFY(qAbs(alone.x - first.x) < 400);
    }

    void aCancelledOneGivesNothing()
    {
        const std::atomic<bool> stopped{true};
        QVERIFY(!layeredLayout(randomRequest(50, 1), stopped).has_value());
    }

    void graphvizIsAskedAndUnderstood()
    {
        LayoutRequest request;
        request.sizes = {{72, 36}, {144, 36}};
        request.edges = {{0, 1}};
        request.frames = {{1}};
        const std::string asked = dotText(request);
        QVERIFY(asked.find("n0 [width=1.000000, height=0.500000];") != std::string::npos);
        QVERIFY(asked.find("n0 -> n1;") != std::string::npos);
        QVERIFY(asked.find("subgraph cluster_0") != std::string::npos);

        const auto result = parsePlain("graph 1 2 3\n"
                                       "node n0 1 2.75 1 0.5 \"\" solid box black lightgrey\n"
                                       "node n1 1 0.25 2 0.5 \"\" solid box black lightgrey\n"
                                       "edge n0 n1 4 1 2.5 1 2 1 1 1 0.5 solid black\n"
                                       "stop\n",
            request);
        QVERIFY(result.has_value());
        QCOMPARE(result->boxes[0].x, 36.0);
        QCOMPARE(result->boxes[0].y, 0.0); // the first is on top
        QCOMPARE(result->boxes[1].y, 180.0);
        QVERIFY(result->lines[0].curved);
        QCOMPARE(result->lines[0].points.front().y, 36.0);
        QCOMPARE(result->lines[0].points.back().y, 180.0);
    }

    void aBrokenAnswerIsNone_data()
    {
        QTest::addColumn<std::string>("answer");
        QTest::newRow("empty") << std::string();
        QTest::newRow("cut off") << std::string("graph 1 2 3\nnode n0 1 2.75 1 0.5 \"\" solid box black lightgrey\n");
        QTest::newRow("unknown box") << std::string("graph 1 2 3\nnode n7 1 2.75 1 0.5\n");
        QTest::newRow("no number") << std::string("graph 1 2 3\nnode n0 one 2.75 1 0.5\n");
    }
    void aBrokenAnswerIsNone()
    {
        QFETCH(std::string, answer);
        LayoutRequest request;
        request.sizes = {{72, 36}, {144, 36}};
        QVERIFY(!parsePlain(answer, request).has_value());
    }
};

NW_TEST_MAIN(tst_layered_layout, TestLayeredLayout)
#include "tst_layered_layout.moc"
