// Kills (-9) a tuner, its builder, its runner and a window on its project at random moments, and lets the tuner go on after
// each. In the end nothing may be missing or twice, the last session must finish, and no process or folder of objects be left.
//   tune_kills KILLS [SEED [FOLDER]]     a FOLDER of before goes on with what is there
#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/record/tune_journal.h"
#include "tests/end_to_end/tuning.h"

#include <QCoreApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QThread>

#include <signal.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>

using namespace nw;
using namespace nw::test;

namespace {

const QString kName = QStringLiteral("victim");

struct Found {
    int pid = 0, parent = 0;
    std::string name;
};

// All processes of the machine that live: zombies are nobody's trouble but their parent's.
std::vector<Found> processes()
{
    std::vector<Found> found;
    for (const QString& entry : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs)) {
        std::ifstream file("/proc/" + entry.toStdString() + "/stat");
        std::string line;
        const bool isRead = static_cast<bool>(std::getline(file, line));
        const std::size_t open = line.find('('), close = line.rfind(')');
        if (!isRead || open == std::string::npos || close == std::string::npos) {
            continue;
        }
        Found process;
        char state = ' ';
        process.pid = std::atoi(line.c_str());
        process.name = line.substr(open + 1, close - open - 1);
        std::sscanf(line.c_str() + close + 1, " %c %d", &state, &process.parent);
        if (state != 'Z') {
            found.push_back(process);
        }
    }
    return found;
}

class Kills {
public:
    Kills(std::uint64_t seed, const QString& folder)
        : m_random(seed)
        , m_nestw(folder)
    {
        m_model = m_nestw.write(kName + QStringLiteral(".onnxtxt"),
                                "<ir_version: 8, opset_import: [\"\" : 13]>\n"
                                "m (float[48,40] A, float[40,56] B, float[56,24] C) => (float[48,24] y) {\n"
                                "  p = MatMul(A, B)\n  r = Relu(p)\n  q = MatMul(r, C)\n  y = Relu(q)\n}\n");
    }

    bool run(int kills)
    {
        m_budget = QString::number(6 * kills + 16);
        for (int kill = 1; kill <= kills && m_fault.empty(); ++kill) {
            one(kill == kills);
            if (m_fault.empty() && (kill % 20 == 0 || kill == kills)) {
                check();
                std::printf("%d kills (%s): %d trials, %d resumed, %d sessions begun%s\n", kill, counts().c_str(), trialsIn(project()),
                            m_resumed, m_begun, m_fault.empty() ? "" : (": " + m_fault).c_str());
                std::fflush(stdout);
            }
        }
        finish();
        std::printf("%s: %d kills (%s), %d trials, %d resumed, %d sessions begun%s%s\n", m_fault.empty() ? "fine" : "FAULT", kills,
                    counts().c_str(), trialsIn(project()), m_resumed, m_begun, m_fault.empty() ? ", the last one finished" : ": ", m_fault.c_str());
        return m_fault.empty();
    }

private:
    QString project() const { return projectOf(m_nestw, kName); }
    std::string counts() const
    {
        std::vector<std::string> parts;
        for (const auto& [name, count] : m_counts) {
            parts.push_back(format("{} {}", count, name));
        }
        return join(parts, ", ");
    }
    void fault(const std::string& words) { m_fault = m_fault.empty() ? words : m_fault; }
    void wait(std::int64_t most) { QThread::msleep(static_cast<unsigned long>(m_random.between(0, most))); }

    std::optional<record::TuneSession> newest() const
    {
        const Result<std::unique_ptr<record::Database>> database = record::Database::open(project().toStdString(), false);
        const Result<std::vector<record::TuneSession>> sessions
            = database ? record::TuneJournal(**database).sessions() : Result<std::vector<record::TuneSession>>(database.error());
        return sessions && !sessions->empty() ? std::optional(sessions->back()) : std::nullopt;
    }

    // What a tuner said, when it has ended: by a kill of ours, or as it should.
    void takeEnd(bool wasKilled)
    {
        const Ran ran = Nestw::finish(*m_tuner);
        m_tuner.reset();
        const std::optional<record::TuneSession> session = newest();
        if (session && toldTrials(ran.objects()) > trialsIn(project(), static_cast<int>(session->id))) {
            fault(format("{} trials were told, {} are kept", toldTrials(ran.objects()), trialsIn(project(), static_cast<int>(session->id))));
        }
        if (!wasKilled && (ran.crashed || ran.code != 0)) {
            fault(format("a tuner that nobody killed ended with {}{}: {}{}", ran.code, ran.crashed ? " (crashed)" : "", ran.out.toStdString(),
                         ran.error.toStdString()));
        }
    }
    bool isRunning() const { return m_tuner && m_tuner->state() != QProcess::NotRunning && !m_tuner->waitForFinished(0); }
    void ensureTuner()
    {
        if (isRunning()) {
            return;
        }
        if (m_tuner) {
            takeEnd(false);
        }
        using record::TuneState;
        const std::optional<record::TuneSession> session = newest();
        const bool goesOn = session && (session->state == TuneState::Running || session->state == TuneState::Paused);
        m_resumed += goesOn ? 1 : 0;
        m_begun += goesOn ? 0 : 1;
        m_tuner = m_nestw.start(goesOn ? QStringList{QStringLiteral("tune"), m_model, QStringLiteral("--resume"), QString::number(session->id),
                                                     QStringLiteral("--json")}
                                       : tuneWords(m_model, {QStringLiteral("--trials"), m_budget, QStringLiteral("--batch"), QStringLiteral("8"),
                                                             QStringLiteral("--failures"), QStringLiteral("1000")}));
    }

    // The last one is a window: what it leaves must go although no process starts any more.
    void one(bool isLast)
    {
        ensureTuner();
        // Most in the midst of trials, some while it starts.
        if (m_random.below(4) != 0) {
            const int wanted = trialsIn(project()) + static_cast<int>(m_random.below(6));
            QElapsedTimer timer;
            timer.start();
            while (isRunning() && trialsIn(project()) < wanted && timer.elapsed() < 15000) {
                QThread::msleep(20);
            }
            ensureTuner();
        }
        const std::uint64_t dice = m_random.below(20);
        if (isLast || dice == 0) {
            killWindow();
        } else if (dice < 5) {
            killWorker("builder");
        } else if (dice < 9) {
            killWorker("runner");
        } else {
            wait(500);
            m_tuner->kill();
            ++m_counts["tuner"];
            takeEnd(true);
        }
    }

    // The tuner goes on: one candidate failed.
    void killWorker(const std::string& which)
    {
        wait(300);
        QElapsedTimer timer;
        timer.start();
        while (isRunning() && timer.elapsed() < 10000) {
            for (const Found& process : processes()) {
                // The kernel keeps 15 characters of a name.
                if (process.parent == m_tuner->processId() && process.name == ("nestwright-" + which).substr(0, 15)) {
                    wait(100);
                    ::kill(process.pid, SIGKILL);
                    ++m_counts[which];
                    return;
                }
            }
            QThread::msleep(2);
        }
    }

    // The tuner does not notice.
    void killWindow()
    {
#ifndef NW_WINDOW
        return killWorker("runner");
#endif
        const bool wasRunning = isRunning();
        QProcess window;
        QProcessEnvironment environment = m_tuner->processEnvironment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        window.setProcessEnvironment(environment);
        window.setStandardOutputFile(QProcess::nullDevice());
        window.setStandardErrorFile(QProcess::nullDevice());
        window.start(Nestw::program("nestwright"), {m_model});
        if (!window.waitForStarted(10000)) {
            fault("the window does not start");
            return;
        }
        QThread::msleep(static_cast<unsigned long>(m_random.between(200, 2500)));
        if (window.waitForFinished(0)) {
            fault(format("the window ended by itself with {}", window.exitCode()));
        }
        window.kill();
        window.waitForFinished(10000);
        ++m_counts["window"];
        if (wasRunning && !isRunning()) {
            takeEnd(false); // only because it was done
        }
    }

    void check()
    {
        const int trials = trialsIn(project());
        if (trials < m_trials) {
            fault(format("{} trials, and there were {}", trials, m_trials));
        }
        m_trials = trials;
        if (const std::string faults = journalFaults(project()); !faults.empty()) {
            fault(faults);
        }
    }

    void finish()
    {
        if (m_fault.empty()) {
            ensureTuner();
            if (!m_tuner->waitForFinished(600000)) {
                fault("the last session does not end");
            } else {
                takeEnd(false);
            }
            const std::optional<record::TuneSession> session = newest();
            if (!session || session->state != record::TuneState::Done) {
                fault("the last session is not done");
            }
            check();
        }
        if (isRunning()) {
            m_tuner->kill();
            m_tuner->waitForFinished();
        }
        // Workers end when their pipe does: a moment is theirs.
        std::string left;
        for (int attempt = 0; attempt < 100; ++attempt) {
            left = leftBehind();
            if (left.empty()) {
                break;
            }
            QThread::msleep(50);
        }
        if (!left.empty()) {
            fault("left behind: " + left);
        }
    }

    std::string leftBehind() const
    {
        const std::string folder = m_nestw.folder().toStdString();
        for (const Found& process : processes()) {
            std::ifstream file("/proc/" + std::to_string(process.pid) + "/environ");
            const std::string environment((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
            if (process.pid != ::getpid() && environment.find("XDG_DATA_HOME=" + folder + "/") != std::string::npos) {
                return format("process {} ({})", process.pid, process.name);
            }
        }
        const QStringList objects = QDir(QString::fromLocal8Bit(qgetenv("XDG_RUNTIME_DIR")) + QStringLiteral("/nestwright"))
                                        .entryList({QStringLiteral("objects-*"), QStringLiteral("run-*")}, QDir::Dirs);
        return objects.isEmpty() ? std::string() : objects.first().toStdString();
    }

    Random m_random;
    Nestw m_nestw;
    QString m_model, m_budget;
    std::unique_ptr<QProcess> m_tuner;
    std::map<std::string, int> m_counts;
    int m_resumed = 0, m_begun = 0, m_trials = 0;
    std::string m_fault;
};

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    const int kills = argc > 1 ? std::atoi(argv[1]) : 200;
    const std::uint64_t seed = argc > 2 && std::atoll(argv[2]) > 0
        ? static_cast<std::uint64_t>(std::atoll(argv[2]))
        : static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
    const QTemporaryDir runtime; // a lease of our own: nobody waits for us, and we for nobody
    qputenv("XDG_RUNTIME_DIR", runtime.path().toLocal8Bit());
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    return Kills(seed, argc > 3 ? QString::fromLocal8Bit(argv[3]) : QString()).run(kills) ? 0 : 1;
}
