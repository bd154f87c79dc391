#include "tests/engine/schedule/nests.h"

#include "engine/base/text.h"
#include "engine/compute/interpret.h"
#include "engine/schedule/interpret_nest.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace nw::schedule::test {

const Target& smallTarget()
{
    static const Target target = [] {
        Target made;
        made.name = "test";
        made.vectorBytes = 16;
        made.vectorRegisters = 16;
        made.cores = 2;
        return made;
    }();
    return target;
}

Context smallContext()
{
    return {&smallTarget()};
}

const Target& wideTarget()
{
    static const Target target = [] {
        Target made;
        made.name = "test";
        made.vectorBytes = 64;
        made.vectorRegisters = 32;
        made.l1Bytes = 32768;
        made.l2Bytes = 1048576;
        made.l3Bytes = 8388608;
        made.cores = 4;
        return made;
    }();
    return target;
}

Context wideContext()
{
    return {&wideTarget()};
}

std::string definitionText(const std::string& name)
{
    static const std::map<std::string, std::string> kTexts{
        {"matmul",
         "definition matmul\ninput A f32 [30, 24]\nconstant B f32 [24, 20]\noutput Y f32 [30, 20]\n"
         "stage matmul -> Y f32 [m:30, n:20] sum [k:24] from 0.0 =\n    A[m, k] * B[k, n]\n"},
        // Both factors are inputs: nothing can be packed beforehand.
        {"matmul_in",
         "definition matmul\ninput A f32 [30, 24]\ninput B f32 [24, 20]\noutput Y f32 [30, 20]\n"
         "stage matmul -> Y f32 [m:30, n:20] sum [k:24] from 0.0 =\n    A[m, k] * B[k, n]\n"},
        {"matmul_relu",
         "definition matmul\ninput A f32 [30, 24]\nconstant B f32 [24, 20]\nconstant C f32 [20]\noutput Y f32 [30, 20]\n"
         "stage matmul f32 [m:30, n:20] sum [k:24] from 0.0 =\n    A[m, k] * B[k, n]\n"
         "stage relu -> Y f32 [m:30, n:20] =\n    max(matmul[m, n] + C[n], 0.0)\n"},
        {"conv",
         "definition conv\ninput X f32 [1, 6, 9, 10]\nconstant W f32 [8, 6, 3, 3]\nconstant B f32 [8]\noutput Y f32 [1, 8, 9, 10]\n"
         "stage conv f32 [n:1, oc:8, oh:9, ow:10] sum [ic:6, kh:3, kw:3] from 0.0 =\n"
         "    select(oh + kh >= 1 && oh + kh < 10 && ow + kw >= 1 && ow + kw < 11, X[n, ic, oh + kh - 1, ow + kw - 1], 0.0)"
         " * W[oc, ic, kh, kw]\n"
         "stage relu -> Y f32 [n:1, oc:8, oh:9, ow:10] =\n    max(conv[n, oc, oh, ow] + B[oc], 0.0)\n"},
        {"softmax",
         "definition softmax\ninput X f32 [6, 10]\noutput Y f32 [6, 10]\n"
         "stage max f32 [d0:6] max [d1:10] from -inf =\n    X[d0, d1]\n"
         "stage shift f32 [d0:6, d1:10] =\n    X[d0, d1] - max[d0]\n"
         "stage sum f32 [d0:6] sum [d1:10] from 0.0 =\n    shift[d0, d1]\n"
         "stage softmax -> Y f32 [d0:6, d1:10] =\n    shift[d0, d1] * 2.0 - sum[d0]\n"},
        {"chain",
         "definition add\ninput X f32 [33, 10]\noutput Y f32 [33, 10]\n"
         "stage add f32 [d0:33, d1:10] =\n    X[d0, d1] + 1.0\n"
         "stage mul -> Y f32 [d0:33, d1:10] =\n    add[d0, d1] * 2.0\n"},
        {"large",
         "definition matmul\ninput A f32 [1, 8192]\nconstant B f32 [8192, 8192]\noutput Y f32 [1, 8192]\n"
         "stage matmul -> Y f32 [m:1, n:8192] sum [k:8192] from 0.0 =\n    A[m, k] * B[k, n]\n"},
        {"wide_tile",
         "definition add\ninput X f32 [250]\noutput Y f32 [250]\nstage add f32 [n:250] =\n    X[n] + 1.0\n"
         "stage mul -> Y f32 [n:250] =\n    add[n] * 2.0\n"},
        {"quotient",
         "definition quotient\ninput A i64 [6]\ninput B i64 [6]\noutput Y i64 [6]\n"
         "stage div i64 [i:6] =\n    div(A[i], max(B[i], 1))\nstage copy -> Y i64 [i:6] =\n    div[i]\n"},
        {"sum",
         "definition sum\ninput V f32 [128]\noutput O f32 [1]\n"
         "stage sum -> O f32 [d0:1] sum [k:128] from 0.0 =\n    V[k]\n"},
        {"rows",
         "definition sum\ninput A f32 [101, 101]\noutput C f32 [101]\n"
         "stage sum f32 [i:101] sum [k:101] from 0.0 =\n    A[i, k]\n"
         "stage copy -> C f32 [i:101] =\n    sum[i]\n"},
        {"stencil",
         "definition add\ninput X f32 [84, 84]\noutput G f32 [64, 64]\n"
         "stage f f32 [y:84, x:84] sum [r:2] from 0.0 =\n    X[y, x]\n"
         "stage add -> G f32 [y:64, x:64] =\n    f[y, x] + f[y + 20, x + 20]\n"},
        // Readers of the element at hand and of the one before, the one behind, and one that nobody can tell.
        {"behind",
         "definition add\ninput X f32 [8]\noutput Y f32 [8]\nstage f f32 [y:8] =\n    X[y] + 1.0\n"
         "stage add -> Y f32 [y:8] =\n    select(y >= 1, f[y - 1], 0.0) + f[y]\n"},
        {"two_readers",
         "definition add\ninput X f32 [8]\noutput Y f32 [8]\noutput Z f32 [8]\nstage f f32 [y:8] =\n    X[y] + 1.0\n"
         "stage add -> Y f32 [y:8] =\n    select(y >= 1, f[y - 1], 0.0) + f[y]\n"
         "stage mul -> Z f32 [y:8] =\n    f[y] * 2.0\n"},
        {"ahead",
         "definition add\ninput X f32 [8]\noutput Y f32 [8]\nstage f f32 [y:8] =\n    X[y] + 1.0\n"
         "stage add -> Y f32 [y:8] =\n    select(y < 7, f[y + 1], 0.0) + f[y]\n"},
        {"bent",
         "definition add\ninput X f32 [8]\noutput Y f32 [8]\nstage f f32 [y:8] =\n    X[y] + 1.0\n"
         "stage add -> Y f32 [y:8] =\n    f[y * y % 8] + f[y]\n"},
        // A step of the outer loop touches more than belongs on the stack.
        {"wide",
         "definition sum\ninput X f32 [3, 20000]\noutput Y f32 [3, 20000]\n"
         "stage sum -> Y f32 [a:3, b:20000] sum [k:2] from 0.0 =\n    X[a, b]\n"},
        // For blocks that vanish into others: a part that is read, a window over a padded row, a value with two readers,
        // one that nobody reads, reads that only sometimes happen, and one that must wait for the whole of another.
        {"slice",
         "definition add\ninput X f32 [10]\noutput Y f32 [6]\nstage add f32 [i:10] =\n    X[i] + 1.0\n"
         "stage mul -> Y f32 [j:6] =\n    add[j + 2] * 2.0\n"},
        {"padded",
         "definition blur\ninput X f32 [12]\noutput Y f32 [12]\nstage relu f32 [i:12] =\n    max(X[i], 0.0)\n"
         "stage blur -> Y f32 [i:12] sum [k:3] from 0.0 =\n"
         "    select(i + k >= 1 && i + k < 13, relu[i + k - 1], 0.0)\n"},
        {"residual",
         "definition add\ninput X f32 [6, 5]\noutput Y f32 [6, 5]\nstage double f32 [d0:6, d1:5] =\n    X[d0, d1] * 2.0\n"
         "stage scale f32 [d0:6, d1:5] =\n    double[d0, d1] * 3.0\n"
         "stage relu -> Y f32 [d0:6, d1:5] =\n    max(scale[d0, d1] + double[d0, d1], 0.0)\n"},
        {"unread",
         "definition add\ninput X f32 [4]\noutput Y f32 [4]\nstage add f32 [d0:4] =\n    X[d0] + 1.0\n"
         "stage mul -> Y f32 [d0:4] =\n    X[d0] * 2.0\n"},
        {"sometimes",
         "definition add\ninput X f32 [8]\noutput Y f32 [8]\nstage add f32 [i:8] =\n    X[i] + 1.0\n"
         "stage mul -> Y f32 [i:8] =\n    select(i >= 1, add[i - 1], 0.0) * 2.0\n"},
        {"few_sums",
         "definition sum\ninput A f32 [8, 5]\noutput C f32 [6]\nstage sum f32 [i:8] sum [k:5] from 0.0 =\n    A[i, k]\n"
         "stage copy -> C f32 [i:6] =\n    sum[i + 1]\n"},
        {"behind_rows",
         "definition add\ninput X f32 [8, 3]\noutput Y f32 [8, 3]\nstage g f32 [y:8, x:3] =\n    X[y, x] + 1.0\n"
         "stage f f32 [y:8, x:3] =\n    g[y, x] * 2.0\n"
         "stage add -> Y f32 [y:8, x:3] =\n    select(y >= 1, f[y - 1, x], 0.0) + f[y, x]\n"},
        {"late",
         "definition add\ninput X f32 [6]\noutput Y f32 [6]\nstage add f32 [d0:6] =\n    X[d0] + 1.0\n"
         "stage scale f32 [d0:6] =\n    add[d0] * 2.0\nstage join -> Y f32 [d0:6] =\n    scale[d0] + add[5 - d0]\n"},
        {"cut",
         "definition add\ninput X f32 [9]\noutput G f32 [8]\n"
         "stage f f32 [y:9] =\n    X[y] + 1.0\n"
         "stage add -> G f32 [y:8] =\n    f[y]\n"},
        {"shifted",
         "definition add\ninput X f32 [9]\noutput G f32 [9]\n"
         "stage f f32 [y:9] =\n    X[y] + 1.0\n"
         "stage add -> G f32 [y:9] =\n    select(y >= 1, f[y - 1], 0.0)\n"},
        // Where is read from memory; a single loop.
        {"gather",
         "definition gather\ninput X f32 [9]\ninput I i64 [6] range 0 8\noutput Y f32 [6]\n"
         "stage gather -> Y f32 [i:6] =\n    X[min(max(I[i], 0), 8)]\n"},
        {"copy", "definition copy\ninput X f32 [20]\noutput Y f32 [20]\nstage copy -> Y f32 [i:20] =\n    X[i]\n"},
        // The same in small, for many runs.
        {"tiny_matmul",
         "definition matmul\ninput A f32 [7, 5]\nconstant B f32 [5, 6]\nconstant C f32 [6]\noutput Y f32 [7, 6]\n"
         "stage matmul f32 [m:7, n:6] sum [k:5] from 0.0 =\n    A[m, k] * B[k, n]\n"
         "stage relu -> Y f32 [m:7, n:6] =\n    max(matmul[m, n] + C[n], 0.0)\n"},
        {"tiny_conv",
         "definition conv\ninput X f32 [1, 2, 4, 5]\nconstant W f32 [4, 2, 3, 3]\nconstant B f32 [4]\noutput Y f32 [1, 4, 4, 5]\n"
         "stage conv f32 [n:1, oc:4, oh:4, ow:5] sum [ic:2, kh:3, kw:3] from 0.0 =\n"
         "    select(oh + kh >= 1 && oh + kh < 5 && ow + kw >= 1 && ow + kw < 6, X[n, ic, oh + kh - 1, ow + kw - 1], 0.0)"
         " * W[oc, ic, kh, kw]\n"
         "stage relu -> Y f32 [n:1, oc:4, oh:4, ow:5] =\n    max(conv[n, oc, oh, ow] + B[oc], 0.0)\n"},
        {"tiny_stencil",
         "definition add\ninput X f32 [9, 8]\noutput G f32 [7, 6]\n"
         "stage f f32 [y:9, x:8] sum [r:2] from 0.0 =\n    X[y, x]\n"
         "stage add -> G f32 [y:7, x:6] =\n    f[y, x] + f[y + 2, x + 2]\n"},
        // Windows over windows: rows of one stage that rows of the next have in common.
        {"two_pools",
         "definition pool\ninput X f32 [9, 5]\noutput Y f32 [5, 5]\n"
         "stage pool f32 [h:7, w:5] max [kh:3] from -inf =\n    X[h + kh, w]\n"
         "stage pool2 -> Y f32 [h:5, w:5] max [kh:3] from -inf =\n    pool[h + kh, w]\n"},
        {"padded_pools",
         "definition pool\ninput X f32 [2, 7, 4]\noutput Y f32 [2, 7, 4]\n"
         "stage pool f32 [c:2, h:7, w:4] sum [kh:3] from 0.0 =\n    select(h + kh >= 1 && h + kh < 8, X[c, h + kh - 1, w], 0.0)\n"
         "stage pool2 f32 [c:2, h:7, w:4] sum [kh:3] from 0.0 =\n    select(h + kh >= 1 && h + kh < 8, pool[c, h + kh - 1, w], 0.0)\n"
         "stage relu -> Y f32 [c:2, h:7, w:4] =\n    max(pool2[c, h, w], 0.0)\n"},
        {"dilated",
         "definition add\ninput X f32 [13, 3]\noutput Y f32 [9, 3]\nstage f f32 [y:13, x:3] =\n    X[y, x] + 1.0\n"
         "stage add -> Y f32 [y:9, x:3] sum [k:3] from 0.0 =\n    f[y + k * 2, x]\n"},
        {"strided",
         "definition add\ninput X f32 [11]\noutput Y f32 [5]\nstage f f32 [y:11] =\n    X[y] + 1.0\n"
         "stage add -> Y f32 [y:5] sum [k:3] from 0.0 =\n    f[y * 2 + k]\n"},
        {"two_convs",
         "definition conv\ninput X f32 [2, 9, 8]\nconstant W f32 [3, 2, 3, 3]\nconstant V f32 [2, 3, 3, 3]\noutput Y f32 [2, 5, 4]\n"
         "stage conv f32 [oc:3, oh:7, ow:6] sum [ic:2, kh:3, kw:3] from 0.0 =\n    X[ic, oh + kh, ow + kw] * W[oc, ic, kh, kw]\n"
         "stage conv2 -> Y f32 [oc:2, oh:5, ow:4] sum [ic:3, kh:3, kw:3] from 0.0 =\n    conv[ic, oh + kh, ow + kw] * V[oc, ic, kh, kw]\n"},
        {"short",
         "definition add\ninput X f32 [2]\noutput Y f32 [2]\nstage f f32 [y:2] =\n    X[y] + 1.0\n"
         "stage add -> Y f32 [y:2] =\n    select(y >= 1, f[y - 1], 0.0) + f[y]\n"},
        {"unread_sum",
         "definition add\ninput X f32 [4, 3]\noutput Y f32 [4]\nstage sum f32 [d0:4] sum [r:3] from 0.0 =\n    X[d0, r]\n"
         "stage mul -> Y f32 [d0:4] =\n    X[d0, 0] * 2.0\n"},
        {"backwards",
         "definition add\ninput X f32 [9]\noutput Y f32 [7]\nstage f f32 [y:9] =\n    X[y] + 1.0\n"
         "stage add -> Y f32 [y:7] =\n    f[6 - y] + f[8 - y]\n"},
        {"diagonal",
         "definition add\ninput X f32 [9, 9]\noutput Y f32 [7]\nstage f f32 [y:9, x:9] =\n    X[y, x] + 1.0\n"
         "stage add -> Y f32 [y:7] =\n    f[y, y] + f[y + 2, y + 2]\n"},
        {"tiny_branches",
         "definition add\ninput X f32 [6, 5]\noutput Y f32 [6]\n"
         "stage a f32 [d0:6, d1:5] =\n    X[d0, d1] + 1.0\n"
         "stage b f32 [d0:6] sum [r:5] from 0.0 =\n    a[d0, r]\n"
         "stage c f32 [d0:6] max [r:5] from -inf =\n    a[d0, r] * 2.0\n"
         "stage d -> Y f32 [d0:6] =\n    b[d0] - c[d0]\n"},
    };
    const auto found = kTexts.find(name);
    ENSURE(found != kTexts.end(), "no definition " + name);
    return found->second;
}

LoopNest nestOf(const std::string& text, const std::vector<std::string>& layouts)
{
    const Result<compute::Definition> parsed = compute::parseDefinition(text);
    ENSURE(parsed.has_value(), parsed.error().message);
    const auto definition = std::make_shared<const compute::Definition>(*parsed);
    std::vector<Layout> ports(definition->ports.size());
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        const Result<Layout> layout = parseLayout(layouts[i]);
        ENSURE(layout.has_value(), layout.error().message);
        ports[i] = *layout;
    }
    const Result<LoopNest> nest = initialNest(definition, ports);
    ENSURE(nest.has_value(), nest.error().message);
    return *nest;
}

Result<Replay> steps(const LoopNest& nest, const std::string& script, const Context& context)
{
    const Result<Script> parsed = parseScript(script, allPrimitives(), context);
    if (!parsed) {
        return parsed.error();
    }
    return replay(nest, *parsed, {}, context);
}

LoopNest after(const LoopNest& nest, const std::string& script, const Context& context)
{
    const Result<Replay> done = steps(nest, script, context);
    ENSURE(done.has_value(), script + ": " + done.error().message);
    for (const Step& step : done->steps) {
        ENSURE(verify(step.nest).empty(), step.text + ": " + verify(step.nest) + "\n" + toText(step.nest));
    }
    return done->nest();
}

namespace {

std::string nameIn(const LoopNest& nest, int id)
{
    if (const LoopNest::Path path = nest.findLoop(id)) {
        return path.loop->name;
    }
    for (const LoopNest::Path& path : nest.blocks()) {
        if (path.block->id == id) {
            return path.block->name;
        }
    }
    return "?" + std::to_string(id);
}

} // namespace

std::string forwardText(const LoopNest& before, const Step& step)
{
    std::vector<std::string> parts;
    const auto add = [&](int from, const std::vector<int>& to) {
        std::vector<std::string> names;
        for (const int id : to) {
            names.push_back(nameIn(step.nest, id));
        }
        parts.push_back(nameIn(before, from) + " -> " + (names.empty() ? "nothing" : join(names, " ")));
    };
    for (const auto& [from, to] : step.forward.loops) {
        add(from, to);
    }
    for (const auto& [from, to] : step.forward.blocks) {
        add(from, to);
    }
    return join(parts, "; ");
}

std::string differs(const LoopNest& before, const LoopNest& now, std::uint64_t seed, double share)
{
    const Result<std::vector<Tensor>> data = compute::makeTestData(*before.definition, compute::DataKind::SmallIntegers, seed);
    ENSURE(data.has_value(), data.error().message);
    const Result<std::vector<Tensor>> expected = interpretNest(before, *data);
    ENSURE(expected.has_value(), expected.error().message);
    for (const std::uint64_t order : {std::uint64_t{0}, seed + 1}) {
        const Result<std::vector<Tensor>> found = interpretNest(now, *data, order);
        if (!found) {
            return found.error().message;
        }
        for (std::size_t i = 0; i < expected->size(); ++i) {
            for (std::int64_t k = 0; k < (*expected)[i].count(); ++k) {
                const double wanted = (*expected)[i].asDouble(k);
                const double is = (*found)[i].asDouble(k);
                if (is != wanted && !(std::abs(is - wanted) <= share * std::max(1.0, std::abs(wanted)))) {
                    return format("output {} element {}: {} instead of {}", i, k, is, wanted);
                }
            }
        }
    }
    return {};
}

} // namespace nw::schedule::test
