#include "tests/support/test.h"
#include "views/operators/operators_delegate.h"
#include "views/operators/operators_model.h"
#include "views/operators/quantity.h"

#include <QAbstractItemModelTester>

using namespace nw::views;

namespace {

OperatorRow row(const char* name, double share, double handNs, bool estimated = true)
{
    OperatorRow made;
    made.name = QString::fromLatin1(name);
    made.title = QStringLiteral("conv 3x3 + relu");
    made.shape = QStringLiteral("64x56x56");
    made.taskId = QStringLiteral("0123456789abcdef");
    made.share = share;
    made.shareEstimated = estimated;
    made.handNs = handNs;
    made.flops = 231211008;
    made.bytes = 1645056;
    made.nodes = {QStringLiteral("Conv_3"), QStringLiteral("Relu_4")};
    return made;
}

} // namespace

class TestOperatorsModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsTheRulesOfModels()
    {
        OperatorsModel model;
        OperatorsProxy proxy;
        proxy.setSourceModel(&model);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const QAbstractItemModelTester proxyTester(&proxy, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRows({row("a", 0.5, 1), row("b", 0.1, 0)});
        model.setHovered(QStringLiteral("b"));
        model.setRows({row("c", 0.5, 1)});
        model.setRows({});
        QCOMPARE(model.rowCount(), 0);
    }

    void numbers_data()
    {
        QTest::addColumn<QString>("shown");
        QTest::addColumn<QString>("expected");
        QTest::newRow("flops") << formatFlops(231211008) << QStringLiteral("231 MFLOP");
        QTest::newRow("just below the next unit") << formatFlops(999600) << QStringLiteral("1.00 MFLOP");
        QTest::newRow("no flops") << formatFlops(0) << QStringLiteral("0");
        QTest::newRow("bytes") << formatBytes(1645056) << QStringLiteral("1.57 MiB");
        QTest::newRow("few bytes") << formatBytes(12) << QStringLiteral("12 B");
        QTest::newRow("kibibytes") << formatBytes(147.0 * 1024) << QStringLiteral("147 KiB");
        QTest::newRow("estimated") << formatTimeShare(0.14, true) << QStringLiteral("~14 %");
        QTest::newRow("measured") << formatTimeShare(0.0234, false) << QStringLiteral("2.3 %");
        QTest::newRow("tiny") << formatTimeShare(0.0002, false) << QStringLiteral("< 0.1 %");
    }

    void numbers()
    {
        QFETCH(QString, shown);
        QFETCH(QString, expected);
        QCOMPARE(shown, expected);
    }

    void barIsOnASquareRootScale()
    {
        QCOMPARE(OperatorsDelegate::barLength(1, 100), 100);
        QCOMPARE(OperatorsDelegate::barLength(0.25, 100), 50);
        QCOMPARE(OperatorsDelegate::barLength(0, 100), 0);
        QCOMPARE(OperatorsDelegate::barLength(1e-9, 100), 2);
    }

    void headerSaysThatSharesAreEstimated()
    {
        OperatorsModel model;
        const auto header = [&](int role) { return model.headerData(OperatorsModel::Share, Qt::Horizontal, role).toString(); };
        model.setRows({row("a", 0.5, 1, true)});
        QCOMPARE(header(Qt::DisplayRole), QStringLiteral("~ share of time"));
        QVERIFY(header(Qt::ToolTipRole).contains(QStringLiteral("estimated")));
        QCOMPARE(model.index(0, OperatorsModel::Share).data().toString(), QStringLiteral("~50 %"));
        model.setRows({row("a", 0.5, 1, false)});
        QCOMPARE(header(Qt::DisplayRole), QStringLiteral("share of time"));
    }

    void missingFiguresComeLast()
    {
        OperatorsModel model;
        OperatorsProxy proxy;
        proxy.setSourceModel(&model);
        proxy.setSortRole(OperatorsModel::SortRole);
        model.setRows({row("none", 0.1, 0), row("slow", 0.2, 900), row("fast", 0.3, 20)});
        const auto names = [&] {
            QStringList list;
            for (int i = 0; i < proxy.rowCount(); ++i) {
                list << proxy.index(i, 0).data(OperatorsModel::NameRole).toString();
            }
            return list.join(QLatin1Char(' '));
        };
        proxy.sort(OperatorsModel::Hand, Qt::AscendingOrder);
        QCOMPARE(names(), QStringLiteral("fast slow none"));
        proxy.sort(OperatorsModel::Hand, Qt::DescendingOrder);
        QCOMPARE(names(), QStringLiteral("slow fast none"));
    }

    void filterWantsEveryWord()
    {
        OperatorsModel model;
        OperatorsProxy proxy;
        proxy.setSourceModel(&model);
        OperatorRow other = row("pool.0", 0.1, 0);
        other.title = QStringLiteral("max pool");
        model.setRows({row("conv.0", 0.1, 0), other});
        proxy.setWords(QStringLiteral("POOL 64x"));
        QCOMPARE(proxy.rowCount(), 1);
        proxy.setWords(QStringLiteral("relu_4"));
        QCOMPARE(proxy.rowCount(), 2);
        proxy.setWords(QStringLiteral("pool conv.0"));
        QCOMPARE(proxy.rowCount(), 0);
    }

    void rowsAreReadable()
    {
        OperatorsModel model;
        model.setRows({row("conv.0", 0.1, 741000)});
        QCOMPARE(model.index(0, OperatorsModel::Hand).data(Qt::AccessibleTextRole).toString(), QStringLiteral("hand: 741 us"));
        QVERIFY(model.index(0, OperatorsModel::Title).data(Qt::ToolTipRole).toString().contains(QStringLiteral("Conv_3, Relu_4")));
    }
};

NW_TEST_MAIN(tst_operators_model, TestOperatorsModel)
#include "tst_operators_model.moc"
