#include "engine/plan/plan.h"
#include "engine/plan/short_layout.h"
#include "tests/support/test.h"

using namespace nw;
using namespace nw::plan;

class TestChoices : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void roundTrips()
    {
        const std::string text = "bind batch = 2\n"
                                 "bind n = 0\n"
                                 "layouts blocked 16\n"
                                 "layout conv.0 X NCHW16c border 1 1\n"
                                 "layout conv.0 Y NHWC\n"
                                 "layout matmul.0 A (m, k) -> (k / 4, m, k % 4) border 0 1:2\n"
                                 "layout add.0 B plain border 0 0 1 1\n"
                                 "algorithm conv.0 winograd\n"
                                 "target x86-64-v3\n"
                                 "threads 2\n";
        const Result<Choices> choices = parseChoices(text);
        VERIFY_OK(choices);
        QCOMPARE(toText(*choices), text);
        QCOMPARE(choices->bind.at("batch"), std::int64_t{2});
        QCOMPARE(choices->threads, 2);
    }

    void commentsAndBlanks()
    {
        const Result<Choices> choices = parseChoices("# first\n\n  threads   4   # of them\r\n");
        VERIFY_OK(choices);
        QCOMPARE(toText(*choices), std::string("target native\nthreads 4\n"));
    }

    void shortNames_data()
    {
        QTest::addColumn<std::string>("name");
        QTest::addColumn<std::string>("layout");
        const auto row = [](const char* name, const char* layout) { QTest::newRow(name) << std::string(name) << std::string(layout); };
        row("NHWC", "(n, c, h, w) -> (n, h, w, c)");
        row("NCHW16c", "(n, c, h, w) -> (n, c / 16, h, w, c % 16)");
        row("NCHW16c border 1 2", "(n, c, h, w) -> (n, c / 16, h, w, c % 16) border 0 0 1 2");
        row("NCHW16c border 1:0 2", "(n, c, h, w) -> (n, c / 16, h, w, c % 16) border 0 0 1:0 2");
        row("NCDHW8c", "(n, c, d, h, w) -> (n, c / 8, d, h, w, c % 8)");
        row("NWC", "(n, c, w) -> (n, w, c)");
        row("NC", "(n, c) -> (n, c)");
        row("N4nC", "(n, c) -> (n / 4, n % 4, c)");
    }

    void shortNames()
    {
        QFETCH(std::string, name);
        QFETCH(std::string, layout);
        const Result<Layout> got = parseChoiceLayout(name);
        VERIFY_OK(got);
        const Result<Layout> expected = parseLayout(layout);
        VERIFY_OK(expected);
        QCOMPARE(got->toText(), expected->toText());
    }

    void errors_data()
    {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        QTest::addColumn<std::string>("why");
        const auto row = [](const char* text, int line, int column, const char* why) {
            QTest::newRow(text) << std::string(text) << line << column << std::string(why);
        };
        row("\nlayuot conv.0 X NHWC", 2, 1,
            "\"layuot\" is no choice; did you mean layout?. There are bind, layout, layouts, algorithm, target and threads.");
        row("layouts", 1, 8, "How activations lie is written: layouts plain, or: layouts blocked 16.");
        row("layouts NHWC", 1, 9, "How activations lie is written: layouts plain, or: layouts blocked 16.");
        row("layouts blocked 1", 1, 17, "The number of channels in a block is a whole number from 2 on.");
        row("layouts blocked 1025", 1, 17, "Blocks of more than 1024 channels are not laid.");
        row("layouts plain 8", 1, 15, "\"8\" is too much here.");
        row("bind n 2", 1, 8, "A binding is written: bind batch = 2.");
        row("bind n = -1", 1, 10, "The extent is a whole number from 0 on.");
        row("bind n = 1\nbind n = 2", 2, 6, "\"n\" is bound twice.");
        row("bind n = 1 2", 1, 12, "\"2\" is too much here.");
        row("layout conv.0 X", 1, 16, "A layout is written: layout conv.0 X NCHW16c.");
        row("layout conv.0 X NCHW16x", 1, 17,
            "\"NCHW16x\" is no layout: X is none of the axes N C D H W. Write for example NHWC, NCHW16c or (n, c) -> (c, n).");
        row("layout conv.0 X NHW16c", 1, 17,
            "\"NHW16c\" is no layout: the block of C lacks the axis itself. Write for example NHWC, NCHW16c or (n, c) -> (c, n).");
        row("layout conv.0 X NCHW0c", 1, 17,
            "\"NCHW0c\" is no layout: a block is a number above 0 and a small letter. Write for example NHWC, NCHW16c or (n, c) -> (c, n).");
        row("layout conv.0 X NNHW", 1, 17,
            "\"NNHW\" is no layout: the axis N stands twice. Write for example NHWC, NCHW16c or (n, c) -> (c, n).");
        row("layout conv.0 X NCHW 1 1", 1, 17, "After the layout NCHW may stand only a border, not \"1 1\".");
        row("layout conv.0 X NHWC\nlayout conv.0 X NHWC", 2, 8, "conv.0 X has a layout already.");
        row("algorithm conv.0", 1, 17, "An algorithm is written: algorithm conv.0 direct.");
        row("threads 0", 1, 9, "The number of threads is a whole number from 1 on.");
        row("threads", 1, 8, "The number of threads is a whole number from 1 on.");
    }

    void errors()
    {
        QFETCH(std::string, text);
        QFETCH(int, line);
        QFETCH(int, column);
        QFETCH(std::string, why);
        const Result<Choices> choices = parseChoices(text);
        QVERIFY(!choices);
        QCOMPARE(choices.error().message, why);
        QCOMPARE(choices.error().line, line);
        QCOMPARE(choices.error().column, column);
    }
};

NW_TEST_MAIN(tst_choices, TestChoices)
#include "tst_choices.moc"
