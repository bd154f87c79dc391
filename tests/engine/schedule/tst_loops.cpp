// Rewrites of loops and their kinds, and what is offered for them.

#include "engine/base/text.h"
#include "tests/engine/schedule/nests.h"
#include "tests/engine/schedule/rewrites.h"
#include "tests/support/test.h"

#include <set>

using namespace nw;
using namespace nw::schedule;
using namespace nw::schedule::test;

class TestLoops : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rewrites_data()
    {
        addRewrites({
            {"split: divides", "matmul", "plain", "",
             "split m into mo mi:6",
             "mo in 0..5\n"
             "  mi in 0..6\n"
             "    n in 0..20\n"
             "      k in 0..24\n"
             "        matmul: Y[mo * 6 + mi, n] += A[mo * 6 + mi, k] * B[k, n]\n",
             "m -> mo mi"},
            {"split: tail", "matmul", "plain", "",
             "split m into mo mi:8",
             "mo in 0..4\n"
             "  mi in 0..8 (tail)\n"
             "    n in 0..20\n"
             "      k in 0..24\n"
             "        matmul: Y[mo * 8 + mi, n] += A[mo * 8 + mi, k] * B[k, n] if mo * 8 + mi < 30\n",
             "m -> mo mi"},
            {"split: three parts, the middle inferred", "matmul", "plain", "",
             "split k into a:2 b:_ c:3",
             "m in 0..30\n"
             "  n in 0..20\n"
             "    a in 0..2\n"
             "      b in 0..4\n"
             "        c in 0..3\n"
             "          matmul: Y[m, n] += A[m, a * 12 + b * 3 + c] * B[a * 12 + b * 3 + c, n]\n",
             "k -> a b c"},
            {"split: three parts, tail", "matmul", "plain", "",
             "split k into a b:3 c:7",
             "m in 0..30\n"
             "  n in 0..20\n"
             "    a in 0..2\n"
             "      b in 0..3 (tail)\n"
             "        c in 0..7 (tail)\n"
             "          matmul: Y[m, n] += A[m, a * 21 + b * 7 + c] * B[a * 21 + b * 7 + c, n] if a * 21 + b * 7 + c < 24\n",
             "k -> a b c"},
            {"split: factor above the extent", "matmul", "plain", "",
             "split n into no ni:32",
             "m in 0..30\n"
             "  no in 0..1\n"
             "    ni in 0..32 (tail)\n"
             "      k in 0..24\n"
             "        matmul: Y[m, ni] += A[m, k] * B[k, ni] if ni < 20\n",
             "n -> no ni"},
            {"split: a tail cut again", "matmul", "plain", "split m into mo mi:8",
             "split mi into ma mb:3",
             "mo in 0..4\n"
             "  ma in 0..3 (tail)\n"
             "    mb in 0..3 (tail)\n"
             "      n in 0..20\n"
             "        k in 0..24\n"
             "          matmul: Y[mo * 8 + ma * 3 + mb, n] += A[mo * 8 + ma * 3 + mb, k] * B[k, n] if mo * 8 + ma * 3 + mb < 30 && ma * 3 + mb < 8\n",
             "mi -> ma mb"},
            {"split: the loop of a tile", "matmul", "plain", "cache_write matmul at m in stack",
             "split m into mo mi:5",
             "mo in 0..6\n"
             "  mi in 0..5 with matmul.stack f32[1, 20] in stack\n"
             "    n in 0..20\n"
             "      k in 0..24\n"
             "        matmul: matmul.stack[0, n] += A[mo * 5 + mi, k] * B[k, n]\n"
             "    matmul.wb.n in 0..20\n"
             "      matmul.wb: Y[mo * 5 + mi, matmul.wb.n] = matmul.stack[0, matmul.wb.n]\n",
             "m -> mo mi"},
            {"split: a loop that others follow", "matmul", "plain", "reorder m k n\ncache_write matmul at m in stack",
             "split n into no ni:4",
             "m in 0..30 with matmul.stack f32[1, 20] in stack\n"
             "  k in 0..24\n"
             "    no in 0..5\n"
             "      ni in 0..4\n"
             "        matmul: matmul.stack[0, no * 4 + ni] += A[m, k] * B[k, no * 4 + ni]\n"
             "  matmul.wb.n in 0..20\n"
             "    matmul.wb: Y[m, matmul.wb.n] = matmul.stack[0, matmul.wb.n]\n",
             "n -> no ni"},
            {"fuse: two", "matmul", "plain", "",
             "fuse m n into mn",
             "mn in 0..600\n"
             "  k in 0..24\n"
             "    matmul: Y[mn / 20, mn % 20] += A[mn / 20, k] * B[k, mn % 20]\n",
             "m -> mn; n -> mn"},
            {"fuse: three", "conv", "plain border 0 0 1 1", "",
             "fuse oc oh ow into f",
             "f in 0..720\n"
             "  ic in 0..6\n"
             "    kh in 0..3\n"
             "      kw in 0..3\n"
             "        conv: conv[0, f / 90, f / 10 % 9, f % 10] += X[0, ic, kh + f / 10 % 9 - 1, kw + f % 10 - 1] * W[f / 90, ic, kh, kw]\n"
             "relu.oc in 0..8\n"
             "  relu.oh in 0..9\n"
             "    relu.ow in 0..10\n"
             "      relu: Y[0, relu.oc, relu.oh, relu.ow] = max(conv[0, relu.oc, relu.oh, relu.ow] + B[relu.oc], 0.0)\n",
             "oc -> f; oh -> f; ow -> f"},
            {"fuse: spatial with reduction", "matmul", "plain", "",
             "fuse n k into nk",
             "m in 0..30\n"
             "  nk in 0..480\n"
             "    matmul: Y[m, nk / 24] += A[m, nk % 24] * B[nk % 24, nk / 24]\n",
             "n -> nk; k -> nk"},
            {"fuse: undoes a split", "matmul", "plain", "split m into mo mi:6",
             "fuse mo mi into m",
             "m in 0..30\n"
             "  n in 0..20\n"
             "    k in 0..24\n"
             "      matmul: Y[m, n] += A[m, k] * B[k, n]\n",
             "mo -> m; mi -> m"},
            {"fuse: after a tail", "matmul", "plain", "split m into mo mi:8",
             "fuse mi n into f",
             "mo in 0..4\n"
             "  f in 0..160 (tail)\n"
             "    k in 0..24\n"
             "      matmul: Y[mo * 8 + f / 20, f % 20] += A[mo * 8 + f / 20, k] * B[k, f % 20] if mo * 160 + f < 600\n",
             "n -> f; mi -> f"},
            {"reorder: rotates", "matmul", "plain", "",
             "reorder k m n",
             "k in 0..24\n"
             "  m in 0..30\n"
             "    n in 0..20\n"
             "      matmul: Y[m, n] += A[m, k] * B[k, n]\n",
             ""},
            {"reorder: others keep their place", "matmul", "plain", "",
             "reorder k m",
             "k in 0..24\n"
             "  n in 0..20\n"
             "    m in 0..30\n"
             "      matmul: Y[m, n] += A[m, k] * B[k, n]\n",
             ""},
            {"reorder: a tile goes with the innermost", "matmul", "plain", "cache_write matmul at n in registers",
             "reorder n m",
             "n in 0..20\n"
             "  m in 0..30 with matmul.reg f32[1, 1] in registers\n"
             "    k in 0..24\n"
             "      matmul: matmul.reg[0, 0] += A[m, k] * B[k, n]\n"
             "    matmul.wb: Y[m, n] = matmul.reg[0, 0]\n",
             ""},
            {"tile: two loops", "matmul", "plain", "",
             "tile m n into mo no mi:8 ni:4",
             "mo in 0..4\n"
             "  no in 0..5\n"
             "    mi in 0..8 (tail)\n"
             "      ni in 0..4\n"
             "        k in 0..24\n"
             "          matmul: Y[mo * 8 + mi, no * 4 + ni] += A[mo * 8 + mi, k] * B[k, no * 4 + ni] if mo * 8 + mi < 30\n",
             "m -> mo mi; n -> no ni"},
            {"vectorize: innermost", "matmul", "plain", "reorder k n",
             "vectorize n",
             "m in 0..30\n"
             "  k in 0..24\n"
             "    vector n in 0..20\n"
             "      matmul: Y[m, n] += A[m, k] * B[k, n]\n",
             ""},
            {"vectorize: tail", "matmul", "plain", "split n into no ni:8\nreorder k ni",
             "vectorize ni",
             "m in 0..30\n"
             "  no in 0..3\n"
             "    k in 0..24\n"
             "      vector ni in 0..8 (tail)\n"
             "        matmul: Y[m, no * 8 + ni] += A[m, k] * B[k, no * 8 + ni] if no * 8 + ni < 20\n",
             ""},
            {"vectorize: a write-back follows", "matmul", "plain", "split n into no ni:4\nreorder no k m ni\nreorder no m k ni\ncache_write matmul at m in registers",
             "vectorize ni",
             "no in 0..5\n"
             "  m in 0..30 with matmul.reg f32[1, 4] in registers\n"
             "    k in 0..24\n"
             "      vector ni in 0..4\n"
             "        matmul: matmul.reg[0, ni] += A[m, k] * B[k, no * 4 + ni]\n"
             "    vector matmul.wb.n in 0..4\n"
             "      matmul.wb: Y[m, no * 4 + matmul.wb.n] = matmul.reg[0, matmul.wb.n]\n",
             ""},
            {"vectorize: a write-back that cannot follow", "matmul", "plain", "split n into no ni:4\nsplit m into mo mi:2\nreorder mo no k mi ni\ncache_write matmul at no in registers\nreorder matmul.wb.n matmul.wb.m",
             "vectorize ni",
             "mo in 0..15\n"
             "  no in 0..5 with matmul.reg f32[2, 4] in registers\n"
             "    k in 0..24\n"
             "      mi in 0..2\n"
             "        vector ni in 0..4\n"
             "          matmul: matmul.reg[mi, ni] += A[mo * 2 + mi, k] * B[k, no * 4 + ni]\n"
             "    matmul.wb.n in 0..4\n"
             "      matmul.wb.m in 0..2\n"
             "        matmul.wb: Y[mo * 2 + matmul.wb.m, no * 4 + matmul.wb.n] = matmul.reg[matmul.wb.m, matmul.wb.n]\n",
             ""},
            {"unroll: with the write-back", "matmul", "plain", "split m into mo mi:2\nreorder mo n k mi\ncache_write matmul at n in registers",
             "unroll mi",
             "mo in 0..15\n"
             "  n in 0..20 with matmul.reg f32[2, 1] in registers\n"
             "    k in 0..24\n"
             "      unrolled mi in 0..2\n"
             "        matmul: matmul.reg[mi, 0] += A[mo * 2 + mi, k] * B[k, n]\n"
             "    unrolled matmul.wb.m in 0..2\n"
             "      matmul.wb: Y[mo * 2 + matmul.wb.m, n] = matmul.reg[matmul.wb.m, 0]\n",
             ""},
            {"unroll: a reduction", "matmul", "plain", "",
             "unroll k",
             "m in 0..30\n"
             "  n in 0..20\n"
             "    unrolled k in 0..24\n"
             "      matmul: Y[m, n] += A[m, k] * B[k, n]\n",
             ""},
            {"parallel: one", "matmul", "plain", "",
             "parallel m",
             "parallel m in 0..30\n"
             "  n in 0..20\n"
             "    k in 0..24\n"
             "      matmul: Y[m, n] += A[m, k] * B[k, n]\n",
             ""},
            {"parallel: two", "conv", "plain", "",
             "parallel oc oh",
             "parallel oc in 0..8\n"
             "  parallel oh in 0..9\n"
             "    ow in 0..10\n"
             "      ic in 0..6\n"
             "        kh in 0..3\n"
             "          kw in 0..3\n"
             "            conv: conv[0, oc, oh, ow] += select(kh + oh >= 1 && kh + oh < 10 && kw + ow >= 1 && kw + ow < 11, X[0, ic, kh + oh - 1, kw + ow - 1], 0.0) * W[oc, ic, kh, kw]\n"
             "relu.oc in 0..8\n"
             "  relu.oh in 0..9\n"
             "    relu.ow in 0..10\n"
             "      relu: Y[0, relu.oc, relu.oh, relu.ow] = max(conv[0, relu.oc, relu.oh, relu.ow] + B[relu.oc], 0.0)\n",
             ""},
            {"parallel: fused and split again", "matmul", "plain", "fuse m n into f\nsplit f into fo fi:7",
             "parallel fo",
             "parallel fo in 0..86\n"
             "  fi in 0..7 (tail)\n"
             "    k in 0..24\n"
             "      matmul: Y[(fo * 7 + fi) / 20, (fo * 7 + fi) % 20] += A[(fo * 7 + fi) / 20, k] * B[k, (fo * 7 + fi) % 20] if fo * 7 + fi < 600\n",
             ""},
            {"parallel: around a private tile", "matmul", "plain", "cache_write matmul at m in stack",
             "parallel m",
             "parallel m in 0..30 with matmul.stack f32[1, 20] in stack\n"
             "  n in 0..20\n"
             "    k in 0..24\n"
             "      matmul: matmul.stack[0, n] += A[m, k] * B[k, n]\n"
             "  matmul.wb.n in 0..20\n"
             "    matmul.wb: Y[m, matmul.wb.n] = matmul.stack[0, matmul.wb.n]\n",
             ""},
        });
    }

    void rewrites()
    {
        checkRewrite();
    }

    // What is offered for each loop and block can be asked for, and the legal part of it done.
    void proposals()
    {
        for (const char* name : {"matmul_relu", "conv", "softmax", "chain"}) {
            const LoopNest nest = nestOf(definitionText(name));
            std::vector<std::string> names;
            for (const Loop* loop : nest.allLoops()) {
                names.push_back(loop->name);
            }
            for (const LoopNest::Path& path : nest.blocks()) {
                names.push_back(path.block->name);
            }
            std::set<std::string> offered;
            for (const std::string& asked : names) {
                for (const Offer& offer : offers(nest, asked, allPrimitives(), smallContext())) {
                    const Result<Replay> done = steps(nest, offer.text);
                    const bool allowed = offer.check.verdict == Verdict::Legal || offer.check.verdict == Verdict::Pointless;
                    QVERIFY2(done.has_value() == allowed, offer.text.c_str());
                    if (done) {
                        QVERIFY2(verify(done->nest()).empty(), (offer.text + verify(done->nest())).c_str());
                        offered.insert(offer.primitive->name);
                    }
                }
            }
            QVERIFY2(offered.size() >= 7, join({offered.begin(), offered.end()}, " ").c_str());
        }
    }

    // The list is complete, and each primitive says what it takes.
    void declared()
    {
        std::vector<std::string> names;
        for (const Primitive* primitive : allPrimitives()) {
            names.push_back(primitive->name);
            QVERIFY(!primitive->summary.empty() && !primitive->params.empty());
        }
        QCOMPARE(join(names, " "), std::string("split fuse reorder tile pad fission merge partition specialize vectorize unroll parallel "
                                               "rfactor decompose_reduction cache_write compute_at reverse_compute_at set_layout "
                                               "cache_read compute_inline reverse_compute_inline storage_align store_at rolling_buffer "
                                               "prefetch stream annotate"));
    }
};

NW_TEST_MAIN(tst_loops, TestLoops)
#include "tst_loops.moc"
