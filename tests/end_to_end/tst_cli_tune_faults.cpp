#include "tests/end_to_end/tuning.h"
#include "tests/support/test.h"

#include <QDir>
#include <QFile>

#include <sqlite3.h>

using namespace nw::test;

// A disk that is full, a project that cannot be written, a database that another program holds: each is answered with a
// sentence, and what was told before is there.
class TestCliTuneFaults : public QObject {
    Q_OBJECT

    Nestw m_nestw;

    // A shell that may mount, and what nobody else sees; `line` runs nestw as "$@".
    static QStringList inOwnMounts(const QString& line)
    {
        return {QStringLiteral("unshare"), QStringLiteral("-rm"), QStringLiteral("sh"), QStringLiteral("-c"), line, QStringLiteral("sh")};
    }
    static bool mayMount()
    {
        QProcess tried;
        tried.start(QStringLiteral("unshare"), {QStringLiteral("-rm"), QStringLiteral("mount"), QStringLiteral("-t"), QStringLiteral("tmpfs"),
                                                QStringLiteral("tmpfs"), QStringLiteral("/mnt")});
        return tried.waitForFinished(10000) && tried.exitStatus() == QProcess::NormalExit && tried.exitCode() == 0;
    }
    QString data() const { return m_nestw.folder() + QStringLiteral("/data"); }
    // Quick rounds: what the search costs is not asked here.
    static QStringList quickly(const QStringList& rest)
    {
        return QStringList{QStringLiteral("--search"), QStringLiteral("random"), QStringLiteral("--no-model"), QStringLiteral("--batch"), QStringLiteral("4")} + rest;
    }
    // A project with a few trials in it.
    QString begun(const QString& name) const
    {
        const QString model = tuneModel(m_nestw, name);
        const Ran ran = m_nestw.run(tuneWords(model, quickly({QStringLiteral("--trials"), QStringLiteral("8")})));
        return ran.code == 0 ? model : QString();
    }

private Q_SLOTS:
    void fullDisk()
    {
        if (!mayMount()) {
            QSKIP("a small disk needs the right to mount one");
        }
        const QString name = QStringLiteral("full"), model = begun(name);
        QVERIFY(!model.isEmpty());
        const int before = trialsIn(projectOf(m_nestw, name));
        QCOMPARE(before, 8);
        // The data folder on a disk with room for some trials more; what is on it is copied out when nestw has ended.
        const QString line = QStringLiteral("set -e; cp -r '%1' '%1.kept'; mount -t tmpfs -o size=8m tmpfs '%1'; cp -r '%1.kept/.' '%1'; set +e; "
                                            "dd if=/dev/zero of='%1/filler' bs=4k 2>/dev/null; truncate -s -700k '%1/filler'; "
                                            "\"$@\"; code=$?; rm '%1/filler'; cp -r '%1/.' '%1.kept'; exit $code").arg(data());
        const auto process = m_nestw.start(tuneWords(model, quickly({QStringLiteral("--trials"), QStringLiteral("0")})), inOwnMounts(line));
        const Ran ran = Nestw::finish(*process, 100000);
        QVERIFY(!ran.crashed);
        QVERIFY2(ran.code == 1, qPrintable(ran.out + ran.error));
        QVERIFY2(ran.out.contains(QStringLiteral("is full. Free some space and try again.")), qPrintable(ran.out + ran.error));
        // Nothing of what was told is lost, and with room again it goes on.
        QVERIFY(QDir(data()).removeRecursively());
        QVERIFY(QDir().rename(data() + QStringLiteral(".kept"), data()));
        QCOMPARE(journalFaults(projectOf(m_nestw, name)), std::string());
        QVERIFY(trialsIn(projectOf(m_nestw, name), 2) >= toldTrials(ran.objects()));
        const bool wasBegun = !ran.objects().empty() && ran.objects().front().contains(QStringLiteral("session"));
        QVERIFY2(wasBegun && toldTrials(ran.objects()) > 0, qPrintable(ran.out)); // else the disk was too small to say anything
        const auto again = m_nestw.start({QStringLiteral("tune"), model, QStringLiteral("--resume"), QStringLiteral("2"), QStringLiteral("--json")});
        QTRY_VERIFY_WITH_TIMEOUT(trialsIn(projectOf(m_nestw, name), 2) >= toldTrials(ran.objects()) + 5, 60000);
        again->terminate();
        QCOMPARE(Nestw::finish(*again).code, 130);
        QCOMPARE(journalFaults(projectOf(m_nestw, name)), std::string());
    }

    void readOnlyProject()
    {
        if (!mayMount()) {
            QSKIP("a folder that root cannot write to needs the right to mount one");
        }
        const QString name = QStringLiteral("readonly"), model = begun(name);
        QVERIFY(!model.isEmpty());
        const QString line = QStringLiteral("mount --bind '%1' '%1' && mount -o remount,ro,bind '%1' && \"$@\"").arg(data());
        const auto process = m_nestw.start(tuneWords(model, {QStringLiteral("--trials"), QStringLiteral("8")}), inOwnMounts(line));
        const Ran ran = Nestw::finish(*process, 60000);
        QVERIFY(!ran.crashed);
        QVERIFY2(ran.code == 1, qPrintable(ran.out + ran.error));
        QVERIFY2(ran.out.contains(QStringLiteral("cannot be written to.")) || ran.out.contains(QStringLiteral("cannot be opened.")), qPrintable(ran.out + ran.error));
        QCOMPARE(trialsIn(projectOf(m_nestw, name)), 8);
    }

    // Whoever writes waits a while, then says so, and can go on later.
    void lockedDatabase()
    {
        const QString name = QStringLiteral("locked"), model = begun(name);
        QVERIFY(!model.isEmpty());
        sqlite3* other = nullptr;
        QCOMPARE(sqlite3_open(projectOf(m_nestw, name).toUtf8().constData(), &other), SQLITE_OK);
        QCOMPARE(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
        const Ran ran = m_nestw.run({QStringLiteral("tune"), model, QStringLiteral("--pause"), QStringLiteral("1"), QStringLiteral("--json")});
        QCOMPARE(ran.code, 1);
        QVERIFY2(ran.out.contains(QStringLiteral("is locked by another program. Close it there, or try again.")), qPrintable(ran.out + ran.error));
        QCOMPARE(sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr), SQLITE_OK);

        // In the middle of tuning.
        const auto tuner = m_nestw.start(tuneWords(model, quickly({QStringLiteral("--trials"), QStringLiteral("0")})));
        QTRY_VERIFY_WITH_TIMEOUT(trialsIn(projectOf(m_nestw, name), 2) >= 4, 60000);
        sqlite3_busy_timeout(other, 4000);
        QCOMPARE(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
        const int before = trialsIn(projectOf(m_nestw, name), 2);
        QVERIFY(tuner->waitForFinished(60000));
        const Ran ended = Nestw::finish(*tuner);
        QCOMPARE(sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr), SQLITE_OK);
        sqlite3_close(other);
        QVERIFY(!ended.crashed);
        QCOMPARE(ended.code, 1);
        QVERIFY2(ended.out.contains(QStringLiteral("is locked by another program. Close it there, or try again.")), qPrintable(ended.out + ended.error));
        QCOMPARE(trialsIn(projectOf(m_nestw, name), 2), before);
        QCOMPARE(journalFaults(projectOf(m_nestw, name)), std::string());
        const auto again = m_nestw.start({QStringLiteral("tune"), model, QStringLiteral("--resume"), QStringLiteral("2"), QStringLiteral("--json")});
        QTRY_VERIFY_WITH_TIMEOUT(trialsIn(projectOf(m_nestw, name), 2) > before, 60000);
        again->terminate();
        QCOMPARE(Nestw::finish(*again).code, 130);
    }
};

NW_TEST_MAIN(tst_cli_tune_faults, TestCliTuneFaults)
#include "tst_cli_tune_faults.moc"
