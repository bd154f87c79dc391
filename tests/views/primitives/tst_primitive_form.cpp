#include "tests/support/test.h"
#include "tests/views/loop_nest/judging.h"
#include "views/primitives/param_editor.h"
#include "views/primitives/parts_text.h"
#include "views/primitives/primitive_form.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>

using namespace nw;
using namespace nw::views;
using namespace nw::views::test;
using schedule::test::definitionText;
using schedule::test::nestOf;

namespace {

// A primitive that only this test knows, with a parameter of every kind that has a field of its own.
schedule::Check checkPoke(const schedule::LoopNest& nest, const schedule::Args& args, const schedule::Context&)
{
    if (!nest.findLoop(args.name(0))) {
        return {schedule::Verdict::Illegal, {"poke.no_loop", "poke: there is no loop {0}", {args.name(0)}, {}, {}}};
    }
    if (args.given(4) && std::get<std::int64_t>(args.values[4]) > 16) {
        return {schedule::Verdict::Illegal, {"poke.too_many", "poke: {0} times is too often", {std::to_string(std::get<std::int64_t>(args.values[4]))}, {args.name(0)}, {}}};
    }
    if (args.given(4) && std::get<std::int64_t>(args.values[4]) == 16) {
        return {schedule::Verdict::Unproven, {"poke.unknown", "poke: whether {0} can bear it is not known", {args.name(0)}, {args.name(0)}, {}}};
    }
    return {};
}
schedule::Applied rewritePoke(const schedule::LoopNest& nest, const schedule::Args&, const schedule::Context&)
{
    return {nest, {}};
}
std::vector<schedule::Args> proposePoke(const schedule::LoopNest&, const std::string&, const schedule::Context&)
{
    return {};
}
const schedule::Primitive kPoke{
    "poke",
    "Poke a loop",
    {{"loop", schedule::ParamKind::Loop, ""},
     {"block", schedule::ParamKind::Block, "with"},
     {"buffer", schedule::ParamKind::Buffer, "on", true},
     {"scope", schedule::ParamKind::ScopeName, "in"},
     {"times", schedule::ParamKind::Number, "times"},
     {"name", schedule::ParamKind::NewName, "as", true},
     {"map", schedule::ParamKind::Map, "by", true}},
    &checkPoke,
    &rewritePoke,
    &proposePoke,
};

const schedule::Primitive& primitive(const std::string& name)
{
    for (const schedule::Primitive* known : schedule::allPrimitives()) {
        if (known->name == name) {
            return *known;
        }
    }
    throw std::runtime_error("no primitive " + name);
}

struct Opened {
    Opened(const schedule::Primitive& opened, const QStringList& selection, const std::string& line)
    {
        const std::vector<const schedule::Primitive*> all = [&] {
            std::vector<const schedule::Primitive*> known(schedule::allPrimitives().begin(), schedule::allPrimitives().end());
            known.push_back(&kPoke);
            return known;
        }();
        form.setJudge([this, all](const std::string& step) { return judge(nest, step, all); });
        form.resize(320, 400);
        form.open(opened, nest, selection, line);
        form.activateWindow();
        QVERIFY2(QTest::qWaitForWindowExposed(&form), "no window");
    }
    template <typename T>
    T* find(const char* name) const { return form.findChild<T*>(QLatin1String(name)); }
    // As a person does it: the key goes to what has the focus.
    void enterIn(const char* line) const
    {
        auto* field = find<QLineEdit>(line);
        field->setFocus();
        QTest::keyClick(field, Qt::Key_Return);
    }
    QString state() const { return find<QLabel>("formState")->text(); }

    schedule::LoopNest nest = nestOf(definitionText("matmul"));
    PrimitiveForm form;
    QSignalSpy applied{&form, &PrimitiveForm::applied};
    QSignalSpy knobs{&form, &PrimitiveForm::knobApplied};
    QSignalSpy previews{&form, &PrimitiveForm::previewWished};
    QSignalSpy messages{&form, &PrimitiveForm::message};
};

} // namespace

class TestPrimitiveForm : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { wearTheme(Theme::light(), 1); }

    void sumsOfParts_data()
    {
        QTest::addColumn<std::string>("parts");
        QTest::addColumn<int>("extent");
        QTest::addColumn<bool>("covers");
        QTest::addColumn<int>("tail");
        QTest::newRow("divides") << std::string("a:_ b:7") << 28 << true << 0;
        QTest::newRow("tail") << std::string("a:_ b:8") << 30 << true << 6;
        QTest::newRow("given and exact") << std::string("a:4 b:7") << 28 << true << 0;
        QTest::newRow("given and short") << std::string("a:3 b:7") << 28 << false << 0;
        QTest::newRow("three parts") << std::string("a:_ b:2 c:4") << 27 << true << 3;
    }

    void sumsOfParts()
    {
        QFETCH(std::string, parts);
        QFETCH(int, extent);
        QFETCH(bool, covers);
        QFETCH(int, tail);
        const std::optional<PartSum> sum = sumOf(readParts(parts), 0, 1, extent);
        QVERIFY(sum.has_value());
        QCOMPARE(sum->covers, covers);
        QCOMPARE(sum->tail, std::int64_t{tail});
        QVERIFY(!sumOf(readParts("a:_ b:lanes(f32)"), 0, 1, extent));
    }

    void splitWithChips()
    {
        Opened opened(primitive("split"), {QStringLiteral("n")}, "split n into no:_ ni:4");
        QCOMPARE(opened.form.line(), QStringLiteral("split n into no:_ ni:4"));
        QCOMPARE(opened.find<QLabel>("partsSum")->text(), QStringLiteral("20 = 5 × 4, no tail"));
        QCOMPARE(opened.state(), QStringLiteral("legal"));
        auto* chip = opened.find<QPushButton>("chip_5");
        QVERIFY(chip != nullptr && chip->height() >= 24);
        QTest::mouseClick(chip, Qt::LeftButton);
        QCOMPARE(opened.form.line(), QStringLiteral("split n into no:_ ni:5"));
        QCOMPARE(opened.previews.last().first().toString(), QStringLiteral("split n into no:_ ni:5"));
        opened.find<QLineEdit>("partExtent1")->setText(QStringLiteral("8"));
        QCOMPARE(opened.find<QLabel>("partsSum")->text(), QStringLiteral("20 in 3 × 8 leaves a tail of 4"));
        opened.enterIn("partExtent1");
        QCOMPARE(opened.applied.count(), 1);
        QCOMPARE(opened.applied.last().first().toString(), QStringLiteral("split n into no:_ ni:8"));
    }

    // A choice of words is a box with them, and with nothing where it may be left out.
    void aTailIsChosen()
    {
        Opened opened(primitive("split"), {QStringLiteral("n")}, "split n into no:_ ni:8");
        auto* tail = opened.find<QComboBox>("param_tail");
        QVERIFY(tail != nullptr);
        QStringList words;
        for (int i = 0; i < tail->count(); ++i) {
            words << tail->itemText(i);
        }
        QCOMPARE(words, (QStringList{QString(), QStringLiteral("guard"), QStringLiteral("peel"), QStringLiteral("shift"), QStringLiteral("pad"), QStringLiteral("mask")}));
        tail->setCurrentText(QStringLiteral("peel"));
        QCOMPARE(opened.form.line(), QStringLiteral("split n into no:_ ni:8 tail peel"));
        QCOMPARE(opened.state(), QStringLiteral("legal"));
        opened.enterIn("partExtent1");
        QCOMPARE(opened.applied.last().first().toString(), QStringLiteral("split n into no:_ ni:8 tail peel"));
        opened.find<QComboBox>("param_loop")->setCurrentText(QStringLiteral("k"));
        tail->setCurrentText(QStringLiteral("shift"));
        opened.find<QLineEdit>("partExtent1")->setText(QStringLiteral("7"));
        QCOMPARE(opened.form.line(), QStringLiteral("split k into ko:_ ki:7 tail shift"));
        QCOMPARE(opened.state(), QStringLiteral("illegal: split: matmul adds to what it holds from outside of a step of k; "
                                                "a step done twice would be added twice"));
    }

    void twoLoopsOfOnePrimitive()
    {
        Opened opened(primitive("merge"), {QStringLiteral("m"), QStringLiteral("k")}, "");
        QCOMPARE(opened.form.line(), QStringLiteral("merge m k"));
        QCOMPARE(opened.state(), QStringLiteral("illegal: merge: k does not stand directly behind m"));
    }

    void anotherLoopRenamesTheParts()
    {
        Opened opened(primitive("split"), {QStringLiteral("n")}, "split n into no:_ ni:4");
        opened.find<QComboBox>("param_loop")->setCurrentText(QStringLiteral("k"));
        QCOMPARE(opened.form.line(), QStringLiteral("split k into ko:_ ki:4"));
        QCOMPARE(opened.find<QLabel>("partsSum")->text(), QStringLiteral("24 = 6 × 4, no tail"));
    }

    void partsAreAddedAndTakenAway()
    {
        Opened opened(primitive("split"), {QStringLiteral("n")}, "split n into no:_ ni:4");
        QTest::mouseClick(opened.find<QPushButton>("partAdd"), Qt::LeftButton);
        QCOMPARE(opened.form.line(), QStringLiteral("split n into no:_ ni:4 n2:2"));
        QTest::mouseClick(opened.find<QPushButton>("partRemove"), Qt::LeftButton);
        QTest::mouseClick(opened.find<QPushButton>("partRemove"), Qt::LeftButton);
        QCOMPARE(opened.form.line(), QStringLiteral("split n into no:_"));
        QVERIFY(!opened.form.canApply());
        QCOMPARE(opened.state(), QStringLiteral("illegal: split: n must be cut into at least two loops"));
        QVERIFY(!opened.find<QPushButton>("formApply")->isEnabled());
    }

    void refusedLinesCannotBeApplied()
    {
        Opened opened(primitive("split"), {QStringLiteral("n")}, "split n into no:_ ni:4");
        opened.find<QLineEdit>("partName0")->setText(QStringLiteral("m"));
        QCOMPARE(opened.state(), QStringLiteral("illegal: split: the name m is taken; choose another"));
        QCOMPARE(opened.previews.last().first().toString(), QString());
        opened.enterIn("partName0");
        QCOMPARE(opened.applied.count(), 0);
        QCOMPARE(opened.messages.last().at(0).toString(), QStringLiteral("split: the name m is taken; choose another"));
        QCOMPARE(opened.messages.last().at(1).toBool(), true);
    }

    void aKnobHasTheChosenNumberFirst()
    {
        Opened opened(primitive("split"), {QStringLiteral("n")}, "split n into no:_ ni:5");
        QTest::mouseClick(opened.find<QPushButton>("formKnob"), Qt::LeftButton);
        QCOMPARE(opened.knobs.last().first().toString(), QStringLiteral("split n into no:_ ni:{5, 4, 2, 10}"));
        VERIFY_OK(schedule::parseScript(opened.knobs.last().first().toString().toStdString(), schedule::allPrimitives(),
                                        schedule::test::smallContext()));
    }

    void severalSelectedLoopsAreTaken()
    {
        Opened fused(primitive("fuse"), {QStringLiteral("k"), QStringLiteral("n"), QStringLiteral("m")}, "fuse m n into m_n");
        QCOMPARE(fused.form.line(), QStringLiteral("fuse m n k into m_n_k"));
        Opened tiled(primitive("tile"), {QStringLiteral("n"), QStringLiteral("k")}, "tile m n into mo:_ no:_ mi:4 ni:4");
        QCOMPARE(tiled.form.line(), QStringLiteral("tile n k into no:_ ko:_ ni:4 ki:4"));
        QCOMPARE(tiled.state(), QStringLiteral("legal"));
        QCOMPARE(tiled.find<QLabel>("partsSum")->text(), QStringLiteral("n 20 = 5 × 4, no tail\nk 24 = 6 × 4, no tail"));
    }

    void withoutAnOfferTheSelectionFills()
    {
        Opened opened(primitive("cache_write"), {QStringLiteral("matmul")}, "");
        QCOMPARE(opened.form.line(), QStringLiteral("cache_write matmul at m in registers"));
    }

    void escapeCancels()
    {
        Opened opened(primitive("unroll"), {QStringLiteral("k")}, "unroll k");
        QSignalSpy cancelled(&opened.form, &PrimitiveForm::cancelled);
        QTest::keyClick(opened.find<QComboBox>("param_loop"), Qt::Key_Escape);
        QCOMPARE(cancelled.count(), 1);
        QVERIFY(!opened.find<QPushButton>("formKnob")->isVisible());
    }

    void enterOnAButtonIsThatButton()
    {
        Opened opened(primitive("unroll"), {QStringLiteral("k")}, "unroll k");
        QSignalSpy cancelled(&opened.form, &PrimitiveForm::cancelled);
        auto* cancel = opened.find<QPushButton>("formCancel");
        cancel->setFocus();
        QTest::keyClick(cancel, Qt::Key_Return);
        QCOMPARE(cancelled.count(), 1);
        QCOMPARE(opened.applied.count(), 0);
    }

    void aPrimitiveNobodyKnewHasAForm()
    {
        Opened opened(kPoke, {QStringLiteral("n")}, "");
        QCOMPARE(opened.find<QComboBox>("param_loop")->currentText(), QStringLiteral("n"));
        opened.find<QComboBox>("param_scope")->setCurrentText(QStringLiteral("stack"));
        opened.find<QComboBox>("param_buffer")->setCurrentText(QStringLiteral("B"));
        QVERIFY(!opened.form.canApply()); // no number yet
        QTest::mouseClick(opened.find<QPushButton>("chip_4"), Qt::LeftButton);
        QCOMPARE(opened.form.line(), QStringLiteral("poke n with matmul on B in stack times 4"));
        QCOMPARE(opened.state(), QStringLiteral("legal"));
        opened.find<QLineEdit>("param_map")->setText(QStringLiteral("(k, n) -> (n, k)"));
        opened.find<QLineEdit>("param_name")->setText(QStringLiteral("fresh"));
        QCOMPARE(opened.form.line(), QStringLiteral("poke n with matmul on B in stack times 4 as fresh by (k, n) -> (n, k)"));
        QCOMPARE(opened.state(), QStringLiteral("legal"));

        opened.find<QLineEdit>("param_times")->setText(QStringLiteral("17"));
        QCOMPARE(opened.state(), QStringLiteral("illegal: poke: 17 times is too often"));
        opened.find<QLineEdit>("param_times")->setText(QStringLiteral("16"));
        QCOMPARE(opened.find<QPushButton>("formApply")->text(), QStringLiteral("Apply unproven"));
        QVERIFY(opened.find<QPushButton>("formApply")->isEnabled());
        opened.enterIn("param_times");
        QCOMPARE(opened.applied.last().first().toString(),
                 QStringLiteral("poke n with matmul on B in stack times 16 as fresh by (k, n) -> (n, k)"));
        QCOMPARE(opened.form.knobLine(), QStringLiteral("poke n with matmul on B in stack times {16, 8, 32} as fresh by (k, n) -> (n, k)"));
    }
};

NW_TEST_MAIN(tst_primitive_form, TestPrimitiveForm)
#include "tst_primitive_form.moc"
