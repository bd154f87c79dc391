// Random programs against the interpreter, and the cases from the field that are about code.

#include "engine/base/text.h"
#include "engine/wire/kernel_abi.h"
#include "tests/engine/code/harness.h"
#include "tests/support/test.h"

#include <algorithm>
#include <bit>
#include <random>
#include <sys/mman.h>

using namespace nw;
using namespace nw::lower;
using namespace nw::test;

namespace {

LBuffer port(const std::string& name, DType type, std::int64_t elements, int index) { return {name, type, elements, Scope::Port, index}; }

// A nest of loops of random kinds around stores whose elements no two iterations share, reading anywhere, with guards,
// padding selects, reductions in memory or in registers.
class Generator {
public:
    explicit Generator(unsigned seed)
        : m_random(seed)
    {}

    Lowered make()
    {
        m_type = std::vector<DType>{DType::F32, DType::F32, DType::F64, DType::I32, DType::I64}[pick(5)];
        const int depth = 1 + pick(4);
        std::int64_t points = 1;
        for (int level = 0; level < depth; ++level) {
            const std::int64_t extent = std::min<std::int64_t>(1 + pick(pick(3) == 0 ? 37 : 9), std::max<std::int64_t>(3000 / points, 1));
            m_loops.push_back({format("l{}", level), extent, kindFor(level), false});
            points *= extent;
        }
        for (Loop& one : m_loops) {
            one.isReduction = one.kind == LoopKind::Serial && pick(4) == 0;
        }
        // Strides in a random order of the loops make every offset unique.
        std::vector<std::size_t> order;
        for (std::size_t at = 0; at < m_loops.size(); ++at) {
            order.push_back(at);
        }
        std::shuffle(order.begin(), order.end(), m_random);
        Expr offset = intImm(0);
        std::int64_t stride = 1;
        for (const std::size_t at : order) {
            if (!m_loops[at].isReduction) {
                offset = offset + variable(at) * stride;
                stride *= m_loops[at].extent;
            }
        }
        Lowered lowered;
        lowered.buffers = {port("A", m_type, kInput, 0), port("B", m_type, kInput, 1), port("Y", m_type, stride, 2)};
        const bool isReduction = std::any_of(m_loops.begin(), m_loops.end(), [](const Loop& one) { return one.isReduction; });
        LStmt inner = isReduction ? accumulate("Y", m_type, offset, pick(2) == 0 ? loaded("A") * loaded("B") : loaded("A"))
                                  : store("Y", offset, value());
        if (pick(2) == 0) {
            inner = pick(2) == 0 || isReduction ? when(condition(), {inner}) : when(condition(), {inner}, {store("Y", offset, loaded("B"))});
        }
        LBody body{inner};
        for (std::size_t at = m_loops.size(); at-- > 0;) {
            body = {loop(m_loops[at].name, m_loops[at].extent, m_loops[at].kind, body)};
            if (pick(6) == 0) {
                const Expr over = outerCondition(at);
                body = {when(over, body)};
            }
        }
        lowered.body = body;
        return lowered;
    }

private:
    static constexpr std::int64_t kInput = 97;
    struct Loop {
        std::string name;
        std::int64_t extent;
        LoopKind kind;
        bool isReduction;
    };

    int pick(int n) { return static_cast<int>(m_random() % static_cast<unsigned>(n)); }
    Expr variable(std::size_t at) { return var(m_loops[at].name); }
    Expr anyVariable() { return variable(static_cast<std::size_t>(pick(static_cast<int>(m_loops.size())))); }

    LoopKind kindFor(int level)
    {
        if (level == 0 && pick(3) == 0) {
            return LoopKind::Parallel;
        }
        return std::vector<LoopKind>{LoopKind::Serial, LoopKind::Serial, LoopKind::Vector, LoopKind::Unrolled}[pick(4)];
    }

    // Index arithmetic of any kind.
    Expr index(int depth = 2)
    {
        switch (depth == 0 ? pick(2) : pick(7)) {
        case 0: return anyVariable();
        case 1: return intImm(pick(9) - 4);
        case 2: return index(depth - 1) + index(depth - 1);
        case 3: return index(depth - 1) - index(depth - 1);
        case 4: return index(depth - 1) * (pick(5) - 1);
        case 5: return floorDiv(index(depth - 1), intImm(1 + pick(8)));
        default: return floorMod(index(depth - 1), intImm(1 + pick(8)));
        }
    }
    Expr loaded(const std::string& buffer) { return load(buffer, m_type, {inRange(index())}); }
    // Into [0, kInput), keeping simple ones simple.
    Expr inRange(const Expr& at)
    {
        return pick(2) == 0 ? floorMod(at, intImm(kInput)) : binary(BinaryOp::Max, binary(BinaryOp::Min, at, intImm(kInput - 1)), intImm(0));
    }
    Expr condition()
    {
        const std::vector<BinaryOp> ops = {BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge, BinaryOp::Eq, BinaryOp::Ne};
        const Expr one = binary(ops[static_cast<std::size_t>(pick(6))], index(1), intImm(pick(12) - 2));
        return pick(3) == 0 ? binary(pick(2) == 0 ? BinaryOp::And : BinaryOp::Or, one, lessThan(index(1), intImm(pick(9)))) : one;
    }
    Expr outerCondition(std::size_t inner)
    {
        return inner == 0 ? boolImm(true) : lessThan(variable(static_cast<std::size_t>(pick(static_cast<int>(inner)))), intImm(1 + pick(6)));
    }
    // A load that only its guard keeps inside.
    Expr padded()
    {
        const Expr at = index(1);
        const Expr inside = binary(BinaryOp::And, binary(BinaryOp::Ge, at, intImm(0)), lessThan(at, intImm(kInput)));
        return select(inside, load("A", m_type, {at}), literal(m_type, pick(2)));
    }
    Expr value()
    {
        switch (pick(5)) {
        case 0: return loaded("A") + loaded("B");
        case 1: return padded() + loaded("B");
        case 2: return padded();
        case 3: return binary(pick(2) == 0 ? BinaryOp::Max : BinaryOp::Min, loaded("A"), castTo(m_type, index()));
        default: return select(condition(), loaded("A") * literal(m_type, 2), padded());
        }
    }

    std::mt19937 m_random;
    DType m_type = DType::F32;
    std::vector<Loop> m_loops;
};

} // namespace

class TestRandom : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void programs()
    {
        const int count = qEnvironmentVariableIsSet("NW_RANDOM_PROGRAMS") ? qEnvironmentVariableIntValue("NW_RANDOM_PROGRAMS") : 60;
        for (int seed = 1; seed <= count; ++seed) {
            const Lowered lowered = Generator(static_cast<unsigned>(seed)).make();
            const std::string words = differences(lowered, randomMemory(lowered, static_cast<unsigned>(seed)));
            QVERIFY2(words.empty(), format("seed {}: {}\n{}", seed, words, toText(lowered)).c_str());
        }
    }

    // The comparison itself can fail: a program whose last store is dropped must be told from the whole one.
    void aDroppedStoreIsSeen()
    {
        const Lowered whole = Generator(3).make();
        Lowered dropped = whole;
        dropped.body.clear();
        const auto loaded = compileProgram(dropped, targetsHere().back());
        VERIFY_OK(loaded);
        Memory expected = randomMemory(whole, 1);
        Memory got = expected;
        interpretLowered(whole, expected, true);
        runProgram(*loaded, whole, got, GuardedBytes::Edge::Left, 1);
        QVERIFY(!firstDifference(whole, expected, got).empty());
    }

    void case_28_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("level");
        QTest::addColumn<bool>("optimize");
        for (const int level : {0, 1, 2, 3}) {
            QTest::newRow(format("serial, level {}", level).c_str()) << 0 << level << true;
            QTest::newRow(format("vector, level {}", level).c_str()) << 1 << level << true;
        }
        QTest::newRow("no pipeline") << 0 << 1 << false;
        QTest::newRow("vector, no pipeline") << 1 << 0 << false;
    }

    // r = the last i with a[i] == 42, scaled by 4; -1 when there is none.
    void case_28()
    {
        QFETCH(int, kind);
        QFETCH(int, level);
        QFETCH(bool, optimize);
        Lowered lowered;
        lowered.buffers = {port("a", DType::I32, 72, 0), port("r", DType::I32, 1, 1)};
        const Expr i = var("i");
        const Expr hit = binary(BinaryOp::Eq, load("a", DType::I32, {i}), intImm(42, DType::I32));
        const Expr scaled = castTo(DType::I32, i * 4);
        lowered.body = {store("r", intImm(0), intImm(-1, DType::I32)),
                        loop("i", 72, kind == 0 ? LoopKind::Serial : LoopKind::Vector,
                             {store("r", intImm(0), select(hit, scaled, load("r", DType::I32, {intImm(0)})))})};
        code::CompileOptions options;
        options.level = level;
        options.optimize = optimize;
        struct Row {
            std::vector<std::size_t> hits;
            std::int64_t expected;
        };
        for (const Row& row : {Row{{1}, 4}, Row{{}, -1}, Row{{1, 30, 70}, 280}, Row{{0}, 0}, Row{{71}, 284}}) {
            Memory memory;
            memory["a"].resize(72);
            memory["r"].resize(1);
            for (const std::size_t hitAt : row.hits) {
                memory["a"][hitAt].whole = 42;
            }
            for (const Target& target : targetsHere()) {
                const auto loaded = compileProgram(lowered, target, options);
                VERIFY_OK(loaded);
                Memory got = memory;
                runProgram(*loaded, lowered, got, GuardedBytes::Edge::Right, 1);
                QCOMPARE(got["r"][0].whole, row.expected);
            }
        }
        const auto wide = targetByName("x86-64-v4"); // has code even where it cannot run
        VERIFY_OK(wide);
        VERIFY_OK(code::compileKernel("kernel", lowered, *wide, options));
    }

    void case_34_data()
    {
        QTest::addColumn<int>("factor");
        QTest::addColumn<int>("inner");
        QTest::addColumn<int>("kind");
        for (const int factor : {1, 2, 16, 17}) {
            for (const int inner : {4, 8}) {
                for (const LoopKind kind : {LoopKind::Serial, LoopKind::Vector, LoopKind::Unrolled}) {
                    QTest::newRow(format("{} {} {}", factor, inner, static_cast<int>(kind)).c_str()) << factor << inner << static_cast<int>(kind);
                }
            }
        }
    }

    // g[x] = x for 16 elements: split by `factor`, its inner loop by `inner` again, guarded; lanes that are off store
    // nothing, whether the lanes are inside or outside and whoever runs beside them.
    void case_34()
    {
        QFETCH(int, factor);
        QFETCH(int, inner);
        QFETCH(int, kind);
        const std::int64_t outer = (16 + factor - 1) / factor;
        const std::int64_t middle = (factor + inner - 1) / inner;
        const Expr within = var("m") * inner + var("i");
        const Expr x = var("o") * factor + within;
        const Expr guard = binary(BinaryOp::And, lessThan(within, intImm(factor)), lessThan(x, intImm(16)));
        const LStmt body = when(guard, {store("g", x, castTo(DType::F32, x))});
        const auto lanes = [&](const LBody& inside) { return loop("i", inner, static_cast<LoopKind>(kind), inside); };
        const auto rest = [&](const LBody& inside) {
            return loop("o", outer, LoopKind::Parallel, {loop("m", middle, LoopKind::Serial, inside)});
        };
        for (const LBody& nest : {LBody{rest({lanes({body})})}, LBody{lanes({rest({body})})}}) {
            Lowered lowered;
            lowered.buffers = {port("g", DType::F32, 16, 0)};
            lowered.body = nest;
            const std::string words = differences(lowered, randomMemory(lowered, 1));
            QVERIFY2(words.empty(), words.c_str());
        }
    }

    // The last element of 65536 x 32769 bytes lies past 2^31.
    void case_39()
    {
        constexpr std::int64_t kRows = 65536;
        constexpr std::int64_t kColumns = 32769;
        Lowered lowered;
        lowered.buffers = {port("g", DType::Bool, kRows * kColumns, 0)};
        const Expr i = var("i");
        const Expr j = var("j");
        const auto last = [](const Expr& at, std::int64_t extent) { return binary(BinaryOp::Eq, at, intImm(extent - 1)); };
        lowered.body = {loop("i", kRows, LoopKind::Parallel, {when(last(i, kRows), {loop("j", kColumns, LoopKind::Serial, {when(last(j, kColumns), {store("g", i * kColumns + j, boolImm(true))})})})})};
        const auto bytes = static_cast<std::size_t>(kRows * kColumns);
        void* const map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        QVERIFY(map != MAP_FAILED);
        madvise(map, bytes, MADV_NOHUGEPAGE);
        for (const Target& target : targetsHere()) {
            const auto loaded = compileProgram(lowered, target);
            VERIFY_OK(loaded);
            auto* const g = static_cast<unsigned char*>(map);
            g[bytes - 1] = 0;
            void* ports[] = {map};
            const nw_env env{2, nullptr};
            std::bit_cast<nw_kernel>(loaded->symbol("kernel"))(ports, &env);
            QCOMPARE(int(g[bytes - 1]), 1);
            std::vector<unsigned char> resident((bytes + 4095) / 4096);
            QVERIFY(mincore(map, bytes, resident.data()) == 0);
            QCOMPARE(std::count_if(resident.begin(), resident.end(), [](unsigned char page) { return (page & 1) != 0; }), 1);
        }
        munmap(map, bytes);
    }

    // Fused 65536 x 65536 indices, and lanes 1.2 GB apart.
    void case_39_wide_arithmetic()
    {
        constexpr std::int64_t kFused = std::int64_t{65536} * 65536;
        Lowered fused;
        fused.buffers = {port("Y", DType::I64, 16, 0)};
        const Expr f = var("f");
        const Expr at = (floorDiv(f, intImm(65536)) - 65535) * 16 + floorMod(f, intImm(65536)) - 65520;
        fused.body = {makeLStmt(LFor{"f", kFused - 16, kFused, LoopKind::Parallel, {store("Y", at, f * 65536)}})};
        const std::string words = differences(fused, randomMemory(fused, 1));
        QVERIFY2(words.empty(), words.c_str());

        constexpr std::int64_t kStride = 300000000;
        const std::size_t bytes = kStride * 4 * 8;
        void* const map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        QVERIFY(map != MAP_FAILED);
        auto* const a = static_cast<float*>(map);
        for (std::int64_t lane = 0; lane < 8; ++lane) {
            a[lane * kStride] = static_cast<float>(lane + 1);
        }
        Lowered far;
        far.buffers = {port("A", DType::F32, kStride * 8, 0), port("Y", DType::F32, 16, 1)};
        const Expr v = var("v");
        const Expr wanted = load("A", DType::F32, {v * kStride});
        far.body = {loop("v", 8, LoopKind::Vector, {store("Y", v, wanted), when(lessThan(v, intImm(5)), {store("Y", v + 8, wanted)})})};
        for (const Target& target : targetsHere()) {
            const auto loaded = compileProgram(far, target);
            VERIFY_OK(loaded);
            std::vector<float> y(16, -1.0f);
            void* ports[] = {map, y.data()};
            const nw_env env{1, nullptr};
            std::bit_cast<nw_kernel>(loaded->symbol("kernel"))(ports, &env);
            for (std::size_t lane = 0; lane < 16; ++lane) {
                const float expected = lane < 8 ? static_cast<float>(lane + 1) : lane < 13 ? static_cast<float>(lane - 7) : -1.0f;
                QCOMPARE(y[lane], expected);
            }
        }
        munmap(map, bytes);
    }
};

NW_TEST_MAIN(tst_random, TestRandom)
#include "tst_random.moc"
