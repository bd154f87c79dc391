#include "tests/end_to_end/nestw.h"
#include "tests/support/test.h"

#include <QDir>
#include <QJsonArray>

using nw::test::Nestw;
using nw::test::Ran;

// A person's way through a schedule: show, legal, apply, undo, redo, diff, bench, sweep, compare.
class TestCliSchedule : public QObject {
    Q_OBJECT

    Nestw m_nestw;
    QString m_model;

    static QString text(const Ran& ran, const char* key) { return ran.last().value(QLatin1String(key)).toString(); }
    QStringList command(const char* verb, const QStringList& rest = {}) const
    {
        return QStringList{QLatin1String(verb), m_model} + rest + QStringList{QStringLiteral("--json")};
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_model = m_nestw.write(QStringLiteral("small.onnxtxt"),
                                "<ir_version: 8, opset_import: [\"\" : 13]>\n"
                                "m (float[48,40] A, float[40,56] B, float[56] c) => (float[48,56] y) {\n"
                                "  p = MatMul(A, B)\n  s = Add(p, c)\n  y = Relu(s)\n}\n");
    }

    void opsAndDefinition()
    {
        const Ran ran = m_nestw.run(command("ops"));
        QCOMPARE(ran.code, 0);
        QCOMPARE(ran.objects().size(), std::size_t{1});
        QCOMPARE(text(ran, "group"), QStringLiteral("matmul.0"));
        // 48 * 56 * 40 multiply-adds, then an add and a max each.
        QCOMPARE(ran.last().value(QStringLiteral("flops")).toDouble(), 48.0 * 56 * 40 * 2 + 48 * 56 * 2);
        QCOMPARE(ran.last().value(QStringLiteral("count")).toInt(), 1);
        QVERIFY(text(m_nestw.run(command("ops", {QStringLiteral("--definition"), QStringLiteral("matmul.0")})), "definition")
                    .startsWith(QStringLiteral("definition matmul")));
    }

    void applyUndoRedo()
    {
        const QString group = QStringLiteral("matmul.0");
        const Ran first = m_nestw.run(command("apply", {group, QStringLiteral("split n into no ni:8"), QStringLiteral("reorder m no k ni")}));
        QVERIFY2(first.code == 0, qPrintable(first.out + first.error));
        const Ran second = m_nestw.run(command("apply", {group, QStringLiteral("vectorize ni")}));
        QVERIFY2(second.code == 0, qPrintable(second.out + second.error));
        QVERIFY(text(second, "nest").contains(QStringLiteral("vector ni")));
        QCOMPARE(text(second, "branch"), QStringLiteral("main"));
        const QString script = text(second, "script");
        QCOMPARE(script.count(QLatin1Char('\n')), 3);

        const Ran undone = m_nestw.run(command("undo", {group}));
        QCOMPARE(undone.code, 0);
        QCOMPARE(text(undone, "script"), text(first, "script"));
        const Ran redone = m_nestw.run(command("undo", {group, QStringLiteral("--to"), QString::number(second.last().value(QStringLiteral("revision")).toInt())}));
        QCOMPARE(text(redone, "script"), script);
        QCOMPARE(text(m_nestw.run(command("show", {group})), "script"), script);
    }

    // A script made for one row fits four, and one made for four that takes the loop over them fits one, seven and four
    // again; one that covers four rows does not fit seven, and says so at its line.
    void scriptsMoveToAnotherBatch()
    {
        const QString model = m_nestw.write(QStringLiteral("batch.onnxtxt"),
                                            "<ir_version: 8, opset_import: [\"\" : 13]>\n"
                                            "m (float[batch,40] A, float[40,56] B) => (float[batch,56] y) {\n"
                                            "  y = MatMul(A, B)\n}\n");
        const auto replay = [&](const QString& script, int batch) {
            return m_nestw.run({QStringLiteral("replay"), model, QStringLiteral("matmul.0"), script, QStringLiteral("--bind"),
                                QStringLiteral("batch=%1").arg(batch), QStringLiteral("--json")});
        };
        const QString free = m_nestw.write(QStringLiteral("free.sched"),
                                           "split n into no ni:8\nreorder no {k ni | ni k}\nvectorize ni\n");
        const QString four = m_nestw.write(QStringLiteral("four.sched"), "split n into no ni:8\n\n  split m into mo:2 mi:2\n");
        for (const int batch : {1, 4}) {
            const Ran ran = replay(free, batch);
            QVERIFY2(ran.code == 0, qPrintable(ran.out + ran.error));
            QCOMPARE(text(ran, "nest").contains(QStringLiteral("m in 0..4")), batch == 4);
        }
        const QString rows = m_nestw.write(QStringLiteral("rows.sched"), "split n into no ni:8\nsplit m into mo:_ mi:4\n"
                                                                         "reorder mo no k mi ni\ncache_write matmul at no in registers\n"
                                                                         "vectorize ni\nunroll mi\nparallel mo\n");
        const Ran kept = m_nestw.run({QStringLiteral("replay"), model, QStringLiteral("matmul.0"), rows, QStringLiteral("--keep"),
                                      QStringLiteral("--bind"), QStringLiteral("batch=4")});
        QVERIFY2(kept.code == 0, qPrintable(kept.out + kept.error));
        for (const int batch : {1, 7, 4}) {
            const Ran checked = m_nestw.run({QStringLiteral("bench"), model, QStringLiteral("matmul.0"), QStringLiteral("--protocol"),
                                             QStringLiteral("none"), QStringLiteral("--bind"), QStringLiteral("batch=%1").arg(batch),
                                             QStringLiteral("--json")});
            QVERIFY2(checked.code == 0, qPrintable(checked.out + checked.error));
            const Ran shown = m_nestw.run({QStringLiteral("show"), model, QStringLiteral("matmul.0"), QStringLiteral("--bind"),
                                           QStringLiteral("batch=%1").arg(batch), QStringLiteral("--json")});
            QVERIFY2(text(shown, "nest").contains(QStringLiteral("parallel mo in 0..%1").arg((batch + 3) / 4)), qPrintable(shown.out));
            QCOMPARE(text(shown, "from"), QStringLiteral("edit"));
        }
        const Ran fits = replay(four, 4);
        QVERIFY2(fits.code == 0, qPrintable(fits.out + fits.error));
        const Ran seven = replay(four, 7);
        QVERIFY(seven.code != 0);
        QVERIFY2((seven.out + seven.error).contains(QStringLiteral("line 3, column 3: split: 4 steps do not cover the 7 of m")),
                 qPrintable(seven.out + seven.error));
    }

    void sweepLeavesOutWhatAConstraintForbids()
    {
        const QString script = m_nestw.write(QStringLiteral("constraint.sched"),
                                             "knob a = {8, 16}\nknob b = {4, 5}\nrequire a * b < 80\nknob deep = switch default on\n"
                                             "require deep == 1\nsplit n into no ni:?a\nreorder m no k ni\nvectorize ni\n"
                                             "split k into ko ki:?b when ?deep\n");
        const Ran ran = m_nestw.run(command("sweep", {QStringLiteral("matmul.0"), QStringLiteral("--script"), script}));
        QVERIFY2(ran.code == 0, qPrintable(ran.out + ran.error));
        QCOMPARE(ran.objects().size(), std::size_t{4});
        QCOMPARE(ran.last().value(QStringLiteral("combinations")).toInt(), 3);
        const QString winner = text(ran, "script");
        QVERIFY2(winner.contains(QStringLiteral("split k into")) && !winner.contains(QLatin1Char('?')), qPrintable(winner));
        QVERIFY2(!winner.contains(QStringLiteral("require")), qPrintable(winner));
        const Ran limited = m_nestw.run(command("sweep", {QStringLiteral("matmul.0"), QStringLiteral("--script"), script,
                                                          QStringLiteral("--limit"), QStringLiteral("2")}));
        QVERIFY(limited.code != 0);
        QVERIFY2((limited.out + limited.error).contains(QStringLiteral("3 combinations")), qPrintable(limited.out + limited.error));
    }

    void legalNamesReasonsAndUnlocks()
    {
        const Ran ran = m_nestw.run(command("legal", {QStringLiteral("matmul.0"), QStringLiteral("k")}));
        QCOMPARE(ran.code, 0);
        bool vectorizeRefused = false;
        int legalSteps = 0;
        for (const QJsonObject& row : ran.objects()) {
            const QString verdict = row.value(QStringLiteral("verdict")).toString();
            legalSteps += verdict == QStringLiteral("legal") ? 1 : 0;
            if (row.value(QStringLiteral("primitive")).toString() == QStringLiteral("vectorize")) {
                vectorizeRefused = verdict == QStringLiteral("illegal") && row.value(QStringLiteral("reason")).toString().contains(QLatin1Char('k'));
            }
        }
        QVERIFY(vectorizeRefused);
        QVERIFY(legalSteps > 0);
    }

    void diffShowsBothSides()
    {
        const QString a = m_nestw.write(QStringLiteral("a.sched"), "split n into no ni:8\n");
        const QString b = m_nestw.write(QStringLiteral("b.sched"), "split n into no ni:16\n");
        const Ran ran = m_nestw.run(command("diff", {QStringLiteral("matmul.0"), a, b}));
        QCOMPARE(ran.code, 0);
        const QJsonArray script = ran.last().value(QStringLiteral("script")).toArray();
        QVERIFY(script.contains(QStringLiteral("- split n into no ni:8")));
        QVERIFY(script.contains(QStringLiteral("+ split n into no ni:16")));
    }

    void benchChecksAndTimes()
    {
        const Ran ran = m_nestw.run(command("bench", {QStringLiteral("matmul.0"), QStringLiteral("--protocol"), QStringLiteral("quick")}));
        QVERIFY2(ran.code == 0, qPrintable(ran.out + ran.error));
        QVERIFY(ran.last().value(QStringLiteral("median_ns")).toDouble() > 0);
        QVERIFY(ran.last().value(QStringLiteral("share_of_peak")).toDouble() > 0);
        QVERIFY(ran.last().value(QStringLiteral("bound_ns")).toDouble() > 0);
    }

    void sweepKeepsAPlainWinner()
    {
        const QString script = m_nestw.write(QStringLiteral("sweep.sched"),
                                             "split n into no ni:{8, 16}\nreorder m no k ni\nvectorize ni\nsplit k into ko ki:{4, 5}\n");
        const Ran ran = m_nestw.run(command("sweep", {QStringLiteral("matmul.0"), QStringLiteral("--script"), script}));
        QVERIFY2(ran.code == 0, qPrintable(ran.out + ran.error));
        QCOMPARE(ran.objects().size(), std::size_t{5});
        const QString winner = text(ran, "script");
        QVERIFY2(!winner.contains(QLatin1Char('{')) && winner.contains(QStringLiteral("vectorize ni")), qPrintable(winner));
        const Ran compared = m_nestw.run(command("compare", {QStringLiteral("matmul.0"), QStringLiteral("--protocol"), QStringLiteral("quick")}));
        QVERIFY2(compared.code == 0, qPrintable(compared.out + compared.error));
        QVERIFY(compared.last().value(QStringLiteral("together")).toBool());
        const QStringList present = compared.presentFigures();
        for (const char* name : {"default", "hand", "auto", "bound"}) {
            QVERIFY2(present.contains(QLatin1String(name)), name);
        }
    }
};

NW_TEST_MAIN(tst_cli_schedule, TestCliSchedule)
#include "tst_cli_schedule.moc"
