#pragma once

#include "engine/base/index_map.h"
#include "engine/base/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace nw::plan {

// Short names of activation layouts: the memory order of the axes N C D H W in capitals, then blocks with their width,
// "NHWC", "NCHW16c", "NCW8c". The logical order is always n, c, d, h, w (those that occur).
Result<IndexMap> parseShortMap(std::string_view name);
// A layout as a choice line writes it: "plain", a short name, or "(n, c) -> ...", each with an optional border. The
// border of a short name goes to its last axes: "NCHW16c border 1 1" widens h and w.
Result<Layout> parseChoiceLayout(std::string_view text);
// The shortest of these texts that parses back to the same layout.
std::string choiceText(const Layout& layout);

} // namespace nw::plan
