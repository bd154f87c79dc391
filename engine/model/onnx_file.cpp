#include "engine/model/onnx_file.h"

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/model/onnx_read.h"

#include <onnx/onnx_pb.h>

#include <cctype>
#include <exception>
#include <limits>

namespace nw::model {
namespace {

constexpr std::size_t kProtobufLimit = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kTextLimit = std::size_t{256} << 20;

std::string_view asText(std::span<const std::byte> bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A binary model starts with a field tag, which is a control character or ':'; a text starts with '<', a comment or a
// word.
bool looksLikeText(std::span<const std::byte> bytes)
{
    const std::string_view head = asText(bytes).substr(0, 256);
    const std::size_t first = head.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) {
        return true;
    }
    for (const char c : head) {
        const auto code = static_cast<unsigned char>(c);
        if ((code < 0x20 && c != '\t' && c != '\r' && c != '\n') || code == 0x7f) {
            return false;
        }
    }
    const auto start = static_cast<unsigned char>(head[first]);
    return start == '<' || start == '#' || std::isalpha(start) != 0;
}

template <typename Proto>
Status parseProto(std::span<const std::byte> bytes, Proto& proto, std::string_view kind)
{
    if (bytes.size() > kProtobufLimit) {
        return failed("it is larger than protobuf allows (2 GiB - 1); use external data");
    }
    try {
        if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
            return failed(format("it is not a readable {}: damaged, cut off, nested too deeply, or something else", kind));
        }
    } catch (const std::exception& problem) {
        return failed(format("it is not a readable {} ({})", kind, problem.what()));
    }
    return Done{};
}

template <typename T>
Result<T> named(const std::filesystem::path& path, Result<T> result)
{
    if (result) {
        return result;
    }
    Error error = result.error();
    error.message = path.filename().string() + ": " + error.message;
    return error;
}

} // namespace

Result<Model> parseModelText(std::string_view text, const std::filesystem::path& folder)
{
    if (text.size() > kTextLimit) {
        return failed("a text model of more than 256 MiB is not read; save it as binary ONNX");
    }
    onnx::ModelProto proto;
    if (const Status parsed = parseText(text, proto); !parsed) {
        return parsed.error();
    }
    ExternalFiles files(folder);
    return readModelProto(proto, files);
}

Result<Model> parseModelBytes(std::span<const std::byte> bytes, const std::filesystem::path& folder)
{
    if (bytes.empty()) {
        return failed("the file is empty");
    }
    if (bytes.size() > kProtobufLimit) {
        return failed("the file is larger than protobuf allows (2 GiB - 1); use external data");
    }
    if (looksLikeText(bytes)) {
        return parseModelText(asText(bytes), folder);
    }
    onnx::ModelProto proto;
    if (const Status parsed = parseProto(bytes, proto, "ONNX model"); !parsed) {
        return parsed.error();
    }
    ExternalFiles files(folder);
    return readModelProto(proto, files);
}

Result<Model> readModel(const std::filesystem::path& path)
{
    const Result<MappedFile> file = mapFile(path);
    if (!file) {
        return file.error();
    }
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    return named(path, parseModelBytes(file->bytes, folder));
}

Result<Tensor> readTensorFile(const std::filesystem::path& path)
{
    const Result<MappedFile> file = mapFile(path);
    if (!file) {
        return file.error();
    }
    if (file->bytes.empty()) {
        return failed(path.filename().string() + ": the file is empty");
    }
    onnx::TensorProto proto;
    if (const Status parsed = parseProto(file->bytes, proto, "tensor file"); !parsed) {
        return named<Tensor>(path, parsed.error());
    }
    ExternalFiles files(path.has_parent_path() ? path.parent_path() : std::filesystem::path("."));
    return named(path, readTensor(proto, "tensor '" + proto.name() + "'", files));
}

Status writeTensorFile(const std::filesystem::path& path, const std::string& name, const Tensor& tensor)
{
    if (tensor.bytes().size() > kProtobufLimit - 4096) {
        return failed(path.filename().string() + ": a tensor of 2 GiB or more does not fit a tensor file");
    }
    onnx::TensorProto proto;
    proto.set_name(name);
    proto.set_data_type(onnxTypeOf(tensor.type()));
    for (const std::int64_t dim : tensor.shape()) {
        proto.add_dims(dim);
    }
    proto.set_raw_data(std::string(asText(tensor.bytes())));
    std::string bytes;
    if (!proto.SerializeToString(&bytes)) {
        return failed(path.filename().string() + ": the tensor cannot be written");
    }
    return writeFile(path, bytes);
}

} // namespace nw::model
