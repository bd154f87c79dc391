// Shapes of graphs that froze other viewers: each is laid out while the window goes on answering.
#include "tests/support/faces.h"
#include "tests/support/test.h"
#include "tests/views/graph/pictures.h"
#include "views/graph/graph_view.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTimer>

using namespace nw::views;

namespace {

using Kind = GraphNode::Kind;

int add(GraphPicture& picture, const std::string& op, const std::string& title = {})
{
    const int id = static_cast<int>(picture.nodes.size());
    picture.nodes.push_back({op + "." + std::to_string(id), title.empty() ? op : title, "1×64", {}, {}, Kind::Group, -1, {}, {op}});
    return id;
}

void connect(GraphPicture& picture, int from, int to)
{
    picture.edges.push_back({from, to, "1×64", "t" + std::to_string(from)});
}

GraphPicture chain(int count)
{
    GraphPicture picture;
    int last = add(picture, "relu");
    for (int i = 1; i < count; ++i) {
        const int next = add(picture, "relu");
        connect(picture, last, next);
        last = next;
    }
    return picture;
}

GraphPicture parallelChains(int chains, int length)
{
    GraphPicture picture;
    const int first = add(picture, "input");
    std::vector<int> ends;
    for (int c = 0; c < chains; ++c) {
        int last = first;
        for (int i = 0; i < length; ++i) {
            const int next = add(picture, "relu");
            connect(picture, last, next);
            last = next;
        }
        ends.push_back(last);
    }
    const int join = add(picture, "concat");
    for (const int end : ends) {
        connect(picture, end, join);
    }
    return picture;
}

GraphPicture completeLayers(int layers, int width)
{
    GraphPicture picture;
    std::vector<int> before;
    for (int layer = 0; layer < layers; ++layer) {
        std::vector<int> now;
        for (int i = 0; i < width; ++i) {
            now.push_back(add(picture, "sum"));
            for (const int from : before) {
                connect(picture, from, now.back());
            }
        }
        before = now;
    }
    return picture;
}

GraphPicture wideConcat(int inputs)
{
    GraphPicture picture;
    std::vector<int> all;
    for (int i = 0; i < inputs; ++i) {
        all.push_back(add(picture, "relu"));
    }
    const int join = add(picture, "concat");
    for (const int from : all) {
        connect(picture, from, join);
    }
    return picture;
}

GraphPicture longName()
{
    GraphPicture picture = chain(3);
    picture.nodes[1].title = std::string(10000, 'w');
    picture.nodes[1].subtitle = "<b>not bold</b>\n\x01";
    return picture;
}

} // namespace

class TestCase57 : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void case_57_data()
    {
        QTest::addColumn<int>("shape");
        QTest::newRow("chain of 10,000") << 0;
        QTest::newRow("100 chains of 100") << 1;
        QTest::newRow("complete layers 50 x 50") << 2;
        QTest::newRow("concat of 2,000") << 3;
        QTest::newRow("a name of 10,000 letters") << 4;
    }

    void case_57()
    {
        QFETCH(int, shape);
        auto picture = std::make_shared<GraphPicture>(shape == 0     ? chain(10000)
                                                          : shape == 1 ? parallelChains(100, 100)
                                                          : shape == 2 ? completeLayers(50, 50)
                                                          : shape == 3 ? wideConcat(2000)
                                                                       : longName());
        test::wearTheme(Theme::light(), 1);
        GraphView view;
        view.resize(900, 700);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QElapsedTimer since;
        qint64 worst = 0;
        int beats = 0;
        QTimer heart;
        QObject::connect(&heart, &QTimer::timeout, &view, [&] {
            worst = std::max(worst, since.restart());
            ++beats;
        });
        QSignalSpy laidOut(&view, &GraphView::layoutFinished);
        QElapsedTimer whole;
        whole.start();
        since.start();
        heart.start(5);
        view.setPicture(picture);
        QTRY_VERIFY_WITH_TIMEOUT(laidOut.count() > 0, 60000);
        view.fit();
        QTest::qWait(50);
        qInfo("%s: laid out in %lld ms, longest time without an answer %lld ms", QTest::currentDataTag(),
              static_cast<long long>(whole.elapsed()), static_cast<long long>(worst));
        QVERIFY(laidOut.first().at(0).toInt() > 0);
        QVERIFY(beats > 0);
    }
};

NW_TEST_MAIN(tst_case_57, TestCase57)
#include "tst_case_57.moc"
