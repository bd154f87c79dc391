#include "tests/engine/schedule/rewrites.h"

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

} // namespace nw::schedule::test
