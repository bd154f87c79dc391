#include "engine/base/json.h"
#include "engine/measure/device.h"
#include "engine/measure/layout_offsets.h"
#include "engine/measure/library_op.h"
#include "engine/measure/object_store.h"
#include "engine/measure/pair_rounds.h"
#include "engine/measure/protocols.h"
#include "engine/measure/roofs.h"
#include "tests/support/test.h"

#include <QElapsedTimer>
#include <QTemporaryDir>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

using namespace nw;
using namespace nw::measure;

namespace {

Layout layoutOf(const std::string& text)
{
    const Result<Layout> layout = parseLayout(text);
    ENSURE(layout.has_value(), layout ? "" : layout.error().message);
    return *layout;
}

std::filesystem::path pathOf(const QTemporaryDir& folder)
{
    return folder.path().toStdString();
}

Roofs sampleRoofs()
{
    Roofs roofs;
    roofs.peakGflopsPerThread = 100;
    roofs.levels = {{"L1", 32768, 200}, {"L2", 524288, 80}, {"L3", 16 << 20, 30}, {"memory", 0, 10}};
    return roofs;
}

compute::Work workOf(double flops, std::int64_t bytes)
{
    compute::Work work;
    work.flops = work.nominalFlops = flops;
    work.inputBytes = bytes;
    return work;
}

} // namespace

class TestDeviceParts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Blocked with a border: against the formula.
    void packsABlockedLayoutWithBorder()
    {
        const Layout layout = layoutOf("(n, c, h, w) -> (n, c / 4, h, w, c % 4) border 0 0 1 2:1");
        std::vector<float> values(2 * 6 * 3 * 5);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<float>(i + 1);
        }
        const std::vector<std::byte> packed = packTensor(Tensor::of(DType::F32, {2, 6, 3, 5}, values), layout);
        QCOMPARE(packed.size(), std::size_t{2 * 2 * 5 * 8 * 4 * 4});
        std::vector<float> expected(packed.size() / 4, 0);
        std::size_t from = 0;
        for (std::size_t n = 0; n < 2; ++n) {
            for (std::size_t c = 0; c < 6; ++c) {
                for (std::size_t h = 0; h < 3; ++h) {
                    for (std::size_t w = 0; w < 5; ++w) {
                        expected[(((n * 2 + c / 4) * 5 + h + 1) * 8 + w + 2) * 4 + c % 4] = values[from++];
                    }
                }
            }
        }
        QVERIFY(std::memcmp(packed.data(), expected.data(), packed.size()) == 0);
    }

    void placesEveryElementOnce_data()
    {
        QTest::addColumn<QByteArray>("layout");
        QTest::addColumn<QList<qint64>>("shape");
        QTest::newRow("plain") << QByteArray("plain") << QList<qint64>{3, 4};
        QTest::newRow("transposed") << QByteArray("(a, b, c) -> (c, a, b)") << QList<qint64>{2, 3, 5};
        QTest::newRow("one axis") << QByteArray("(a) -> (a % 4, a / 4)") << QList<qint64>{8};
        QTest::newRow("mixes axes") << QByteArray("(a, b) -> ((a * 3 + b) / 4, (a * 3 + b) % 4)") << QList<qint64>{4, 3};
        QTest::newRow("blocked with a tail") << QByteArray("(a, b) -> (b / 4, a, b % 4)") << QList<qint64>{3, 10};
        QTest::newRow("merged") << QByteArray("(a, b) -> (a * 8 + b)") << QList<qint64>{3, 5};
        QTest::newRow("skewed") << QByteArray("(a, b) -> (a + b, b)") << QList<qint64>{5, 4};
        QTest::newRow("skewed below 0") << QByteArray("(a, b, c) -> (c - a, a, b)") << QList<qint64>{5, 2, 4};
        QTest::newRow("rotated") << QByteArray("(a, b) -> (a, (a + b) % 8)") << QList<qint64>{5, 8};
        QTest::newRow("moved") << QByteArray("(a, b) -> (b + 3, a)") << QList<qint64>{2, 3};
        QTest::newRow("scalar") << QByteArray("plain") << QList<qint64>{};
        QTest::newRow("empty") << QByteArray("plain") << QList<qint64>{0, 7};
    }

    void placesEveryElementOnce()
    {
        QFETCH(QByteArray, layout);
        QFETCH(QList<qint64>, shape);
        const Layout parsed = layoutOf(layout.toStdString());
        const std::vector<std::int64_t> logical(shape.begin(), shape.end());
        const Result<LayoutOffsets> offsets = LayoutOffsets::create(parsed, logical);
        VERIFY_OK(offsets);
        const std::vector<std::int64_t> all = offsets->all();
        QCOMPARE(static_cast<qint64>(all.size()), qint64{offsets->logicalElements()});
        std::vector<std::int64_t> point(logical.size(), 0);
        for (const std::int64_t offset : all) {
            std::vector<Expr> literals;
            for (const std::int64_t index : point) {
                literals.push_back(intImm(index));
            }
            QCOMPARE(constInt(parsed.offset(literals, logical, {})).value_or(-1), offset);
            for (std::size_t axis = point.size(); axis-- > 0;) {
                if (++point[axis] < logical[axis]) {
                    break;
                }
                point[axis] = 0;
            }
        }
    }

    void refusesALayoutThatDoesNotFit()
    {
        QVERIFY(!LayoutOffsets::create(layoutOf("(a, b) -> (b, a)"), {2, 3, 4}));
    }

    void boundsNameTheirRoof_data()
    {
        QTest::addColumn<double>("flops");
        QTest::addColumn<qint64>("bytes");
        QTest::addColumn<int>("threads");
        QTest::addColumn<double>("ns");
        QTest::addColumn<QByteArray>("by");
        QTest::newRow("peak") << 1e6 << qint64{1000} << 1 << 1e4 << QByteArray("peak");
        QTest::newRow("peak of two") << 1e6 << qint64{1000} << 2 << 5e3 << QByteArray("peak");
        QTest::newRow("L1") << 1.0 << qint64{32768} << 1 << 32768 / 200.0 << QByteArray("L1 bandwidth");
        QTest::newRow("L2") << 1.0 << qint64{32769} << 1 << 32769 / 80.0 << QByteArray("L2 bandwidth");
        QTest::newRow("L1 of two") << 1.0 << qint64{32769} << 2 << 32769 / 400.0 << QByteArray("L1 bandwidth");
        QTest::newRow("L3") << 1.0 << qint64{1 << 20} << 1 << (1 << 20) / 30.0 << QByteArray("L3 bandwidth");
        QTest::newRow("memory") << 1.0 << qint64{1 << 25} << 1 << (1 << 25) / 10.0 << QByteArray("memory bandwidth");
    }

    void boundsNameTheirRoof()
    {
        QFETCH(double, flops);
        QFETCH(qint64, bytes);
        QFETCH(int, threads);
        QFETCH(double, ns);
        QFETCH(QByteArray, by);
        const Bound bound = boundOf(workOf(flops, bytes), sampleRoofs(), threads);
        QCOMPARE(bound.by, by.toStdString());
        QCOMPARE(bound.ns, ns);
    }

    void keepsRoofs()
    {
        const QTemporaryDir folder;
        QVERIFY(!readRoofs(pathOf(folder), 2).has_value());
        VERIFY_OK(keepRoofs(pathOf(folder), 2, sampleRoofs()));
        const std::optional<Roofs> kept = readRoofs(pathOf(folder), 2);
        QVERIFY(kept.has_value());
        QCOMPARE(kept->levels.size(), std::size_t{4});
        QCOMPARE(kept->levels[1].gbPerSecond, 80.0);
        QVERIFY(!readRoofs(pathOf(folder), 1).has_value());
        for (const char* broken : {"", "[]", "{\"machine\": \"another\"}", "{\"machine\":"}) {
            std::ofstream(pathOf(folder) / "roofs.2.json") << broken;
            QVERIFY(!readRoofs(pathOf(folder), 2).has_value());
        }
        QCOMPARE(readBestAddsPerClock(pathOf(folder)), 0.0);
        keepBestAddsPerClock(pathOf(folder), 3.9);
        keepBestAddsPerClock(pathOf(folder), 3.1);
        QCOMPARE(readBestAddsPerClock(pathOf(folder)), 3.9);
    }

    void wordsWhatAPairDecides()
    {
        QCOMPARE(pairVerdict(1.0, 0.02), std::string("no difference above 2.0 %"));
        QCOMPARE(pairVerdict(1.019, 0.02), std::string("no difference above 2.0 %"));
        QCOMPARE(pairVerdict(1.25, 0.02), std::string("A is faster by 20.0 %"));
        QCOMPARE(pairVerdict(0.8, 0.02), std::string("B is faster by 20.0 %"));
    }

    void namesItsProtocols()
    {
        for (const char* name : {"quick", "search", "confirm", "pair", "none"}) {
            VERIFY_OK(protocolByName(name, true));
        }
        QVERIFY(protocolByName("quick", true)->cold);
        QVERIFY(protocolByName("quick", false)->limitMs <= 150);
        QVERIFY(!protocolByName("slow", false));
    }

    // What a library would be asked to do.
    void describesOperators_data()
    {
        QTest::addColumn<QByteArray>("definition");
        QTest::addColumn<QByteArray>("op");
        QTest::newRow("matmul") << QByteArray("definition matmul\n"
                                              "input A f32 [64, 32]\n"
                                              "constant B f32 [32, 48]\n"
                                              "output Y f32 [64, 48]\n"
                                              "stage matmul -> Y f32 [m:64, n:48] sum [k:32] from 0.0 =\n"
                                              "  A[m, k] * B[k, n]\n")
                                << QByteArray(R"({"kind":"matmul","src":[64,32],"weights":[32,48],"dst":[64,48],)"
                                              R"("transposed":[false,false],"constant":true,"post":[]})");
        QTest::newRow("conv") << QByteArray("definition conv\n"
                                            "input X f32 [1, 8, 6, 6]\n"
                                            "constant W f32 [16, 8, 3, 3]\n"
                                            "constant B f32 [16]\n"
                                            "output Y f32 [1, 16, 3, 3]\n"
                                            "stage conv f32 [n:1, oc:16, oh:3, ow:3] sum [ic:8, kh:3, kw:3] from 0.0 =\n"
                                            "  select(oh * 2 + kh >= 1 && ow * 2 + kw >= 1, X[n, ic, oh * 2 + kh - 1, "
                                            "ow * 2 + kw - 1], 0.0) * W[oc, ic, kh, kw]\n"
                                            "stage relu -> Y f32 [n:1, oc:16, oh:3, ow:3] =\n"
                                            "  max(conv[n, oc, oh, ow] + B[oc], 0.0)\n")
                              << QByteArray(R"({"kind":"conv","src":[1,8,6,6],"weights":[16,8,3,3],"dst":[1,16,3,3],"groups":1,)"
                                            R"("strides":[2,2],"dilations":[1,1],"before":[1,1],"after":[0,0],)"
                                            R"("post":["bias","relu"]})");
        const QByteArray norm("definition layernormalization\n"
                              "input X f32 [4, 8]\n"
                              "constant Scale f32 [8]\n"
                              "constant B f32 [8]\n"
                              "output Y f32 [4, 8]\n"
                              "stage sum f32 [d0:4] sum [r0:8] from 0.0 = X[d0, r0]\n"
                              "stage mean f32 [d0:4] = sum[d0] / 8.0\n"
                              "stage var f32 [d0:4] sum [r0:8] from 0.0 = (X[d0, r0] - mean[d0]) * (X[d0, r0] - mean[d0])\n"
                              "stage invstd f32 [d0:4] = 1.0 / sqrt(var[d0] / 8.0 + 0.25)\n"
                              "stage layernormalization -> Y f32 [d0:4, d1:8] = (X[d0, d1] - mean[d0]) * invstd[d0] * Scale[d1]");
        QTest::newRow("normalization") << norm + "\n" << QByteArray(R"({"kind":"layernorm","src":[4,8],"epsilon":0.25,"shift":false})");
        QTest::newRow("normalization, shifted") << norm + " + B[d1]\n"
                                                << QByteArray(R"({"kind":"layernorm","src":[4,8],"epsilon":0.25,"shift":true})");
        QTest::newRow("element-wise") << QByteArray("definition add\n"
                                                    "input A f32 [8]\n"
                                                    "input B f32 [8]\n"
                                                    "output Y f32 [8]\n"
                                                    "stage add -> Y f32 [d0:8] =\n"
                                                    "  A[d0] + B[d0]\n")
                                      << QByteArray();
    }

    void describesOperators()
    {
        QFETCH(QByteArray, definition);
        QFETCH(QByteArray, op);
        const Result<compute::Definition> parsed = compute::parseDefinition(definition.toStdString());
        VERIFY_OK(parsed);
        QCOMPARE(libraryOpOf(*parsed).value_or(""), op.toStdString());
    }

    // One holder at a time, over threads as over processes.
    void leaseExcludes()
    {
        const QTemporaryDir folder;
        std::atomic<int> inside{0}, most{0}, done{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&, i] {
                for (int round = 0; round < 5; ++round) {
                    const auto lease = Lease::acquire(pathOf(folder), "d", i % 2 == 0 ? Priority::Interactive : Priority::Tuner,
                                                      {}, 60000);
                    if (lease) {
                        most = std::max(most.load(), ++inside);
                        std::this_thread::sleep_for(std::chrono::milliseconds(2));
                        --inside;
                        ++done;
                    }
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        QCOMPARE(most.load(), 1);
        QCOMPARE(done.load(), 20);
        VERIFY_OK(Lease::acquire(pathOf(folder), "other", Priority::Tuner, {}, 0));
    }

    // While somebody interactive waits, the tuner does not get its next turn.
    void interactiveGoesFirst()
    {
        const QTemporaryDir folder;
        auto tuner = Lease::acquire(pathOf(folder), "d", Priority::Tuner, {}, 1000);
        VERIFY_OK(tuner);
        std::atomic<bool> has{false};
        std::thread person([&] {
            const auto lease = Lease::acquire(pathOf(folder), "d", Priority::Interactive, {}, 60000);
            has = lease.has_value();
            std::this_thread::sleep_for(std::chrono::milliseconds(150));
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(50)); // the wish is there by now, or comes a little later
        QVERIFY(!has);
        const bool waiting = !Lease::acquire(pathOf(folder), "d", Priority::Tuner, {}, 0).has_value();
        QVERIFY(waiting);
        *tuner = nullptr;
        QTRY_VERIFY(has);
        QVERIFY(!Lease::acquire(pathOf(folder), "d", Priority::Tuner, {}, 20));
        person.join();
        VERIFY_OK(Lease::acquire(pathOf(folder), "d", Priority::Tuner, {}, 1000));
    }

    void leaseIsFreeWhenItsHolderIsKilled()
    {
        const QTemporaryDir folder;
        int ready[2];
        QVERIFY(::pipe(ready) == 0);
        const pid_t holder = ::fork();
        if (holder == 0) {
            const auto lease = Lease::acquire(pathOf(folder), "d", Priority::Interactive, {}, 1000);
            const char answer = lease ? 'y' : 'n';
            [[maybe_unused]] const ssize_t written = ::write(ready[1], &answer, 1);
            while (true) {
                ::pause();
            }
        }
        char answer = 0;
        QCOMPARE(::read(ready[0], &answer, 1), ssize_t{1});
        QCOMPARE(answer, 'y');
        const auto refusedLease = Lease::acquire(pathOf(folder), "d", Priority::Interactive, {}, 30);
        QVERIFY(!refusedLease && refusedLease.error().kind == Error::Kind::Failed);
        const StopToken stop;
        stop.requestStop();
        QVERIFY(Lease::acquire(pathOf(folder), "d", Priority::Tuner, stop, 30000).error().kind == Error::Kind::Stopped);
        ::kill(holder, SIGKILL);
        ::waitpid(holder, nullptr, 0);
        VERIFY_OK(Lease::acquire(pathOf(folder), "d", Priority::Tuner, {}, 1000));
        ::close(ready[0]);
        ::close(ready[1]);
    }

    void removesWhatAKilledProcessLeft()
    {
        const QTemporaryDir folder;
        const pid_t gone = ::fork();
        if (gone == 0) {
            ::_exit(0);
        }
        ::waitpid(gone, nullptr, 0);
        const std::filesystem::path left = pathOf(folder) / ("objects-" + std::to_string(gone) + "-0");
        std::filesystem::create_directory(left);
        std::ofstream(left / "k0.so") << "x";
        std::filesystem::create_directory(pathOf(folder) / ("run-" + std::to_string(gone) + "-abcdef"));
        std::filesystem::create_directory(pathOf(folder) / ("run-" + std::to_string(::getpid()) + "-abcdef"));
        {
            ObjectStore first(pathOf(folder)), second(pathOf(folder));
            QVERIFY(!std::filesystem::exists(left));
            const auto a = first.newPath(), b = second.newPath();
            VERIFY_OK(a);
            VERIFY_OK(b);
            QVERIFY(*a != *b);
            wire::BuildReply reply;
            reply.path = a->string();
            first.keep("key", reply);
            QVERIFY(first.find("key") == nullptr); // no such file
            std::ofstream(*a) << "x";
            QVERIFY(first.find("key") != nullptr);
            std::filesystem::create_directory(left); // killed while these two live
        }
        QVERIFY(!std::filesystem::exists(left));
        int kept = 0;
        for (const auto& entry : std::filesystem::directory_iterator(pathOf(folder))) {
            QCOMPARE(entry.path().filename().string(), "run-" + std::to_string(::getpid()) + "-abcdef");
            ++kept;
        }
        QCOMPARE(kept, 1);
    }
};

NW_TEST_MAIN(tst_device_parts, TestDeviceParts)
#include "tst_device_parts.moc"
