// What a search has seen: all of it, nothing else, in hardly more memory than the hashes take.
#include "engine/tune/hash_set.h"
#include "tests/support/test.h"

#include <random>
#include <unordered_set>

using namespace nw::tune;

class TestHashSet : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void holdsWhatWasPutIn()
    {
        std::mt19937_64 random(7);
        std::unordered_set<std::uint64_t> expected;
        HashSet set;
        for (int i = 0; i < 20000; ++i) {
            const std::uint64_t hash = random() % 15000 * 0x9e3779b97f4a7c15u; // many of them twice
            QCOMPARE(set.contains(hash), expected.contains(hash));
            set.insert(hash);
            expected.insert(hash);
            QVERIFY(set.contains(hash));
        }
        QCOMPARE(set.size(), expected.size());
        for (int i = 0; i < 20000; ++i) {
            const std::uint64_t hash = random();
            QCOMPARE(set.contains(hash), expected.contains(hash));
        }
    }
};

NW_TEST_MAIN(tst_hash_set, TestHashSet)
#include "tst_hash_set.moc"
