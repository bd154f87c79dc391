#pragma once

#include "engine/base/result.h"
#include "engine/base/text.h"
#include "engine/wire/proto/messages.pb.h"

#include <string>
#include <string_view>
#include <vector>

// Shared by the sources of this folder only: it shows Protocol Buffers' types.
namespace nw::wire {

namespace pb = ::nestwright::wire;

template <typename Message>
Result<Message> parseMessage(std::string_view bytes, std::string_view what)
{
    Message message;
    if (bytes.size() > std::size_t{1} << 30 ||
        !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
        return failed(format("protocol: these {} bytes are no {}", bytes.size(), what));
    }
    return message;
}

template <typename Field>
std::vector<std::string> toStrings(const Field& field)
{
    return {field.begin(), field.end()};
}

template <typename Field>
void addStrings(Field* field, const std::vector<std::string>& values)
{
    for (const std::string& value : values) {
        *field->Add() = value;
    }
}

} // namespace nw::wire
