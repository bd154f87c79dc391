// What the window costs (printed; floors are ratios of the limits of UX.md 5.2): launch to a usable start page, a step to
// the nest drawn again, legality of every primitive, panning 5,000 nodes, the longest time without an answer.
#include "app/gui/look.h"
#include "app/gui/main_window.h"
#include "app/gui/samples.h"
#include "tests/views/graph/pictures.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cstdio>

using namespace nw;

namespace {

int failures = 0;

void line(const char* what, double ms, double limitMs)
{
    const bool fine = ms <= limitMs;
    failures += fine ? 0 : 1;
    std::printf("%-46s %8.2f ms   (limit %.0f ms)%s\n", what, ms, limitMs, fine ? "" : "  OVER");
    std::fflush(stdout);
}

double percentile(std::vector<double> times, double share)
{
    std::sort(times.begin(), times.end());
    return times.empty() ? 0 : times[std::min(times.size() - 1, static_cast<std::size_t>(share * static_cast<double>(times.size())))];
}

// Splits of the nest's loops by two until it has `wanted` loops, and the names of the inner ones.
std::pair<std::string, std::vector<std::string>> splitToLoops(const schedule::LoopNest& nest, std::size_t wanted)
{
    std::string text;
    std::vector<std::string> inner;
    std::size_t count = nest.allLoops().size();
    for (const schedule::Loop* loop : nest.allLoops()) {
        std::string outer = loop->name;
        const std::optional<std::int64_t> extent = constInt(loop->extent);
        for (std::int64_t left = extent.value_or(1); left > 1 && count < wanted; left = (left + 1) / 2, ++count) {
            inner.push_back(outer + "i");
            text += "split " + outer + " into " + outer + "x:_ " + inner.back() + ":2\n";
            outer += "x";
        }
    }
    return {text, inner};
}

} // namespace

int main(int argc, char** argv)
{
    QTemporaryDir folder;
    for (const char* name : {"XDG_DATA_HOME", "XDG_CONFIG_HOME"}) {
        qputenv(name, folder.path().toUtf8());
    }
    QElapsedTimer launch;
    launch.start();
    QApplication application(argc, argv);
    app::applyLook();
    app::MainWindow window;
    window.resize(1600, 1000);
    window.show();
    (void)QTest::qWaitForWindowExposed(&window);
    QCoreApplication::processEvents();
    line("launch to usable start page (in process)", static_cast<double>(launch.elapsed()), 1000);

    window.open(app::samplesFolder() + QStringLiteral("/conv3x3"));
    if (!QTest::qWaitFor([&] { return window.controller().hasOperator(); }, 60000)) {
        std::printf("the sample did not open\n");
        return 1;
    }
    app::Controller& controller = window.controller();
    const std::string sample = controller.editing()->text();
    // The sample's plain nest with its loops split in two again and again, until there are forty.
    controller.setScript({});
    const auto [text, inner] = splitToLoops(controller.editing()->nest(), 40);
    controller.setScript(QString::fromStdString(text));
    controller.stopMeasuring();
    const std::size_t loops = controller.editing()->nest().allLoops().size();
    std::vector<double> steps;
    std::vector<double> paints;
    std::vector<double> judged;
    for (int i = 0; i < 40; ++i) {
        QElapsedTimer timer;
        timer.start();
        if (i % 2 == 0) {
            controller.applyStep(QString::fromStdString("unroll " + inner[static_cast<std::size_t>(i) / 2 % inner.size()]));
        } else {
            controller.undoGroup().undo();
        }
        QElapsedTimer painting;
        painting.start();
        window.views().nest->viewport()->repaint();
        paints.push_back(static_cast<double>(painting.nsecsElapsed()) / 1e6);
        steps.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
        timer.restart();
        (void)controller.editing()->offers(controller.editing()->nest().allLoops()[static_cast<std::size_t>(i) % loops]->name);
        judged.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
        controller.stopMeasuring();
        QCoreApplication::processEvents();
    }
    std::printf("loops in the nest: %zu\n", loops);
    line("step to nest drawn again, p95", percentile(steps, 0.95), 16);
    std::printf("  median %.2f ms, of which drawing %.2f ms\n", percentile(steps, 0.5), percentile(paints, 0.5));
    line("legality of all primitives of a loop, worst", percentile(judged, 1), 50);

    views::GraphView graph;
    graph.resize(1200, 900);
    graph.show();
    (void)QTest::qWaitForWindowExposed(&graph);
    int finished = 0;
    QObject::connect(&graph, &views::GraphView::layoutFinished, &graph, [&finished] { ++finished; });
    QElapsedTimer opening;
    opening.start();
    graph.setPicture(views::pictures::transformer(128));
    (void)QTest::qWaitFor([&] { return finished == 1; }, 20000);
    line("5,000 nodes to the collapsed graph", static_cast<double>(opening.elapsed()), 3000);
    opening.restart();
    graph.expandAll();
    (void)QTest::qWaitFor([&] { return finished == 2; }, 20000);
    line("everything expanded", static_cast<double>(opening.elapsed()), 5000);
    graph.fit();
    std::vector<double> frames;
    for (int i = 0; i < 40; ++i) {
        graph.zoomBy(i % 2 == 0 ? 1.02 : 1 / 1.02);
        graph.repaint();
        QCoreApplication::processEvents();
        frames.push_back(graph.lastPaintMs());
    }
    line("a frame at fit of 5,000 nodes, p95", percentile(frames, 0.95), 33);

    // A session: steps, jumps, measurements beside it.
    const double seconds = argc > 1 ? std::atof(argv[1]) : 20;
    controller.setScript(QString::fromStdString(sample));
    QTest::qWait(200);
    window.heartbeat().reset();
    QElapsedTimer session;
    session.start();
    for (int i = 0; static_cast<double>(session.elapsed()) < seconds * 1000; ++i) {
        controller.jump(i % static_cast<int>(controller.editing()->stations().size()));
        QTest::keyClick(window.views().nest, Qt::Key_Down);
        QTest::qWait(150);
    }
    line("longest time without an answer", static_cast<double>(window.heartbeat().worstMs()), 100);
    return failures == 0 ? 0 : 6;
}
