#include "engine/base/expr_parse.h"
#include "engine/base/random.h"
#include "engine/base/text.h"
#include "tests/support/test.h"

#include <QObject>

#include <cmath>
#include <limits>

using namespace nw;

namespace {

// Types by first letter, so that any name can be parsed: f32, double, i64 (others), integer 32, truth.
DType typeOf(const std::string& name)
{
    switch (name.front()) {
    case 'x': return DType::F32;
    case 'd': return DType::F64;
    case 'w': return DType::I32;
    case 'p': return DType::Bool;
    case 'u': return DType::U8;
    default: return DType::I64;
    }
}

Result<Expr> parsed(std::string_view text)
{
    const auto type = [](const std::string& name) -> Result<DType> { return typeOf(name); };
    return parseExpr(text, {type, type});
}

class Maker {
public:
    explicit Maker(std::uint64_t seed)
        : m_random(seed)
    {}

    Expr make(DType type, int depth)
    {
        if (depth == 0 || m_random.below(9) == 0) {
            return leaf(type);
        }
        switch (m_random.below(type == DType::Bool ? 9 : 7)) {
        case 0: return select(make(DType::Bool, depth - 1), make(type, depth - 1), make(type, depth - 1));
        case 1: return castTo(type, make(pick(), depth - 1));
        case 2: {
            std::vector<Expr> indices;
            for (std::uint64_t i = m_random.below(4); i > 0; --i) {
                indices.push_back(make(DType::I64, depth - 1));
            }
            return load(name(type), type, std::move(indices));
        }
        case 3: return withUnary(type, depth);
        case 7:
        case 8: {
            const DType operands = pick();
            return binary(operator_(operands, true), make(operands, depth - 1), make(operands, depth - 1));
        }
        default: return binary(operator_(type, false), make(type, depth - 1), make(type, depth - 1));
        }
    }

    DType pick()
    {
        static const DType types[] = {DType::F32, DType::F64, DType::I64, DType::I32, DType::Bool};
        return types[m_random.below(5)];
    }

private:
    static std::string name(DType type)
    {
        return type == DType::F32 ? "x.0" : type == DType::F64 ? "d_y" : type == DType::I32 ? "w" : type == DType::Bool ? "p" : "i";
    }

    Expr leaf(DType type)
    {
        if (m_random.below(2) == 0) {
            return var(name(type), type);
        }
        if (type == DType::Bool) {
            return boolImm(m_random.below(2) == 0);
        }
        if (type == DType::I64 || type == DType::I32) {
            const bool isWide = m_random.below(6) == 0;
            const std::int64_t value = m_random.between(-9, 9);
            return intImm(isWide && type == DType::I64 ? static_cast<std::int64_t>(m_random.next()) : value, type);
        }
        const double special[] = {0.0, -0.0, 1.0, -1.5, 1e30, 1e-30, 0.1, INFINITY, -INFINITY, NAN, 3e-45, 1e300, 12345678.0};
        const std::uint64_t which = m_random.below(14);
        return floatImm(which < 13 ? special[which] : (m_random.unit() - 0.5) * 1000, type);
    }

    Expr withUnary(DType type, int depth)
    {
        if (type == DType::Bool) {
            const DType real = m_random.below(2) == 0 ? DType::F32 : DType::F64;
            switch (m_random.below(3)) {
            case 0: return unary(UnaryOp::IsNan, make(real, depth - 1));
            case 1: return unary(UnaryOp::IsInf, make(real, depth - 1));
            default: return unary(UnaryOp::Not, make(type, depth - 1));
            }
        }
        const Expr a = make(type, depth - 1);
        const auto op = static_cast<UnaryOp>(m_random.below(static_cast<std::uint64_t>(UnaryOp::IsNan)));
        return resultType(op, type) ? unary(op, a) : unary(UnaryOp::Neg, a);
    }

    BinaryOp operator_(DType operands, bool givesBool)
    {
        for (;;) {
            const auto op = static_cast<BinaryOp>(m_random.below(static_cast<std::uint64_t>(BinaryOp::Xor) + 1));
            const std::optional<DType> type = resultType(op, operands, operands);
            if (type && (*type == DType::Bool) == (givesBool || operands == DType::Bool)) {
                return op;
            }
        }
    }

    Random m_random;
};

} // namespace

class TestExpr : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void prints_data();
    void prints();
    void refuses_data();
    void refuses();
    void roundTrips();
    void deepTextIsRefused();
    void folds();
    void makersCheck();
    void conjunctions();
    void substitutes();
    void sharedNodesCostOnce();
    void orders();
};

void TestExpr::prints_data()
{
    QTest::addColumn<std::string>("text");
    for (const char* text : {
             "(n * 4 + h) / 2", "n - (h - 1)", "n - h - 1", "n * (h % 3)", "n * h % 3", "-n", "-(n + h)", "-n * h", "n - -5",
             "n + -5", "-9223372036854775808", "-(-9223372036854775808)", "select(h < 3, x[n, h], 0.0)", "max(a, b)", "exp(x)",
             "x[]", "f32(i)", "i32(5)", "true", "!p", "!(p && p.b) || p", "p ^ p.b && p", "(n < h) == (h < n)", "p == (n < h)",
             "1.5", "1.0d", "1e+20", "inf", "-inf", "nan", "infd", "nand", "-0.0", "-(2.0)", "-x", "--x", "x / x.1", "mod(x, x.1)",
             "rem(n, h)", "div(n, h)", "rem(x, x)", "pow(x, 2.0)", "min(x, 0.0)", "isnan(x) || isinf(x)", "sigmoid(tanh(erf(x)))",
             "round(sign(abs(x)))", "n % 3 % 2", "n % (3 % h)", "x.0[conv.b[n]]", "bool(n)", "u8(3)", "f16(x)", "1e-45",
             "n <= h && n >= 0 && n != 3", "(n <= h || p) && n > 0", "i64(w) + n"}) {
        QTest::newRow(text) << std::string(text);
    }
}

void TestExpr::prints()
{
    QFETCH(std::string, text);
    const Result<Expr> e = parsed(text);
    VERIFY_OK(e);
    QCOMPARE(toText(*e), text);
}

void TestExpr::refuses_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<int>("column");
    QTest::addColumn<std::string>("message");
    const auto row = [](const char* text, int column, const char* message) {
        QTest::newRow(text) << std::string(text) << column << std::string(message);
    };
    row("", 1, "Expected a value, but the text ends.");
    row("n +", 4, "Expected a value, but the text ends.");
    row("(n", 3, "Expected \")\", but the text ends.");
    row("n h", 3, "Expected the end or an operator, but \"h\" was found.");
    row("n $ h", 3, "Expected the end or an operator, but \"$\" was found.");
    row("foo(n)", 1, "There is no function \"foo\".");
    row("max(n)", 1, "\"max\" takes 2 arguments, not 1.");
    row("n + x", 3, "\"+\" does not take i64 and f32.");
    row("x % x", 3, "\"%\" does not take f32 and f32.");
    row("exp(n)", 1, "\"exp\" does not take i64.");
    row("!n", 1, "\"!\" does not take i64.");
    row("n < h < 3", 7, "Comparisons do not chain. Put one of them in parentheses or join them by &&.");
    row("select(n, 1, 2)", 1, "The condition of select is i64, not bool.");
    row("select(p, 1, 2.0)", 1, "The choices of select are i64 and f32; they must be of one type.");
    row("x[1.0]", 2, "An index of x is f32, not i64.");
    row("9223372036854775808", 1, "The number 9223372036854775808 does not fit 64 bits.");
    row("1e39", 1, "The number 1e39 does not fit f32.");
    row("max(n, h", 9, "Expected \",\" or \")\", but the text ends.");
    row("string(n)", 1, "Nothing can be cast to string.");
}

void TestExpr::refuses()
{
    QFETCH(std::string, text);
    QFETCH(int, column);
    QFETCH(std::string, message);
    const Result<Expr> e = parsed(text);
    QVERIFY(!e);
    QCOMPARE(e.error().message, message);
    QCOMPARE(e.error().kind, Error::Kind::Refused);
    QCOMPARE(e.error().line, 1);
    QCOMPARE(e.error().column, column);
}

void TestExpr::roundTrips()
{
    for (std::uint64_t seed = 1; seed <= 6000; ++seed) {
        Maker maker(seed);
        const Expr e = maker.make(maker.pick(), 1 + static_cast<int>(seed % 6));
        const std::string text = toText(e);
        const Result<Expr> again = parsed(text);
        QVERIFY2(again.has_value(), again ? "" : (text + ": " + again.error().message).c_str());
        QVERIFY2(equal(e, *again), (text + " became " + toText(*again)).c_str());
        QCOMPARE((*again)->hash(), e->hash());
    }
}

void TestExpr::deepTextIsRefused()
{
    const std::string open(100000, '(');
    QVERIFY(!parsed(open + "n"));
    QVERIFY(!parsed(std::string(100000, '-') + "n"));
    std::string sum = "n";
    for (int i = 0; i < 100000; ++i) {
        sum += " + n";
    }
    const Result<Expr> e = parsed(sum);
    QVERIFY(!e);
    QVERIFY(e.error().message.find("operations inside each other") != std::string::npos);
}

void TestExpr::folds()
{
    QVERIFY(isConst(intImm(1) + intImm(2), 3));
    QVERIFY(isConst(floorDiv(intImm(-7), intImm(2)), -4));
    QVERIFY(isConst(floorMod(intImm(-7), intImm(2)), 1));
    QVERIFY(isConst(floorMod(intImm(7), intImm(-2)), -1));
    QVERIFY(isConst(binary(BinaryOp::Div, intImm(-7), intImm(2)), -3));
    QVERIFY(isConst(binary(BinaryOp::TruncMod, intImm(-7), intImm(2)), -1));
    QVERIFY(isConst(lessThan(intImm(1), intImm(2)), 1));
    QVERIFY(isConst(castTo(DType::I32, intImm(5)), 5));
    QVERIFY(isConst(unary(UnaryOp::Neg, intImm(5)), -5));
    // What has no exact result stays.
    QVERIFY(!constInt(floorDiv(intImm(1), intImm(0))));
    QVERIFY(!constInt(intImm(std::numeric_limits<std::int64_t>::max()) + intImm(1)));
    QVERIFY(!constInt(intImm(2147483647, DType::I32) + intImm(1, DType::I32)));
    QVERIFY(!constInt(floorDiv(intImm(std::numeric_limits<std::int64_t>::min()), intImm(-1))));
    // Nothing else is folded by makers.
    QCOMPARE(toText(var("i") + 0), std::string("i + 0"));
    QCOMPARE(toText(floatImm(1.0) + floatImm(2.0)), std::string("1.0 + 2.0"));
    QCOMPARE(floatImm(0.1)->as<FloatImm>()->value, static_cast<double>(0.1f));
}

void TestExpr::makersCheck()
{
    QVERIFY_EXCEPTION_THROWN(var("i") + floatImm(1.0), Bug);
    QVERIFY_EXCEPTION_THROWN(unary(UnaryOp::Exp, var("i")), Bug);
    QVERIFY_EXCEPTION_THROWN(select(var("i"), var("i"), var("i")), Bug);
    QVERIFY_EXCEPTION_THROWN(load("X", DType::F32, {floatImm(1.0)}), Bug);
    QVERIFY_EXCEPTION_THROWN(intImm(300, DType::U8), Bug);
    QVERIFY_EXCEPTION_THROWN(binary(BinaryOp::And, var("i"), var("i")), Bug);
}

void TestExpr::conjunctions()
{
    const Expr a = var("p", DType::Bool);
    const Expr b = lessThan(var("i"), intImm(3));
    const Expr both = allOf({a, boolImm(true), b});
    QCOMPARE(toText(both), std::string("p && i < 3"));
    const std::vector<Expr> parts = conjuncts(both);
    QCOMPARE(parts.size(), std::size_t{2});
    QVERIFY(parts[0] == a && parts[1] == b);
    QVERIFY(isConst(allOf({}), 1));
    QVERIFY(conjuncts(boolImm(true)).empty());
    QCOMPARE(conjuncts(boolImm(false)).size(), std::size_t{1});
}

void TestExpr::substitutes()
{
    const Expr e = *parsed("x[i, j] + f32(i)");
    const Expr changed = substitute(e, {{"i", var("j") * 4}, {"j", var("i")}});
    QCOMPARE(toText(changed), std::string("x[j * 4, i] + f32(j * 4)"));
    QVERIFY(substitute(e, {{"z", var("i")}}) == e);
    QCOMPARE(freeVars(e), (std::vector<std::string>{"i", "j"}));
    QVERIFY(usesVar(e, "j"));
    QVERIFY(!usesVar(e, "x"));
    int visited = 0;
    walk(e, [&](const Expr& node) {
        ++visited;
        return node->as<Load>() == nullptr;
    });
    QCOMPARE(visited, 4);
}

void TestExpr::sharedNodesCostOnce()
{
    Expr e = var("i");
    for (int i = 0; i < 60; ++i) {
        e = e + e;
    }
    const Expr changed = substitute(e, {{"i", var("j")}});
    QVERIFY(changed != e);
    QCOMPARE(changed->as<Binary>()->a, changed->as<Binary>()->b);
}

void TestExpr::orders()
{
    std::vector<Expr> all;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Maker maker(seed + 9000);
        all.push_back(maker.make(maker.pick(), 3));
    }
    for (const Expr& a : all) {
        for (const Expr& b : all) {
            QCOMPARE(compareExpr(a, b) == 0, equal(a, b));
            QCOMPARE(compareExpr(a, b) < 0, compareExpr(b, a) > 0);
            for (const Expr& c : all) {
                if (compareExpr(a, b) < 0 && compareExpr(b, c) < 0) {
                    QVERIFY(compareExpr(a, c) < 0);
                }
            }
        }
    }
}

NW_TEST_MAIN(tst_expr, TestExpr)
#include "tst_expr.moc"
