// rfactor: what it makes, what it keeps, what it refuses.

#include "tests/engine/schedule/nests.h"
#include "tests/engine/schedule/rewrites.h"
#include "tests/support/test.h"

using namespace nw;
using namespace nw::schedule;
using namespace nw::schedule::test;

namespace {

std::string sumOf(int count)
{
    return "definition sum\ninput V f32 [" + std::to_string(count) + "]\noutput O f32 [1]\nstage sum -> O f32 [d0:1] sum [k:" +
        std::to_string(count) + "] from 0.0 =\n    V[k]\n";
}

} // namespace

class TestRfactor : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rewrites_data()
    {
        addRewrites({
            {"outer steps", "sum", "plain", "split k into ko ki:16", "rfactor sum over ko",
             "ko in 0..8\n"
             "  ki in 0..16\n"
             "    sum.part: O.part[ko, 0] += V[ko * 16 + ki]\n"
             "sum.ko in 0..8\n"
             "  sum: O[0] += O.part[sum.ko, 0]\n",
             "ko -> ko sum.ko; sum -> sum.part sum"},
            {"inner steps and a guard", "sum", "plain", "split k into ko ki:24\nreorder ki ko", "rfactor sum over ki",
             "ki in 0..24 (tail)\n"
             "  ko in 0..6\n"
             "    sum.part: O.part[ki, 0] += select(ko * 24 + ki < 128, V[ko * 24 + ki], 0.0)\n"
             "sum.ki in 0..24\n"
             "  sum: O[0] += O.part[sum.ki, 0]\n",
             "ki -> ki sum.ki; sum -> sum.part sum"},
            {"several elements", "matmul", "plain", "split k into ko ki:8\nreorder ko m n ki", "rfactor matmul over ko",
             "ko in 0..3\n"
             "  m in 0..30\n"
             "    n in 0..20\n"
             "      ki in 0..8\n"
             "        matmul.part: Y.part[ko, m, n] += A[m, ko * 8 + ki] * B[ko * 8 + ki, n]\n"
             "matmul.m in 0..30\n"
             "  matmul.n in 0..20\n"
             "    matmul.ko in 0..3\n"
             "      matmul: Y[matmul.m, matmul.n] += Y.part[matmul.ko, matmul.m, matmul.n]\n",
             "ko -> ko matmul.ko; matmul -> matmul.part matmul"},
        });
    }
    void rewrites() { checkRewrite(); }

    // 15 numbers in eights, and other sizes that leave parts empty; the factored loop parallel or a vector afterwards.
    void case_33()
    {
        for (const int count : {15, 8, 17, 3}) { // an axis of one element has no loop to factor
            const LoopNest plain = nestOf(sumOf(count));
            for (const char* script : {"split k into ko:_ ki:8\nrfactor sum over ko\n", "split k into ko:_ ki:8\nrfactor sum over ki\n",
                                       "split k into ko:_ ki:8\nrfactor sum over ko\nparallel ko\n",
                                       "split k into ko:_ ki:8\nreorder ki ko\nrfactor sum over ki\nreorder ko ki\nvectorize ki\n",
                                       "split k into ko:_ ki:8\nreorder ki ko\nrfactor sum over ki\nparallel ki\n"}) {
                const LoopNest now = after(plain, script);
                for (std::uint64_t seed = 1; seed <= 5; ++seed) {
                    const std::string fault = differs(plain, now, seed);
                    QVERIFY2(fault.empty(), (std::to_string(count) + " numbers, " + script + fault + "\n" + toText(now)).c_str());
                }
            }
        }
        // Maximum: the parts of nothing are minus infinity, not 0.
        const LoopNest plain = nestOf("definition max\ninput X f32 [5, 15]\noutput Y f32 [5]\n"
                                      "stage max -> Y f32 [d0:5] max [k:15] from -inf =\n    X[d0, k] - 1000.0\n");
        const LoopNest now = after(plain, "split k into ko:_ ki:8\nreorder ki d0 ko\nrfactor max over ki\nparallel ki\n");
        QCOMPARE(differs(plain, now, 3), std::string());
    }

    void refuses_data()
    {
        addRefusals({
            {"matmul_relu", "", "rfactor relu over relu.n", "rfactor.no_reduction", "rfactor: relu adds nothing up"},
            {"matmul", "", "rfactor matmul over m", "rfactor.elements",
             "rfactor: m counts elements of Y, not only steps of its reduction"},
            {"matmul", "fuse n k into f", "rfactor matmul over f", "rfactor.elements",
             "rfactor: f counts elements of Y, not only steps of its reduction"},
            {"matmul_relu", "", "rfactor matmul over relu.n", "rfactor.outside", "rfactor: matmul does not stand inside relu.n"},
            {"matmul_relu", "reverse_compute_at relu at m", "rfactor matmul over k", "rfactor.private",
             "rfactor: matmul, which matmul writes, belongs to a step of m; factor the reduction before that step"},
            {"matmul_relu", "merge m relu.m", "rfactor matmul over k", "rfactor.neighbour",
             "rfactor: relu uses matmul beneath the loops of matmul, before its parts could be put together"},
        });
    }
    void refuses() { checkRefusal(); }
};

NW_TEST_MAIN(tst_rfactor, TestRfactor)
#include "tst_rfactor.moc"
