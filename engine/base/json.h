#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace nw {

// Keys keep the order in which they were added, so that printed lines read the same every time.
using Json = nlohmann::ordered_json;

// One line of text. Bytes that are no UTF-8 (a file's name may hold them) become U+FFFD; they are no reason to stop.
inline std::string jsonLine(const Json& json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace nw
