#include "tests/support/test.h"
#include "tests/views/code/listings.h"
#include "views/code/code_links.h"

using namespace nw::views;

namespace {

// The links of the first line that starts with `start`.
std::string linkOf(const std::string& text, const LineLinks& links, const std::string& start)
{
    const std::vector<std::string_view> lines = linesOf(text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].starts_with(start)) {
            std::string words;
            for (const std::string& loop : links[i].loops) {
                words += (words.empty() ? "" : " ") + loop;
            }
            return words + (links[i].opens ? "!" : "");
        }
    }
    return "no such line";
}

} // namespace

class TestCodeLinks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void blocksOfLlvm_data()
    {
        QTest::addColumn<std::string>("label");
        QTest::addColumn<std::string>("loops");
        QTest::newRow("outermost") << std::string("loop:") << std::string("mb!");
        QTest::newRow("next") << std::string("loop2:") << std::string("mb no!");
        QTest::newRow("innermost") << std::string("loop6:") << std::string("mb no mo k!");
        QTest::newRow("innermost of the tail") << std::string("loop201:") << std::string("mb no mo k!");
        QTest::newRow("not textually inside its loop") << std::string("after330:") << std::string("mb no mo");
        QTest::newRow("end of a loop") << std::string("endif:") << std::string("mb no mo");
        QTest::newRow("latch") << std::string("after332:") << std::string("mb");
        QTest::newRow("behind all") << std::string("after333:") << std::string();
        QTest::newRow("entry") << std::string("entry:") << std::string();
    }

    void blocksOfLlvm()
    {
        QFETCH(std::string, label);
        QFETCH(std::string, loops);
        const std::string llvm = nw::test::llvmText();
        const LineLinks links = linkLlvm(llvm, nw::test::loweredText());
        QCOMPARE(links.size(), linesOf(llvm).size());
        QCOMPARE(linkOf(llvm, links, label), loops);
        QCOMPARE(linkOf(llvm, links, "  %33 = call"), std::string("mb no mo k"));
    }

    void tasksOfParallelLoops()
    {
        const std::string llvm = nw::test::parallelLlvm();
        const LineLinks links = linkLlvm(llvm, nw::test::parallelLowered());
        QCOMPARE(linkOf(llvm, links, "loop:"), std::string("mb!"));
        QCOMPARE(linkOf(llvm, links, "loop6:"), std::string("mb no mo k!"));
        QCOMPARE(linkOf(llvm, links, "then:"), std::string());
    }

    void anotherShapeStaysWithoutNames()
    {
        // One loop more inside mo than the code has.
        std::string lowered = nw::test::loweredText();
        lowered += "        for extra in 0..5\n          Y[extra] = 0\n";
        const std::string llvm = nw::test::llvmText();
        const LineLinks links = linkLlvm(llvm, lowered);
        QCOMPARE(linkOf(llvm, links, "loop4:"), std::string("mb no mo!"));
        QCOMPARE(linkOf(llvm, links, "  %33 = call"), std::string("mb no mo"));
        const LineLinks none = linkLlvm(llvm, "for a in 0..4\n  Y[a] = 0\nfor b in 0..4\n  Y[b] = 0\n");
        QCOMPARE(linkOf(llvm, none, "loop6:"), std::string());
    }

    void blocksThatSayTheirLoop()
    {
        std::string llvm = nw::test::llvmText();
        for (std::size_t at = llvm.find("loop201"); at != std::string::npos; at = llvm.find("loop201", at + 1)) {
            llvm.replace(at, 7, "loop.k7");
        }
        const std::string lowered = nw::test::loweredText() + "        for extra in 0..5\n          Y[extra] = 0\n";
        QCOMPARE(linkOf(llvm, linkLlvm(llvm, lowered), "loop.k7:"), std::string("mb no mo k!"));
    }

    void linesOfAssembly_data()
    {
        QTest::addColumn<std::string>("line");
        QTest::addColumn<std::string>("loops");
        QTest::newRow("before") << std::string("\tpushq") << std::string();
        QTest::newRow("header") << std::string(".LBB1_1:") << std::string("mb!");
        QTest::newRow("inside the header") << std::string("\tmovq\t%rax, 16(%rsp)") << std::string("mb");
        QTest::newRow("block without a name") << std::string("\tvxorps") << std::string("mb no mo");
        QTest::newRow("innermost") << std::string("\tvfmadd231ps") << std::string("mb no mo k");
        QTest::newRow("behind all") << std::string("\tretq") << std::string();
        QTest::newRow("behind the function") << std::string("\t.size") << std::string();
    }

    void linesOfAssembly()
    {
        QFETCH(std::string, line);
        QFETCH(std::string, loops);
        const std::string assembly = nw::test::assemblyText();
        const LineLinks links = linkAssembly(assembly, nw::test::llvmText(), nw::test::loweredText());
        QCOMPARE(links.size(), linesOf(assembly).size());
        QCOMPARE(linkOf(assembly, links, line), loops);
    }

    void withoutTextsNothingIsLinked()
    {
        QVERIFY(linkLlvm("", "").empty());
        QVERIFY(linkAssembly("", "", "").empty());
        const LineLinks links = linkAssembly(nw::test::assemblyText(), "", "");
        QVERIFY(std::all_of(links.begin(), links.end(), [](const LineLink& link) { return link.loops.empty(); }));
    }
};

NW_TEST_MAIN(tst_code_links, TestCodeLinks)
#include "tst_code_links.moc"
