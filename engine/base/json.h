#pragma once

#include <nlohmann/json.hpp>

namespace nw {

// Keys keep the order in which they were added, so that printed lines read the same every time.
using Json = nlohmann::ordered_json;

} // namespace nw
