// On which task the next batch is spent.
#include "engine/tune/task_scheduler.h"
#include "tests/support/test.h"

#include <vector>

using namespace nw::tune;

namespace {

constexpr int kBatch = 32;

TaskOutlook tried(double bestNs, double boundNs, int sinceGain, double lastGain, double weight = 1)
{
    return {true, 64, weight, bestNs, boundNs, sinceGain, lastGain};
}
TaskOutlook fresh(double weight) { return {true, 0, weight, 0, 0, 0, 0}; }
TaskOutlook closed(TaskOutlook task)
{
    task.isOpen = false;
    return task;
}

} // namespace

class TestTaskScheduler : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void chooses_data()
    {
        QTest::addColumn<std::vector<TaskOutlook>>("tasks");
        QTest::addColumn<int>("chosen");
        const auto row = [](const char* name, std::vector<TaskOutlook> tasks, int chosen) { QTest::newRow(name) << std::move(tasks) << chosen; };
        row("none", {}, 0);
        row("none open", {closed(fresh(1)), closed(tried(1e6, 1e5, 0, 0.5))}, 2);
        row("every task once, whatever another gained", {tried(1e9, 1e6, 0, 0.9, 100), fresh(0.001)}, 1);
        row("the heaviest first", {fresh(1), fresh(5), fresh(3)}, 1);
        row("the first of equals", {fresh(2), fresh(2)}, 0);
        row("where the model's time falls most", {tried(1e6, 0, 0, 0.1), tried(1e7, 0, 0, 0.1)}, 1);
        row("what gained last", {tried(1e6, 5e5, 32, 0), tried(1e6, 5e5, 0, 0.3)}, 1);
        row("the weight counts", {tried(1e6, 0, 0, 0.1, 12), tried(1e7, 0, 0, 0.1, 1)}, 0);
        row("not what stands at its bound", {tried(1e6, 1e6, 0, 0), tried(1e6, 2e5, 0, 0)}, 1);
        row("not where nothing came for long", {tried(1e6, 2e5, 640, 0), tried(9e5, 2e5, 16, 0)}, 1);
        row("not where all failed", {tried(0, 0, 64, 0), tried(1e3, 9e2, 320, 0)}, 1);
        row("where all failed, when there is nothing else", {closed(tried(1e6, 0, 0, 0.5)), tried(0, 0, 64, 0)}, 1);
    }
    void chooses()
    {
        QFETCH(std::vector<TaskOutlook>, tasks);
        QFETCH(int, chosen);
        QCOMPARE(nextTask(tasks, kBatch), static_cast<std::size_t>(chosen));
    }

    // Whatever one task promises, none is left alone for good while its bound is far: hope fades where nothing comes.
    void noTaskStarves()
    {
        std::vector<TaskOutlook> tasks{tried(1e6, 1e4, 0, 0, 10), tried(1e5, 1e4, 0, 0, 1), tried(1e5, 1e4, 0, 0, 0.2)};
        std::vector<int> times(3);
        for (int round = 0; round < 60; ++round) {
            const std::size_t chosen = nextTask(tasks, kBatch);
            ++times.at(chosen);
            tasks[chosen].sinceGain += kBatch;
            tasks[chosen].trials += kBatch;
        }
        QVERIFY(times[0] > times[1] && times[1] > times[2] && times[2] > 5);
    }
};

NW_TEST_MAIN(tst_task_scheduler, TestTaskScheduler)
#include "tst_task_scheduler.moc"
