#pragma once

#include "engine/plan/plan.h"

namespace nw::plan {

// Where the group of that name stands. Refused, with the name that was perhaps meant.
Result<std::size_t> findGroup(const std::vector<Group>& groups, const std::string& name);

} // namespace nw::plan
