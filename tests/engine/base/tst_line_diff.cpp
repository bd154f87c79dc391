#include "engine/base/line_diff.h"
#include "tests/support/test.h"

using namespace nw;

class TestLineDiff : public QObject {
    Q_OBJECT

    static std::string shown(const std::string& one, const std::string& two)
    {
        std::string text;
        for (const DiffLine& line : diffTexts(one, two)) {
            text += toText(line) + "\n";
        }
        return text;
    }

private Q_SLOTS:
    void tellsLinesApart_data()
    {
        QTest::addColumn<QByteArray>("one");
        QTest::addColumn<QByteArray>("two");
        QTest::addColumn<QByteArray>("lines");
        QTest::newRow("nothing") << QByteArray() << QByteArray("\n\n") << QByteArray();
        QTest::newRow("the same") << QByteArray("a\nb\n") << QByteArray("a\nb") << QByteArray("  a\n  b\n");
        QTest::newRow("added") << QByteArray("a\nc\n") << QByteArray("a\nb\nc\n") << QByteArray("  a\n+ b\n  c\n");
        QTest::newRow("all new") << QByteArray() << QByteArray("a\n") << QByteArray("+ a\n");
        QTest::newRow("removed") << QByteArray("a\nb\nc\n") << QByteArray("a\nc\n") << QByteArray("  a\n- b\n  c\n");
        QTest::newRow("changed") << QByteArray("a\nb\nc\n") << QByteArray("a\nx\nc\n") << QByteArray("  a\n- b\n+ x\n  c\n");
        QTest::newRow("moved") << QByteArray("a\nb\nc\n") << QByteArray("b\nc\na\n") << QByteArray("- a\n  b\n  c\n+ a\n");
        QTest::newRow("empty lines inside count") << QByteArray("a\n\nb\n") << QByteArray("a\nb\n") << QByteArray("  a\n- \n  b\n");
        QTest::newRow("the longest") << QByteArray("x\na\nb\nc\n") << QByteArray("a\nb\nx\nc\n") << QByteArray("- x\n  a\n  b\n+ x\n  c\n");
    }
    void tellsLinesApart()
    {
        QFETCH(QByteArray, one);
        QFETCH(QByteArray, two);
        QFETCH(QByteArray, lines);
        QCOMPARE(shown(one.toStdString(), two.toStdString()), lines.toStdString());
    }

    // Whatever the texts: without the added lines it is the first, without the removed ones the second.
    void keepsBothTexts()
    {
        unsigned state = 12345;
        const auto next = [&state](unsigned most) {
            state = state * 1664525U + 1013904223U;
            return (state >> 16) % most;
        };
        for (int round = 0; round < 200; ++round) {
            std::vector<std::string> one, two;
            for (std::vector<std::string>* text : {&one, &two}) {
                for (unsigned i = next(9); i > 0; --i) {
                    text->push_back(std::string(1, static_cast<char>('a' + next(4))));
                }
            }
            std::vector<std::string> first, second;
            for (const DiffLine& line : diffLines(one, two)) {
                if (line.kind != DiffLine::Kind::Added) {
                    first.push_back(line.text);
                }
                if (line.kind != DiffLine::Kind::Removed) {
                    second.push_back(line.text);
                }
            }
            QVERIFY(first == one && second == two);
        }
    }
};

NW_TEST_MAIN(tst_line_diff, TestLineDiff)
#include "tst_line_diff.moc"
