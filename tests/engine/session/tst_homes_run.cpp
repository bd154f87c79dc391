// Copies of loops, homes of buffers and rings as code: built and run by the workers, on one thread and on two.

#include "engine/base/text.h"
#include "engine/session/fuzz/case.h"
#include "engine/session/fuzz/worker_check.h"
#include "tests/support/test.h"

using namespace nw;
using namespace nw::session::fuzz;

namespace {

const char* const kConvs = "definition conv\ninput X f32 [2, 15, 22]\nconstant W f32 [8, 2, 3, 3]\nconstant V f32 [3, 8, 3, 3]\noutput Y f32 [3, 11, 18]\n"
                           "stage conv f32 [oc:8, oh:13, ow:20] sum [ic:2, kh:3, kw:3] from 0.0 =\n    X[ic, oh + kh, ow + kw] * W[oc, ic, kh, kw]\n"
                           "stage conv2 -> Y f32 [oc:3, oh:11, ow:18] sum [ic:8, kh:3, kw:3] from 0.0 =\n    conv[ic, oh + kh, ow + kw] * V[oc, ic, kh, kw]\n";
const char* const kPools = "definition pool\ninput X f32 [3, 9, 24]\noutput Y f32 [3, 9, 24]\n"
                           "stage pool f32 [c:3, h:9, w:24] sum [kh:3] from 0.0 =\n    select(h + kh >= 1 && h + kh < 10, X[c, h + kh - 1, w], 0.0)\n"
                           "stage pool2 -> Y f32 [c:3, h:9, w:24] max [kh:3] from -inf =\n    select(h + kh >= 1 && h + kh < 10, pool[c, h + kh - 1, w], 0.0)\n";
const char* const kTaps = "definition add\ninput X f32 [40, 8]\noutput Y f32 [34, 8]\nstage f f32 [y:40, x:8] =\n    X[y, x] + 1.0\n"
                          "stage add -> Y f32 [y:34, x:8] sum [k:4] from 0.0 =\n    f[y + k * 2, x]\n";
const char* const kStencil = "definition add\ninput X f32 [84, 84]\noutput G f32 [64, 64]\nstage f f32 [y:84, x:84] sum [r:2] from 0.0 =\n    X[y, x]\n"
                             "stage add -> G f32 [y:64, x:64] =\n    f[y, x] + f[y + 20, x + 20]\n";

Case caseOf(const std::string& definition, const std::string& script, int threads)
{
    const Result<compute::Definition> parsed = compute::parseDefinition(definition);
    ENSURE(parsed.has_value(), parsed ? "" : parsed.error().message);
    Case one;
    one.threads = threads;
    one.definition = std::make_shared<const compute::Definition>(*parsed);
    one.layouts.resize(one.definition->ports.size());
    one.script = script;
    return one;
}

} // namespace

class TestHomesRun : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void answers_data()
    {
        QTest::addColumn<std::string>("definition");
        QTest::addColumn<std::string>("script");
        struct Row {
            const char *name, *definition, *script;
        };
        for (const Row& row : {
                 Row{"specialize: no border", kPools, "specialize w when h from 1 to 8\nreorder kh.2 w.2\nparallel c h\nvectorize w.2\n"},
                 Row{"specialize: full turns", kConvs, "split conv2.ow into wo wi:8\nreorder conv2.oc conv2.oh wo conv2.ic conv2.kh conv2.kw wi\n"
                                                       "specialize conv2.ic when wo from 0 to 2\nvectorize wi.2\nvectorize wi\nparallel conv2.oc conv2.oh\n"},
                 Row{"store_at: outwards", kStencil, "split add.y into yo yi:16\ncompute_at f at yo\nstore_at f\nreorder f.r f.x\nvectorize f.x\n"},
                 Row{"store_at: a row of tiles", kStencil, "tile add.y add.x into yo xo yi:16 xi:16\ncompute_at f at xo\nparallel yo\nstore_at f at yo\nvectorize xi\n"},
                 Row{"store_at: registers", kConvs, "split conv2.ow into wo wi:6\nreorder conv2.oh conv2.oc wo conv2.ic conv2.kh conv2.kw wi\n"
                                                    "cache_write conv2 at wo in registers\nstore_at conv2.reg at conv2.oc\nvectorize wi\nunroll wo\n"},
                 Row{"rolling_buffer: rows", kConvs, "reorder conv2.oh conv2.oc\ncompute_at conv at conv2.oh\nrolling_buffer conv at conv2.oh\n"},
                 Row{"rolling_buffer: rows of vectors", kConvs, "split conv2.ow into wo wi:6\nreorder conv2.oh wo conv2.oc wi\ncompute_at conv at wo\n"
                                                                "rolling_buffer conv at conv2.oh size power_of_two\nreorder conv.oc conv.oh conv.ic conv.kh conv.kw conv.ow\nvectorize conv.ow\n"},
                 Row{"rolling_buffer: threads around", kPools, "compute_at pool at pool2.h\nrolling_buffer pool at pool2.h\nparallel pool2.c\npartition pool.h at 2\n"},
                 Row{"rolling_buffer: unrolled", kTaps, "split add.y into yo yi:8\nreorder yo yi add.x add.k\ncompute_at f at yi\nrolling_buffer f at yi\nunroll yi\nunroll add.k\nparallel yo\n"},
                 Row{"rolling_buffer: taps", kTaps, "compute_at f at add.y\nrolling_buffer f at add.y size power_of_two\nvectorize f.x\n"},
             }) {
            QTest::newRow(row.name) << std::string(row.definition) << std::string(row.script);
        }
    }

    void answers()
    {
        QFETCH(std::string, definition);
        QFETCH(std::string, script);
        const Case one = caseOf(definition, script, 2);
        if (!WorkerCheck::canRun(one)) {
            QSKIP("this machine has no such vectors");
        }
        const Result<Judge> rules = Judge::create(one.definition);
        VERIFY_OK(rules);
        QCOMPARE(judge(one, *rules, schedule::allPrimitives()).message, std::string());
        QTemporaryDir folder;
        WorkerCheck worker({NW_BUILDER, NW_RUNNER}, folder.filePath("homes").toStdString());
        QCOMPARE(worker.check(one, {}).message, std::string());
    }

    // What a tile computes for itself and keeps in the memory of its row is the same in every run, whoever runs beside it.
    void case_36_store_at()
    {
        const Case one = caseOf(kStencil, "tile add.y add.x into yo xo yi:16 xi:16\ncompute_at f at xo\nparallel yo\nstore_at f at yo\n", 2);
        if (!WorkerCheck::canRun(one)) {
            QSKIP("this machine has no such vectors");
        }
        const Result<Judge> rules = Judge::create(one.definition);
        VERIFY_OK(rules);
        QTemporaryDir folder;
        WorkerCheck worker({NW_BUILDER, NW_RUNNER}, folder.filePath("homes").toStdString());
        for (std::uint64_t run = 0; run < draws(200); ++run) {
            QCOMPARE(worker.check(one, {}).message, std::string());
        }
        const Case shared = caseOf(kStencil, "tile add.y add.x into yo xo yi:16 xi:16\ncompute_at f at xo\nparallel yo xo\nstore_at f\n", 2);
        const Finding refused = judge(shared, *rules, schedule::allPrimitives());
        QCOMPARE(refused.fault, Fault::Illegal);
        QVERIFY2(refused.message.find("several steps of yo write the same element of f") != std::string::npos, refused.message.c_str());
    }
};

NW_TEST_MAIN(tst_homes_run, TestHomesRun)
#include "tst_homes_run.moc"
