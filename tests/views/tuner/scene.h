#pragma once

#include "tests/support/planted_tuning.h"
#include "views/tuner/tuner_view.h"

namespace nw::views {

inline record::TuneTask row(std::int64_t id, const char* group, const char* state)
{
    record::TuneTask task;
    task.id = id;
    task.group = group;
    task.state = state;
    task.choices = "at most 120000";
    task.defaultNs = 21.4e6;
    task.templateNs = 0.9e6;
    task.handNs = 0.741e6;
    task.boundNs = 0.564e6;
    task.nominalFlops = 2.3e8;
    task.inModelNs = 4e6;
    task.count = static_cast<int>(id);
    return task;
}

// A session of three tasks, the first of them with so many trials, and a panel that shows it.
struct Scene {
    std::vector<nw::test::PlantedTask> tasks;
    std::vector<record::TuneTask> rows;
    TunerStatus status;

    explicit Scene(int trials)
    {
        tasks.push_back(nw::test::plantedTask(row(3, "conv.0", "tuning"), "unroll a\n", {"tile=4 wide=2", "tile=7 wide=3"}, trials, 5));
        tasks.push_back(nw::test::plantedTask(row(4, "matmul.1", "done"), "unroll a\n", {}, 120, 6));
        tasks.push_back(nw::test::plantedTask(row(5, "softmax.2", "waiting"), "unroll a\n", {}, 0, 7));
        tasks[1].row.confirmedNs = 0.61e6;
        tasks[1].row.confirmedSpread = 0.011;
        for (const auto& task : tasks) {
            rows.push_back(task.row);
        }
        status.session = record::TuneSession{};
        status.session->id = 1;
        status.session->activeSeconds = 80;
        status.alive = true;
        status.budget = {1500, 600, 200, QStringLiteral("evolutionary"), QStringLiteral("all")};
    }
    void show(TunerView& view, int width, int height) const
    {
        view.resize(width, height);
        view.show();
        view.setStatus(status);
        view.setTasks(rows, 0);
        view.showTask(3);
        view.addTrials(tasks[0].trials);
        view.setRounds(tasks[0].rounds);
    }
};

} // namespace nw::views
