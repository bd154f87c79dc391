#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

// Writes the wire format of ONNX by hand, so that a test can make files that no library would.
struct Message {
    std::string bytes;

    Message& varint(std::uint64_t value)
    {
        while (value >= 0x80) {
            bytes.push_back(static_cast<char>((value & 0x7f) | 0x80));
            value >>= 7;
        }
        bytes.push_back(static_cast<char>(value));
        return *this;
    }
    Message& number(unsigned field, std::int64_t value)
    {
        return varint(field << 3).varint(static_cast<std::uint64_t>(value));
    }
    Message& real(unsigned field, float value)
    {
        varint((field << 3) | 5);
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
        return *this;
    }
    Message& text(unsigned field, const std::string& value)
    {
        varint((field << 3) | 2).varint(value.size());
        bytes += value;
        return *this;
    }
    Message& sub(unsigned field, const Message& message) { return text(field, message.bytes); }
};

// TensorProto with dims, element type and name; data is added by the caller.
inline Message tensorMessage(const std::string& name, std::int64_t type, const std::vector<std::int64_t>& dims)
{
    Message out;
    for (const std::int64_t dim : dims) {
        out.number(1, dim);
    }
    return out.number(2, type).text(8, name);
}

inline Message valueInfo(const std::string& name, std::int64_t type, const std::vector<std::int64_t>& dims)
{
    Message shape;
    for (const std::int64_t dim : dims) {
        shape.sub(1, Message().number(1, dim));
    }
    return Message().text(1, name).sub(2, Message().sub(1, Message().number(1, type).sub(2, shape)));
}

inline Message nodeMessage(const std::string& op, const std::vector<std::string>& inputs,
                           const std::vector<std::string>& outputs)
{
    Message out;
    for (const std::string& input : inputs) {
        out.text(1, input);
    }
    for (const std::string& output : outputs) {
        out.text(2, output);
    }
    return out.text(4, op);
}

inline Message intsAttribute(const std::string& name, const std::vector<std::int64_t>& values)
{
    Message out;
    out.text(1, name).number(20, 7);
    for (const std::int64_t value : values) {
        out.number(8, value);
    }
    return out;
}

inline Message modelMessage(const Message& graph, std::int64_t opset = 13, std::int64_t ir = 8)
{
    return Message().number(1, ir).sub(8, Message().text(1, "").number(2, opset)).sub(7, graph);
}

inline std::span<const std::byte> asBytes(const std::string& text)
{
    return std::as_bytes(std::span(text.data(), text.size()));
}
