// Every rule that a primitive may refuse by is reached by some test of this folder or by a kept case, which is read from
// the text of both; and refusals that no other table comes by.

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/schedule/rewrite_nest.h"
#include "tests/engine/schedule/nests.h"
#include "tests/engine/schedule/rewrites.h"
#include "tests/support/test.h"

#include <filesystem>
#include <regex>
#include <set>

using namespace nw;
using namespace nw::schedule;
using namespace nw::schedule::test;

namespace {

std::string textOf(const std::string& folder)
{
    std::string all;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(NW_SOURCE_DIR) / folder)) {
        if (entry.path().extension() == ".cpp") {
            const Result<std::string> text = readFile(entry.path());
            ENSURE(text.has_value(), text ? "" : text.error().message);
            all += *text;
        }
    }
    return all;
}

// "<primitive>.<rule>" as the sources state it, and what checks that several primitives share add to a primitive's name.
std::set<std::string> statedRules(const std::string& sources)
{
    static const std::map<std::string, std::vector<std::string>> kShared{
        {"loopMissing", {"no_loop"}}, {"blockMissing", {"no_block"}}, {"bufferMissing", {"no_buffer"}},
        {"namesTaken", {"name_taken"}}, {"iterationsMeet", {"race", "shared"}},
        {"takesTurns", {"dependence", "unknown"}}, {"tooLarge", {"too_large"}}, {"losesHints", {"hint"}},
        {"leavesRing", {"ring"}},
    };
    std::set<std::string> rules;
    const std::regex stated("(?:illegal|unproven)\\(\\s*\"([a-z_]+\\.[a-z_]+)\"");
    for (auto found = std::sregex_iterator(sources.begin(), sources.end(), stated); found != std::sregex_iterator(); ++found) {
        rules.insert((*found)[1]);
    }
    for (const auto& [check, ends] : kShared) {
        const std::regex called(check + "\\((?:nest, )?\"([a-z_]+)\"");
        for (auto found = std::sregex_iterator(sources.begin(), sources.end(), called); found != std::sregex_iterator(); ++found) {
            for (const std::string& end : ends) {
                rules.insert((*found)[1].str() + "." + end);
            }
        }
    }
    return rules;
}

const Primitive& primitiveNamed(const std::string& name)
{
    for (const Primitive* primitive : allPrimitives()) {
        if (primitive->name == name) {
            return *primitive;
        }
    }
    throwBug(__FILE__, __LINE__, "no primitive " + name);
}

std::string ruleOf(const LoopNest& nest, const std::string& primitive, const Args& args)
{
    return primitiveNamed(primitive).check(nest, args, smallContext()).why.rule;
}

std::vector<std::string> names(std::vector<std::string> list)
{
    return list;
}

} // namespace

class TestRules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachIsReached()
    {
        std::string tests = textOf("tests/engine/schedule");
        for (const auto& kept : std::filesystem::directory_iterator(std::filesystem::path(NW_SOURCE_DIR) / "tests/expected/refusals")) {
            tests += "\"" + kept.path().stem().string() + "\"";
        }
        const std::set<std::string> rules = statedRules(textOf("engine/schedule/primitives"));
        QVERIFY2(rules.size() > 200 && rules.contains("split.has_kind") && rules.contains("fission.dependence"), "the sources are not read");
        // Told where the arithmetic of indices gives up; no definition is known that would lead to such an index there.
        const std::set<std::string> beyond{"reorder.dependence_unknown", "reverse_compute_at.unknown"};
        std::vector<std::string> missing;
        for (const std::string& rule : rules) {
            if (!beyond.contains(rule) && tests.find("\"" + rule + "\"") == std::string::npos) {
                missing.push_back(rule);
            }
        }
        QVERIFY2(missing.empty(), join(missing, ", ").c_str());
    }

    void refuses_data()
    {
        addRefusals({
            {"matmul", "", "cache_write matmul at x in stack", "cache_write.no_loop", "cache_write: there is no loop x"},
            {"matmul_relu", "", "compute_at x at m", "compute_at.no_block", "compute_at: there is no block x"},
            {"matmul_relu", "", "compute_at matmul at x", "compute_at.no_loop", "compute_at: there is no loop x"},
            {"matmul_relu", "", "reverse_compute_at x at m", "reverse_compute_at.no_block", "reverse_compute_at: there is no block x"},
            {"matmul_relu", "", "reverse_compute_at relu at x", "reverse_compute_at.no_loop", "reverse_compute_at: there is no loop x"},
            {"matmul", "", "rfactor x over k", "rfactor.no_block", "rfactor: there is no block x"},
            {"matmul", "", "rfactor matmul over x", "rfactor.no_loop", "rfactor: there is no loop x"},
            {"matmul", "", "fuse m x into f", "fuse.no_loop", "fuse: there is no loop x"},
            {"matmul", "", "fuse m n into k", "fuse.name_taken", "fuse: the name k is taken; choose another"},
            {"matmul", "", "parallel x", "parallel.no_loop", "parallel: there is no loop x"},
            {"matmul", "", "unroll x", "unroll.no_loop", "unroll: there is no loop x"},
            {"matmul", "", "vectorize x", "vectorize.no_loop", "vectorize: there is no loop x"},
            {"matmul", "", "reorder m x", "reorder.no_loop", "reorder: there is no loop x"},
            {"matmul", "", "split m into a:1000000000 b:1000000000 c", "split.factor_too_large", "split: the parts of m are too large to count"},
            {"large", "", "vectorize n", "vectorize.too_wide", "vectorize: n has 8192 steps, more than 256; split it first"},
            {"copy", "split i into a b:8 tail shift\nreorder b a", "vectorize a", "vectorize.race",
             "vectorize: several steps of a write the same element of Y in copy; only the last would count"},
            {"behind", "merge y add.y", "vectorize y", "vectorize.shared",
             "vectorize: f writes elements of f that add uses in another step of y; each step would need its own"},
            {"behind", "merge y add.y", "parallel y", "parallel.shared",
             "parallel: f writes elements of f that add uses in another step of y; each step would need its own"},
            {"behind", "merge y add.y", "split y into a b:3 tail shift", "split.shared",
             "split: f writes elements of f that add uses in another step of y; each step would need its own"},
            {"chain", "vectorize d1", "cache_write add at d1 in heap", "cache_write.vector",
             "cache_write: d1 is a vector loop; each of its lanes can keep one element, on the stack or in registers"},
            {"unread", "", "compute_at add at mul.d0", "compute_at.no_consumer", "compute_at: nothing reads what add writes"},
            {"matmul_relu", "merge m relu.m", "compute_at matmul at relu.n", "compute_at.shared_loops",
             "compute_at: matmul and relu.n already share the loop m"},
            {"matmul_relu", "merge m relu.m", "reverse_compute_at relu at n", "reverse_compute_at.shared_loops",
             "reverse_compute_at: relu and n already share the loop m"},
            {"chain", "reverse_compute_at mul at d0\nmerge d1 mul.d1", "fuse d0 d1 into f", "fuse.buffer",
             "fuse: add is kept over all of d1 for each step of d0"},
            {"chain", "vectorize d1", "reverse_compute_at mul at d1", "reverse_compute_at.vector",
             "reverse_compute_at: d1 is a vector loop and can hold no loops"},
        });
    }
    void refuses() { checkRefusal(); }

    // What the parser does not let through is told by the checks, too.
    void withoutTheParser()
    {
        const LoopNest nest = nestOf(definitionText("matmul"));
        const std::string m = "m";
        QCOMPARE(ruleOf(nest, "fuse", {{names({}), std::string("f")}}), std::string("fuse.nothing"));
        QCOMPARE(ruleOf(nest, "tile", {{names({}), std::vector<Part>{}}}), std::string("tile.nothing"));
        QCOMPARE(ruleOf(nest, "parallel", {{names({})}}), std::string("parallel.nothing"));
        QCOMPARE(ruleOf(nest, "reorder", {{names({})}}), std::string("reorder.nothing"));
        QCOMPARE(ruleOf(nest, "cache_write", {{std::string("matmul"), m, std::string("drawer")}}), std::string("cache_write.scope"));
        QCOMPARE(ruleOf(nest, "cache_read", {{std::string("A"), ArgValue(), m, std::string("drawer")}}), std::string("cache_read.scope"));
        QCOMPARE(ruleOf(nest, "split", {{m, std::vector<Part>{{"1a", std::nullopt}, {"b", 4}}}}), std::string("split.bad_name"));
        QCOMPARE(ruleOf(nest, "annotate", {{m, std::string("colour"), std::int64_t{1}}}), std::string("annotate.key"));
        QCOMPARE(ruleOf(nest, "pad", {{m, std::string("double"), std::int64_t{4}}}), std::string("pad.goal"));
    }

    // Extents that are no numbers yet, and such as nobody can count.
    void symbolic()
    {
        LoopNest open = nestOf(definitionText("matmul"));
        for (const char* name : {"m", "k"}) {
            changeLoop(open, open.findLoop(name).loop->id, [](Loop& loop) { loop.extent = var("many"); });
        }
        const std::string m = "m";
        const std::vector<Part> parts{{"a", std::nullopt}, {"b", 4}};
        QCOMPARE(ruleOf(open, "split", {{m, parts}}), std::string("split.symbolic"));
        QCOMPARE(ruleOf(open, "fuse", {{names({"m", "n"}), std::string("f")}}), std::string("fuse.symbolic"));
        QCOMPARE(ruleOf(open, "partition", {{m, std::int64_t{3}}}), std::string("partition.symbolic"));
        QCOMPARE(ruleOf(open, "vectorize", {{m}}), std::string("vectorize.symbolic"));
        QCOMPARE(ruleOf(open, "rfactor", {{std::string("matmul"), std::string("k")}}), std::string("rfactor.symbolic"));
        QCOMPARE(ruleOf(open, "pad", {{m, std::string("multiple"), std::int64_t{4}}}), std::string("pad.symbolic"));
        for (const char* name : {"m", "n"}) {
            changeLoop(open, open.findLoop(name).loop->id, [](Loop& loop) { loop.extent = intImm(std::int64_t{1} << 30); });
        }
        QCOMPARE(ruleOf(open, "fuse", {{names({"m", "n"}), std::string("f")}}), std::string("fuse.too_large"));
    }
};

NW_TEST_MAIN(tst_rules, TestRules)
#include "tst_rules.moc"
