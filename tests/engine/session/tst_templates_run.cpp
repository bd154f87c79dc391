// Every shipped template as code: built and run by the workers under the correctness contract, on shapes drawn at random, and
// how much of it has to be kept outside of the registers.

#include "engine/base/text.h"
#include "engine/session/fuzz/case.h"
#include "engine/session/fuzz/worker_check.h"
#include "tests/support/local_device.h"
#include "tests/support/template_draws.h"
#include "tests/support/template_tasks.h"
#include "tests/support/test.h"

#include <QTemporaryDir>

using namespace nw;
using namespace nw::session::fuzz;
using schedule::Template;
using schedule::test::scriptFor;
using schedule::test::TemplateDraws;

namespace {

const Template& templateNamed(const std::string& name)
{
    for (const Template& shipped : schedule::allTemplates()) {
        if (shipped.name == name) {
            return shipped;
        }
    }
    throw std::runtime_error("no template " + name);
}

void addTemplates()
{
    QTest::addColumn<std::string>("name");
    for (const Template& shipped : schedule::allTemplates()) {
        QTest::newRow(shipped.name.c_str()) << shipped.name;
    }
}

} // namespace

class TestTemplatesRun : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<WorkerCheck> m_worker;
    std::unique_ptr<measure::LocalDevice> m_device; // builds what cannot run here

private Q_SLOTS:
    void initTestCase()
    {
        m_worker = std::make_unique<WorkerCheck>(measure::Programs{NW_BUILDER, NW_RUNNER}, m_folder.filePath("worker").toStdString());
        m_device = std::make_unique<measure::LocalDevice>(nw::test::deviceIn(m_folder));
    }
    void cleanupTestCase()
    {
        m_worker.reset();
        m_device.reset();
    }

    void keepsTheAnswer_data() { addTemplates(); }
    void keepsTheAnswer()
    {
        QFETCH(std::string, name);
        const Template& tried = templateNamed(name);
        TemplateDraws shapes(tried);
        for (std::uint64_t fitted = 0; fitted < draws(TemplateDraws::kShapes); ++fitted) {
            // Each in turn: they take different numbers of shapes only where a template is for some targets alone.
            const std::string targets[] = {"native", "x86-64-v3", "x86-64-v2", "x86-64-v4"};
            Case one;
            one.target = targets[fitted % std::size(targets)];
            const Result<TemplateDraws::Drawn> drawn = shapes.next(*targetByName(one.target));
            VERIFY_OK(drawn);
            one.threads = drawn->task.threads;
            one.definition = drawn->task.definition;
            one.layouts = drawn->task.layouts;
            one.script = drawn->script;
            if (!WorkerCheck::canRun(one)) {
                const auto built = m_device->build(drawn->task, one.script, false);
                QVERIFY2(built.outcome == wire::Outcome::Ok, (built.error.message + "\n" + toText(one)).c_str());
                continue;
            }
            const Finding finding = m_worker->check(one, StopToken());
            QVERIFY2(finding.fault == Fault::None, (finding.message + "\n" + toText(one)).c_str());
        }
    }

    void keepsItsSumsInRegisters_data()
    {
        QTest::addColumn<std::string>("name");
        QTest::addColumn<std::string>("target");
        for (const Template& shipped : schedule::allTemplates()) {
            for (const char* target : {"x86-64-v3", "x86-64-v4"}) {
                QTest::newRow((shipped.name + " " + target).c_str()) << shipped.name << std::string(target);
            }
        }
    }
    void keepsItsSumsInRegisters()
    {
        QFETCH(std::string, name);
        QFETCH(std::string, target);
        const Template& tried = templateNamed(name);
        const Result<schedule::Task> task = schedule::test::usualTask(tried, *targetByName(target));
        VERIFY_OK(task);
        const Result<std::string> script = scriptFor(tried, *task);
        VERIFY_OK(script);
        const auto built = m_device->build(*task, *script, false);
        QVERIFY2(built.outcome == wire::Outcome::Ok, built.error.message.c_str());
        QVERIFY2(built.value.kernels.at(0).spills == 0,
                 format("{} of {} spills stand in innermost loops\n{}", built.value.kernels[0].spills, built.value.kernels[0].totalSpills, *script).c_str());
    }
};

NW_TEST_MAIN(tst_templates_run, TestTemplatesRun)
#include "tst_templates_run.moc"
