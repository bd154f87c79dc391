// What is wished of a tuner is heard while a measurement is under way: the flags that it looks at are raised by another
// connection's wish.
#include "engine/record/tune_journal.h"
#include "engine/session/wish_watch.h"
#include "tests/support/test.h"

#include <QTemporaryDir>

#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

using namespace nw;
using namespace nw::session;
using record::TuneWish;

namespace {

bool isRaised(const StopToken& token)
{
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!token.stopRequested() && std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return token.stopRequested();
}

} // namespace

class TestWishWatch : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::filesystem::path m_project;
    std::unique_ptr<record::Database> m_database;
    std::int64_t m_session = 0;
    int m_count = 0;

private Q_SLOTS:
    void init()
    {
        m_project = m_folder.filePath(QStringLiteral("%1.nest").arg(++m_count)).toStdString();
        Result<std::unique_ptr<record::Database>> made = record::Database::open(m_project, true);
        VERIFY_OK(made);
        m_database = *std::move(made);
        std::vector<record::TuneTask> tasks;
        const Result<std::int64_t> session = record::TuneJournal(*m_database).addSession({}, tasks, {});
        VERIFY_OK(session);
        m_session = *session;
    }

    void hears_data()
    {
        QTest::addColumn<int>("wish");
        QTest::addColumn<bool>("endsConfirming");
        QTest::newRow("pause") << static_cast<int>(TuneWish::Pause) << true;
        QTest::newRow("cancel") << static_cast<int>(TuneWish::Cancel) << true;
        QTest::newRow("stop") << static_cast<int>(TuneWish::Stop) << false; // keeps the best, so that it is confirmed
    }

    void hears()
    {
        QFETCH(int, wish);
        QFETCH(bool, endsConfirming);
        const StopToken outer;
        const WishWatch watch(m_project, m_session, outer);
        QVERIFY(!watch.search().stopRequested());
        VERIFY_OK(record::TuneJournal(*m_database).setWish(m_session, static_cast<TuneWish>(wish)));
        QVERIFY(isRaised(watch.search()));
        QVERIFY(!endsConfirming || isRaised(watch.confirm()));
        QCOMPARE(watch.confirm().stopRequested(), endsConfirming);
        QVERIFY(!outer.stopRequested());
    }

    // A stop that becomes a cancellation ends the confirming, too.
    void hearsASecondWish()
    {
        const StopToken outer;
        const WishWatch watch(m_project, m_session, outer);
        VERIFY_OK(record::TuneJournal(*m_database).setWish(m_session, TuneWish::Stop));
        QVERIFY(isRaised(watch.search()));
        VERIFY_OK(record::TuneJournal(*m_database).setWish(m_session, TuneWish::Cancel));
        QVERIFY(isRaised(watch.confirm()));
    }

    void passesTheOuterOneOn()
    {
        StopToken outer;
        const WishWatch watch(m_project, m_session, outer);
        outer.requestStop();
        QVERIFY(isRaised(watch.search()));
        QVERIFY(isRaised(watch.confirm()));
    }
};

NW_TEST_MAIN(tst_wish_watch, TestWishWatch)
#include "tst_wish_watch.moc"
