#pragma once

#include "engine/base/result.h"
#include "engine/wire/messages.h"

#include <string>

namespace nw::measure {

// The numbers of a protocol by name (DESIGN.md 4, MEASURING.md): "quick", "search", "confirm", "pair", "none".
Result<wire::Protocol> protocolByName(const std::string& name, bool cold);

} // namespace nw::measure
