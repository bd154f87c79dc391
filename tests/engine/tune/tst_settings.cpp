// What a person asked of a tuner, as a line of text and back.
#include "engine/tune/settings.h"
#include "tests/support/test.h"

using namespace nw;
using namespace nw::tune;

class TestSettings : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void roundTrip()
    {
        const Result<Settings> defaults = Settings::parse(Settings().toText());
        VERIFY_OK(defaults);
        QCOMPARE(defaults->toText(), Settings().toText());

        Settings all;
        all.seed = 18446744073709551615ULL;
        all.search = "annealing";
        all.from = "mine";
        all.fixedLoops = "oh ow";
        all.trials = 0;
        all.seconds = 12.625;
        all.plateau = 77;
        all.batch = 1;
        all.randomShare = 0.1;
        all.failuresInRow = 149;
        all.finalists = 20;
        all.transfer = false;
        all.model = false;
        all.threads = 3;
        all.target = "x86-64-v3";
        all.bind = "batch:2,time:16";
        all.algorithms = "conv.0:winograd4";
        const Result<Settings> read = Settings::parse(all.toText());
        VERIFY_OK(read);
        QCOMPARE(read->toText(), all.toText());
        QCOMPARE(read->seed, all.seed);
        QCOMPARE(read->fixedLoops, all.fixedLoops);
        QCOMPARE(read->seconds, all.seconds);
        QCOMPARE(read->randomShare, all.randomShare);
        QCOMPARE(read->failuresInRow, all.failuresInRow);
        QCOMPARE(read->bind, all.bind);
        QCOMPARE(read->algorithms, all.algorithms);
        QVERIFY(!read->transfer && !read->model);
        // Of an older version that knew fewer.
        const Result<Settings> few = Settings::parse("seed=4 trials=9");
        VERIFY_OK(few);
        QCOMPARE(few->trials, 9);
        QCOMPARE(few->batch, Settings().batch);
    }

    void refuses_data()
    {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<std::string>("words");
        const auto row = [](const char* text, const char* words) { QTest::newRow(text) << std::string(text) << std::string(words); };
        row("search=guess", "There is no search \"guess\": use evolutionary, annealing or random.");
        row("from=air", "Candidates cannot come from \"air\": use template, mine, sketch or all.");
        const char* const range = "A number of the tuner's settings is out of its range: trials, seconds and plateau from 0, batch 1 to 1024, "
                                  "random share 0 to 1, finalists 1 to 20.";
        for (const char* text : {"trials=-1", "seconds=-0.5", "plateau=-1", "batch=0", "batch=1025", "random=1.5", "random=-0.1", "failures=0",
                                 "finalists=0", "finalists=21", "random=nan", "seconds=nan"}) {
            row(text, range);
        }
        for (const char* text : {"batch=x", "batch=", "batch", "batch=3x", "=3", "tempo=3", "model=2", "transfer=yes", "trials=99999999999",
                                 "seed=-1"}) {
            QTest::newRow(text) << std::string(text) << "\"" + std::string(text) + "\" is no setting of the tuner.";
        }
    }
    void refuses()
    {
        QFETCH(std::string, text);
        QFETCH(std::string, words);
        const Result<Settings> read = Settings::parse("seed=3 " + text);
        QVERIFY(!read);
        QCOMPARE(read.error().kind, Error::Kind::Refused);
        QCOMPARE(read.error().message, words);
    }
};

NW_TEST_MAIN(tst_settings, TestSettings)
#include "tst_settings.moc"
