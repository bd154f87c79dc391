#include "engine/model/onnx_file.h"
#include "tests/engine/model/proto_writer.h"
#include "tests/support/test.h"

#include <QTemporaryDir>

#include <filesystem>
#include <fstream>

using namespace nw;
using namespace nw::model;

namespace fs = std::filesystem;

namespace {

constexpr int kFloat = 1;
constexpr int kInt64 = 7;

// y = Add(x, w) with the given initializer message for w.
std::string modelWith(const Message& initializer)
{
    Message graph;
    graph.sub(1, nodeMessage("Add", {"x", "w"}, {"y"})).text(2, "g").sub(5, initializer);
    graph.sub(11, valueInfo("x", kFloat, {4})).sub(12, valueInfo("y", kFloat, {4}));
    return modelMessage(graph).bytes;
}

std::string raw(const std::vector<float>& values)
{
    return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

void write(const fs::path& path, const std::string& bytes)
{
    std::ofstream(path, std::ios::binary) << bytes;
}

Message external(const std::string& location, std::int64_t offset, const std::vector<std::int64_t>& dims)
{
    Message tensor = tensorMessage("w", kFloat, dims);
    tensor.sub(13, Message().text(1, "location").text(2, location));
    tensor.sub(13, Message().text(1, "offset").text(2, std::to_string(offset)));
    return tensor.number(14, 1);
}

} // namespace

class TestOnnxFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsText();
    void readsBinary();
    void readsEveryElementType();
    void refusesFiles_data();
    void refusesFiles();
    void refusesEveryTruncation();
    void mapsExternalData();
    void refusesExternalData_data();
    void refusesExternalData();
    void tensorFiles();
    void textErrorsHaveAPlace();
    void case_14();
    void case_15_data();
    void case_15();
    void case_15_deep();
};

void TestOnnxFile::readsText()
{
    const auto model = parseModelText(R"(
        <ir_version: 8, opset_import: ["" : 17, "com.x" : 1], producer_name: "t">
        g (float[N, 3] x, float[?, 3] u) => (float[N, 3] y)
        <float[3] w = {1, 2.5, -3}>
        { t = Add (x, w)
          y = Softmax <axis = 1, other = [1, 2], f = 0.5, s = "hi"> (t) })");
    VERIFY_OK(model);
    QCOMPARE(model->irVersion, 8);
    QCOMPARE(model->opsets.at(""), 17);
    QCOMPARE(model->opsets.at("com.x"), 1);
    QCOMPARE(model->nodes.size(), std::size_t{2});
    QCOMPARE(model->nodes[0].opType, std::string("Add"));
    QCOMPARE(std::get<std::int64_t>(model->nodes[1].attributes.at("axis")), 1);
    QCOMPARE(std::get<double>(model->nodes[1].attributes.at("f")), 0.5);
    QCOMPARE(std::get<std::string>(model->nodes[1].attributes.at("s")), std::string("hi"));
    QCOMPARE(std::get<std::vector<std::int64_t>>(model->nodes[1].attributes.at("other")).size(), std::size_t{2});
    QCOMPARE(model->inputs[0].shape[0].symbol, std::string("N"));
    QCOMPARE(*model->inputs[0].shape[1].value, 3);
    QVERIFY(!model->inputs[1].shape[0].value && model->inputs[1].shape[0].symbol.empty());
    QCOMPARE(model->initializers.at("w").asDouble(2), -3.0);
}

void TestOnnxFile::readsBinary()
{
    const std::string bytes = modelWith(tensorMessage("w", kFloat, {4}).text(9, raw({1, 2, 3, 4})));
    const auto model = parseModelBytes(asBytes(bytes));
    VERIFY_OK(model);
    QCOMPARE(model->nodes.size(), std::size_t{1});
    QCOMPARE(model->initializers.at("w").asDouble(3), 4.0);
    QCOMPARE(model->inputs[0].typeText, std::string("tensor(float)"));
}

void TestOnnxFile::readsEveryElementType()
{
    struct Row {
        int type;
        unsigned field;
        DType dtype;
        std::int64_t stored;
        double value;
    };
    // 16-bit floats are stored as their bits: 0x3e00 is 1.5, 0x3fc0 is 1.5 as bfloat16.
    const Row rows[] = {{7, 7, DType::I64, -5, -5}, {6, 5, DType::I32, -5, -5}, {9, 5, DType::Bool, 1, 1},
        {10, 5, DType::F16, 0x3e00, 1.5}, {16, 5, DType::BF16, 0x3fc0, 1.5}, {3, 5, DType::I8, -5, -5},
        {2, 5, DType::U8, 250, 250}, {5, 5, DType::I16, -300, -300}, {4, 5, DType::U16, 65000, 65000},
        {12, 11, DType::U32, 4000000000, 4000000000.0}, {13, 11, DType::U64, 5, 5}};
    for (const Row& row : rows) {
        const std::string bytes = modelWith(tensorMessage("w", row.type, {1}).number(row.field, row.stored));
        const auto model = parseModelBytes(asBytes(bytes));
        VERIFY_OK(model);
        QCOMPARE(model->initializers.at("w").type(), row.dtype);
        QCOMPARE(model->initializers.at("w").asDouble(0), row.value);
    }
}

void TestOnnxFile::refusesFiles_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("words");
    const QByteArray png = QByteArray::fromHex("89504e470d0a1a0a0000000d49484452");
    QTest::newRow("empty") << QByteArray() << "the file is empty";
    QTest::newRow("zeros") << QByteArray(4096, '\0') << "not a readable ONNX model";
    QTest::newRow("png") << png << "not a readable ONNX model";
    QTest::newRow("no graph") << QByteArray("\x08\x08", 2) << "holds no graph";
    QTest::newRow("prose") << QByteArray("Dear reader, this is no model.") << "line 1";
    QTest::newRow("white space") << QByteArray("   \n\n ") << "line";
    QTest::newRow("string without end") << QByteArray("<ir_version: 8, producer_name: \"x") << "line 1";
    QTest::newRow("huge number") << QByteArray("<ir_version: 99999999999999999999999>") << "number";
}

void TestOnnxFile::refusesFiles()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, words);
    const QTemporaryDir folder;
    const fs::path path = fs::path(folder.path().toStdString()) / "m.onnx";
    write(path, bytes.toStdString());
    const auto model = readModel(path);
    QVERIFY(!model);
    QVERIFY2(QString::fromStdString(model.error().message).contains(words), model.error().message.c_str());
    QVERIFY(QString::fromStdString(model.error().message).startsWith("m.onnx: "));
}

void TestOnnxFile::refusesEveryTruncation()
{
    const std::string good = modelWith(tensorMessage("w", kFloat, {4}).text(9, raw({1, 2, 3, 4})));
    VERIFY_OK(parseModelBytes(asBytes(good)));
    for (std::size_t length = 0; length < good.size(); ++length) {
        QVERIFY2(!parseModelBytes(asBytes(good.substr(0, length))), std::to_string(length).c_str());
    }
}

void TestOnnxFile::mapsExternalData()
{
    const QTemporaryDir folder;
    const fs::path at(folder.path().toStdString());
    write(at / "w.bin", std::string(6, 'x') + raw({1, 2, 3, 4}));
    write(at / "m.onnx", modelWith(external("w.bin", 6, {4}))); // not aligned: copied
    const auto model = readModel(at / "m.onnx");
    VERIFY_OK(model);
    QCOMPARE(model->initializers.at("w").asDouble(3), 4.0);
}

void TestOnnxFile::refusesExternalData_data()
{
    QTest::addColumn<std::string>("location");
    QTest::addColumn<int>("offset");
    QTest::addColumn<QString>("words");
    QTest::newRow("missing") << std::string("none.bin") << 0 << "is missing";
    QTest::newRow("too short") << std::string("w.bin") << 8 << "which has only 16";
    QTest::newRow("climbs") << std::string("../w.bin") << 0 << "leaves the model's folder";
    QTest::newRow("climbs inside") << std::string("sub/../../w.bin") << 0 << "leaves the model's folder";
    QTest::newRow("absolute") << std::string("/etc/passwd") << 0 << "leaves the model's folder";
    QTest::newRow("link out") << std::string("link.bin") << 0 << "leads out of the model's folder";
    QTest::newRow("no name") << std::string() << 0 << "location";
    QTest::newRow("folder") << std::string("sub") << 0 << "not a regular file";
}

void TestOnnxFile::refusesExternalData()
{
    QFETCH(std::string, location);
    QFETCH(int, offset);
    QFETCH(QString, words);
    const QTemporaryDir folder;
    const fs::path at = fs::path(folder.path().toStdString()) / "model";
    fs::create_directories(at / "sub");
    write(at / "w.bin", raw({1, 2, 3, 4}));
    write(at.parent_path() / "w.bin", raw({1, 2, 3, 4}));
    fs::create_symlink(at.parent_path() / "w.bin", at / "link.bin");
    write(at / "m.onnx", modelWith(external(location, offset, {4})));
    const auto model = readModel(at / "m.onnx");
    QVERIFY(!model);
    QVERIFY2(QString::fromStdString(model.error().message).contains(words), model.error().message.c_str());
    QVERIFY(QString::fromStdString(model.error().message).contains("initializer 'w'"));
}

void TestOnnxFile::tensorFiles()
{
    const QTemporaryDir folder;
    const fs::path path = fs::path(folder.path().toStdString()) / "t.pb";
    const Tensor tensor = Tensor::of<std::int64_t>(DType::I64, {2, 2}, {1, -2, 3, std::int64_t{1} << 60});
    VERIFY_OK(writeTensorFile(path, "t", tensor));
    const auto back = readTensorFile(path);
    VERIFY_OK(back);
    QCOMPARE(back->shape(), tensor.shape());
    QCOMPARE(back->asInt(3), std::int64_t{1} << 60);
    write(path, "");
    QVERIFY(!readTensorFile(path));
    QVERIFY(!readTensorFile(path.parent_path() / "none.pb"));
}

void TestOnnxFile::textErrorsHaveAPlace()
{
    const auto model = parseModelText("<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2] x) => (float[2] y) {\n"
                                      "  y = Relu x\n}");
    QVERIFY(!model);
    QCOMPARE(model.error().line, 3);
    QVERIFY2(model.error().message.find("line 3") != std::string::npos, model.error().message.c_str());
}

void TestOnnxFile::case_14()
{
    const QTemporaryDir folder;
    const fs::path at(folder.path().toStdString());
    write(at / "big.onnx", "\x08\x08");
    fs::resize_file(at / "big.onnx", (std::uintmax_t{21} << 30) / 10);
    const auto big = readModel(at / "big.onnx");
    QVERIFY(!big);
    QVERIFY(big.error().message.find("larger than protobuf allows (2 GiB - 1); use external data") != std::string::npos);

    const std::int64_t side = std::int64_t{1} << 33;
    const auto wide = parseModelBytes(asBytes(modelWith(tensorMessage("w", kFloat, {side, side}))));
    QVERIFY(!wide);
    QVERIFY2(wide.error().message.find("initializer 'w'") != std::string::npos, wide.error().message.c_str());

    // 3 GiB of weights in a sparse file: mapped, not read.
    write(at / "w.bin", "");
    fs::resize_file(at / "w.bin", std::uintmax_t{3} << 30);
    write(at / "m.onnx", modelWith(external("w.bin", 0, {786432, 1024})));
    const auto model = readModel(at / "m.onnx");
    VERIFY_OK(model);
    QCOMPARE(model->initializers.at("w").bytes().size(), std::size_t{3} << 30);
    QCOMPARE(model->initializers.at("w").asDouble(786432LL * 1024 - 1), 0.0);
}

void TestOnnxFile::case_15_data()
{
    QTest::addColumn<std::string>("bytes");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const Message& tensor, const char* words) {
        QTest::newRow(name) << modelWith(tensor) << words;
    };
    row("too many bytes", tensorMessage("w", kInt64, {1}).text(9, std::string(4096, '\0')), "needs 8 bytes, but it has 4096");
    row("too few bytes", tensorMessage("w", kFloat, {4}).text(9, "abc"), "needs 16 bytes, but it has 3");
    row("negative extent", tensorMessage("w", kFloat, {-1}), "negative");
    row("empty with data", tensorMessage("w", kFloat, {0}).real(4, 1), "needs 0 values, but its data fields have 1");
    row("raw and typed", tensorMessage("w", kFloat, {1}).text(9, raw({1})).real(4, 1), "both raw_data and a typed data field");
    row("unknown type", tensorMessage("w", 99, {1}).text(9, "abcd"), "type 99");
    row("8-bit float", tensorMessage("w", 17, {1}).text(9, "a"), "float8e4m3fn");
    row("field of another type", tensorMessage("w", kInt64, {1}).real(4, 1), "needs 1 values");
    row("string", tensorMessage("w", 8, {1}).text(6, "a"), "element type string");
}

void TestOnnxFile::case_15()
{
    QFETCH(std::string, bytes);
    QFETCH(QString, words);
    const auto model = parseModelBytes(asBytes(bytes));
    QVERIFY(!model);
    QVERIFY2(QString::fromStdString(model.error().message).contains(words), model.error().message.c_str());
    QVERIFY(QString::fromStdString(model.error().message).contains("initializer 'w'"));
}

void TestOnnxFile::case_15_deep()
{
    // 10,000 graphs inside each other, binary and text. The inner graph comes last in each, so what stands before it is
    // made from the inside out.
    std::vector<std::string> heads;
    std::size_t size = 0;
    for (int i = 0; i < 10000; ++i) {
        const std::string attribute = Message().text(1, "body").number(20, 5).varint((6 << 3) | 2).varint(size).bytes;
        size += attribute.size();
        const std::string node = nodeMessage("If", {"x"}, {"y"}).varint((5 << 3) | 2).varint(size).bytes;
        size += node.size();
        const std::string graph = Message().varint((1 << 3) | 2).varint(size).bytes;
        size += graph.size();
        heads.push_back(graph + node + attribute);
    }
    Message outer;
    for (auto head = heads.rbegin(); head != heads.rend(); ++head) {
        outer.bytes += *head;
    }
    const auto binary = parseModelBytes(asBytes(modelMessage(outer).bytes));
    QVERIFY(!binary);
    std::string text = "<ir_version: 8, opset_import: [\"\" : 13]> g (float[1] x) => (float[1] y) { ";
    for (int i = 0; i < 10000; ++i) {
        text += "y = If (x) <b = g" + std::to_string(i) + " () => (float[1] y) { ";
    }
    const auto parsed = parseModelText(text);
    QVERIFY(!parsed);
    QVERIFY2(parsed.error().message.find("nested") != std::string::npos, parsed.error().message.c_str());
}

NW_TEST_MAIN(tst_onnx_file, TestOnnxFile)
#include "tst_onnx_file.moc"
