// Rewrites that move blocks and what they keep: tiles, producers, consumers, layouts.

#include "engine/base/text.h"
#include "tests/engine/schedule/nests.h"
#include "tests/engine/schedule/rewrites.h"
#include "tests/support/test.h"

using namespace nw;
using namespace nw::schedule;
using namespace nw::schedule::test;

class TestPlaces : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rewrites_data()
    {
        addRewrites({
            {"cache_write: registers", "matmul", "plain", "split n into no ni:4\nreorder m no k ni",
             "cache_write matmul at no in registers",
             "m in 0..30\n"
             "  no in 0..5 with matmul.reg f32[1, 4] in registers\n"
             "    k in 0..24\n"
             "      ni in 0..4\n"
             "        matmul: matmul.reg[0, ni] += A[m, k] * B[k, no * 4 + ni]\n"
             "    matmul.wb.n in 0..4\n"
             "      matmul.wb: Y[m, no * 4 + matmul.wb.n] = matmul.reg[0, matmul.wb.n]\n",
             "matmul -> matmul matmul.wb"},
            {"cache_write: tail", "matmul", "plain", "split m into mo mi:8\nreorder mo n k mi",
             "cache_write matmul at n in stack",
             "mo in 0..4\n"
             "  n in 0..20 with matmul.stack f32[8, 1] in stack as (a0, a1) -> (a1, a0)\n"
             "    k in 0..24\n"
             "      mi in 0..8 (tail)\n"
             "        matmul: matmul.stack[mi, 0] += A[mo * 8 + mi, k] * B[k, n] if mo * 8 + mi < 30\n"
             "    matmul.wb.m in 0..8 (tail)\n"
             "      matmul.wb: Y[mo * 8 + matmul.wb.m, n] = matmul.stack[matmul.wb.m, 0] if mo * 8 + matmul.wb.m < 30\n",
             "matmul -> matmul matmul.wb"},
            {"cache_write: heap", "matmul", "plain", "",
             "cache_write matmul at m in heap",
             "m in 0..30 with matmul.heap f32[1, 20] in heap\n"
             "  n in 0..20\n"
             "    k in 0..24\n"
             "      matmul: matmul.heap[0, n] += A[m, k] * B[k, n]\n"
             "  matmul.wb.n in 0..20\n"
             "    matmul.wb: Y[m, matmul.wb.n] = matmul.heap[0, matmul.wb.n]\n",
             "matmul -> matmul matmul.wb"},
            {"cache_write: two loops an axis", "matmul", "plain", "split n into no nm:2 ni:4\nreorder m no k nm ni",
             "cache_write matmul at no in registers",
             "m in 0..30\n"
             "  no in 0..3 with matmul.reg f32[1, 8] in registers\n"
             "    k in 0..24\n"
             "      nm in 0..2 (tail)\n"
             "        ni in 0..4 (tail)\n"
             "          matmul: matmul.reg[0, nm * 4 + ni] += A[m, k] * B[k, no * 8 + nm * 4 + ni] if no * 8 + nm * 4 + ni < 20\n"
             "    matmul.wb.nm in 0..2 (tail)\n"
             "      matmul.wb.ni in 0..4 (tail)\n"
             "        matmul.wb: Y[m, no * 8 + matmul.wb.nm * 4 + matmul.wb.ni] = matmul.reg[0, matmul.wb.nm * 4 + matmul.wb.ni] if no * 8 + matmul.wb.nm * 4 + matmul.wb.ni < 20\n",
             "matmul -> matmul matmul.wb"},
            {"cache_write: the buffer becomes the tile", "matmul_relu", "plain", "split n into no ni:4\nreorder m no k ni\nreverse_compute_at relu at no",
             "cache_write matmul at no in registers",
             "m in 0..30\n"
             "  no in 0..5 with matmul f32[1, 4] in registers\n"
             "    k in 0..24\n"
             "      ni in 0..4\n"
             "        matmul: matmul[0, ni] += A[m, k] * B[k, no * 4 + ni]\n"
             "    relu.n in 0..4\n"
             "      relu: Y[m, no * 4 + relu.n] = max(matmul[0, relu.n] + C[no * 4 + relu.n], 0.0)\n",
             ""},
            {"cache_write: all of the buffer", "matmul", "plain", "split m into mo mi:30",
             "cache_write matmul at mo in stack",
             "mo in 0..1 with matmul.stack f32[30, 20] in stack\n"
             "  mi in 0..30\n"
             "    n in 0..20\n"
             "      k in 0..24\n"
             "        matmul: matmul.stack[mi, n] += A[mi, k] * B[k, n]\n"
             "  matmul.wb.m in 0..30\n"
             "    matmul.wb.n in 0..20\n"
             "      matmul.wb: Y[matmul.wb.m, matmul.wb.n] = matmul.stack[matmul.wb.m, matmul.wb.n]\n",
             "matmul -> matmul matmul.wb"},
            {"compute_at: a row", "matmul_relu", "plain", "",
             "compute_at matmul at relu.m",
             "relu.m in 0..30 with matmul f32[1, 20] in stack\n"
             "  matmul.n in 0..20\n"
             "    matmul.k in 0..24\n"
             "      matmul: matmul[0, matmul.n] += A[relu.m, matmul.k] * B[matmul.k, matmul.n]\n"
             "  relu.n in 0..20\n"
             "    relu: Y[relu.m, relu.n] = max(matmul[0, relu.n] + C[relu.n], 0.0)\n",
             "m -> nothing; n -> matmul.n; k -> matmul.k"},
            {"compute_at: overlapping windows", "stencil", "plain", "split add.y into yo yi:16",
             "compute_at f at yo",
             "yo in 0..4 with f f32[36, 84] in stack\n"
             "  f.y in 0..36\n"
             "    f.x in 0..84\n"
             "      f.r in 0..2\n"
             "        f: f[f.y, f.x] += X[yo * 16 + f.y, f.x]\n"
             "  yi in 0..16\n"
             "    add.x in 0..64\n"
             "      add: G[yo * 16 + yi, add.x] = f[yi, add.x] + f[yi + 20, add.x + 20]\n",
             "y -> f.y; x -> f.x; r -> f.r"},
            {"compute_at: tail", "chain", "plain", "split mul.d0 into o i:16",
             "compute_at add at o",
             "o in 0..3 with add f32[16, 10] in stack\n"
             "  add.d0 in 0..16 (tail)\n"
             "    add.d1 in 0..10\n"
             "      add: add[add.d0, add.d1] = X[o * 16 + add.d0, add.d1] + 1.0 if o * 16 + add.d0 < 33\n"
             "  i in 0..16 (tail)\n"
             "    mul.d1 in 0..10\n"
             "      mul: Y[o * 16 + i, mul.d1] = add[i, mul.d1] * 2.0 if o * 16 + i < 33\n",
             "d0 -> add.d0; d1 -> add.d1"},
            {"reverse_compute_at: a row", "matmul_relu", "plain", "",
             "reverse_compute_at relu at m",
             "m in 0..30 with matmul f32[1, 20] in stack\n"
             "  n in 0..20\n"
             "    k in 0..24\n"
             "      matmul: matmul[0, n] += A[m, k] * B[k, n]\n"
             "  relu.n in 0..20\n"
             "    relu: Y[m, relu.n] = max(matmul[0, relu.n] + C[relu.n], 0.0)\n",
             "relu.m -> nothing; relu.n -> relu.n"},
            {"reverse_compute_at: the write-back falls away", "matmul_relu", "plain", "split m into mo mi:4\nreorder mo n k mi\ncache_write matmul at n in registers",
             "reverse_compute_at relu at n",
             "mo in 0..8\n"
             "  n in 0..20 with matmul.reg f32[4, 1] in registers\n"
             "    k in 0..24\n"
             "      mi in 0..4 (tail)\n"
             "        matmul: matmul.reg[mi, 0] += A[mo * 4 + mi, k] * B[k, n] if mo * 4 + mi < 30\n"
             "    relu.m in 0..4 (tail)\n"
             "      relu: Y[mo * 4 + relu.m, n] = max(matmul.reg[relu.m, 0] + C[n], 0.0) if mo * 4 + relu.m < 30\n",
             "relu.m -> relu.m; relu.n -> nothing; matmul.wb.m -> relu.m; matmul.wb -> relu"},
            {"reverse_compute_at: axes that the producer lacks", "softmax", "plain", "",
             "reverse_compute_at shift at d0",
             "d0 in 0..6 with max f32[1] in stack\n"
             "  d1 in 0..10\n"
             "    max: max[0] max= X[d0, d1]\n"
             "  shift.d1 in 0..10\n"
             "    shift: shift[d0, shift.d1] = X[d0, shift.d1] - max[0]\n"
             "sum.d0 in 0..6\n"
             "  sum.d1 in 0..10\n"
             "    sum: sum[sum.d0] += shift[sum.d0, sum.d1]\n"
             "softmax.d0 in 0..6\n"
             "  softmax.d1 in 0..10\n"
             "    softmax: Y[softmax.d0, softmax.d1] = shift[softmax.d0, softmax.d1] * 2.0 - sum[softmax.d0]\n",
             "shift.d0 -> nothing; shift.d1 -> shift.d1"},
            {"reverse_compute_at: a reduction over whole rows", "softmax", "plain", "",
             "reverse_compute_at sum at shift.d0",
             "d0 in 0..6\n"
             "  d1 in 0..10\n"
             "    max: max[d0] max= X[d0, d1]\n"
             "shift.d0 in 0..6\n"
             "  shift.d1 in 0..10\n"
             "    shift: shift[shift.d0, shift.d1] = X[shift.d0, shift.d1] - max[shift.d0]\n"
             "  sum.d1 in 0..10\n"
             "    sum: sum[shift.d0] += shift[shift.d0, sum.d1]\n"
             "softmax.d0 in 0..6\n"
             "  softmax.d1 in 0..10\n"
             "    softmax: Y[softmax.d0, softmax.d1] = shift[softmax.d0, softmax.d1] * 2.0 - sum[softmax.d0]\n",
             "sum.d0 -> nothing; sum.d1 -> sum.d1"},
            {"reverse_compute_at: tail", "chain", "plain", "split d0 into o i:16",
             "reverse_compute_at mul at o",
             "o in 0..3 with add f32[16, 10] in stack\n"
             "  i in 0..16 (tail)\n"
             "    d1 in 0..10\n"
             "      add: add[i, d1] = X[o * 16 + i, d1] + 1.0 if o * 16 + i < 33\n"
             "  mul.d0 in 0..16 (tail)\n"
             "    mul.d1 in 0..10\n"
             "      mul: Y[o * 16 + mul.d0, mul.d1] = add[mul.d0, mul.d1] * 2.0 if o * 16 + mul.d0 < 33\n",
             "mul.d0 -> mul.d0; mul.d1 -> mul.d1"},
            {"reverse_compute_at: a fused loop", "matmul_relu", "plain", "fuse m n into f",
             "reverse_compute_at relu at f",
             "f in 0..600 with matmul f32[1, 1] in stack\n"
             "  k in 0..24\n"
             "    matmul: matmul[0, 0] += A[f / 20, k] * B[k, f % 20]\n"
             "  relu: Y[f / 20, f % 20] = max(matmul[0, 0] + C[f % 20], 0.0)\n",
             "relu.m -> nothing; relu.n -> nothing"},
            {"set_layout: a constant", "matmul", "plain", "",
             "set_layout B as (k, n) -> (n / 4, k, n % 4)",
             "B f32[24, 20] as (k, n) -> (n / 4, k, n % 4)\n"
             "m in 0..30\n"
             "  n in 0..20\n"
             "    k in 0..24\n"
             "      matmul: Y[m, n] += A[m, k] * B[k, n]\n",
             ""},
        });
    }

    void rewrites()
    {
        checkRewrite();
    }

    // Memory of tiles: in the order in which the loops walk them, lanes innermost.
    void tileLayouts()
    {
        const LoopNest conv = nestOf(definitionText("conv"));
        const std::string shape = "split oc into oco oci:4\nsplit ow into owo owi:5\n";
        const LoopNest walked = after(conv, shape + "reorder oco oh owo ic kh kw owi oci\ncache_write conv at owo in registers\n");
        QCOMPARE(walked.buffer("conv.reg")->layout.toText(), std::string("(a0, a1, a2, a3) -> (a0, a2, a3, a1)"));
        const LoopNest other = after(conv, shape + "reorder oco oh owo ic kh kw oci owi\ncache_write conv at owo in registers\n");
        QCOMPARE(other.buffer("conv.reg")->layout.toText(), std::string("(a0, a1, a2, a3) -> (a0, a2, a1, a3)"));
        const LoopNest turned = after(other, "reorder owi oci\nvectorize oci\n");
        QCOMPARE(turned.buffer("conv.reg")->layout.toText(), std::string("(a0, a1, a2, a3) -> (a0, a2, a3, a1)"));
    }

    void setLayout()
    {
        const LoopNest nest = after(nestOf(definitionText("matmul")), "set_layout B as (k, n) -> (n / 4, k, n % 4)\n");
        QCOMPARE(nest.buffer("B")->layout.toText(), std::string("(k, n) -> (n / 4, k, n % 4)"));
        QCOMPARE(*nest.buffer("B")->layout.memoryShape(nest.buffer("B")->shape), (std::vector<std::int64_t>{5, 24, 4}));
    }
};

NW_TEST_MAIN(tst_places, TestPlaces)
#include "tst_places.moc"
