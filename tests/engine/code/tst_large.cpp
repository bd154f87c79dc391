// Cases from the field about sizes: code that would grow without end, and indices beyond 32 bits.

#include "engine/base/text.h"
#include "engine/code/builder.h"
#include "engine/wire/kernel_abi.h"
#include "tests/engine/code/harness.h"
#include "tests/support/test.h"

#include <algorithm>
#include <bit>
#include <ctime>
#include <sys/mman.h>

using namespace nw;
using namespace nw::lower;
using namespace nw::test;

namespace {

// Of this process, so that a busy machine does not count.
class CpuClock {
public:
    double seconds() const { return static_cast<double>(std::clock() - m_start) / CLOCKS_PER_SEC; }

private:
    std::clock_t m_start = std::clock();
};

Result<Lowered> loweredFrom(const std::string& definition, const std::string& script)
{
    return code::lowerKernel({"kernel", definition, {}, script, false}, targetsHere().front());
}

std::string ruleOf(const Result<Lowered>& lowered)
{
    return lowered ? "accepted" : lowered.error().refusal != nullptr ? lowered.error().refusal->rule : lowered.error().message;
}

std::string copyOf(const std::string& type, const std::string& shape, const std::string& axes, const std::string& index)
{
    return format("definition copy\ninput A {0} [{1}]\noutput X {0} [{1}]\nstage copy -> X {0} [{2}] =\n    A[{3}]\n", type, shape, axes, index);
}

// Stages one behind the other, each with a loop of its own: X = A + count.
std::string chainOf(int count, int extent)
{
    std::string text = format("definition add\ninput A f32 [{0}]\noutput X f32 [{0}]\n", extent);
    for (int i = 0; i < count; ++i) {
        const std::string from = i == 0 ? "A" : format("s{}", i - 1);
        text += format("stage s{}{} f32 [i:{}] =\n    {}[i] + 1.0\n", i, i + 1 == count ? " -> X" : "", extent, from);
    }
    return text;
}

// Memory of which only what is touched is there.
class Sparse {
public:
    explicit Sparse(std::size_t bytes)
        : m_bytes(bytes)
        , m_map(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))
    {
        ENSURE(m_map != MAP_FAILED, "no addresses");
        madvise(m_map, bytes, MADV_NOHUGEPAGE);
    }
    ~Sparse() { munmap(m_map, m_bytes); }
    Sparse(const Sparse&) = delete;
    Sparse& operator=(const Sparse&) = delete;
    template <typename T>
    T* as() const
    {
        return static_cast<T*>(m_map);
    }
    std::int64_t pagesTouched() const
    {
        std::vector<unsigned char> resident((m_bytes + 4095) / 4096);
        ENSURE(mincore(m_map, m_bytes, resident.data()) == 0, "mincore");
        return std::count_if(resident.begin(), resident.end(), [](unsigned char page) { return (page & 1) != 0; });
    }
    void forget() { madvise(m_map, m_bytes, MADV_DONTNEED); }

private:
    std::size_t m_bytes;
    void* m_map;
};

} // namespace

class TestLarge : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Each is answered at once, with the rule that stands against it.
    void case_37_data()
    {
        QTest::addColumn<std::string>("shape");
        QTest::addColumn<std::string>("axes");
        QTest::addColumn<std::string>("index");
        QTest::addColumn<std::string>("script");
        QTest::addColumn<std::string>("rule");
        const auto row = [](const char* name, const char* shape, const char* axes, const char* index, const char* script, const char* rule) {
            QTest::newRow(name) << std::string(shape) << std::string(axes) << std::string(index) << std::string(script) << std::string(rule);
        };
        row("a million", "1000000", "i:1000000", "i", "unroll i\n", "unroll.too_large");
        row("65,536 in three", "32, 32, 64", "a:32, b:32, c:64", "a, b, c", "unroll c\nunroll b\nunroll a\n", "unroll.too_large");
        row("beyond 64 bits", "4294967296, 4294967296", "a:4294967296, b:4294967296", "a, b", "fuse a b into f\nunroll f\n", "");
        row("a few", "4096", "i:4096", "i", "unroll i\n", "accepted");
    }
    void case_37()
    {
        QFETCH(std::string, shape);
        QFETCH(std::string, axes);
        QFETCH(std::string, index);
        QFETCH(std::string, script);
        QFETCH(std::string, rule);
        const CpuClock clock;
        const Result<Lowered> lowered = loweredFrom(copyOf("f32", shape, axes, index), script);
        QVERIFY2(rule.empty() ? !lowered : ruleOf(lowered) == rule, ruleOf(lowered).c_str());
        QVERIFY2(clock.seconds() < 5, format("{} s", clock.seconds()).c_str());
    }

    // Unrolled first and split afterwards: no more code than before, or a refusal.
    void case_37_unrolledThenSplit()
    {
        const std::string definition = copyOf("f32", "4096", "i:4096", "i");
        for (const char* split : {"split i into io ii:8\n", "split i into io ii:4095\n", "split i into a b:70 c:70\n", "split i into io:_ ii:4096 tail peel\n", "split i into a:100 b:4096\n"}) {
            const Result<Lowered> lowered = loweredFrom(definition, std::string("unroll i\n") + split);
            if (!lowered) {
                QVERIFY(lowered.error().refusal != nullptr);
                QCOMPARE(lowered.error().line == 2 || lowered.error().refusal->rule == "lower.unrolled_too_large", true);
                continue;
            }
            const Result<code::CompiledObject> object = code::compileKernel("kernel", *lowered, targetsHere().front());
            VERIFY_OK(object);
            QVERIFY2(object->bytes.size() < 2'000'000, format("{} bytes", object->bytes.size()).c_str());
        }
    }

    // Five thousand stages in one function, from text to numbers.
    void case_37_manyStages()
    {
        const int stages = static_cast<int>(draws(5000));
        const CpuClock clock;
        const Result<Lowered> lowered = loweredFrom(chainOf(stages, 3), "unroll s7.i\n");
        VERIFY_OK(lowered);
        const double toLowered = clock.seconds();
        const auto loaded = compileProgram(*lowered, targetsHere().back());
        VERIFY_OK(loaded);
        const double all = clock.seconds();
        qInfo("%d stages: lowered after %.2f s, code after %.2f s", stages, toLowered, all);
        Memory memory{{"A", {{1, 0}, {2, 0}, {3, 0}}}, {"X", {{}, {}, {}}}};
        runProgram(*loaded, *lowered, memory, GuardedBytes::Edge::Right, 1);
        QCOMPARE(memory["X"][2].real, 3.0 + stages);
        QVERIFY2(all < 120, format("{} s", all).c_str());
    }

    // Loops that are each within the limit of a step may be too many together; a hundred thousand statements are walked,
    // printed and checked, and turned down before LLVM sees them.
    void case_37_manyStatements()
    {
        constexpr int kStages = 25;
        std::string script;
        for (int i = 0; i < kStages; ++i) {
            script += format("unroll {}\n", i == 0 ? std::string("i") : format("s{}.i", i));
        }
        const CpuClock clock;
        QCOMPARE(ruleOf(loweredFrom(chainOf(kStages, 4096), script)), std::string("lower.unrolled_too_large"));

        Lowered flat;
        flat.buffers = {{"A", DType::F32, 100'000, Scope::Port, 0}, {"X", DType::F32, 100'000, Scope::Port, 1}};
        for (std::int64_t i = 0; i < 100'000; ++i) {
            flat.body.push_back(store("X", intImm(i), load("A", DType::F32, {intImm(99'999 - i)})));
        }
        flat.buffers[1].isOutput = true;
        QCOMPARE(verify(flat), std::string());
        QVERIFY(toText(flat).size() > 1'000'000);
        Memory memory = randomMemory(flat, 1);
        interpretLowered(flat, memory, false);
        QCOMPARE(memory["X"][0].real, memory["A"][99'999].real);
        const double spent = clock.seconds();
        QVERIFY2(spent < 60, format("{} s", spent).c_str());
        // What a limit lets through is built in bounded time as well.
        flat.body.resize(draws(65'536));
        const auto built = compileProgram(flat, targetsHere().back());
        VERIFY_OK(built);
        Memory got = randomMemory(flat, 1);
        runProgram(*built, flat, got, GuardedBytes::Edge::Right, 1);
        QCOMPARE(got["X"][0].real, memory["A"][99'999].real);
        const double all = clock.seconds();
        qInfo("%zu stores as code after %.2f s", flat.body.size(), all);
        QVERIFY2(all < 120, format("{} s", all).c_str());
    }

    // A product of matrices of 235 MB and more, in the tiles that a search would try: as code, not run.
    void case_39_a()
    {
        const std::string matmul = "definition matmul\ninput A f32 [8192, 8192]\nconstant B f32 [8192, 14336]\noutput Y f32 [8192, 14336]\n"
                                   "stage matmul -> Y f32 [m:8192, n:14336] sum [k:8192] from 0.0 =\n    A[m, k] * B[k, n]\n";
        for (const int rows : {1, 6, 128}) {
            for (const int columns : {1, 16, 64}) {
                for (const int steps : {8, 4096}) {
                    const std::string script = format("split m into mo mi:{}\nsplit n into no ni:{}\nsplit k into ko ki:{}\n"
                                                      "reorder mo no ko ki mi ni\nvectorize ni\nparallel mo\n",
                                                      rows, columns, steps);
                    const Result<Lowered> lowered = loweredFrom(matmul, script);
                    QVERIFY2(lowered.has_value(), lowered ? "" : (script + lowered.error().message).c_str());
                    VERIFY_OK(code::compileKernel("kernel", *lowered, targetsHere().front()));
                }
            }
        }
    }

    // The last element of tensors whose elements (b, d) or bytes (c) no 32 bits count, and of a view with a dimension of one.
    void case_39_lastElement_data()
    {
        QTest::addColumn<std::string>("type");
        QTest::addColumn<std::int64_t>("rows");
        QTest::addColumn<std::int64_t>("columns");
        QTest::newRow("b") << std::string("bool") << std::int64_t{65536} << std::int64_t{32769};
        QTest::newRow("c") << std::string("f32") << std::int64_t{32768} << std::int64_t{32768};
        QTest::newRow("d") << std::string("bool") << std::int64_t{70000} << std::int64_t{70000};
        QTest::newRow("i32") << std::string("i32") << std::int64_t{32768} << std::int64_t{32769};
    }
    void case_39_lastElement()
    {
        QFETCH(std::string, type);
        QFETCH(std::int64_t, rows);
        QFETCH(std::int64_t, columns);
        const DType element = *parseDType(type);
        Lowered lowered;
        lowered.buffers = {{"g", element, rows * columns, Scope::Port, 0}};
        const Expr i = var("i");
        const Expr j = var("j");
        const auto last = [](const Expr& at, std::int64_t extent) { return binary(BinaryOp::Eq, at, intImm(extent - 1)); };
        const LStmt set = store("g", i * columns + j, literal(element, element == DType::Bool ? 1 : 7));
        for (const LoopKind inner : {LoopKind::Serial, LoopKind::Vector}) {
            const LBody columnsOf = inner == LoopKind::Serial
                ? LBody{loop("j", columns, inner, {when(last(j, columns), {set})})}
                : LBody{loop("jo", (columns + 7) / 8, LoopKind::Serial,
                             {loop("ji", 8, inner, {when(last(var("jo") * 8 + var("ji"), columns), {store("g", i * columns + var("jo") * 8 + var("ji"), literal(element, element == DType::Bool ? 1 : 7))})})})};
            lowered.body = {loop("i", rows, LoopKind::Parallel, {when(last(i, rows), columnsOf)})};
            const std::size_t bytes = static_cast<std::size_t>(rows * columns) * byteSize(element);
            Sparse memory(bytes);
            for (const Target& target : targetsHere()) {
                const auto loaded = compileProgram(lowered, target);
                VERIFY_OK(loaded);
                memory.forget();
                void* ports[] = {memory.as<void>()};
                const nw_env env{2, nullptr};
                std::bit_cast<nw_kernel>(loaded->symbol("kernel"))(ports, &env);
                const std::size_t end = static_cast<std::size_t>(rows * columns) - 1;
                const double found = element == DType::Bool ? memory.as<unsigned char>()[end]
                    : element == DType::F32                 ? static_cast<double>(memory.as<float>()[end])
                                                            : memory.as<std::int32_t>()[end];
                QCOMPARE(found, element == DType::Bool ? 1.0 : 7.0);
                QCOMPARE(memory.pagesTouched(), std::int64_t{1});
            }
        }
    }

    // (d) as a nest and its steps: strides that multiply beyond 32 bits are written in full.
    void case_39_d()
    {
        const std::string view = copyOf("bool", "70000, 1, 70000", "a:70000, b:1, c:70000", "a, b, c");
        for (const char* script : {"", "fuse a c into f\n", "split c into co ci:32\nvectorize ci\nparallel a\n", "split b into bo bi:4\n"}) {
            const Result<Lowered> lowered = loweredFrom(view, script);
            VERIFY_OK(lowered);
            QCOMPARE(lowered->buffer("X")->elements, std::int64_t{70000} * 70000);
            VERIFY_OK(code::compileKernel("kernel", *lowered, targetsHere().front()));
        }
    }

    // (e) 65536 x 65536 steps as one loop.
    void case_39_e()
    {
        const std::string square = copyOf("bool", "65536, 65536", "a:65536, b:65536", "a, b");
        const Result<Lowered> lowered = loweredFrom(square, "fuse a b into f\nsplit f into fo fi:16\nvectorize fi\nparallel fo\n");
        VERIFY_OK(lowered);
        QVERIFY2(toText(*lowered).find("0..268435456") != std::string::npos, toText(*lowered).c_str());
        VERIFY_OK(code::compileKernel("kernel", *lowered, targetsHere().front()));
    }

    // What no memory holds is refused in words, however its size would wrap.
    void case_39_sizes()
    {
        const auto chain = [](const char* shape, const char* axes, const char* index) {
            return format("definition add\ninput A f32 [1]\noutput X f32 [1]\nstage big f32 [{1}] =\n    A[0] + 1.0\n"
                          "stage add -> X f32 [i:1] =\n    big[{2}]\n",
                          shape, axes, index);
        };
        for (const auto& [axes, index] : {std::pair{"a:2147483648, b:2147483648, c:4", "0, 0, 0"}, std::pair{"a:4294967296, b:4294967296", "0, 0"},
                                          std::pair{"a:4611686018427387904, b:4", "0, 0"}, std::pair{"a:70368744177664, b:3", "0, 0"}}) {
            const Result<Lowered> lowered = loweredFrom(chain("", axes, index), "");
            QVERIFY2(!lowered, axes);
            const std::string& words = lowered.error().message;
            QVERIFY2(words.find("big") != std::string::npos || words.find("more elements than can be counted") != std::string::npos, words.c_str());
        }
    }

    // Lanes of indices that stay small are counted in 32 bits, others in 64.
    void case_39_narrow()
    {
        const auto ir = [](std::int64_t extent) {
            const std::string gather = format("definition gather\ninput A f32 [{0}]\noutput X f32 [{0}]\n"
                                              "stage gather -> X f32 [i:{0}] =\n    A[i * 3 % {0}]\n",
                                              extent);
            const Result<Lowered> lowered = loweredFrom(gather, "split i into io ii:8\nvectorize ii\n");
            ENSURE(lowered.has_value(), lowered ? "" : lowered.error().message);
            code::CompileOptions options;
            options.listings = true;
            const Result<code::CompiledObject> object = code::compileKernel("kernel", *lowered, targetsHere().front(), options);
            ENSURE(object.has_value(), object ? "" : object.error().message);
            return object->listing.llvmIr;
        };
        const auto divides = [](const std::string& text, const char* lanes) { return text.find(std::string("urem ") + lanes) != std::string::npos; };
        const std::string narrow = ir(81);
        QVERIFY2(divides(narrow, "<8 x i32>") && !divides(narrow, "<8 x i64>"), narrow.c_str());
        const std::string last = ir(715'827'880); // 3 i stays just below 2^31
        QVERIFY2(divides(last, "<8 x i32>") && !divides(last, "<8 x i64>"), last.c_str());
        const std::string wide = ir(715'827'896);
        QVERIFY2(divides(wide, "<8 x i64>") && !divides(wide, "<8 x i32>"), wide.c_str());
    }
};

NW_TEST_MAIN(tst_large, TestLarge)
#include "tst_large.moc"
