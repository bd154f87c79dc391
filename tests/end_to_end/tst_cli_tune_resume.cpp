#include "tests/end_to_end/tuning.h"
#include "tests/support/test.h"

#include <QDir>

using namespace nw::test;

// A tuner that is paused, killed, stopped, and one that comes second.
class TestCliTuneResume : public QObject {
    Q_OBJECT

    Nestw m_nestw;

    static QString text(const QJsonObject& object, const char* key) { return object.value(QLatin1String(key)).toString(); }
    Ran wish(const QString& model, const char* verb) const
    {
        return m_nestw.run({QStringLiteral("tune"), model, QLatin1String(verb), QStringLiteral("1"), QStringLiteral("--json")});
    }
    QJsonObject listed(const QString& model) const
    {
        return m_nestw.run({QStringLiteral("tune"), model, QStringLiteral("--list"), QStringLiteral("--json")}).last();
    }
    std::unique_ptr<QProcess> tuner(const QString& model) const
    {
        return m_nestw.start(tuneWords(model, {QStringLiteral("--trials"), QStringLiteral("0"), QStringLiteral("--batch"), QStringLiteral("4")}));
    }
    std::unique_ptr<QProcess> resumed(const QString& model) const
    {
        return m_nestw.start({QStringLiteral("tune"), model, QStringLiteral("--resume"), QStringLiteral("1"), QStringLiteral("--json")});
    }

private Q_SLOTS:
    void pausesAndGoesOn()
    {
        const QString name = QStringLiteral("paused"), model = tuneModel(m_nestw, name);
        const auto first = tuner(model);
        QTRY_VERIFY_WITH_TIMEOUT(trialsIn(projectOf(m_nestw, name)) >= 4, 60000);
        QCOMPARE(text(listed(model), "state"), QStringLiteral("running"));

        // A second tuner is refused, a new one as well as one that would go on, and changes nothing.
        for (const QStringList& words : {tuneWords(model, {}), QStringList{QStringLiteral("tune"), model, QStringLiteral("--resume"), QStringLiteral("1")}}) {
            const Ran second = m_nestw.run(words);
            QCOMPARE(second.code, 1);
            QVERIFY2((second.out + second.error).contains(QStringLiteral("Another tuner is at work on this project.")),
                     qPrintable(second.out + second.error));
        }
        QCOMPARE(listed(model).value(QStringLiteral("session")).toInt(), 1);
        QCOMPARE(text(listed(model), "state"), QStringLiteral("running"));

        QCOMPARE(wish(model, "--pause").code, 0);
        const Ran paused = Nestw::finish(*first);
        QCOMPARE(paused.code, 130);
        QCOMPARE(text(paused.last(), "state"), QStringLiteral("paused"));
        QCOMPARE(text(listed(model), "state"), QStringLiteral("paused"));
        const int before = trialsIn(projectOf(m_nestw, name));

        const auto again = resumed(model);
        QTRY_VERIFY_WITH_TIMEOUT(trialsIn(projectOf(m_nestw, name)) >= before + 4, 60000);
        QCOMPARE(wish(model, "--stop").code, 0);
        const Ran stopped = Nestw::finish(*again);
        QVERIFY2(stopped.code == 0, qPrintable(stopped.out + stopped.error));
        QCOMPARE(text(stopped.last(), "state"), QStringLiteral("stopped"));
        QVERIFY2(stopped.out.contains(QStringLiteral("\"confirmed\":true")), qPrintable(stopped.out));
        QCOMPARE(journalFaults(projectOf(m_nestw, name)), std::string());
        QVERIFY(listed(model).value(QStringLiteral("seconds")).toDouble() >= paused.last().value(QStringLiteral("seconds")).toDouble());
    }

    void goesOnAfterAKill()
    {
        const QString name = QStringLiteral("killed"), model = tuneModel(m_nestw, name);
        const auto first = tuner(model);
        QTRY_VERIFY_WITH_TIMEOUT(trialsIn(projectOf(m_nestw, name)) >= 6, 60000);
        first->kill();
        const Ran killed = Nestw::finish(*first);
        QVERIFY(killed.crashed);
        const QJsonObject session = listed(model);
        QVERIFY(session.value(QStringLiteral("killed")).toBool());
        const int before = trialsIn(projectOf(m_nestw, name));
        QVERIFY2(before >= toldTrials(killed.objects()), "what was told is on disk");
        QCOMPARE(journalFaults(projectOf(m_nestw, name)), std::string());

        const auto again = resumed(model);
        QTRY_VERIFY_WITH_TIMEOUT(trialsIn(projectOf(m_nestw, name)) >= before + 4, 60000);
        // As Ctrl-C: it ends by itself and can go on again.
        again->terminate();
        const Ran ended = Nestw::finish(*again);
        QVERIFY(!ended.crashed);
        QCOMPARE(ended.code, 130);
        QCOMPARE(text(listed(model), "state"), QStringLiteral("paused"));
        QCOMPARE(journalFaults(projectOf(m_nestw, name)), std::string());
        QVERIFY(toldTrials(ended.objects()) > toldTrials(killed.objects()));
    }
};

NW_TEST_MAIN(tst_cli_tune_resume, TestCliTuneResume)
#include "tst_cli_tune_resume.moc"
