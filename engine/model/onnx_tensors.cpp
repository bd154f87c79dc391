#include "engine/model/onnx_read.h"

#include "engine/base/text.h"

#include <onnx/onnx_pb.h>

#include <charconv>
#include <cstring>
#include <memory>
#include <utility>

namespace nw::model {
namespace {

using onnx::TensorProto;

constexpr std::pair<int, DType> kTypes[] = {
    {TensorProto::FLOAT, DType::F32}, {TensorProto::DOUBLE, DType::F64}, {TensorProto::INT64, DType::I64},
    {TensorProto::INT32, DType::I32}, {TensorProto::BOOL, DType::Bool}, {TensorProto::FLOAT16, DType::F16},
    {TensorProto::BFLOAT16, DType::BF16}, {TensorProto::INT8, DType::I8}, {TensorProto::UINT8, DType::U8},
    {TensorProto::INT16, DType::I16}, {TensorProto::UINT16, DType::U16}, {TensorProto::UINT32, DType::U32},
    {TensorProto::UINT64, DType::U64}, {TensorProto::STRING, DType::String},
};

std::string dimsText(const std::vector<std::int64_t>& dims)
{
    std::vector<std::string> parts;
    for (const std::int64_t dim : dims) {
        parts.push_back(std::to_string(dim));
    }
    return "[" + join(parts, ", ") + "]";
}

// Own, aligned copy of bytes that cannot be used where they lie.
Result<Tensor> copied(DType type, const std::vector<std::int64_t>& dims, std::span<const std::byte> bytes)
{
    Result<Tensor> tensor = Tensor::create(type, dims);
    if (tensor && !bytes.empty()) {
        std::memcpy(tensor->mutableData<std::byte>().data(), bytes.data(), bytes.size());
    }
    return tensor;
}

Result<Tensor> wrapped(DType type, const std::vector<std::int64_t>& dims, std::shared_ptr<const void> owner,
                       std::span<const std::byte> bytes)
{
    const bool aligned = reinterpret_cast<std::uintptr_t>(bytes.data()) % byteSize(type) == 0;
    return aligned ? Tensor::wrap(type, dims, std::move(owner), bytes) : copied(type, dims, bytes);
}

struct Place {
    std::string location;
    std::uint64_t offset = 0;
    std::optional<std::uint64_t> length;
};

Result<Place> placeOf(const TensorProto& proto, const std::string& what)
{
    Place place;
    for (const onnx::StringStringEntryProto& entry : proto.external_data()) {
        const std::string& value = entry.value();
        std::uint64_t number = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
        const bool isNumber = error == std::errc{} && end == value.data() + value.size();
        if (entry.key() == "location") {
            place.location = value;
        } else if (entry.key() == "offset" || entry.key() == "length") {
            if (!isNumber) {
                return failed(format("{}: the {} \"{}\" of its external data is no byte count", what, entry.key(), value));
            }
            if (entry.key() == "offset") {
                place.offset = number;
            } else {
                place.length = number;
            }
        }
    }
    return place;
}

Result<Tensor> readExternal(const TensorProto& proto, DType type, const std::vector<std::int64_t>& dims,
                            std::uint64_t bytes, const std::string& what, ExternalFiles& files)
{
    const Result<Place> place = placeOf(proto, what);
    if (!place) {
        return place.error();
    }
    if (place->length && *place->length != bytes) {
        return failed(format("{}: its shape {} of {} needs {} bytes, but its external data has {}", what, dimsText(dims),
            toText(type), bytes, *place->length));
    }
    const Result<MappedFile> file = files.open(place->location);
    if (!file) {
        return failed(what + ": " + file.error().message);
    }
    const std::uint64_t size = file->bytes.size();
    if (place->offset > size || bytes > size - place->offset) {
        return failed(format("{}: needs bytes {} to {} of external data \"{}\", which has only {}", what, place->offset,
            place->offset + bytes, place->location, size));
    }
    return wrapped(type, dims, file->owner, file->bytes.subspan(place->offset, bytes));
}

// Values that the format stores in a wider field than their type.
template <typename To, typename Field>
Result<Tensor> narrowed(DType type, const std::vector<std::int64_t>& dims, const Field& field)
{
    Result<Tensor> tensor = Tensor::create(type, dims);
    if (tensor) {
        const std::span<To> out = tensor->mutableData<To>();
        for (int i = 0; i < field.size(); ++i) {
            out[static_cast<std::size_t>(i)] = static_cast<To>(field.Get(i));
        }
    }
    return tensor;
}

int typedCount(const TensorProto& proto, DType type)
{
    switch (type) {
    case DType::F32:
        return proto.float_data_size();
    case DType::F64:
        return proto.double_data_size();
    case DType::I64:
        return proto.int64_data_size();
    case DType::U32:
    case DType::U64:
        return proto.uint64_data_size();
    default:
        return proto.int32_data_size();
    }
}

Result<Tensor> readTyped(const TensorProto& proto, DType type, const std::vector<std::int64_t>& dims)
{
    switch (type) {
    case DType::F32:
        return narrowed<float>(type, dims, proto.float_data());
    case DType::F64:
        return narrowed<double>(type, dims, proto.double_data());
    case DType::I64:
        return narrowed<std::int64_t>(type, dims, proto.int64_data());
    case DType::U64:
        return narrowed<std::uint64_t>(type, dims, proto.uint64_data());
    case DType::U32:
        return narrowed<std::uint32_t>(type, dims, proto.uint64_data());
    case DType::I32:
        return narrowed<std::int32_t>(type, dims, proto.int32_data());
    case DType::Bool:
    case DType::U8:
    case DType::I8:
        return narrowed<std::uint8_t>(type, dims, proto.int32_data());
    default: // the 16-bit types; floats are stored as their bits
        return narrowed<std::uint16_t>(type, dims, proto.int32_data());
    }
}

} // namespace

DType dtypeOf(int onnxType)
{
    for (const auto& [number, type] : kTypes) {
        if (number == onnxType) {
            return type;
        }
    }
    return DType::Other;
}

int onnxTypeOf(DType type)
{
    for (const auto& [number, known] : kTypes) {
        if (known == type) {
            return number;
        }
    }
    return TensorProto::UNDEFINED;
}

std::string typeNameOf(int onnxType)
{
    static constexpr const char* kNames[] = {"undefined", "float", "uint8", "int8", "uint16", "int16", "int32", "int64",
        "string", "bool", "float16", "double", "uint32", "uint64", "complex64", "complex128", "bfloat16", "float8e4m3fn",
        "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4", "int4", "float4e2m1", "float8e8m0"};
    if (onnxType >= 0 && onnxType < static_cast<int>(std::size(kNames))) {
        return kNames[onnxType];
    }
    return "type " + std::to_string(onnxType);
}

Result<Tensor> readTensor(TensorProto& proto, const std::string& what, ExternalFiles& files)
{
    const DType type = dtypeOf(proto.data_type());
    if (type == DType::Other || type == DType::String) {
        return failed(format("{}: tensors of element type {} cannot be read", what, typeNameOf(proto.data_type())));
    }
    if (proto.has_segment()) {
        return failed(what + ": tensors stored in segments cannot be read; save the model in one piece");
    }
    const std::vector<std::int64_t> dims(proto.dims().begin(), proto.dims().end());
    const Result<std::int64_t> count = elementCount(dims);
    if (!count) {
        return failed(format("{}: the shape {} is not possible: {}", what, dimsText(dims), count.error().message));
    }
    const std::uint64_t elements = static_cast<std::uint64_t>(*count);
    if (elements > (std::uint64_t{1} << 62) / byteSize(type)) {
        return failed(format("{}: the shape {} has more bytes than 64 bits can count", what, dimsText(dims)));
    }
    const std::uint64_t bytes = elements * byteSize(type);
    const int typed = proto.float_data_size() + proto.double_data_size() + proto.int32_data_size() +
                      proto.int64_data_size() + proto.uint64_data_size() + proto.string_data_size();
    if (proto.data_location() == TensorProto::EXTERNAL) {
        if (typed != 0 || !proto.raw_data().empty()) {
            return failed(what + ": has both external data and data of its own");
        }
        return readExternal(proto, type, dims, bytes, what, files);
    }
    if (typed != 0 && !proto.raw_data().empty()) {
        return failed(what + ": has both raw_data and a typed data field");
    }
    if (typed == 0) {
        if (proto.raw_data().size() != bytes) {
            return failed(format("{}: its shape {} of {} needs {} bytes, but it has {}", what, dimsText(dims),
                toText(type), bytes, proto.raw_data().size()));
        }
        const std::shared_ptr<const std::string> raw(proto.release_raw_data());
        return raw ? wrapped(type, dims, raw, std::as_bytes(std::span(*raw))) : Tensor::create(type, dims);
    }
    if (typed != typedCount(proto, type) || static_cast<std::uint64_t>(typed) != elements) {
        return failed(format("{}: its shape {} of {} needs {} values, but its data fields have {}", what, dimsText(dims),
            toText(type), elements, typed));
    }
    return readTyped(proto, type, dims);
}

} // namespace nw::model
