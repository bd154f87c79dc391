#include "engine/measure/runner/compare.h"
#include "engine/measure/runner/guarded_buffer.h"
#include "engine/measure/runner/library.h"
#include "engine/measure/runner/repeats.h"
#include "engine/measure/runner/statistics.h"
#include "engine/measure/runner/team.h"
#include "engine/measure/runner/timing.h"
#include "tests/support/test.h"

#include <dlfcn.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace nw;
using namespace nw::runner;

namespace {

// Time as told by the test.
class FakeClock : public Clock {
public:
    explicit FakeClock(double nsPerRun, std::int64_t perReading = 0)
        : m_nsPerRun(nsPerRun)
        , m_perReading(perReading)
    {}
    std::int64_t now() override { return static_cast<std::int64_t>(m_time) + m_perReading * m_readings++; }
    void ran(std::int64_t times)
    {
        m_time += m_nsPerRun * static_cast<double>(times);
        m_runs += times;
        m_steps.push_back(times);
    }
    std::int64_t runs() const { return m_runs; }
    const std::vector<std::int64_t>& steps() const { return m_steps; }

private:
    double m_nsPerRun;
    std::int64_t m_perReading;
    double m_time = 0;
    std::int64_t m_readings = 0, m_runs = 0;
    std::vector<std::int64_t> m_steps;
};

// Writes its name when another one ran before it.
class Named : public Subject {
public:
    Named(char name, std::string& order)
        : m_name(name)
        , m_order(order)
    {}
    void run(std::int64_t times) override
    {
        if (m_order.empty() || m_order.back() != m_name) {
            m_order += m_name;
        }
        const std::int64_t end = Clock::monotonicNs() + 100'000 * times;
        while (Clock::monotonicNs() < end) {
        }
    }

private:
    char m_name;
    std::string& m_order;
};

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <typename T>
Difference compareOne(T got, double expected, double bound, DType type)
{
    const std::vector<double> values{expected}, bounds{bound};
    std::vector<std::byte> memory(sizeof(T));
    std::memcpy(memory.data(), &got, sizeof(T));
    return compareOutput(memory, type, {values, bounds, {}}, {});
}

} // namespace

class TestRunnerParts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // A clock that stands still, one that runs backwards, an empty kernel, and one of 5 s.
    void case_44()
    {
        for (const std::int64_t perReading : {std::int64_t{0}, std::int64_t{-1000}}) {
            FakeClock clock(0, perReading);
            const Repeats repeats = chooseRepeats([&](std::int64_t n) { clock.ran(n); }, clock, 1e8, 1e9);
            QVERIFY(repeats.belowResolution);
            QVERIFY(repeats.nsPerRun > 0 && std::isfinite(1 / repeats.nsPerRun));
            QCOMPARE(repeats.count, std::int64_t{10000000});
            for (std::size_t i = 1; i < clock.steps().size(); ++i) {
                QVERIFY(clock.steps()[i] <= 10 * clock.steps()[i - 1]);
            }
            QVERIFY(clock.steps().size() < 20);
        }
        FakeClock slow(5e9);
        const Repeats once = chooseRepeats([&](std::int64_t n) { slow.ran(n); }, slow, 1e8, 1e9);
        QCOMPARE(slow.runs(), std::int64_t{1});
        QCOMPARE(once.count, std::int64_t{1});
        QCOMPARE(once.nsPerRun, 5e9);
    }

    void choosesRepeats_data()
    {
        QTest::addColumn<double>("nsPerRun");
        QTest::addColumn<qint64>("count");
        QTest::newRow("1 ns") << 1.0 << qint64{10000000};
        QTest::newRow("100 ns") << 100.0 << qint64{200000};
        QTest::newRow("1 ms") << 1e6 << qint64{20};
        QTest::newRow("15 ms") << 15e6 << qint64{1};
        QTest::newRow("1 s") << 1e9 << qint64{1};
    }

    void choosesRepeats()
    {
        QFETCH(double, nsPerRun);
        QFETCH(qint64, count);
        FakeClock clock(nsPerRun);
        const Repeats repeats = chooseRepeats([&](std::int64_t n) { clock.ran(n); }, clock, 20e6, 1e9);
        QCOMPARE(qint64{repeats.count}, count);
        QVERIFY(!repeats.belowResolution);
    }

    void comparesValues_data()
    {
        QTest::addColumn<float>("got");
        QTest::addColumn<double>("expected");
        QTest::addColumn<double>("bound");
        QTest::addColumn<bool>("right");
        QTest::newRow("equal") << 1.5F << 1.5 << 0.0 << true;
        QTest::newRow("zeros") << -0.0F << 0.0 << 0.0 << true;
        QTest::newRow("next float") << std::nextafter(1.0F, 2.0F) << 1.0 << 0.0 << false;
        QTest::newRow("rounded") << 0.1F << 0.1 << 0.0 << true;
        QTest::newRow("on the bound") << 1.5F << 1.0 << 0.5 << true;
        QTest::newRow("over the bound") << 1.5F << 1.0 << 0.49 << false;
        QTest::newRow("nan for nan") << std::nanf("") << kNan << 0.0 << true;
        QTest::newRow("nan for 1") << std::nanf("") << 1.0 << 1e9 << false;
        QTest::newRow("1 for nan") << 1.0F << kNan << 1e9 << false;
        QTest::newRow("inf for inf") << HUGE_VALF << kInf << 0.0 << true;
        QTest::newRow("inf for -inf") << HUGE_VALF << -kInf << 1e9 << false;
        QTest::newRow("inf for 1") << HUGE_VALF << 1.0 << 1e9 << false;
        QTest::newRow("overflow") << HUGE_VALF << 1e39 << 0.0 << true;
        QTest::newRow("max for inf") << std::numeric_limits<float>::max() << kInf << 1e9 << false;
        QTest::newRow("anything goes") << 7.0F << 1.0 << kInf << true;
        QTest::newRow("nan bound") << 7.0F << 1.0 << kNan << false;
    }

    void comparesValues()
    {
        QFETCH(float, got);
        QFETCH(double, expected);
        QFETCH(double, bound);
        QFETCH(bool, right);
        QCOMPARE(compareOne(got, expected, bound, DType::F32).correct, right);
    }

    void comparesEveryType()
    {
        QVERIFY(compareOne(std::int64_t{-5}, -5, 0, DType::I64).correct);
        QVERIFY(!compareOne(std::int64_t{-5}, -4, 0, DType::I64).correct);
        QVERIFY(compareOne(std::int32_t{7}, 7, 0, DType::I32).correct);
        QVERIFY(compareOne(2.5, 2.5, 0, DType::F64).correct);
        QVERIFY(compareOne(std::uint8_t{1}, 1, 0, DType::Bool).correct);
        QVERIFY(!compareOne(std::uint8_t{255}, 1, 0, DType::Bool).correct);
        QVERIFY(compareOne(std::uint16_t{0x3c00}, 1, 0, DType::F16).correct);
        QVERIFY(compareOne(std::uint16_t{0x3f80}, 1, 0, DType::BF16).correct);
        QVERIFY(!compareOne(std::uint16_t{0x3f80}, 1, 0, DType::F16).correct);
    }

    void findsWhatIsNotCovered()
    {
        const std::vector<double> values{1, 2, 3};
        const std::vector<std::int64_t> offsets{4, 0, 2}, twice{4, 0, 4}, outside{4, 0, 5}, few{4, 0};
        const auto rest = uncovered({values, {}, offsets}, 5);
        VERIFY_OK(rest);
        QCOMPARE(*rest, (std::vector<std::int64_t>{1, 3}));
        QVERIFY(!uncovered({values, {}, twice}, 5));
        QVERIFY(!uncovered({values, {}, outside}, 5));
        QVERIFY(!uncovered({values, {}, few}, 5));
        QVERIFY(!uncovered({values, {}, {}}, 5));
        QVERIFY(!uncovered({values, values, {}}, 4));
    }

    void placesBuffersAtTheirEdges_data()
    {
        QTest::addColumn<int>("bytes");
        QTest::addColumn<int>("alignment");
        QTest::newRow("odd floats") << 4012 << 4;
        QTest::newRow("page") << 4096 << 4;
        QTest::newRow("workspace") << 100 << 64;
        QTest::newRow("empty") << 0 << 4;
        QTest::newRow("large") << (5 << 20) + 4 << 4;
    }

    void placesBuffersAtTheirEdges()
    {
        QFETCH(int, bytes);
        QFETCH(int, alignment);
        RegionPool pool;
        Result<GuardedBuffer> buffer =
            GuardedBuffer::create(pool, static_cast<std::size_t>(bytes), static_cast<std::size_t>(alignment));
        VERIFY_OK(buffer);
        for (const Edge edge : {Edge::Right, Edge::Left, Edge::Shifted}) {
            buffer->place(edge);
            const std::span<std::byte> data = buffer->bytes();
            QCOMPARE(static_cast<int>(data.size()), bytes);
            QCOMPARE(reinterpret_cast<std::uintptr_t>(data.data()) % static_cast<std::size_t>(alignment), std::uintptr_t{0});
            std::fill(data.begin(), data.end(), std::byte{7});
            QCOMPARE(buffer->disturbed(), std::string());
            if (edge == Edge::Left) {
                QVERIFY(data.data() == buffer->guardBefore());
            } else {
                std::byte& neighbour = *(data.data() - 1);
                const std::byte kept = neighbour;
                neighbour = std::byte{0};
                QCOMPARE(buffer->disturbed(), std::string("wrote 1 bytes before the start"));
                neighbour = kept;
            }
            if (edge == Edge::Right) {
                QVERIFY(buffer->guardBehind() - (data.data() + data.size()) < alignment);
            } else {
                std::byte& neighbour = *(data.data() + data.size() + 2);
                const std::byte kept = neighbour;
                neighbour = std::byte{0};
                QCOMPARE(buffer->disturbed(), std::string("wrote 3 bytes behind the end"));
                neighbour = kept;
            }
        }
    }

    // oneDNN on a job of one thread made two, which spun against each other on one processor: a third of its speed.
    void librariesHaveTheThreadsOfTheJob()
    {
        const Team team;
        auto* const most = reinterpret_cast<int (*)()>(::dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
        if (most == nullptr) {
            QSKIP("no OpenMP runtime here");
        }
        team.limitLibraries(3);
        QCOMPARE(most(), 3);
        team.limitLibraries(1);
        QCOMPARE(most(), 1);
    }

    // What a library's description makes: an operator that runs, or words why there is none.
    void librariesMakeTheirOperators_data()
    {
        QTest::addColumn<QByteArray>("library");
        QTest::addColumn<QByteArray>("op");
        QTest::addColumn<QByteArray>("refusal");
        const QByteArray product = R"({"kind":"matmul","src":[6,8],"weights":[8,16],"dst":[6,16],"transposed":[TURNS],"constant":CONST,"post":[POST]})";
        const auto productWith = [product](const char* turns, const char* isConstant, const char* post) {
            return QByteArray(product).replace("TURNS", turns).replace("CONST", isConstant).replace("POST", post);
        };
        const QByteArray vector = R"({"kind":"matmul","src":[1,8],"weights":[8,16],"dst":[1,16],"transposed":[false,false],"post":[]})";
        const QByteArray batch = R"({"kind":"matmul","src":[2,6,8],"weights":[2,8,16],"dst":[2,6,16],"transposed":[false,false],"post":[]})";
        const QByteArray conv = R"({"kind":"conv","src":[1,8,6,6],"weights":[16,8,3,3],"dst":[1,16,6,6],"groups":1,"strides":[1,1],)"
                                R"("dilations":[1,1],"before":[1,1],"after":[1,1],"post":["bias","relu"]})";
        const QByteArray norm = R"({"kind":"layernorm","src":[4,8],"epsilon":1e-5,"shift":true})";
        QTest::newRow("oneDNN product") << QByteArray("onednn") << productWith("false,false", "true", "") << QByteArray();
        QTest::newRow("oneDNN product of two inputs") << QByteArray("onednn") << productWith("true,true", "false", "") << QByteArray();
        QTest::newRow("oneDNN products") << QByteArray("onednn") << batch << QByteArray();
        QTest::newRow("oneDNN convolution") << QByteArray("onednn") << conv << QByteArray();
        QTest::newRow("oneDNN softmax") << QByteArray("onednn") << QByteArray(R"({"kind":"softmax","src":[4,8],"axis":1})") << QByteArray();
        QTest::newRow("oneDNN normalization") << QByteArray("onednn") << norm << QByteArray();
        QTest::newRow("oneDNN, no description") << QByteArray("onednn") << QByteArray(R"({"kind":"conv"})") << QByteArray("no description of an operator");
        for (const char* turns : {"false,false", "true,false", "false,true", "true,true"}) {
            QTest::newRow(qPrintable(QString("OpenBLAS product %1").arg(turns))) << QByteArray("openblas") << productWith(turns, "true", "") << QByteArray();
        }
        QTest::newRow("OpenBLAS row") << QByteArray("openblas") << vector << QByteArray();
        QTest::newRow("OpenBLAS row, turned") << QByteArray("openblas") << QByteArray(vector).replace("false]", "true]") << QByteArray();
        QTest::newRow("OpenBLAS products") << QByteArray("openblas") << batch << QByteArray("has no such operator");
        QTest::newRow("OpenBLAS with a bias") << QByteArray("openblas") << productWith("false,false", "true", "\"bias\"") << QByteArray("has no such operator");
        QTest::newRow("OpenBLAS convolution") << QByteArray("openblas") << conv << QByteArray("has no such operator");
        QTest::newRow("no library") << QByteArray("blis") << vector << QByteArray("the runner knows no library 'blis'");
    }

    void librariesMakeTheirOperators()
    {
        QFETCH(QByteArray, library);
        QFETCH(QByteArray, op);
        QFETCH(QByteArray, refusal);
        Team team;
        const Result<std::unique_ptr<Subject>> made = makeLibrary(library.toStdString(), op.toStdString(), 1, team);
        if (made) {
            QVERIFY(refusal.isEmpty());
            (*made)->run(3);
            return;
        }
        // Where it is not installed there is nothing to see.
        const std::string& words = made.error().message;
        const bool isAbsent = words.find("is not installed") != std::string::npos || words.find("knows no oneDNN") != std::string::npos;
        QVERIFY2(isAbsent || (!refusal.isEmpty() && words.find(refusal.toStdString()) != std::string::npos), words.c_str());
    }

    // A B C, B C A, C A B, then mirrored: nobody is always first or always behind the same one. Each has a sample a round, and one that there is no time for has none.
    void roundsRotate()
    {
        Team team;
        team.bind(1, team.allowed());
        Probes probes(team);
        probes.calibrate();
        Clock clock;
        Evictor evictor(team);
        Rig rig{team, probes, clock, evictor, 0};
        std::string order;
        std::vector<Named> subjects{{'A', order}, {'B', order}, {'C', order}, {'S', order}};
        std::vector<wire::RunReply> replies(4);
        std::vector<Contender> contenders;
        for (std::size_t i = 0; i < 4; ++i) {
            contenders.push_back({&subjects[i], i == 3 ? 1e15 : 1e5, &replies[i]});
        }
        const wire::Protocol protocol{"quick", false, 1, 7, 2000, 0};
        const std::vector<bool> ran = timeRounds(rig, contenders, protocol, clock.now() + std::int64_t{60'000'000'000});
        QCOMPARE(ran, (std::vector<bool>{true, true, true, false}));
        // Warmed up, counted, seven rounds; who ends a round and begins the next is written once.
        QCOMPARE(order, std::string("ABC" "ABC" "ABC" "BCA" "CAB" "CBA" "CB" "AC" "ABC"));
        for (std::size_t i = 0; i < 3; ++i) {
            QCOMPARE(replies[i].total, 7);
            QVERIFY(replies[i].medianNs > 0 && replies[i].shareOfPeakDenominator > 0);
        }
        QVERIFY(replies[3].noisy && replies[3].note.find("too slow") != std::string::npos);
        QCOMPARE(replies[3].medianNs, 1e15);
    }

    void marksAreNanInBothFloatTypes()
    {
        alignas(8) std::array<std::byte, 4096> memory;
        fillWithMarks(memory);
        QCOMPARE(firstChanged(memory), std::string::npos);
        for (std::size_t i = 0; i < memory.size(); i += 8) {
            double wide;
            std::array<float, 2> narrow;
            std::memcpy(&wide, &memory[i], 8);
            std::memcpy(narrow.data(), &memory[i], 8);
            QVERIFY(std::isnan(wide) && std::isnan(narrow[0]) && std::isnan(narrow[1]));
        }
    }

    void statistics()
    {
        QCOMPARE(median({3, 1, 2}), 2.0);
        QCOMPARE(median({4, 1, 2, 3}), 2.5);
        QCOMPARE(median({}), 0.0);
        QCOMPARE(quantile({0, 10}, 0.25), 2.5);
        std::vector<double> values;
        for (int i = 0; i <= 100; ++i) {
            values.push_back(100 + i);
        }
        QCOMPARE(spreadOf(values), 45.0 / 150);
        // Ranks 4 and 12 of 15 enclose the median at 96 %.
        values.assign({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
        QCOMPARE(medianHalfWidth(values), (12.0 - 4.0) / 2 / 8);
        QCOMPARE(medianHalfWidth({1, 1, 1}), 0.0);
        QCOMPARE(medianHalfWidth({1}), 1.0);
    }
};

NW_TEST_MAIN(tst_runner_parts, TestRunnerParts)
#include "tst_runner_parts.moc"
