#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/plan/arena.h"
#include "engine/plan/plan.h"
#include "tests/engine/graph/graphs.h"

#include <algorithm>
#include <filesystem>

using namespace nw;
using namespace nw::plan;

namespace {

Result<Plan> planOf(const std::string& body, const std::string& choiceText = {})
{
    const auto graph = graphOf(body);
    if (!graph) {
        return graph.error();
    }
    const Result<Choices> choices = parseChoices(choiceText);
    return choices ? makePlan(*graph, *choices) : choices.error();
}

const std::string kConv = "g (float[1,4,8,8] x) => (float[1,4,8,8] y) {\n" + zeros("w", "4,4,1,1", 4) + zeros("v", "4,4,1,1", 4)
                          + "a = Conv(x, w)\n y = Conv(a, v)\n}";

// The layout that each port of each call asks for must be what the last writer of its place wrote; every input must
// have been written before; live arena bytes must not be written by another call.
std::string faultOf(const Plan& plan)
{
    struct Written {
        graph::ValueId value;
        std::string layout;
        Place place;
        int by;
    };
    std::vector<Written> arena;
    for (std::size_t c = 0; c < plan.calls.size(); ++c) {
        const Group& group = plan.groups[static_cast<std::size_t>(plan.calls[c].group)];
        for (std::size_t p = 0; p < group.ports.size(); ++p) {
            const Place& place = plan.calls[c].places[p];
            if (place.space == Space::Arena && (place.offset % 64 != 0 || place.offset + place.bytes > plan.arenaBytes)) {
                return group.name + " has a place outside the arena";
            }
            if (group.ports[p].kind == PortKind::Output || place.space != Space::Arena || place.bytes == 0) {
                continue;
            }
            // What operands of a concatenation that fell away wrote stands side by side.
            std::int64_t bytes = 0;
            for (const Written& w : arena) {
                const bool inside = w.place.offset >= place.offset && w.place.offset + w.place.bytes <= place.offset + place.bytes;
                bytes += inside && w.layout == group.ports[p].layout.toText() ? w.place.bytes : 0;
            }
            if (bytes != place.bytes) {
                return group.name + " reads what is not there: " + group.ports[p].name;
            }
        }
        for (std::size_t p = 0; p < group.ports.size(); ++p) {
            const Place& place = plan.calls[c].places[p];
            if (group.ports[p].kind != PortKind::Output || place.space != Space::Arena) {
                continue;
            }
            for (std::size_t q = 0; q < p; ++q) { // nothing that this call reads or writes otherwise
                const Place& other = plan.calls[c].places[q];
                if (other.space == Space::Arena && other.offset < place.offset + place.bytes
                    && place.offset < other.offset + other.bytes) {
                    return group.name + " writes over its own ports";
                }
            }
            std::erase_if(arena, [&](const Written& w) {
                return w.place.offset < place.offset + place.bytes && place.offset < w.place.offset + w.place.bytes;
            });
            arena.push_back({group.ports[p].value, group.ports[p].layout.toText(), place, static_cast<int>(c)});
        }
    }
    return {};
}

} // namespace

class TestPlan : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void plans_data()
    {
        QTest::addColumn<std::string>("body");
        QTest::addColumn<std::string>("choices");
        QTest::addColumn<std::string>("text");
        const auto row = [](const char* name, const std::string& body, const char* choices, const char* text) {
            QTest::newRow(name) << body << std::string(choices) << std::string(text);
        };
        row("small cnn", "g (float[1,3,8,8] x) => (float[1,10] y) {\n" + zeros("w", "8,3,3,3", 4) + zeros("b", "8", 1) +
                             zeros("f", "128,10", 2) + "c = Conv <pads = [1,1,1,1]> (x, w, b)\n r = Relu(c)\n"
                             "m = MaxPool <kernel_shape = [2,2], strides = [2,2]> (r)\n h = Flatten(m)\n y = MatMul(h, f)\n}",
            "", R"(conv.0 = Conv, Relu
  input X %0:f32[1,3,8,8] at input 0
  constant W %1:f32[8,3,3,3] at constant 0
  constant B %2:f32[8] at constant 1
  output Y %3:f32[1,8,8,8] at arena 0 (2048 bytes)
maxpool.0 = MaxPool
  input X %3:f32[1,8,8,8] at arena 0 (2048 bytes)
  output Y %4:f32[1,8,4,4] at arena 2048 (512 bytes)
matmul.0 = MatMul
  input A %5:f32[1,128] at arena 2048 (512 bytes)
  constant B %6:f32[128,10] at constant 2
  output Y %7:f32[1,10] at output 0
arena 2560 bytes
)");
        row("blocked layouts", kConv, "layout conv.0 X NCHW4c\nlayout conv.0 Y NCHW4c border 1 1\nlayout conv.1 X NCHW4c border 1 1\n"
                                      "layout conv.1 Y NHWC\n",
            R"(copy.0 = copy
  input X %0:f32[1,4,8,8] at input 0
  output Y %0:f32[1,4,8,8] as NCHW4c at arena 1600 (1024 bytes)
conv.0 = Conv
  input X %0:f32[1,4,8,8] as NCHW4c at arena 1600 (1024 bytes)
  constant W %1:f32[4,4,1,1] at constant 0
  output Y %2:f32[1,4,8,8] as NCHW4c border 1 1 at arena 0 (1600 bytes)
conv.1 = Conv
  input X %2:f32[1,4,8,8] as NCHW4c border 1 1 at arena 0 (1600 bytes)
  constant W %3:f32[4,4,1,1] at constant 1
  output Y %4:f32[1,4,8,8] as NHWC at arena 1600 (1024 bytes)
copy.1 = copy
  input X %4:f32[1,4,8,8] as NHWC at arena 1600 (1024 bytes)
  output Y %4:f32[1,4,8,8] at output 0
arena 2624 bytes
)");
        row("one value in two layouts", "g (float[1,4,8,8] x) => (float[1,4,8,8] y) {\n" + zeros("w", "4,4,1,1", 4) +
                                            zeros("v", "4,4,1,1", 4) + "a = Relu(x)\n b = Conv(a, w)\n c = Conv(b, v)\n y = Add(c, a)\n}",
            "layout conv.0 X NHWC\n",
            R"(relu.0 = Relu
  input X %0:f32[1,4,8,8] at input 0
  output Y %1:f32[1,4,8,8] at arena 0 (1024 bytes)
copy.0 = copy
  input X %1:f32[1,4,8,8] at arena 0 (1024 bytes)
  output Y %1:f32[1,4,8,8] as NHWC at arena 1024 (1024 bytes)
conv.0 = Conv
  input X %1:f32[1,4,8,8] as NHWC at arena 1024 (1024 bytes)
  constant W %2:f32[4,4,1,1] at constant 0
  output Y %3:f32[1,4,8,8] at arena 2048 (1024 bytes)
conv.1 = Conv, Add
  input X %3:f32[1,4,8,8] at arena 2048 (1024 bytes)
  constant W %4:f32[4,4,1,1] at constant 1
  input add.B %1:f32[1,4,8,8] at arena 0 (1024 bytes)
  output Y %5:f32[1,4,8,8] at output 0
arena 3072 bytes
)");
        row("concatenations without kernels", "g (float[1,2,4,4] x) => (float[1,8,4,4] y) {\n a = Relu(x)\n b = Sigmoid(x)\n c = Concat <axis = 1> (a, b)\n"
                                              " d = Relu(c)\n e = Concat <axis = 1> (c, d)\n y = Transpose <perm = [0,1,3,2]> (e)\n}",
            "", R"(relu.0 = Relu
  input X %0:f32[1,2,4,4] at input 0
  output Y %1:f32[1,2,4,4] at arena 0 (128 bytes)
sigmoid.0 = Sigmoid
  input X %0:f32[1,2,4,4] at input 0
  output Y %2:f32[1,2,4,4] at arena 128 (128 bytes)
relu.1 = Relu
  input X %3:f32[1,4,4,4] at arena 0 (256 bytes)
  output Y %4:f32[1,4,4,4] at arena 256 (256 bytes)
transpose.0 = Transpose
  input X %5:f32[1,8,4,4] at arena 0 (512 bytes)
  output Y %6:f32[1,8,4,4] at output 0
arena 512 bytes
)");
        row("input passed through", "g (float[2,3] x) => (float[3,2] y) {\n s = Constant <value = int64[2] {3,2}> ()\n y = Reshape(x, s)\n}",
            "", R"(copy.0 = copy
  input X %0:f32[3,2] at input 0
  output Y %0:f32[3,2] at output 0
arena 0 bytes
)");
        row("output is a view", "g (float[2,3] x) => (float[6] y) {\n s = Constant <value = int64[1] {6}> ()\n a = Relu(x)\n y = Reshape(a, s)\n}",
            "", R"(relu.0 = Relu
  input X %0:f32[2,3] at input 0
  output Y %1:f32[2,3] at output 0
arena 0 bytes
)");
        row("value and its view are outputs", "g (float[2,3] x) => (float[6] y, float[2,3] a) {\n s = Constant <value = int64[1] {6}> ()\n"
                                              " a = Relu(x)\n y = Reshape(a, s)\n}",
            "", R"(relu.0 = Relu
  input X %0:f32[2,3] at input 0
  output Y %1:f32[2,3] at output 0
copy.0 = copy
  input X %1:f32[2,3] at output 0
  output Y %1:f32[2,3] at output 1
arena 0 bytes
)");
        row("constant as output", "g (float[1] x) => (float[1] y, float[1] k) {\n k = Constant <value = float[1] {2.0}> ()\n y = Add(x, k)\n}",
            "", R"(add.0 = Add
  input A %0:f32[1] at input 0
  constant B %1:f32[1] at constant 0
  output Y %2:f32[1] at output 0
copy.0 = copy
  constant X %1:f32[1] at constant 0
  output Y %1:f32[1] at output 1
arena 0 bytes
)");
        row("view in another layout", "g (float[4,16] x) => (float[1,4,4,4] y) {\n" + zeros("w", "4,4,1,1", 4) +
                                          " s = Constant <value = int64[4] {1,4,4,4}> ()\n a = Relu(x)\n b = Reshape(a, s)\n y = Conv(b, w)\n}",
            "layout conv.0 X NHWC\n", R"(relu.0 = Relu
  input X %0:f32[4,16] at input 0
  output Y %1:f32[4,16] at arena 0 (256 bytes)
copy.0 = copy
  input X %2:f32[1,4,4,4] at arena 0 (256 bytes)
  output Y %2:f32[1,4,4,4] as NHWC at arena 256 (256 bytes)
conv.0 = Conv
  input X %2:f32[1,4,4,4] as NHWC at arena 256 (256 bytes)
  constant W %3:f32[4,4,1,1] at constant 0
  output Y %4:f32[1,4,4,4] at output 0
arena 512 bytes
)");
    }

    void plans()
    {
        QFETCH(std::string, body);
        QFETCH(std::string, choices);
        QFETCH(std::string, text);
        const Result<Plan> plan = planOf(body, choices);
        VERIFY_OK(plan);
        QCOMPARE(toText(*plan), text);
        QCOMPARE(faultOf(*plan), std::string());
    }

    void refuses_data()
    {
        QTest::addColumn<std::string>("choices");
        QTest::addColumn<std::string>("why");
        const auto row = [](const char* choices, const char* why) { QTest::newRow(choices) << std::string(choices) << std::string(why); };
        row("layout conv.7 X NHWC", "There is no group conv.7. Did you mean conv.0?");
        row("layout conv.0 Z NHWC", "The group conv.0 has no port Z; it has X, W, Y.");
        row("layout conv.0 W NHWC", "conv.0 W is a constant, which the plan leaves plain. Pack it in the group's script: set_layout.");
        row("layout conv.0 X NWC", "conv.0 X: The layout (n, c, w) -> (n, w, c) is for 3 axes, but the shape [1, 4, 8, 8] has 4.");
        row("algorithm pool.0 direct", "There is no group pool.0.");
    }

    void refuses()
    {
        QFETCH(std::string, choices);
        QFETCH(std::string, why);
        const Result<Plan> plan = planOf(kConv, choices);
        QVERIFY(!plan);
        QCOMPARE(plan.error().message, why);
    }

    void needsEveryExtent()
    {
        const Result<Plan> plan = planOf("g (float[n,4] x) => (float[n,4] y) {\n y = Relu(x)\n}");
        QVERIFY(!plan);
        QCOMPARE(plan.error().message, std::string("The plan needs every extent. Bind n (for example --bind n=1)."));
    }

    // Two buffers that live during one call never share a byte, and gaps are used.
    void neverOverlaps()
    {
        Random random(11);
        for (int round = 0; round < 200; ++round) {
            std::vector<Lifetime> buffers(random.below(60) + 1);
            std::int64_t sum = 0;
            for (Lifetime& buffer : buffers) {
                buffer.bytes = static_cast<std::int64_t>(random.below(4) == 0 ? random.below(3) : random.below(5000));
                buffer.begin = static_cast<int>(random.below(40));
                buffer.end = buffer.begin + static_cast<int>(random.below(6));
                sum += (buffer.bytes + 63) / 64 * 64;
            }
            const Packing packing = packArena(buffers);
            QVERIFY(packing.bytes <= sum);
            for (std::size_t i = 0; i < buffers.size(); ++i) {
                QCOMPARE(packing.offsets[i] % 64, std::int64_t{0});
                QVERIFY(packing.offsets[i] + buffers[i].bytes <= packing.bytes);
                for (std::size_t j = 0; j < i; ++j) {
                    const bool inTime = buffers[i].begin <= buffers[j].end && buffers[j].begin <= buffers[i].end;
                    const bool inSpace = packing.offsets[i] < packing.offsets[j] + buffers[j].bytes
                                         && packing.offsets[j] < packing.offsets[i] + buffers[i].bytes;
                    QVERIFY2(!(inTime && inSpace), "two live buffers share bytes");
                }
            }
        }
        const std::vector<Lifetime> chain{{640, 0, 1}, {640, 1, 2}, {640, 2, 3}, {640, 3, 4}};
        QCOMPARE(packArena(chain).bytes, std::int64_t{1280});
    }

    // Layouts are asked for port by port, so a broadcast operand stays as it is.
    void case_22()
    {
        for (const int channels : {8, 12}) {
            const std::string c = std::to_string(channels);
            for (const std::string shape : {"", "1", "1,1,1", "C,1,1", "1,C,1,1", "1,1,1,4"}) {
                std::string extents = shape;
                if (const std::size_t at = extents.find('C'); at != std::string::npos) {
                    extents.replace(at, 1, c);
                }
                const auto rank = shape.empty() ? 0 : std::ranges::count(shape, ',') + 1;
                const std::string k = shape.empty() ? std::string("k = Constant <value = float {0.1}> ()\n")
                                                    : zeros("k", extents, static_cast<std::size_t>(rank));
                const std::string body = "g (float[1,3,4,4] x) => (float[1," + c + ",4,4] y) {\n" + zeros("w", c + ",3,1,1", 4) +
                                         zeros("b", c + ",1,1", 3) + k + "a = Conv(x, w)\n s = Add(a, b)\n r = Relu(s)\n y = Mul(r, k)\n}";
                const Result<Plan> plan = planOf(body, "layout conv.0 Y NCHW8c\n");
                VERIFY_OK(plan);
                QCOMPARE(plan->groups.size(), std::size_t{2});
                for (const GroupPort& port : plan->groups[0].ports) {
                    QCOMPARE(port.layout.isPlain(), port.name != "Y");
                }
                QCOMPARE(plan->calls[0].places.back().bytes, std::int64_t{4 * 16 * (channels == 8 ? 8 : 16)});
            }
        }
    }

    // A plan is a function of graph and choices: planning again changes nothing, and going back goes back.
    void case_23()
    {
        const std::string body = "g (float[1,3,4,4] x) => (float[1,8,4,4] y) {\n" + zeros("w", "8,3,1,1", 4) + zeros("k", "1,8,1,1", 4) +
                                 zeros("v", "8,8,1,1", 4) + "c = Conv(x, w)\n d = Add(c, k)\n y = Conv(d, v)\n}";
        const auto blocked = [](int block) {
            const std::string b = std::to_string(block);
            return "layout conv.0 Y NCHW" + b + "c\nlayout conv.1 X NCHW" + b + "c\n";
        };
        const Result<Plan> first = planOf(body, blocked(8));
        VERIFY_OK(first);
        QCOMPARE(first->groups.size(), std::size_t{2}); // both sides agree: no copy
        const Result<Plan> again = makePlan(first->graph, *parseChoices(blocked(8)));
        VERIFY_OK(again);
        QCOMPARE(toText(*again), toText(*first));
        const Result<Plan> four = makePlan(first->graph, *parseChoices(blocked(4)));
        VERIFY_OK(four);
        QCOMPARE(four->groups.size(), std::size_t{2});
        QVERIFY(toText(*four) != toText(*first));
        const Result<Plan> plain = makePlan(first->graph, {});
        VERIFY_OK(plain);
        QCOMPARE(toText(*plain), toText(*planOf(body)));
    }

    // Real models, where they are: every plan is free of faults and far smaller than the sum of its values.
    void models_data()
    {
        QTest::addColumn<std::string>("path");
        const std::filesystem::path folder(NW_SOURCE_DIR "/../shared/data/onnx-light");
        std::error_code none;
        for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
            if (entry.path().extension() == ".onnx") {
                QTest::newRow(entry.path().stem().c_str()) << entry.path().string();
            }
        }
        if (!std::filesystem::exists(folder)) {
            QTest::newRow("no models here") << std::string();
        }
    }

    void models()
    {
        QFETCH(std::string, path);
        if (path.empty()) {
            QSKIP("the light models are not here");
        }
        const auto model = model::readModel(path);
        VERIFY_OK(model);
        const auto imported = graph::importModel(*model, {});
        VERIFY_OK(imported);
        const Result<Plan> blocked = makePlan(imported->graph, *parseChoices("layouts blocked 8\n"));
        VERIFY_OK(blocked);
        QCOMPARE(faultOf(*blocked), std::string());
        const Result<Plan> plan = makePlan(imported->graph, {});
        VERIFY_OK(plan);
        QCOMPARE(faultOf(*plan), std::string());
        std::int64_t sum = 0;
        for (const Call& call : plan->calls) {
            sum += call.places.back().bytes;
        }
        QVERIFY(plan->arenaBytes * 4 < sum * 3);
    }
};

NW_TEST_MAIN(tst_plan, TestPlan)
#include "tst_plan.moc"
