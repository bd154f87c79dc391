// CASES.md 47: what disturbs a measurement does not choose the winner. A single outlier, a processor that slows down.
#include "engine/measure/runner/samples.h"
#include "tests/support/test.h"

#include <cmath>

using namespace nw;
using namespace nw::runner;

namespace {

constexpr double kPeak = 1e11;

// A clock that slowed down shows in the probes around a stretch as it does in the stretch.
Taken taken(double ns, double slowness = 1)
{
    Taken made;
    made.ns = ns * slowness;
    made.around.before = made.around.after = {kPeak / slowness, 3 / slowness, 1};
    return made;
}

// Of one candidate; the wobble is a percent.
std::vector<Taken> steady(double ns, int count)
{
    std::vector<Taken> all;
    for (int i = 0; i < count; ++i) {
        all.push_back(taken(ns * (1 + 0.01 * std::sin(i * 2.4))));
    }
    return all;
}

} // namespace

class TestCase47 : public QObject {
    Q_OBJECT

    static wire::RunReply report(const std::vector<Taken>& all, const char* protocol)
    {
        Team team;
        Probes probes(team);
        Clock clock;
        Evictor evictor(team);
        Rig rig{team, probes, clock, evictor, 0};
        const wire::Protocol wanted{protocol, false, 4, static_cast<std::int32_t>(all.size()), 1000, 0};
        Samples samples(wanted, 1);
        Best best;
        for (const Taken& one : all) {
            best.see(one.around.before);
            samples.add(one);
        }
        wire::RunReply reply;
        samples.report(best, {}, rig, reply);
        return reply;
    }

private Q_SLOTS:
    // All samples are kept, and one that took ten times as long changes neither the figure nor the order.
    void case_47_outlier_data()
    {
        QTest::addColumn<QByteArray>("protocol");
        for (const char* protocol : {"quick", "search", "confirm"}) {
            QTest::newRow(protocol) << QByteArray(protocol);
        }
    }
    void case_47_outlier()
    {
        QFETCH(QByteArray, protocol);
        const wire::RunReply plain = report(steady(1000, 15), protocol);
        for (const int place : {0, 7, 14}) {
            std::vector<Taken> all = steady(1000, 15);
            all[static_cast<std::size_t>(place)].ns *= 10;
            const wire::RunReply hit = report(all, protocol);
            QCOMPARE(hit.total, 15);
            QCOMPARE(hit.samples.size(), std::size_t{15});
            QCOMPARE(hit.samples[static_cast<std::size_t>(place)].ns, all[static_cast<std::size_t>(place)].ns);
            QVERIFY2(std::abs(hit.medianNs / plain.medianNs - 1) < 0.01, std::to_string(hit.medianNs).c_str());
            QVERIFY(hit.medianNs < report(steady(1030, 15), protocol).medianNs); // 3 % slower stays slower
            QVERIFY(hit.spread >= plain.spread); // it shows there
        }
    }

    // The processor is 30 % slower from the middle on, or all the time: divided out, or left out as not clean.
    void case_47_drift_data() { case_47_outlier_data(); }
    void case_47_drift()
    {
        QFETCH(QByteArray, protocol);
        const double plain = report(steady(1000, 16), protocol).medianNs;
        std::vector<Taken> late = steady(1000, 16), all = late;
        for (std::size_t i = 0; i < late.size(); ++i) {
            const double wobble = late[i].ns;
            late[i] = i < 8 ? late[i] : taken(wobble, 1.3);
            all[i] = taken(wobble, 1.05 + 0.001 * static_cast<double>(i));
        }
        QVERIFY2(std::abs(report(late, protocol).medianNs / plain - 1) < 0.02, std::to_string(report(late, protocol).medianNs).c_str());
        // All of it drifts a little: the time goes with the peak that it is told beside.
        const wire::RunReply drifted = report(all, protocol);
        const double slowness = kPeak / drifted.shareOfPeakDenominator;
        QVERIFY2(std::abs(drifted.medianNs / slowness / plain - 1) < 0.02, std::to_string(drifted.medianNs).c_str());
        QVERIFY(slowness > 1.05 && slowness < 1.07);
    }

    // A search leaves what is out after one look; where that look was disturbed, a second one has to say the same.
    void leavesWhatIsOut()
    {
        const auto looks = [](double ns, bool disturbed, double enough) {
            wire::Protocol search{"search", false, 4, 4, 1000, 0};
            search.enoughNs = enough;
            Samples samples(search, 1);
            Best best;
            int count = 0;
            do {
                Taken one = taken(ns);
                one.around.runDelayShare = disturbed ? 0.5 : 0;
                best.see(one.around.before);
                samples.add(one);
                ++count;
            } while (!samples.isDone(best));
            return count;
        };
        QCOMPARE(looks(1300, false, 1200), 1);
        QCOMPARE(looks(1300, true, 1200), 2);
        QCOMPARE(looks(1100, false, 1200), 4);
        QCOMPARE(looks(1300, false, 0), 4); // nothing is known to be out
    }
};

NW_TEST_MAIN(tst_case_47, TestCase47)
#include "tst_case_47.moc"
