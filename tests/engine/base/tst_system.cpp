#include "engine/base/cpu.h"
#include "engine/base/files.h"
#include "engine/base/hash.h"
#include "engine/base/id.h"
#include "engine/base/json.h"
#include "engine/base/target.h"
#include "engine/base/text.h"
#include "engine/base/thread_pool.h"
#include "tests/support/test.h"

#include <QObject>
#include <QTemporaryDir>

#include <atomic>

#include <sys/stat.h>

using namespace nw;

namespace {
struct ThingTag;
}

// Text, files, hashes, targets, threads.
class TestSystem : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void words();
    void near();
    void numbers();
    void refusals();
    void hashes();
    void writesAndReads();
    void failsWithWords();
    void folders();
    void targets();
    void native();
    void ids();
    void pool();
    void poolKeepsFailures();
};

void TestSystem::words()
{
    QCOMPARE(join({"a", "", "b"}, ", "), std::string("a, , b"));
    QCOMPARE(splitText("a,,b,", ','), (std::vector<std::string>{"a", "", "b", ""}));
    QCOMPARE(splitText("", ','), std::vector<std::string>{""});
    QCOMPARE(splitWords("  a\tb\n c "), (std::vector<std::string>{"a", "b", "c"}));
    QCOMPARE(std::string(trim(" \n a b \t")), std::string("a b"));
    QCOMPARE(indent("a\n\nb\n", 2), std::string("  a\n\n  b\n"));
}

void TestSystem::near()
{
    const std::vector<std::string> names = {"reorder", "split", "unroll", "vectorize"};
    QCOMPARE(nearest("splt", names), std::string("split"));
    QCOMPARE(nearest("vectorise", names), std::string("vectorize"));
    QCOMPARE(nearest("unrol", names), std::string("unroll"));
    QCOMPARE(nearest("banana", names), std::string());
    QCOMPARE(nearest("", names), std::string());
    QCOMPARE(nearest("x", {"y"}), std::string());
}

void TestSystem::numbers()
{
    QCOMPARE(shortestDouble(1), std::string("1.0"));
    QCOMPARE(shortestDouble(0.1), std::string("0.1"));
    QCOMPARE(shortestDouble(1e300), std::string("1e+300"));
    QCOMPARE(shortestDouble(-0.0), std::string("-0.0"));
    QCOMPARE(shortestFloat(0.1F), std::string("0.1"));
    QCOMPARE(shortestFloat(16777216.0F), std::string("16777216.0"));
}

void TestSystem::refusals()
{
    QCOMPARE(fillWords("{0} does not divide {1}{", {"48", "128"}), std::string("48 does not divide 128{"));
    QCOMPARE(fillWords("{2} {} {x} {1}", {"a", "{0}"}), std::string("{2} {} {x} {0}"));
    const Error error = refused(Refusal{"split.uneven", NW_WORDS("{0} does not divide {1}"), {"3", "i"}, {"i"}, {}});
    QCOMPARE(error.message, std::string("3 does not divide i"));
    QCOMPARE(error.kind, Error::Kind::Refused);
    QCOMPARE(error.refusal->rule, std::string("split.uneven"));
    const Status dropped = error;
    QVERIFY_EXCEPTION_THROWN(*dropped, Bug);
}

void TestSystem::hashes()
{
    // Known answers of XXH3: records keep their keys.
    QCOMPARE(contentHash(std::string_view()), std::string("99aa06d3014798d86001c324468d497f"));
    QCOMPARE(contentHash("nest").size(), std::size_t{32});
    QVERIFY(contentHash("nest") != contentHash("nesu"));
    const std::string text = "nest";
    QCOMPARE(contentHash(std::as_bytes(std::span(text.data(), text.size()))), contentHash(text));
    QCOMPARE(hash64(""), std::uint64_t{0x2d06800538d394c2});
}

void TestSystem::writesAndReads()
{
    QTemporaryDir folder;
    const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / "file";
    const std::string bytes("a\0b\n", 4);
    VERIFY_OK(writeFile(path, bytes));
    VERIFY_OK(writeFile(path, bytes + bytes));
    const Result<std::string> read = readFile(path);
    VERIFY_OK(read);
    QCOMPARE(*read, bytes + bytes);
    QVERIFY(!readFile(path, 7));
    const Result<MappedFile> mapped = mapFile(path);
    VERIFY_OK(mapped);
    // The mapping shows the file as it was, also after it was replaced.
    VERIFY_OK(writeFile(path, ""));
    QCOMPARE(mapped->bytes.size(), std::size_t{8});
    QCOMPARE(static_cast<char>(mapped->bytes[6]), 'b');
    QVERIFY(mapFile(path)->bytes.empty());
    // Nothing temporary is left behind.
    QCOMPARE(std::distance(std::filesystem::directory_iterator(path.parent_path()), {}), std::ptrdiff_t{1});
}

void TestSystem::failsWithWords()
{
    QTemporaryDir folder;
    const std::string name = folder.path().toStdString();
    QCOMPARE(readFile(name + "/none").error().message, "Cannot open \"" + name + "/none\": No such file or directory.");
    QCOMPARE(mapFile(name).error().message, "Cannot read \"" + name + "\": it is a folder. Name a file.");
    QVERIFY(!writeFile(name + "/none/file", "x"));
    QVERIFY(!readFile("/dev/zero"));
    QVERIFY(!writeFile(name, "x"));
}

void TestSystem::folders()
{
    QTemporaryDir folder;
    qputenv("XDG_DATA_HOME", (folder.path() + "/data").toUtf8());
    qputenv("XDG_CACHE_HOME", (folder.path() + "/cache").toUtf8());
    qputenv("XDG_RUNTIME_DIR", folder.path().toUtf8());
    const std::filesystem::path base = folder.path().toStdString();
    QCOMPARE(*dataFolder(), base / "data/nestwright");
    QCOMPARE(*cacheFolder(), base / "cache/nestwright");
    QCOMPARE(*runtimeFolder(), base / "nestwright");
    struct stat status = {};
    QCOMPARE(::stat((base / "nestwright").c_str(), &status), 0);
    QCOMPARE(status.st_mode & 0777U, 0700U);
    // A link there is not followed.
    std::filesystem::remove(base / "nestwright");
    std::filesystem::create_symlink(base / "data", base / "nestwright");
    QVERIFY(!runtimeFolder());
    qunsetenv("XDG_RUNTIME_DIR");
    qputenv("TMPDIR", folder.path().toUtf8());
    QCOMPARE(runtimeFolder()->parent_path(), base);
}

void TestSystem::targets()
{
    const Result<Target> two = targetByName("x86-64-v2");
    const Result<Target> three = targetByName("x86-64-v3");
    const Result<Target> four = targetByName("x86-64-v4");
    VERIFY_OK(two);
    VERIFY_OK(three);
    VERIFY_OK(four);
    QCOMPARE(two->toText(), std::string("x86-64-v2 +cx16 +popcnt +sahf +sse3 +sse4.1 +sse4.2 +ssse3"));
    QCOMPARE(three->toText(), std::string("x86-64-v3 +avx +avx2 +bmi +bmi2 +cx16 +f16c +fma +lzcnt +movbe +popcnt +sahf "
                                          "+sse3 +sse4.1 +sse4.2 +ssse3 +xsave tune=znver3"));
    QCOMPARE(two->lanes(DType::F32), 4);
    QCOMPARE(three->lanes(DType::F32), 8);
    QCOMPARE(four->lanes(DType::F64), 8);
    QCOMPARE(three->vectorRegisters, 16);
    QCOMPARE(four->vectorRegisters, 32);
    QVERIFY(!two->hasFma && !two->hasMaskedMemory && three->hasFma && three->hasMaskedMemory);
    QCOMPARE(targetByName("x86-64-v5").error().message,
             std::string("There is no target \"x86-64-v5\". Did you mean x86-64-v2? Targets are native, x86-64-v2, x86-64-v3, "
                         "x86-64-v4."));
}

void TestSystem::native()
{
    const Target target = nativeTarget();
    QCOMPARE(target.name, std::string("native"));
    QVERIFY(std::is_sorted(target.features.begin(), target.features.end()));
    VERIFY_OK(canRunHere(target));
    QVERIFY(target.cores >= 1 && target.l1Bytes >= 8192 && target.l2Bytes > target.l1Bytes);
#if defined(__x86_64__)
    // The compiler's own look at the processor.
    const auto has = [&](const char* name) {
        return std::find(target.features.begin(), target.features.end(), name) != target.features.end();
    };
    QCOMPARE(has("avx2"), __builtin_cpu_supports("avx2") != 0);
    QCOMPARE(has("fma"), __builtin_cpu_supports("fma") != 0);
    QCOMPARE(has("bmi2"), __builtin_cpu_supports("bmi2") != 0);
    QCOMPARE(has("avx512f"), __builtin_cpu_supports("avx512f") != 0);
    QCOMPARE(has("avx512vl"), __builtin_cpu_supports("avx512vl") != 0);
    QCOMPARE(has("popcnt"), __builtin_cpu_supports("popcnt") != 0);
    QCOMPARE(canRunHere(*targetByName("x86-64-v3")).has_value(), __builtin_cpu_supports("x86-64-v3") != 0);
    QCOMPARE(canRunHere(*targetByName("x86-64-v4")).has_value(), __builtin_cpu_supports("x86-64-v4") != 0);
#endif
    Target other = target;
    other.name = "wishful";
    other.features = {"avx1024"};
    QCOMPARE(canRunHere(other).error().message,
             std::string("Code for wishful cannot run here: this processor has no avx1024. Choose the target native."));
}

void TestSystem::ids()
{
    const Id<ThingTag> none;
    const Id<ThingTag> three(3);
    QVERIFY(!none.isValid());
    QVERIFY(three.isValid() && three != none && three == Id<ThingTag>(3) && none < three);
    QCOMPARE(three.index(), std::size_t{3});
    Json json;
    json["z"] = 1;
    json["a"] = 2;
    QCOMPARE(json.dump(), std::string("{\"z\":1,\"a\":2}"));
}

void TestSystem::pool()
{
    ThreadPool pool(3);
    QCOMPARE(pool.threadCount(), 3);
    std::atomic<int> sum = 0;
    for (int i = 1; i <= 100; ++i) {
        pool.submit([&sum, i] { sum += i; });
    }
    pool.waitAll();
    QCOMPARE(sum.load(), 5050);
    std::vector<int> visits(1000, 0);
    pool.parallelFor(1000, [&](std::int64_t i) { ++visits[static_cast<std::size_t>(i)]; });
    QVERIFY(std::all_of(visits.begin(), visits.end(), [](int count) { return count == 1; }));
    // From inside the pool's own threads, all of them busy.
    std::atomic<int> inner = 0;
    pool.parallelFor(8, [&](std::int64_t) { pool.parallelFor(8, [&](std::int64_t) { ++inner; }); });
    QCOMPARE(inner.load(), 64);
}

void TestSystem::poolKeepsFailures()
{
    ThreadPool pool(2);
    std::atomic<int> ended = 0;
    QVERIFY_EXCEPTION_THROWN(pool.parallelFor(10,
                                              [&](std::int64_t i) {
                                                  if (i == 3) {
                                                      throw Bug("planted");
                                                  }
                                                  ++ended;
                                              }),
                             Bug);
    QCOMPARE(ended.load(), 9);
    pool.submit([] { throw Bug("planted"); });
    QVERIFY_EXCEPTION_THROWN(pool.waitAll(), Bug);
    pool.waitAll();
}

NW_TEST_MAIN(tst_system, TestSystem)
#include "tst_system.moc"
