// The golden table: fifteen nests, and what every primitive says at each of their loops and blocks. To be read by people
// (tests/expected/primitives); a change of a rule shows as a change of a line. NW_UPDATE_EXPECTED=1 writes it anew.

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "tests/engine/schedule/nests.h"
#include "tests/support/test.h"

#include <cstdlib>
#include <filesystem>
#include <set>

using namespace nw;
using namespace nw::schedule;
using namespace nw::schedule::test;

namespace {

struct Row {
    const char *name, *definition, *setup;
};
constexpr Row kNests[] = {
    {"01 matmul, plain", "matmul", ""},
    {"02 matmul, tiled", "matmul", "tile m n into mo no mi:6 ni:4\nreorder mo no k mi ni"},
    {"03 matmul, tile with a tail", "matmul", "split n into no:_ ni:8\nreorder m no k ni\nvectorize ni"},
    {"04 matmul, sums in registers", "matmul", "split n into no:_ ni:4\nreorder m no k ni\ncache_write matmul at no in registers\nvectorize ni"},
    {"05 matmul and relu, plain", "matmul_relu", ""},
    {"06 matmul and relu, epilogue in the row", "matmul_relu", "reverse_compute_at relu at m"},
    {"07 matmul, parallel rows", "matmul", "parallel m"},
    {"08 matmul, fused with its reduction", "matmul", "fuse n k into nk"},
    {"09 convolution, plain", "conv", ""},
    {"10 convolution, blocked channels", "conv", "split oc into oco:_ oci:4\nreorder oco oh ow ic kh kw oci\nvectorize oci"},
    {"11 softmax, plain", "softmax", ""},
    {"12 softmax, row by row", "softmax", "reverse_compute_at shift at d0"},
    {"13 element-wise chain", "chain", ""},
    {"14 sum of a vector", "sum", "split k into ko:_ ki:24"},
    {"15 stencil, producer in the row", "stencil", "compute_at f at add.y"},
};

const char* stateOf(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Legal: return "legal";
    case Verdict::Pointless: return "pointless";
    case Verdict::Unproven: return "unproven";
    case Verdict::Illegal: return "illegal";
    }
    return "";
}

std::string titleOf(const LoopNest& nest, const Row& row)
{
    return format("{}\n\n{}\n{}", row.name, *row.setup == '\0' ? "" : std::string(row.setup) + "\n", toText(nest));
}

} // namespace

class TestTable : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void table_data()
    {
        QTest::addColumn<int>("index");
        for (int i = 0; i < static_cast<int>(std::size(kNests)); ++i) {
            QTest::newRow(kNests[i].name) << i;
        }
    }
    // The lines are those kept; what is legal leaves a sound nest (tst_answers runs them); what unlocks, unlocks.
    void table()
    {
        QFETCH(int, index);
        const Row& row = kNests[index];
        const LoopNest nest = after(nestOf(definitionText(row.definition)), row.setup);
        std::vector<std::string> places;
        for (const Loop* loop : nest.allLoops()) {
            places.push_back(loop->name);
        }
        for (const LoopNest::Path& path : nest.blocks()) {
            places.push_back(path.block->name);
        }
        std::string text = titleOf(nest, row);
        for (const Primitive* primitive : allPrimitives()) {
            text += "\n" + primitive->name + "\n";
            std::set<std::string> told;
            for (const std::string& place : places) {
                for (const Offer& offer : offers(nest, place, std::vector<const Primitive*>{primitive}, smallContext())) {
                    if (!told.insert(offer.text).second) {
                        continue;
                    }
                    const Refusal& why = offer.check.why;
                    text += format("  {:<10} {}\n", stateOf(offer.check.verdict), offer.text);
                    text += why.rule.empty() ? "" : format("             {}\n", fillWords(why.words, why.operands));
                    for (const std::string& unlock : why.unlocks) {
                        text += format("             possible after: {}\n", unlock);
                        const Result<Replay> both = steps(nest, unlock + "\n" + offer.text);
                        QVERIFY2(both.has_value(), both ? "" : (offer.text + " after " + unlock + ": " + both.error().message).c_str());
                    }
                    if (offer.check.verdict == Verdict::Legal || offer.check.verdict == Verdict::Pointless) {
                        (void)after(nest, offer.text); // a Bug when the nest is not sound
                    }
                    break; // the first proposal of a place is enough to read
                }
            }
            text += told.empty() ? "  nothing to offer\n" : "";
        }
        const std::filesystem::path path = std::filesystem::path(NW_SOURCE_DIR) / "tests/expected/primitives" /
            (std::string(row.name).substr(0, 2) + ".txt");
        if (std::getenv("NW_UPDATE_EXPECTED") != nullptr) {
            std::filesystem::create_directories(path.parent_path());
            VERIFY_OK(writeFile(path, text));
        }
        const Result<std::string> expected = readFile(path);
        VERIFY_OK(expected);
        const std::vector<std::string> now = splitText(text, '\n');
        const std::vector<std::string> kept = splitText(*expected, '\n');
        for (std::size_t i = 0; i < std::min(now.size(), kept.size()); ++i) {
            QVERIFY2(now[i] == kept[i], format("line {}: \"{}\", kept is \"{}\"", i + 1, now[i], kept[i]).c_str());
        }
        QCOMPARE(now.size(), kept.size());
    }
};

NW_TEST_MAIN(tst_table, TestTable)
#include "tst_table.moc"
