// Every shipped template as code: built and run by the workers under the correctness contract, on shapes drawn at random, and
// how much of it has to be kept outside of the registers.

#include "engine/base/text.h"
#include "engine/session/fuzz/case.h"
#include "engine/session/fuzz/worker_check.h"
#include "tests/support/template_tasks.h"
#include "tests/support/local_device.h"
#include "tests/support/test.h"

#include <QTemporaryDir>

using namespace nw;
using namespace nw::session::fuzz;
using schedule::Template;

namespace {

constexpr std::uint64_t kShapes = 50;
constexpr int kMostRefused = 40; // draws for each shape that fits

const Template& templateNamed(const std::string& name)
{
    for (const Template& shipped : schedule::allTemplates()) {
        if (shipped.name == name) {
            return shipped;
        }
    }
    throw std::runtime_error("no template " + name);
}

// The script with knobs at their defaults.
Result<std::string> scriptFor(const Template& from, const schedule::Task& task)
{
    const Result<schedule::LoopNest> initial = schedule::initialNest(task);
    if (!initial) {
        return initial.error();
    }
    const Result<std::string> text = schedule::instantiate(from, task, *initial);
    if (!text) {
        return text.error();
    }
    const schedule::Context context{&task.target};
    const Result<schedule::Script> script = schedule::parseScript(*text, schedule::allPrimitives(), context);
    if (!script) {
        return script.error();
    }
    const Result<schedule::Script> bound = schedule::bindKnobs(*script, {}, context);
    return bound ? Result<std::string>(bound->toText()) : bound.error();
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
        Random random(29);
        std::uint64_t fitted = 0;
        std::string lastRefusal;
        for (std::uint64_t drawn = 0; fitted < draws(kShapes) && drawn < kShapes * kMostRefused; ++drawn) {
            // Each in turn: they take different numbers of shapes only where a template is for some targets alone.
            const std::string targets[] = {"native", "x86-64-v3", "x86-64-v2", "x86-64-v4"};
            Case one;
            one.target = targets[fitted % std::size(targets)];
            one.threads = random.below(4) == 0 ? 2 : 1;
            const Target target = *targetByName(one.target);
            Result<schedule::Task> task = schedule::test::drawTask(tried, random, target);
            VERIFY_OK(task);
            task->threads = one.threads;
            const Result<std::string> script = scriptFor(tried, *task);
            if (!script) {
                lastRefusal = script.error().message;
                continue;
            }
            ++fitted;
            one.definition = task->definition;
            one.layouts = task->layouts;
            one.script = *script;
            if (!WorkerCheck::canRun(one)) {
                const auto built = m_device->build(*task, one.script, false);
                QVERIFY2(built.outcome == wire::Outcome::Ok, (built.error.message + "\n" + toText(one)).c_str());
                continue;
            }
            const Finding finding = m_worker->check(one, StopToken());
            QVERIFY2(finding.fault == Fault::None, (finding.message + "\n" + toText(one)).c_str());
        }
        QVERIFY2(fitted == draws(kShapes), (std::to_string(fitted) + " shapes; the last that did not fit: " + lastRefusal).c_str());
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
