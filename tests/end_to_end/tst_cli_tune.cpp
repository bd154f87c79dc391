#include "tests/end_to_end/tuning.h"
#include "tests/support/test.h"

#include <QFile>
#include <QJsonArray>

using namespace nw::test;

// A person's way through tuning: search, look at what came of it, use it.
class TestCliTune : public QObject {
    Q_OBJECT

    Nestw m_nestw;

    static QString text(const QJsonObject& object, const char* key) { return object.value(QLatin1String(key)).toString(); }
    static double number(const QJsonObject& object, const char* key) { return object.value(QLatin1String(key)).toDouble(); }
    QStringList figures(const QString& model) const
    {
        return m_nestw.run({QStringLiteral("compare"), model, QStringLiteral("matmul.0"), QStringLiteral("--protocol"), QStringLiteral("quick"),
                            QStringLiteral("--json")}).presentFigures();
    }

    QByteArray exported(const QString& model, const QString& name) const
    {
        const QString folder = m_nestw.folder() + QLatin1Char('/') + name;
        const Ran ran = m_nestw.run({QStringLiteral("export"), model, QStringLiteral("-o"), folder, QStringLiteral("--name"), QStringLiteral("net")});
        QFile library(folder + QStringLiteral("/libnet.so"));
        return ran.code == 0 && library.open(QIODevice::ReadOnly) ? library.readAll() : QByteArray();
    }

private Q_SLOTS:
    void tunesAndIsUsed()
    {
        const QString model = tuneModel(m_nestw, QStringLiteral("used"));
        const Ran nothing = m_nestw.run({QStringLiteral("tune"), model, QStringLiteral("--list")});
        QCOMPARE(nothing.code, 0);
        QCOMPARE(nothing.out, QStringLiteral("Nothing was tuned in this project yet.\n"));
        const Ran ran = m_nestw.run(tuneWords(model, {QStringLiteral("matmul.0"), QStringLiteral("--trials"), QStringLiteral("24"),
                                                      QStringLiteral("--batch"), QStringLiteral("8")}));
        QVERIFY2(ran.code == 0, qPrintable(ran.out + ran.error));
        const std::vector<QJsonObject> lines = ran.objects();
        QVERIFY(lines.size() >= 6); // the session, three rounds, the winner, the end
        QCOMPARE(lines.front().value(QStringLiteral("session")).toInt(), 1);
        int rounds = 0;
        double best = 0, confirmed = 0;
        for (const QJsonObject& line : lines) {
            if (line.contains(QStringLiteral("trials_of_session"))) {
                QVERIFY(line.value(QStringLiteral("trials_of_session")).toInt() <= 8 * ++rounds);
                QCOMPARE(text(line, "group"), QStringLiteral("matmul.0"));
                QVERIFY(number(line, "seconds") > 0 && number(line, "bound_ns") > 0 && number(line, "default_ns") > 0);
                QVERIFY(best == 0 || number(line, "best_ns") <= best);
                best = number(line, "best_ns");
            } else if (line.contains(QStringLiteral("confirmed"))) {
                confirmed = number(line, "confirmed_ns");
            }
        }
        QVERIFY2(confirmed > 0, qPrintable(ran.out));
        QCOMPARE(toldTrials(lines), 24);
        QCOMPARE(text(lines.back(), "state"), QStringLiteral("done"));

        const Ran list = m_nestw.run({QStringLiteral("tune"), model, QStringLiteral("--list"), QStringLiteral("--json")});
        QCOMPARE(list.code, 0);
        QCOMPARE(list.objects().size(), std::size_t{1});
        const QJsonObject session = list.last();
        QCOMPARE(text(session, "state"), QStringLiteral("done"));
        QVERIFY(!session.value(QStringLiteral("killed")).toBool());
        QCOMPARE(session.value(QStringLiteral("trials")).toInt(), 24);
        const QJsonObject task = session.value(QStringLiteral("tasks")).toArray().at(0).toObject();
        QCOMPARE(number(task, "confirmed_ns"), confirmed);
        QCOMPARE(number(task, "best_ns"), best);
        QCOMPARE(journalFaults(projectOf(m_nestw, QStringLiteral("used"))), std::string());

        // What stood before is a candidate as well; where nothing beat it, it is the tuner's answer.
        const std::optional<nw::record::Record> best1 = bestRecord(projectOf(m_nestw, QStringLiteral("used")));
        QVERIFY(best1.has_value());
        QCOMPARE(best1->medianNs, confirmed);
        QCOMPARE(best1->origin, nw::record::Origin::Tune);
        QVERIFY(figures(model).contains(QStringLiteral("auto")));
        // The winner is what is exported: the same code as of a project where a person wrote it.
        const QString byHand = tuneModel(m_nestw, QStringLiteral("used_by_hand"));
        const QString winner = m_nestw.write(QStringLiteral("winner.sched"), QByteArray::fromStdString(best1->script));
        const Ran kept = m_nestw.run({QStringLiteral("replay"), byHand, QStringLiteral("matmul.0"), winner, QStringLiteral("--keep")});
        QVERIFY2(kept.code == 0, qPrintable(kept.error));
        const QByteArray tuned = exported(model, QStringLiteral("tuned"));
        QVERIFY(!tuned.isEmpty());
        QVERIFY(tuned == exported(byHand, QStringLiteral("written")));
        QVERIFY(tuned != exported(tuneModel(m_nestw, QStringLiteral("used_by_nobody")), QStringLiteral("neither"))
                || winnersSketch(projectOf(m_nestw, QStringLiteral("used"))) == "template");
    }

    // With several operators the model is run first, so that the heavy ones get more.
    void weighsByTheModelsTime()
    {
        const QString model = m_nestw.write(QStringLiteral("two.onnxtxt"), R"(<ir_version: 8, opset_import: ["" : 17]>
two (float[8,32] A) => (float[8,48] Y)
{
  shape = Constant <value = int64[2] {32,48}> ()
  B = ConstantOfShape <value = float[1] {0.5}> (shape)
  C = MatMul (A, B)
  Y = Softmax <axis = -1> (C)
}
)");
        const Ran ran = m_nestw.run(tuneWords(model, {QStringLiteral("--trials"), QStringLiteral("8"), QStringLiteral("--batch"), QStringLiteral("4")}));
        QVERIFY2(ran.code == 0, qPrintable(ran.out + ran.error));
        const Ran list = m_nestw.run({QStringLiteral("tune"), model, QStringLiteral("--list"), QStringLiteral("--json")});
        const QJsonArray tasks = list.last().value(QStringLiteral("tasks")).toArray();
        QVERIFY(tasks.size() >= 2);
        for (const QJsonValue& task : tasks) {
            QVERIFY2(number(task.toObject(), "in_model_ns") > 0, qPrintable(text(task.toObject(), "group")));
        }
    }

    void budgets()
    {
        // Of time: the batch in hand is the last one. Nothing else ends it where nothing else was asked for.
        const QString model = tuneModel(m_nestw, QStringLiteral("budgets"));
        const Ran timed = m_nestw.run(tuneWords(model, {QStringLiteral("--seconds"), QStringLiteral("1"), QStringLiteral("--batch"), QStringLiteral("4"),
                                                        QStringLiteral("--no-model"), QStringLiteral("--search"), QStringLiteral("random")}));
        QVERIFY2(timed.code == 0, qPrintable(timed.out + timed.error));
        QVERIFY(number(timed.last(), "seconds") >= 1);
        const std::vector<QJsonObject> lines = timed.objects();
        double before = 0;
        for (const QJsonObject& line : lines) {
            if (line.contains(QStringLiteral("trials_of_session"))) {
                QVERIFY2(before < 1, "a round after the time was up");
                before = number(line, "seconds");
            }
        }
        const Ran list = m_nestw.run({QStringLiteral("tune"), model, QStringLiteral("--list"), QStringLiteral("--json")});
        QVERIFY2(text(list.last(), "settings").contains(QStringLiteral(" trials=0 ")), qPrintable(list.out));
        // Of trials without a gain.
        const Ran flat = m_nestw.run(tuneWords(model, {QStringLiteral("--trials"), QStringLiteral("300"), QStringLiteral("--plateau"),
                                                       QStringLiteral("6"), QStringLiteral("--batch"), QStringLiteral("4"), QStringLiteral("--no-model"),
                                                       QStringLiteral("--search"), QStringLiteral("random")}));
        QVERIFY2(flat.code == 0, qPrintable(flat.out + flat.error));
        QVERIFY(toldTrials(flat.objects()) < 300);
        bool isDone = false;
        for (const QJsonObject& line : flat.objects()) {
            isDone = isDone || (text(line, "state") == QStringLiteral("done") && text(line, "message").startsWith(QStringLiteral("no gain in ")));
        }
        QVERIFY2(isDone, qPrintable(flat.out));
    }

    void cancelKeepsNothing()
    {
        const QString model = tuneModel(m_nestw, QStringLiteral("cancelled"));
        const auto tuner = m_nestw.start(tuneWords(model, {QStringLiteral("--trials"), QStringLiteral("0"), QStringLiteral("--batch"),
                                                           QStringLiteral("4")}));
        QTRY_VERIFY_WITH_TIMEOUT(trialsIn(projectOf(m_nestw, QStringLiteral("cancelled"))) >= 4, 60000);
        const Ran asked = m_nestw.run({QStringLiteral("tune"), model, QStringLiteral("--cancel"), QStringLiteral("1")});
        QCOMPARE(asked.code, 0);
        QCOMPARE(asked.out, QStringLiteral("session 1: cancel, which its tuner hears within a second\n"));
        const Ran ended = Nestw::finish(*tuner);
        QVERIFY2(ended.code == 0, qPrintable(ended.out + ended.error));
        QCOMPARE(text(ended.last(), "state"), QStringLiteral("cancelled"));
        QVERIFY(!ended.out.contains(QStringLiteral("\"confirmed\"")));
        QVERIFY(!figures(model).contains(QStringLiteral("auto")));
    }

    void refusesInWords_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QString>("message");
        const QString none = QStringLiteral("This project has no tuning session 9. --list shows those that there are.");
        for (const char* verb : {"--resume", "--pause", "--stop", "--cancel"}) {
            QTest::newRow(verb) << QStringList{QLatin1String(verb), QStringLiteral("9")} << none;
        }
        QTest::newRow("group") << QStringList{QStringLiteral("conv.7")} << QStringLiteral("conv.7");
        QTest::newRow("mine") << QStringList{QStringLiteral("matmul.0"), QStringLiteral("--from"), QStringLiteral("mine")}
                              << QStringLiteral("has no script of yours");
        QTest::newRow("batch") << QStringList{QStringLiteral("--batch"), QStringLiteral("0")} << QStringLiteral("--batch");
        QTest::newRow("search") << QStringList{QStringLiteral("--search"), QStringLiteral("guess")} << QStringLiteral("--search");
    }
    void refusesInWords()
    {
        QFETCH(QStringList, words);
        QFETCH(QString, message);
        const Ran ran = m_nestw.run(QStringList{QStringLiteral("tune"), tuneModel(m_nestw, QStringLiteral("words"))} + words);
        QVERIFY(ran.code != 0 && !ran.crashed);
        QVERIFY2((ran.out + ran.error).contains(message), qPrintable(ran.out + ran.error));
    }
};

NW_TEST_MAIN(tst_cli_tune, TestCliTune)
#include "tst_cli_tune.moc"
