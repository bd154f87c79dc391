// CASES.md 47: a search whose machine becomes slower half way through ranks its candidates as if it had not.
#include "engine/tune/drift.h"
#include "tests/support/test.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace nw;
using namespace nw::tune;

class TestDrift : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 30 % slower from trial 50 on; the candidates become faster all the time, by 1 % in ten trials.
    void case_47_search()
    {
        constexpr int kTrials = 100, kEach = 10; // trials between two looks at the reference
        const auto slowness = [](int trial) { return trial >= 50 ? 1.3 : 1.0; };
        const auto truth = [](int trial) { return 1000 * (1 - 0.001 * trial); };
        Drift drift;
        std::vector<double> told, raw;
        for (int trial = 0; trial < kTrials; ++trial) {
            if (trial % kEach == 0) {
                drift.see(2000 * slowness(trial) * (1 + 0.01 * std::sin(trial)));
            }
            raw.push_back(truth(trial) * slowness(trial));
            told.push_back(raw.back() / drift.factor());
        }
        const auto bestOf = [](const std::vector<double>& times) { return std::min_element(times.begin(), times.end()) - times.begin(); };
        QVERIFY(bestOf(raw) < 50); // without it the best would be an early one
        QVERIFY2(bestOf(told) > 90, std::to_string(bestOf(told)).c_str());
        QVERIFY2(std::abs(told.back() / truth(kTrials - 1) - 1) < 0.03, std::to_string(told.back()).c_str());
        const std::string note = drift.takeNote();
        QVERIFY2(note.find("1.3") != std::string::npos && note.find("slower") != std::string::npos, note.c_str());
        QVERIFY(drift.takeNote().empty());
    }

    void saysNothingOfAWobble()
    {
        Drift drift;
        for (int i = 0; i < 50; ++i) {
            drift.see(1000 * (1 + 0.02 * std::sin(i)));
            QCOMPARE(drift.factor(), 1.0);
        }
        QVERIFY(drift.takeNote().empty());
    }

    // One look fell into a disturbed moment, or into one of a higher clock: the others say what is usual.
    void learnsWhatIsUsual()
    {
        for (const double odd : {1300.0, 800.0}) {
            Drift drift;
            drift.see(odd);
            QCOMPARE(drift.factor(), 1.0);
            for (int i = 0; i < 4; ++i) {
                drift.see(1000);
            }
            QCOMPARE(drift.factor(), 1.0);
            drift.see(odd);
            QCOMPARE(drift.factor(), odd / 1000);
            drift.see(0); // it could not be timed
            QCOMPARE(drift.factor(), 1.0);
        }
    }

    // What stays slow does not become the rule.
    void keepsToTheBeginning()
    {
        Drift drift;
        for (int i = 0; i < 200; ++i) {
            drift.see(i < 10 ? 1000 : 1300);
        }
        QCOMPARE(drift.factor(), 1.3);
    }
};

NW_TEST_MAIN(tst_drift, TestDrift)
#include "tst_drift.moc"
