// The cost model: learns to rank, is the same each time, is kept and read again; and how its ranks are judged.
#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/tune/cost_model.h"
#include "engine/tune/features.h"
#include "tests/support/test.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

using namespace nw;
using namespace nw::tune;

namespace {

// Times follow some of the features, jumps and a product among them, as caches and tiles make them.
constexpr std::size_t kTold[] = {3, 40, 77};
double plantedNs(const std::vector<float>& x, double scale)
{
    const double slow = 1 + 2 * x[kTold[0]] + (x[kTold[1]] > 0.6F ? 3 : 0) + 2 * x[kTold[2]] * x[kTold[0]];
    return scale * slow;
}

// Features of nests take few values each.
std::vector<float> drawRow(Random& random)
{
    constexpr std::uint64_t kValues = 16;
    std::vector<float> row(featureNames().size());
    for (float& value : row) {
        value = static_cast<float>(random.below(kValues)) / kValues;
    }
    return row;
}

std::vector<Sample> planted(std::size_t count, std::uint64_t seed, int group = 0, double scale = 1000)
{
    Random random(seed);
    std::vector<Sample> samples(count);
    for (Sample& sample : samples) {
        sample.features = drawRow(random);
        sample.ns = plantedNs(sample.features, scale);
        sample.group = group;
    }
    return samples;
}

std::vector<std::vector<float>> rowsOf(const std::vector<Sample>& samples)
{
    std::vector<std::vector<float>> rows;
    for (const Sample& sample : samples) {
        rows.push_back(sample.features);
    }
    return rows;
}

RankQuality qualityOn(const CostModel& model, const std::vector<Sample>& samples)
{
    std::vector<double> ns;
    for (const Sample& sample : samples) {
        ns.push_back(sample.ns);
    }
    return rankQuality(model.predict(rowsOf(samples)), ns);
}

std::string words(const RankQuality& quality)
{
    return format("correlation {:.3f}, recall {:.2f}", quality.correlation, quality.recall);
}

} // namespace

class TestCostModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void learnsARanking()
    {
        CostModel model({});
        QVERIFY(!model.isTrained());
        QCOMPARE(model.predict(rowsOf(planted(3, 1))), std::vector<double>(3, 0.0));
        VERIFY_OK(model.train(planted(500, 1)));
        QVERIFY(model.isTrained());
        const RankQuality seen = qualityOn(model, planted(200, 2));
        qInfo("held out: %s", words(seen).c_str());
        QVERIFY2(seen.correlation > 0.9, words(seen).c_str());
        QVERIFY2(seen.recall >= 0.5, words(seen).c_str());
    }

    void ranksFailuresLast()
    {
        std::vector<Sample> samples = planted(300, 5);
        for (Sample& sample : samples) {
            sample.ns = sample.features[9] > 0.7F ? 0 : sample.ns;
        }
        CostModel model({});
        VERIFY_OK(model.train(samples));
        std::vector<std::vector<float>> rows = rowsOf(planted(100, 6));
        double failing = 0, running = 0;
        for (std::vector<float>& row : rows) {
            row[9] = 0.1F;
        }
        const std::vector<double> good = model.predict(rows);
        running = std::accumulate(good.begin(), good.end(), 0.0);
        for (std::vector<float>& row : rows) {
            row[9] = 0.9F;
        }
        const std::vector<double> bad = model.predict(rows);
        failing = std::accumulate(bad.begin(), bad.end(), 0.0);
        QVERIFY(running / 100 > failing / 100 + 1);
        QVERIFY(*std::min_element(good.begin(), good.end()) > *std::max_element(bad.begin(), bad.end()) - 3);
    }

    void isTheSameEachTime()
    {
        const std::vector<Sample> samples = planted(200, 3);
        const std::vector<std::vector<float>> rows = rowsOf(planted(100, 4));
        CostModel one({}), other({});
        VERIFY_OK(one.train(samples));
        VERIFY_OK(other.train(planted(50, 8)));
        VERIFY_OK(other.train(samples)); // from the beginning: what it knew before is gone
        QVERIFY(one.predict(rows) == other.predict(rows));
        QVERIFY(one.predict(rows) == one.predict(rows));
        const CostModel moved = std::move(one);
        QVERIFY(moved.predict(rows) == other.predict(rows));
    }

    // Two tasks of which one is a thousand times slower, and whose samples differ in a feature that says nothing else.
    void comparesNoGroups()
    {
        std::vector<Sample> samples = planted(200, 10, 0, 1);
        for (Sample& sample : samples) {
            sample.features[0] = 0;
        }
        for (Sample& sample : planted(200, 11, 7, 1000)) {
            sample.features[0] = 1;
            samples.push_back(sample);
        }
        CostModel apart({}), together({});
        VERIFY_OK(apart.train(samples));
        for (Sample& sample : samples) {
            sample.group = 0;
        }
        VERIFY_OK(together.train(samples));
        QVERIFY2(apart.importance()[0] < 0.02, format("{}", apart.importance()[0]).c_str());
        QVERIFY2(together.importance()[0] > 0.3, format("{}", together.importance()[0]).c_str());
        QVERIFY(qualityOn(apart, planted(100, 12)).correlation > 0.8);
    }

    // Two groups that say the opposite: the heavier is believed.
    void weighsGroups()
    {
        std::vector<Sample> samples = planted(200, 13, 0);
        for (Sample& sample : planted(200, 14, 1)) {
            sample.ns = 1e6 / sample.ns;
            sample.weight = 0.05F;
            samples.push_back(sample);
        }
        CostModel model({});
        VERIFY_OK(model.train(samples));
        const RankQuality first = qualityOn(model, planted(100, 15));
        QVERIFY2(first.correlation > 0.6, words(first).c_str());
        for (Sample& sample : samples) {
            sample.weight = 1.05F - sample.weight;
        }
        VERIFY_OK(model.train(samples));
        const RankQuality second = qualityOn(model, planted(100, 15));
        QVERIFY2(second.correlation < -0.6, words(second).c_str());
    }

    void dropsBadRows()
    {
        const std::vector<Sample> good = planted(60, 20);
        std::vector<Sample> mixed;
        for (std::size_t i = 0; i < good.size(); ++i) {
            mixed.push_back(good[i]);
            Sample bad = good[(i + 7) % good.size()];
            bad.ns = 1;
            switch (i % 6) {
            case 0: bad.features.pop_back(); break;
            case 1: bad.features.clear(); break;
            case 2: bad.features[5] = std::numeric_limits<float>::quiet_NaN(); break;
            case 3: bad.features[5] = std::numeric_limits<float>::infinity(); break;
            case 4: bad.ns = std::numeric_limits<double>::quiet_NaN(); break;
            default: bad.weight = 0; break;
            }
            mixed.push_back(bad);
        }
        CostModel clean({}), dirty({});
        VERIFY_OK(clean.train(good));
        VERIFY_OK(dirty.train(mixed));
        const std::vector<std::vector<float>> rows = rowsOf(planted(50, 21));
        QVERIFY(clean.predict(rows) == dirty.predict(rows));

        std::vector<std::vector<float>> odd = rows;
        odd[0].clear();
        odd[1][3] = std::numeric_limits<float>::infinity();
        const std::vector<double> scores = clean.predict(odd);
        const double lowest = *std::min_element(scores.begin() + 2, scores.end());
        QCOMPARE(scores[0], lowest);
        QCOMPARE(scores[1], lowest);
        QCOMPARE(clean.predict(std::vector<std::vector<float>>(2)), std::vector<double>(2, 0.0));
    }

    void refusesTooFew()
    {
        CostModel model({});
        std::vector<Sample> samples = planted(3, 30);
        samples[0].features.clear();
        samples[1].features.clear();
        const Status trained = model.train(samples);
        QVERIFY(!trained);
        QCOMPARE(trained.error().kind, Error::Kind::Refused);
        QCOMPARE(trained.error().message, std::string("the cost model needs two samples to compare, and of the 3 given 1 can be used: measure more"));
        QVERIFY(!model.isTrained());
        QVERIFY(!model.toBytes());
        VERIFY_OK(model.train(planted(2, 31)));
        // Alone in their groups, or all failed: nothing is learnt, and nothing breaks.
        samples = planted(4, 32);
        for (std::size_t i = 0; i < samples.size(); ++i) {
            samples[i].group = static_cast<int>(i);
        }
        VERIFY_OK(model.train(samples));
        QCOMPARE(model.predict(rowsOf(samples)), std::vector<double>(4, model.predict(rowsOf(samples)).front()));
        for (Sample& sample : samples) {
            sample.group = 0;
            sample.ns = 0;
        }
        VERIFY_OK(model.train(samples));
        QCOMPARE(model.importance(), std::vector<double>(featureNames().size(), 0.0));
    }

    void isKeptAndRead()
    {
        CostModel model({});
        VERIFY_OK(model.train(planted(200, 40)));
        const Result<std::vector<std::byte>> bytes = model.toBytes();
        VERIFY_OK(bytes);
        const Result<CostModel> read = CostModel::fromBytes(*bytes, {});
        VERIFY_OK(read);
        QVERIFY(read->isTrained());
        const std::vector<std::vector<float>> rows = rowsOf(planted(100, 41));
        QVERIFY(read->predict(rows) == model.predict(rows));
        QVERIFY(read->importance() == model.importance());
        QVERIFY(*read->toBytes() == *bytes);
    }

    // CASES.md 42: what another version of the features made is not used, and says so.
    void case_42()
    {
        CostModel model({});
        VERIFY_OK(model.train(planted(50, 50)));
        const std::vector<std::byte> bytes = *model.toBytes();
        const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        const auto read = [](std::string changed) {
            return CostModel::fromBytes(std::as_bytes(std::span(changed.data(), changed.size())), {});
        };
        VERIFY_OK(read(text));
        const std::string mine = format("nestwright-cost-model {} {} ", kFeatureVersion, featureNames().size());
        QCOMPARE(text.substr(0, mine.size()), mine);
        const Result<CostModel> other = read(format("nestwright-cost-model {} {} ", kFeatureVersion + 1, 312) + text.substr(mine.size()));
        QVERIFY(!other);
        QCOMPARE(other.error().kind, Error::Kind::Refused);
        QCOMPARE(other.error().message,
                 format("this cost model was trained on 312 features of version {}, and here they are {} of version {}: train it again from the records",
                        kFeatureVersion + 1, featureNames().size(), kFeatureVersion));
        QVERIFY(!read(format("nestwright-cost-model {} {} ", kFeatureVersion, 312) + text.substr(mine.size())));

        std::string damaged = text;
        damaged[text.size() / 2] = static_cast<char>(damaged[text.size() / 2] + 1);
        for (const std::string& bad : {std::string(), std::string("\n"), std::string("nestwright-cost-model"), damaged, text.substr(0, text.size() - 1),
                                       text.substr(1), std::string(1000, 'x')}) {
            const Result<CostModel> none = read(bad);
            QVERIFY(!none);
            QCOMPARE(none.error().kind, Error::Kind::Failed);
        }
    }

    void tellsWhatFeaturesAreWorth()
    {
        CostModel model({});
        QCOMPARE(model.importance(), std::vector<double>(featureNames().size(), 0.0));
        VERIFY_OK(model.train(planted(500, 60)));
        const std::vector<double> worth = model.importance();
        QVERIFY(std::abs(std::accumulate(worth.begin(), worth.end(), 0.0) - 1) < 1e-9);
        double told = 0;
        for (const std::size_t feature : kTold) {
            told += worth[feature];
        }
        QVERIFY2(told > 0.6, format("{}", told).c_str());
    }

    void judgesRanks_data()
    {
        QTest::addColumn<QList<double>>("scores");
        QTest::addColumn<QList<double>>("ns");
        QTest::addColumn<int>("top");
        QTest::addColumn<double>("correlation");
        QTest::addColumn<double>("recall");
        const auto row = [](const char* title, QList<double> scores, QList<double> ns, int top, double correlation, double recall) {
            QTest::newRow(title) << scores << ns << top << correlation << recall;
        };
        row("perfect", {4, 3, 2, 1}, {10, 20, 30, 40}, 2, 1, 1);
        row("turned", {1, 2, 3, 4}, {10, 20, 30, 40}, 2, -1, 0);
        row("one pair swapped", {4, 2, 3, 1}, {10, 20, 30, 40}, 2, 0.8, 0.5); // 1 - 6 * 2 / (4 * 15)
        row("ties in scores", {2, 2, 1, 1}, {10, 20, 30, 40}, 1, 4 / std::sqrt(20.0), 0.5);
        row("ties in times", {4, 3, 2, 1}, {10, 10, 10, 10}, 2, 0, 0.5);
        row("constant scores", {1, 1, 1, 1}, {10, 20, 30, 40}, 1, 0, 0.25);
        row("failures are slowest and tie", {3, 2, 1, 1}, {10, 20, 0, -1}, 2, 1, 1);
        row("a failure is believed to be best", {9, 2, 1}, {0, 20, 30}, 1, -0.5, 0);
        row("fewer ran than are asked for", {3, 2, 1}, {10, 0, 0}, 2, 1.5 / std::sqrt(3.0), 1);
        row("all failed", {3, 2, 1}, {0, 0, 0}, 2, 0, 0);
        row("two are too few", {2, 1}, {10, 20}, 1, 0, 1);
        row("none", {}, {}, 10, 0, 0);
        row("nothing asked for", {3, 2, 1}, {10, 20, 30}, 0, 1, 0);
        row("more asked for than there are", {1, 2, 3}, {10, 20, 30}, 10, -1, 1);
    }
    void judgesRanks()
    {
        QFETCH(QList<double>, scores);
        QFETCH(QList<double>, ns);
        QFETCH(int, top);
        QFETCH(double, correlation);
        QFETCH(double, recall);
        const RankQuality found = rankQuality(std::span(scores.data(), static_cast<std::size_t>(scores.size())),
                                              std::span(ns.data(), static_cast<std::size_t>(ns.size())), top);
        QVERIFY2(std::abs(found.correlation - correlation) < 1e-12, words(found).c_str());
        QVERIFY2(std::abs(found.recall - recall) < 1e-12, words(found).c_str());
    }

    // The tuner trains again for each batch.
    void trainsFast()
    {
        const std::vector<Sample> samples = planted(500, 70);
        std::vector<double> ms;
        for (int i = 0; i < 3; ++i) {
            CostModel model({});
            const auto begin = std::chrono::steady_clock::now();
            VERIFY_OK(model.train(samples));
            ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
        }
        const double best = *std::min_element(ms.begin(), ms.end());
        qInfo("500 samples of %zu features: %.0f ms", featureNames().size(), best);
        QVERIFY2(kSanitized || best < 1000, format("{} ms", best).c_str());
    }
};

NW_TEST_MAIN(tst_cost_model, TestCostModel)
#include "tst_cost_model.moc"
