#include "tests/engine/schedule/rewrites.h"

#include "engine/base/text.h"
#include "tests/engine/schedule/nests.h"
#include "tests/support/test.h"

namespace nw::schedule::test {

void addRewriteColumns()
{
    for (const char* column : {"definition", "layout", "setup", "step", "text", "forward"}) {
        QTest::addColumn<std::string>(column);
    }
}

void addRewrite(const Rewrite& row)
{
    QTestData& data = QTest::newRow(row.name);
    for (const char* cell : {row.definition, row.layout, row.setup, row.step, row.text, row.forward}) {
        data << std::string(cell);
    }
}

void addRewrites(const std::vector<Rewrite>& rows)
{
    addRewriteColumns();
    for (const Rewrite& row : rows) {
        addRewrite(row);
    }
}

void checkRewrite()
{
    QFETCH(std::string, definition);
    QFETCH(std::string, layout);
    QFETCH(std::string, setup);
    QFETCH(std::string, step);
    QFETCH(std::string, text);
    QFETCH(std::string, forward);

    const LoopNest first = nestOf(definitionText(definition), {layout});
    const LoopNest before = after(first, setup);
    const Result<Replay> done = steps(before, step);
    VERIFY_OK(done);
    const LoopNest& now = done->nest();
    QCOMPARE(toText(now), text);
    QCOMPARE(forwardText(before, done->steps.back()), forward);
    QCOMPARE(verify(now), std::string());
    QCOMPARE(differs(first, now, 11), std::string());
}

void addRefusals(const std::vector<RefusedStep>& rows)
{
    for (const char* column : {"definition", "setup", "step", "rule", "message", "unlock"}) {
        QTest::addColumn<std::string>(column);
    }
    for (const RefusedStep& row : rows) {
        QTestData& data = QTest::addRow("%s: %s", row.rule, row.step);
        for (const char* cell : {row.definition, row.setup, row.step, row.rule, row.message, row.unlock}) {
            data << std::string(cell);
        }
    }
}

void checkRefusal()
{
    QFETCH(std::string, definition);
    QFETCH(std::string, setup);
    QFETCH(std::string, step);
    QFETCH(std::string, rule);
    QFETCH(std::string, message);
    QFETCH(std::string, unlock);

    const LoopNest nest = after(nestOf(definitionText(definition)), setup);
    const Result<Replay> done = steps(nest, step);
    QVERIFY2(!done, "accepted");
    QCOMPARE(done.error().message, message);
    QCOMPARE(done.error().kind, Error::Kind::Refused);
    QVERIFY(done.error().refusal != nullptr);
    QCOMPARE(done.error().refusal->rule, rule);
    QCOMPARE(join(done.error().refusal->unlocks, "; "), unlock);
    for (const std::string& place : done.error().refusal->places) {
        QVERIFY2(nest.nameTaken(place), place.c_str());
    }
    if (!unlock.empty()) {
        VERIFY_OK(steps(nest, unlock + "\n" + step + "\n"));
    }
}

} // namespace nw::schedule::test
