#include "tests/window/tuner_scene.h"

#include "engine/base/text.h"

namespace nw::test {
namespace {

const char* const kScript = "split oc into oco:_ oci:?rows\nsplit ow into owo:_ owi:?wide\nreorder oco oh oci\n"
                            "knob rows = {2, 4, 8} default 4\nknob wide = {4, 8, 16} default 8\n";

} // namespace

TunerScene::TunerScene(Driver& driver)
{
    const session::Operator& op = driver.editing().op();
    m_task = op.taskId;
    m_group = op.name;
    m_project = driver.window().controller().project()->projectFile.toStdString();
    m_runtime = session::userFolders()->runtime;
    m_database = *record::Database::open(m_project, false);
    m_journal = std::make_unique<record::TuneJournal>(*m_database);
}

PlantedSession TunerScene::session(int trials) const
{
    record::TuneTask row;
    row.task = m_task;
    row.group = m_group;
    row.state = "tuning";
    row.choices = "9";
    row.defaultNs = 4e6;
    row.handNs = 1.1e6;
    row.boundNs = 0.4e6;
    row.nominalFlops = 3e8;
    PlantedSession made;
    made.session.settings = tune::Settings{}.toText();
    made.session.activeSeconds = 60;
    std::vector<std::string> choices;
    for (const int m : {2, 4, 8}) {
        for (const int n : {4, 8, 16}) {
            choices.push_back(format("rows={} wide={}", m, n));
        }
    }
    made.tasks.push_back(plantedTask(row, kScript, choices, trials, 11));
    return made;
}

std::string TunerScene::scriptOf(int rows, int wide) const
{
    return format("split oc into oco:_ oci:{}\nsplit ow into owo:_ owi:{}\nreorder oco oh oci\n", rows, wide);
}

std::unique_ptr<tune::TuningLock> TunerScene::lock() const
{
    return *tune::TuningLock::acquire(m_runtime, m_project);
}

} // namespace nw::test
