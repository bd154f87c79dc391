// Loops under a condition of their own, homes of buffers, and rings: the rewrites of specialize, store_at and rolling_buffer.

#include "engine/base/text.h"
#include "tests/engine/schedule/nests.h"
#include "tests/engine/schedule/rewrites.h"
#include "tests/support/test.h"

using namespace nw;
using namespace nw::schedule;
using namespace nw::schedule::test;

class TestHomes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rewrites_data()
    {
        addRewrites({
            {"specialize: rows without a border", "padded_pools", "plain", "",
             "specialize w when h from 1 to 6",
             "c in 0..2\n"
             "  h in 0..7\n"
             "    w.2 in 0..4\n"
             "      kh.2 in 0..3\n"
             "        pool.2: pool[c, h, w.2] += X[c, h + kh.2 - 1, w.2] if 1 <= h && h < 6\n"
             "    w in 0..4\n"
             "      kh in 0..3\n"
             "        pool: pool[c, h, w] += select(h + kh >= 1 && h + kh < 8, X[c, h + kh - 1, w], 0.0) if h < 1 || 6 <= h\n"
             "pool2.c in 0..2\n"
             "  pool2.h in 0..7\n"
             "    pool2.w in 0..4\n"
             "      pool2.kh in 0..3\n"
             "        pool2: pool2[pool2.c, pool2.h, pool2.w] += select(pool2.h + pool2.kh >= 1 && pool2.h + pool2.kh < 8, pool[pool2.c, pool2.h + pool2.kh - 1, pool2.w], 0.0)\n"
             "relu.c in 0..2\n"
             "  relu.h in 0..7\n"
             "    relu.w in 0..4\n"
             "      relu: Y[relu.c, relu.h, relu.w] = max(pool2[relu.c, relu.h, relu.w], 0.0)\n",
             "w -> w w.2; kh -> kh kh.2; pool -> pool pool.2"},
            {"specialize: full turns", "chain", "plain", "merge d0 mul.d0\nsplit d0 into o i:16",
             "specialize i when o from 0 to 2",
             "o in 0..3\n"
             "  i.2 in 0..16\n"
             "    d1.2 in 0..10\n"
             "      add.2: add[o * 16 + i.2, d1.2] = X[o * 16 + i.2, d1.2] + 1.0 if o < 2\n"
             "    mul.d1.2 in 0..10\n"
             "      mul.2: Y[o * 16 + i.2, mul.d1.2] = add[o * 16 + i.2, mul.d1.2] * 2.0 if o < 2\n"
             "  i in 0..16 (tail)\n"
             "    d1 in 0..10\n"
             "      add: add[o * 16 + i, d1] = X[32, d1] + 1.0 if i < 1 && 2 <= o\n"
             "    mul.d1 in 0..10\n"
             "      mul: Y[o * 16 + i, mul.d1] = add[32, mul.d1] * 2.0 if i < 1 && 2 <= o\n",
             "d1 -> d1 d1.2; mul.d1 -> mul.d1 mul.d1.2; i -> i i.2; add -> add add.2; mul -> mul mul.2"},
            {"specialize: the last steps", "tiny_matmul", "plain", "split m into mo mi:4\nreorder mo n mi k",
             "specialize n when mo from 1 to 2",
             "mo in 0..2\n"
             "  n.2 in 0..6\n"
             "    mi.2 in 0..4 (tail)\n"
             "      k.2 in 0..5\n"
             "        matmul.2: matmul[mo * 4 + mi.2, n.2] += A[mo * 4 + mi.2, k.2] * B[k.2, n.2] if mi.2 < 3 && 1 <= mo\n"
             "  n in 0..6\n"
             "    mi in 0..4\n"
             "      k in 0..5\n"
             "        matmul: matmul[mo * 4 + mi, n] += A[mo * 4 + mi, k] * B[k, n] if mo < 1\n"
             "relu.m in 0..7\n"
             "  relu.n in 0..6\n"
             "    relu: Y[relu.m, relu.n] = max(matmul[relu.m, relu.n] + C[relu.n], 0.0)\n",
             "n -> n n.2; k -> k k.2; mi -> mi mi.2; matmul -> matmul matmul.2"},
            {"specialize: private memory", "tiny_matmul", "plain", "split m into mo mi:4\nreorder mo n k mi\ncache_write matmul at n in stack",
             "specialize n when mo from 0 to 1",
             "mo in 0..2\n"
             "  n.2 in 0..6 with matmul.stack.2 f32[4, 1] in stack as (a0, a1) -> (a1, a0)\n"
             "    k.2 in 0..5\n"
             "      mi.2 in 0..4\n"
             "        matmul.2: matmul.stack.2[mi.2, 0] += A[mo * 4 + mi.2, k.2] * B[k.2, n.2] if mo < 1\n"
             "    matmul.wb.m.2 in 0..4\n"
             "      matmul.wb.2: matmul[mo * 4 + matmul.wb.m.2, n.2] = matmul.stack.2[matmul.wb.m.2, 0] if mo < 1\n"
             "  n in 0..6 with matmul.stack f32[4, 1] in stack as (a0, a1) -> (a1, a0)\n"
             "    k in 0..5\n"
             "      mi in 0..4 (tail)\n"
             "        matmul: matmul.stack[mi, 0] += A[mo * 4 + mi, k] * B[k, n] if mi < 3 && 1 <= mo\n"
             "    matmul.wb.m in 0..4 (tail)\n"
             "      matmul.wb: matmul[mo * 4 + matmul.wb.m, n] = matmul.stack[matmul.wb.m, 0] if matmul.wb.m < 3 && 1 <= mo\n"
             "relu.m in 0..7\n"
             "  relu.n in 0..6\n"
             "    relu: Y[relu.m, relu.n] = max(matmul[relu.m, relu.n] + C[relu.n], 0.0)\n",
             "n -> n n.2; k -> k k.2; mi -> mi mi.2; matmul.wb.m -> matmul.wb.m matmul.wb.m.2; matmul -> matmul matmul.2; matmul.wb -> matmul.wb matmul.wb.2"},
            {"specialize: between a reduction and its block", "behind_rows", "plain", "",
             "specialize f.x when f.y from 2 to 5",
             "y in 0..8\n"
             "  x in 0..3\n"
             "    g: g[y, x] = X[y, x] + 1.0\n"
             "f.y in 0..8\n"
             "  f.x.2 in 0..3\n"
             "    f.2: f[f.y, f.x.2] = g[f.y, f.x.2] * 2.0 if 2 <= f.y && f.y < 5\n"
             "  f.x in 0..3\n"
             "    f: f[f.y, f.x] = g[f.y, f.x] * 2.0 if f.y < 2 || 5 <= f.y\n"
             "add.y in 0..8\n"
             "  add.x in 0..3\n"
             "    add: Y[add.y, add.x] = select(add.y >= 1, f[add.y - 1, add.x], 0.0) + f[add.y, add.x]\n",
             "f.x -> f.x f.x.2; f -> f f.2"},
            {"store_at: the kernel's", "stencil", "plain", "split add.y into yo yi:16\ncompute_at f at yo",
             "store_at f",
             "yo in 0..4\n"
             "  f.y in 0..36\n"
             "    f.x in 0..84\n"
             "      f.r in 0..2\n"
             "        f: f[yo * 16 + f.y, f.x] += X[yo * 16 + f.y, f.x]\n"
             "  yi in 0..16\n"
             "    add.x in 0..64\n"
             "      add: G[yo * 16 + yi, add.x] = f[yo * 16 + yi, add.x] + f[yo * 16 + yi + 20, add.x + 20]\n",
             ""},
            {"store_at: one loop further out", "stencil", "plain", "tile add.y add.x into yo xo yi:16 xi:16\ncompute_at f at xo",
             "store_at f at yo",
             "yo in 0..4 with f f32[36, 84] in stack\n"
             "  xo in 0..4\n"
             "    f.y in 0..36\n"
             "      f.x in 0..36\n"
             "        f.r in 0..2\n"
             "          f: f[f.y, xo * 16 + f.x] += X[yo * 16 + f.y, xo * 16 + f.x]\n"
             "    yi in 0..16\n"
             "      xi in 0..16\n"
             "        add: G[yo * 16 + yi, xo * 16 + xi] = f[yi, xo * 16 + xi] + f[yi + 20, xo * 16 + xi + 20]\n",
             ""},
            {"store_at: outwards and back", "stencil", "plain", "tile add.y add.x into yo xo yi:16 xi:16\ncompute_at f at xo\nstore_at f at root",
             "store_at f at xo",
             "yo in 0..4\n"
             "  xo in 0..4 with f f32[36, 36] in stack\n"
             "    f.y in 0..36\n"
             "      f.x in 0..36\n"
             "        f.r in 0..2\n"
             "          f: f[f.y, f.x] += X[yo * 16 + f.y, xo * 16 + f.x]\n"
             "    yi in 0..16\n"
             "      xi in 0..16\n"
             "        add: G[yo * 16 + yi, xo * 16 + xi] = f[yi, xi] + f[yi + 20, xi + 20]\n",
             ""},
            {"store_at: inwards", "matmul_relu", "plain", "merge m relu.m\nmerge n relu.n",
             "store_at matmul at n",
             "m in 0..30\n"
             "  n in 0..20 with matmul f32[1, 1] in stack\n"
             "    k in 0..24\n"
             "      matmul: matmul[0, 0] += A[m, k] * B[k, n]\n"
             "    relu: Y[m, n] = max(matmul[0, 0] + C[n], 0.0)\n",
             ""},
            {"store_at: tail", "chain", "plain", "split mul.d0 into o i:16\ncompute_at add at o",
             "store_at add at root",
             "o in 0..3\n"
             "  add.d0 in 0..16 (tail)\n"
             "    add.d1 in 0..10\n"
             "      add: add[o * 16 + add.d0, add.d1] = X[o * 16 + add.d0, add.d1] + 1.0 if o * 16 + add.d0 < 33\n"
             "  i in 0..16 (tail)\n"
             "    mul.d1 in 0..10\n"
             "      mul: Y[o * 16 + i, mul.d1] = add[o * 16 + i, mul.d1] * 2.0 if o * 16 + i < 33\n",
             ""},
            {"store_at: a tile in registers", "matmul", "plain", "split n into no ni:4\nreorder m no k ni\ncache_write matmul at no in registers",
             "store_at matmul.reg at m",
             "m in 0..30 with matmul.reg f32[1, 20] in registers\n"
             "  no in 0..5\n"
             "    k in 0..24\n"
             "      ni in 0..4\n"
             "        matmul: matmul.reg[0, no * 4 + ni] += A[m, k] * B[k, no * 4 + ni]\n"
             "    matmul.wb.n in 0..4\n"
             "      matmul.wb: Y[m, no * 4 + matmul.wb.n] = matmul.reg[0, no * 4 + matmul.wb.n]\n",
             ""},
            {"store_at: shared by threads", "chain", "plain", "merge d0 mul.d0\nmerge d1 mul.d1\nparallel d1",
             "store_at add at d0",
             "d0 in 0..33 with add f32[1, 10] in heap\n"
             "  parallel d1 in 0..10\n"
             "    add: add[0, d1] = X[d0, d1] + 1.0\n"
             "    mul: Y[d0, d1] = add[0, d1] * 2.0\n",
             ""},
            {"rolling_buffer: rows of a window", "two_pools", "plain", "compute_at pool at pool2.h",
             "rolling_buffer pool at pool2.h",
             "pool2.h in 0..5\n"
             "  pool.h in 0..3\n"
             "    pool.w in 0..5\n"
             "      pool.kh in 0..3\n"
             "        pool: pool[(pool.h + pool2.h) % 3, pool.w] max= X[pool.h + pool.kh + pool2.h, pool.w] if pool2.h < 1 || pool.h >= 2\n"
             "  pool2.w in 0..5\n"
             "    pool2.kh in 0..3\n"
             "      pool2: Y[pool2.h, pool2.w] max= pool[(pool2.h + pool2.kh) % 3, pool2.w]\n",
             ""},
            {"rolling_buffer: a power of two", "padded_pools", "plain", "reorder pool2.h pool2.c\ncompute_at pool at pool2.h",
             "rolling_buffer pool at pool2.h size power_of_two",
             "pool2.h in 0..7\n"
             "  pool.c in 0..2\n"
             "    pool.h in 0..3 (tail)\n"
             "      pool.w in 0..4\n"
             "        pool.kh in 0..3\n"
             "          pool: pool[pool.c, (pool.h + pool2.h + 3) % 4, pool.w] += select(pool.h + pool.kh + pool2.h >= 2 && pool.h + pool.kh + pool2.h < 9, X[pool.c, pool.h + pool.kh + pool2.h - 2, pool.w], 0.0) if 0 <= pool.h + pool2.h - 1 && pool.h + pool2.h - 1 < 7 && (pool2.h < 1 || pool.h >= 2)\n"
             "  pool2.c in 0..2\n"
             "    pool2.w in 0..4\n"
             "      pool2.kh in 0..3\n"
             "        pool2: pool2[pool2.c, pool2.h, pool2.w] += select(pool2.h + pool2.kh >= 1 && pool2.h + pool2.kh < 8, pool[pool2.c, (pool2.h + pool2.kh + 3) % 4, pool2.w], 0.0)\n"
             "relu.c in 0..2\n"
             "  relu.h in 0..7\n"
             "    relu.w in 0..4\n"
             "      relu: Y[relu.c, relu.h, relu.w] = max(pool2[relu.c, relu.h, relu.w], 0.0)\n",
             ""},
            {"rolling_buffer: two stages", "padded_pools", "plain", "compute_at pool2 at relu.h\ncompute_at pool at relu.h",
             "rolling_buffer pool at relu.h",
             "relu.c in 0..2 with pool f32[1, 3, 4] in stack\n"
             "  relu.h in 0..7 with pool2 f32[1, 1, 4] in stack\n"
             "    pool.h in 0..3 (tail)\n"
             "      pool.w in 0..4\n"
             "        pool.kh in 0..3\n"
             "          pool: pool[0, (pool.h + relu.h + 2) % 3, pool.w] += select(pool.h + pool.kh + relu.h >= 2 && pool.h + pool.kh + relu.h < 9, X[relu.c, pool.h + pool.kh + relu.h - 2, pool.w], 0.0) if 0 <= pool.h + relu.h - 1 && pool.h + relu.h - 1 < 7 && (relu.h < 1 || pool.h >= 2)\n"
             "    pool2.w in 0..4\n"
             "      pool2.kh in 0..3\n"
             "        pool2: pool2[0, 0, pool2.w] += select(pool2.kh + relu.h >= 1 && pool2.kh + relu.h < 8, pool[0, (pool2.kh + relu.h + 2) % 3, pool2.w], 0.0)\n"
             "    relu.w in 0..4\n"
             "      relu: Y[relu.c, relu.h, relu.w] = max(pool2[0, 0, relu.w], 0.0)\n",
             ""},
            {"rolling_buffer: dilated", "dilated", "plain", "compute_at f at add.y",
             "rolling_buffer f at add.y",
             "add.y in 0..9\n"
             "  f.y in 0..5\n"
             "    f.x in 0..3\n"
             "      f: f[(add.y + f.y) % 5, f.x] = X[add.y + f.y, f.x] + 1.0 if add.y < 1 || f.y >= 4\n"
             "  add.x in 0..3\n"
             "    add.k in 0..3\n"
             "      add: Y[add.y, add.x] += f[(add.k * 2 + add.y) % 5, add.x]\n",
             ""},
            {"rolling_buffer: strided", "strided", "plain", "compute_at f at add.y",
             "rolling_buffer f at add.y",
             "add.y in 0..5\n"
             "  f.y in 0..3\n"
             "    f: f[(add.y * 2 + f.y) % 3] = X[add.y * 2 + f.y] + 1.0 if add.y < 1 || f.y >= 1\n"
             "  add.k in 0..3\n"
             "    add: Y[add.y] += f[(add.y * 2 + add.k) % 3]\n",
             ""},
            {"rolling_buffer: beneath the loop", "two_convs", "plain", "split conv2.ow into wo wi:2\nreorder conv2.oh wo conv2.oc wi\ncompute_at conv at wo",
             "rolling_buffer conv at conv2.oh",
             "conv2.oh in 0..5\n"
             "  wo in 0..2\n"
             "    conv.oc in 0..3\n"
             "      conv.oh in 0..3\n"
             "        conv.ow in 0..4\n"
             "          conv.ic in 0..2\n"
             "            conv.kh in 0..3\n"
             "              conv.kw in 0..3\n"
             "                conv: conv[conv.oc, (conv.oh + conv2.oh) % 3, wo * 2 + conv.ow] += X[conv.ic, conv.kh + conv.oh + conv2.oh, wo * 2 + conv.kw + conv.ow] * W[conv.oc, conv.ic, conv.kh, conv.kw] if conv2.oh < 1 || conv.oh >= 2\n"
             "    conv2.oc in 0..2\n"
             "      wi in 0..2\n"
             "        conv2.ic in 0..3\n"
             "          conv2.kh in 0..3\n"
             "            conv2.kw in 0..3\n"
             "              conv2: Y[conv2.oc, conv2.oh, wo * 2 + wi] += conv[conv2.ic, (conv2.kh + conv2.oh) % 3, wo * 2 + conv2.kw + wi] * V[conv2.oc, conv2.ic, conv2.kh, conv2.kw]\n",
             ""},
            {"rolling_buffer: in tiles", "two_pools", "plain", "split pool2.h into ho hi:3\ncompute_at pool at hi",
             "rolling_buffer pool at hi",
             "ho in 0..2 with pool f32[3, 5] in stack\n"
             "  hi in 0..3 (tail)\n"
             "    pool.h in 0..3 (tail)\n"
             "      pool.w in 0..5\n"
             "        pool.kh in 0..3\n"
             "          pool: pool[(hi + pool.h) % 3, pool.w] max= X[ho * 3 + hi + pool.h + pool.kh, pool.w] if ho * 3 + hi + pool.h < 7 && (hi < 1 || pool.h >= 2)\n"
             "    pool2.w in 0..5\n"
             "      pool2.kh in 0..3\n"
             "        pool2: Y[ho * 3 + hi, pool2.w] max= pool[(hi + pool2.kh) % 3, pool2.w] if ho * 3 + hi < 5\n",
             ""},
            {"rolling_buffer: elements of earlier steps", "behind", "plain", "merge y add.y",
             "rolling_buffer f at y",
             "y in 0..8\n"
             "  f: f[y % 2] = X[y] + 1.0\n"
             "  add: Y[y] = select(y >= 1, f[(y + 1) % 2], 0.0) + f[y % 2]\n",
             ""},
            {"partition: the first step of a ring apart", "two_pools", "plain", "compute_at pool at pool2.h\nrolling_buffer pool at pool2.h",
             "partition pool.h at 2",
             "pool2.h in 0..5\n"
             "  pool.h.0 in 0..2\n"
             "    pool.w in 0..5\n"
             "      pool.kh in 0..3\n"
             "        pool: pool[(pool.h.0 + pool2.h) % 3, pool.w] max= X[pool.h.0 + pool.kh + pool2.h, pool.w] if pool2.h < 1\n"
             "  pool.h.1 in 0..1\n"
             "    pool.w.2 in 0..5\n"
             "      pool.kh.2 in 0..3\n"
             "        pool.2: pool[(pool2.h + 2) % 3, pool.w.2] max= X[pool.kh.2 + pool2.h + 2, pool.w.2]\n"
             "  pool2.w in 0..5\n"
             "    pool2.kh in 0..3\n"
             "      pool2: Y[pool2.h, pool2.w] max= pool[(pool2.h + pool2.kh) % 3, pool2.w]\n",
             "pool.h -> pool.h.0 pool.h.1; pool.w -> pool.w pool.w.2; pool.kh -> pool.kh pool.kh.2; pool -> pool pool.2"},
        });
    }

    void rewrites()
    {
        checkRewrite();
    }

    void proposes()
    {
        const auto offered = [](const LoopNest& nest, const std::string& at, const std::string& primitive) {
            std::vector<std::string> texts;
            for (const Offer& offer : offers(nest, at, allPrimitives(), smallContext())) {
                if (offer.primitive->name == primitive) {
                    texts.push_back(offer.text);
                }
            }
            return join(texts, "; ");
        };
        const LoopNest conv = nestOf(definitionText("conv"));
        QCOMPARE(offered(conv, "ow", "specialize"), std::string("specialize ow when oh from 1 to 8"));
        QCOMPARE(offered(conv, "relu.ow", "specialize"), std::string());
        const LoopNest tail = after(conv, "split oc into oo oi:3\n");
        QCOMPARE(offered(tail, "oi", "specialize"), std::string("specialize oi when oo from 0 to 2"));
        const LoopNest pools = after(nestOf(definitionText("two_pools")), "compute_at pool at pool2.w\n");
        QCOMPARE(offered(pools, "pool", "store_at"), std::string("store_at pool at pool2.h; store_at pool"));
        QCOMPARE(offered(pools, "pool", "rolling_buffer"), std::string("rolling_buffer pool at pool2.h"));
        QCOMPARE(offered(pools, "pool2.w", "rolling_buffer"), std::string("rolling_buffer pool at pool2.h"));
    }
};

NW_TEST_MAIN(tst_homes, TestHomes)
#include "tst_homes.moc"
