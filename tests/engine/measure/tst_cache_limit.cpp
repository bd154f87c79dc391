// The caches of test data and packed constants stay below a size; what is in use stays.
#include "engine/measure/cache_limit.h"
#include "engine/measure/keep_file.h"
#include "tests/support/test.h"

#include <QTemporaryDir>

#include <fstream>

using namespace nw;
using namespace nw::measure;
namespace fs = std::filesystem;

class TestCacheLimit : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_cache;

    void add(const fs::path& file, std::size_t bytes)
    {
        fs::create_directories((m_cache / file).parent_path());
        VERIFY_OK(keepFile(m_cache / file, std::string(bytes, 'x')));
    }
    void age(const fs::path& entry, std::chrono::hours hours)
    {
        fs::last_write_time(m_cache / entry, fs::file_time_type::clock::now() - hours);
    }
    bool has(const fs::path& entry) const { return fs::exists(m_cache / entry); }

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_cache = m_folder->path().toStdString();
        add("tasks/old/uniform.plain.0", 1000);
        add("tasks/old/uniform.done", 0);
        add("tasks/new/uniform.plain.0", 1000);
        add("constants/older", 500);
        add("constants/newer", 500);
        add("roofs", 100); // is not ours to remove
        age("tasks/old", std::chrono::hours(30));
        age("tasks/new", std::chrono::hours(3));
        age("constants/older", std::chrono::hours(40));
        age("constants/newer", std::chrono::hours(20));
    }

    void removesTheLongestUnused()
    {
        QCOMPARE(cacheBytes(m_cache), std::int64_t{3000});
        QCOMPARE(limitCache(m_cache, 3000, kCacheInUse), std::int64_t{0});
        QCOMPARE(limitCache(m_cache, 2000, kCacheInUse), std::int64_t{1500});
        QVERIFY(!has("constants/older") && !has("tasks/old"));
        QVERIFY(has("constants/newer") && has("tasks/new/uniform.plain.0") && has("roofs"));
        QCOMPARE(cacheBytes(m_cache), std::int64_t{1500});
        // Nothing is left of what was removed, under no other name.
        QCOMPARE(std::distance(fs::directory_iterator(m_cache / "tasks"), fs::directory_iterator()), std::ptrdiff_t{1});
    }

    void keepsWhatIsUsed()
    {
        markUsed(m_cache / "tasks/old");
        markUsed(m_cache / "constants/older");
        QCOMPARE(limitCache(m_cache, 0, kCacheInUse), std::int64_t{1500});
        QVERIFY(has("tasks/old/uniform.plain.0") && has("constants/older"));
        QVERIFY(!has("tasks/new") && !has("constants/newer"));
    }

    void looksAtTimesOnly()
    {
        const auto big = [this] { // without taking the room
            std::ofstream(m_cache / "constants/huge").close();
            fs::resize_file(m_cache / "constants/huge", static_cast<std::uintmax_t>(kCacheLimit) + 1);
            age("constants/huge", std::chrono::hours(100));
        };
        big();
        limitCacheAtTimes(m_cache);
        QVERIFY(!has("constants/huge"));
        QVERIFY(has("tasks/old") && has("constants/older"));
        big();
        limitCacheAtTimes(m_cache);
        QVERIFY(has("constants/huge")); // looked a moment ago
        age("limited", std::chrono::hours(1));
        limitCacheAtTimes(m_cache);
        QVERIFY(!has("constants/huge"));
    }

    void livesWithoutFolders()
    {
        QCOMPARE(cacheBytes(m_cache / "none"), std::int64_t{0});
        QCOMPARE(limitCache(m_cache / "none", 0, std::chrono::seconds(0)), std::int64_t{0});
        limitCacheAtTimes(m_cache / "none");
        markUsed(m_cache / "none/at all");
    }
};

NW_TEST_MAIN(tst_cache_limit, TestCacheLimit)
#include "tst_cache_limit.moc"
